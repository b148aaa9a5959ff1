// SPDX-License-Identifier: Apache-2.0
#include "learn/parts.h"

#include <fcntl.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "ledger/seal.h"
#include "ledger/sealed_bytes.h"

namespace discreet::learn {
namespace {

constexpr std::string_view kTitle = "discreet checkpoint 1\n";
constexpr std::size_t kSizeMax = std::size_t{1} << 30;

/// The run, in the words that its file is bound to.
std::string run_text(const ledger::Ledger& ledger, const CheckedLesson& lesson,
                     ledger::Sequence paid) {
  return std::string(kTitle) + ledger.id() + "/" + std::to_string(paid) + "\n" +
         ledger::to_hex(lesson.question.key) + "\n" + ledger::to_hex(lesson.question.snapshot) +
         "\n" + ledger::to_hex(lesson.training.rows.charge().plan());
}

std::filesystem::path aside(const std::filesystem::path& file) {
  return std::filesystem::path(file) += ".new";
}

/// The whole file or the one before, whatever happens.
Result<void> replace_file(const std::filesystem::path& file, const std::string& bytes) {
  const std::filesystem::path temporary = aside(file);
  {
    DISCREET_ASSIGN(const OpenFile out,
                    OpenFile::open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
    DISCREET_TRY(out.write_at(0, bytes));
    DISCREET_TRY(out.sync());
  }
  std::error_code error;
  std::filesystem::rename(temporary, file, error);
  if (error) {
    return Error{Code::kStorage,
                 "cannot replace " + in_quotes(file.string()) + ": " + error.message()};
  }
  return sync_directory_of(file);
}

Result<void> save(const ledger::Ledger& ledger, const CheckedLesson& lesson, ledger::Sequence paid,
                  const Hash& key, const std::filesystem::path& file, const std::string& state) {
  DISCREET_ASSIGN(const std::string sealed,
                  ledger::seal_bytes(key, run_text(ledger, lesson, paid), state));
  return replace_file(file, std::string(kTitle) + std::to_string(paid) + "\n" + sealed);
}

Result<Hash> key_of(ledger::Ledger& ledger, ledger::Sequence paid) {
  return ledger.secret("the checkpoints of run " + std::to_string(paid));
}

struct Saved {
  ledger::Sequence paid = 0;
  std::string state;
};

Result<Saved> load(ledger::Ledger& ledger, const CheckedLesson& lesson,
                   const std::filesystem::path& file) {
  const auto wrong = [&](Code code, const std::string& what) {
    return Error{code, "the checkpoint " + in_quotes(file.string()) + " " + what +
                           "; nothing was charged. Name another file, or move it away to begin "
                           "(and pay for) a new run"};
  };
  DISCREET_ASSIGN(const OpenFile in, OpenFile::open(file, O_RDONLY | O_NONBLOCK));
  DISCREET_ASSIGN(const std::uint64_t size, in.size());
  if (size > kSizeMax) return wrong(Code::kCorrupt, "is no checkpoint");
  DISCREET_ASSIGN(const std::string bytes, in.read_at(0, size));
  const std::size_t end = bytes.find('\n', kTitle.size());
  if (!bytes.starts_with(kTitle) || end == std::string::npos) {
    return wrong(Code::kCorrupt, "is no checkpoint");
  }
  Saved out;
  const char* const last = bytes.data() + end;
  const auto [at, error] = std::from_chars(bytes.data() + kTitle.size(), last, out.paid);
  if (error != std::errc() || at != last) return wrong(Code::kCorrupt, "is no checkpoint");
  DISCREET_ASSIGN(const Hash key, key_of(ledger, out.paid));
  auto state = ledger::unseal_bytes(key, run_text(ledger, lesson, out.paid),
                                    std::string_view(bytes).substr(end + 1));
  if (!state) {
    return wrong(Code::kRefused,
                 "was changed, or is of another run: another lesson, snapshot, policy or ledger");
  }
  out.state = *std::move(state);
  return out;
}

}  // namespace

Result<bool> Parts::next(const std::string& state) {
  const mechanism::ClippedSums::Terms& terms = run_.lesson.training.terms;
  if (!run_.file.empty()) {
    DISCREET_ASSIGN(const Hash key, key_of(run_.ledger, run_.paid));
    DISCREET_TRY(save(run_.ledger, run_.lesson, run_.paid, key, run_.file, state));
  }
  const bool begins = part_ == 0;
  while (part_ < terms.parts()) {
    ++part_;
    auto receipt = run_.ledger.take_part(run_.lesson.training.rows.charge(), run_.lesson.question,
                                         run_.paid, part_);
    if (!receipt) {
      // Parts that a dead process took are passed over, but only at the beginning: later it means
      // that another process is at work with the same run.
      if (begins && receipt.error().code == Code::kConflict) continue;
      return receipt.error();
    }
    DISCREET_ASSIGN(mechanism::ClippedSums series,
                    mechanism::ClippedSums::open_part(terms, part_, *std::move(receipt)));
    sums_.emplace(std::move(series), rows_);
    return true;
  }
  return false;
}

Result<Taught> teach_in_parts(const policy::Policy& policy, ledger::Ledger& ledger,
                              engine::Engine& engine, const Lesson& lesson,
                              const engine::OwnerLog& log, const Saving& saving,
                              const FitInParts& fit) {
  DISCREET_ASSIGN(const CheckedLesson checked, check_lesson(policy, ledger, lesson));
  const Charge& charge = checked.training.rows.charge();
  std::error_code error;
  const bool saves = !saving.file.empty();
  const bool resumes = saves && std::filesystem::exists(saving.file, error);
  Saved saved;
  const auto pay = [&]() -> Result<ledger::Outcome> {
    if (resumes) {
      DISCREET_ASSIGN(saved, load(ledger, checked, saving.file));
      auto resumed = ledger.resume(charge, checked.question, saved.paid);
      if (resumed) saving.resumed();
      return resumed;
    }
    // A place that cannot be written to is found before anything is charged.
    if (saves) DISCREET_TRY(OpenFile::open(aside(saving.file), O_WRONLY | O_CREAT | O_NOFOLLOW));
    DISCREET_TRY(check_before_charge(ledger, engine, checked, log));
    return ledger.charge(charge, checked.question);
  };
  DISCREET_ASSIGN(ledger::Outcome outcome, pay());
  const auto tidy = [&] {
    if (!saves) return;
    std::filesystem::remove(aside(saving.file), error);
    std::filesystem::remove(saving.file, error);
  };
  if (const auto* const seen = std::get_if<ledger::Answer>(&outcome)) {
    tidy();
    return Taught{seen->bytes(), true};
  }
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  if (saves && !resumes && !paid.is_share()) {
    DISCREET_ASSIGN(const Hash key, key_of(ledger, paid.charge()));
    DISCREET_TRY(save(ledger, checked, paid.charge(), key, saving.file, ""));
  }
  const engine::TimedLog timed(log);
  auto rows = engine.rows(checked.training, timed.log());
  if (!rows && timed.ran_out()) {
    DISCREET_TRY(ledger.end_charge(paid));
    tidy();  // it is not gone on with
  }
  if (!rows) return paid.failed(rows.error());
  if (paid.is_share()) {
    DISCREET_ASSIGN(const ledger::Answer answer, ledger.give_share(std::move(paid)));
    tidy();
    return Taught{answer.bytes(), answer.repeated()};
  }
  Parts parts({ledger, checked, paid.charge(), saving.file, std::move(saved.state)}, *rows);
  DISCREET_ASSIGN(
      std::string bytes,
      fit(parts,
          checked.certificate(lesson, policy, ledger.id() + "/" + std::to_string(paid.receipt()))));
  DISCREET_ASSIGN(const ledger::Answer answer, ledger.store(std::move(paid), std::move(bytes)));
  tidy();
  return Taught{answer.bytes(), answer.repeated()};
}

}  // namespace discreet::learn
