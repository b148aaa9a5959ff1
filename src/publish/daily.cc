// SPDX-License-Identifier: Apache-2.0
#include "publish/daily.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/suggest.h"
#include "mechanism/verbs.h"
#include "policy/value.h"
#include "publish/ranges.h"
#include "publish/sealed_file.h"

namespace discreet::publish {
namespace {

using mechanism::CountedDays;
using mechanism::PrefixStream;

constexpr std::int64_t kDayMs = 24 * 60 * 60 * 1000;
constexpr const char* kReleased = "released days";
constexpr const char* kWitness = "witness of days";

bool is_there(const std::filesystem::path& file) {
  std::error_code failed;
  return std::filesystem::exists(file, failed);
}

/// When the stream's day t, from 0, is over.
std::int64_t end_of(const plan::CheckedDaily& checked, std::int64_t t) {
  return (checked.daily.first + t + 1) * kDayMs;
}

/// What the kept noise is encrypted for.
std::string context_of(const DailyState& state) { return state.noise + state.receipt; }

/// And the counts of units after the days that the state has.
std::string counts_context(const DailyState& state) {
  return context_of(state) + " counted " + std::to_string(state.released.size());
}

}  // namespace

struct DailyStream::Files {
  std::filesystem::path released;
  std::filesystem::path noise;
  std::filesystem::path counted;
  std::filesystem::path counted_next;
  std::filesystem::path lock;
  std::filesystem::path witness;
};

DailyStream::Files DailyStream::files_of(const std::string& name) const {
  std::string plain = name;
  for (char& c : plain) c = c == '/' ? '_' : c;
  return {.released = folder_ / (plain + ".released"),
          .noise = folder_ / (plain + ".noise"),
          .counted = folder_ / (plain + ".counted"),
          .counted_next = folder_ / (plain + ".counted.next"),
          .lock = folder_ / (plain + ".lock"),
          .witness = ledger_.key_path().parent_path() / ("daily-" + plain + ".witness")};
}

Result<ledger::OwnerKey> DailyStream::key() const {
  return ledger::OwnerKey::load(ledger_.key_path());
}

Result<plan::CheckedDaily> DailyStream::checked(const std::string& name) const {
  const auto found = policy_.daily.find(name);
  if (found == policy_.daily.end()) {
    std::vector<std::string> known;
    for (const auto& [other, daily] : policy_.daily) known.push_back(other);
    return Error{Code::kNotFound, "the policy has no daily question " + in_quotes(name) +
                                      did_you_mean(name, known) +
                                      (known.empty() ? "; declare it under daily" : "")};
  }
  return plan::Checker::check_daily(found->second, policy_, ledger_.fresh_request_id());
}

Result<OpenFile> DailyStream::locked(const Files& files) const {
  DISCREET_TRY(make_directories(folder_));
  DISCREET_ASSIGN(OpenFile lock, OpenFile::open(files.lock, O_RDWR | O_CREAT));
  DISCREET_TRY(lock.lock());
  return lock;
}

Result<bool> DailyStream::register_question(const std::string& name, const std::string& analyst) {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  const Files files = files_of(name);
  DISCREET_ASSIGN(const OpenFile lock, locked(files));
  const Charge& charge = checked.rows.charge();
  const Hash hash =
      ledger::sha256("daily\n" + std::string(charge.plan().begin(), charge.plan().end()));
  // The label is not the snapshot's: a stream lives through many of them.
  const ledger::Question question{
      .analyst = analyst, .key = std::string(hash.begin(), hash.end()), .snapshot = "daily stream"};
  if (is_there(files.released)) {
    if (!is_there(files.witness)) DISCREET_TRY(finish_registration(files));
    DISCREET_TRY(load(files, checked));
    return false;
  }
  if (is_there(files.witness)) {
    return Error{Code::kConflict, "daily question " + in_quotes(name) +
                                      " was registered before, and its state is "
                                      "gone: restore " +
                                      in_quotes(files.released.string()) + " and " +
                                      in_quotes(files.noise.string()) +
                                      ", or declare the question under another name"};
  }
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(ledger::Outcome outcome, ledger_.charge(charge, question));
  if (std::holds_alternative<ledger::Answer>(outcome)) {
    return Error{Code::kConflict,
                 "daily question " + in_quotes(name) +
                     " was paid for before, and its state is not "
                     "in " +
                     in_quotes(folder_.string()) +
                     "; name its folder with --state, or declare the question under another name"};
  }
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  DailyState state{.name = name,
                   .receipt = paid.receipts.front().id(),
                   .noise = checked.terms.noise().text,
                   .unit = checked.terms.mixing().unit(),
                   .event_level = checked.event_level,
                   .plan = ledger::to_hex(charge.plan()),
                   .question = checked.question(),
                   .released = {},
                   .counted = ""};
  DISCREET_ASSIGN(const PrefixStream stream,
                  PrefixStream::open(checked.terms, std::move(paid.receipts.front())));
  DISCREET_ASSIGN(const std::string sealed, stream.sealed([&](std::string_view bytes) {
    return encrypt(key, context_of(state), bytes);
  }));
  DISCREET_TRY(replace_file(files.noise, sealed));
  if (!state.event_level) DISCREET_TRY(keep_counted(files, CountedDays(), state));
  DISCREET_TRY(save(files, state));
  DISCREET_TRY(ledger_.store(std::move(paid), to_text(state) + "\n"));
  return true;
}

// A registration that died between its state and its witness: the ledger has no answer of it yet,
// so nothing was ever released. Where it has one, a missing witness is for load() to refuse.
Result<void> DailyStream::finish_registration(const Files& files) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(const std::string text, read_kept(files.released));
  DISCREET_ASSIGN(const std::string body, signed_body(key, kReleased, text));
  DISCREET_ASSIGN(const DailyState state, read_state(body));
  DISCREET_ASSIGN(const Paid paid, paid_by(state));
  if (paid.is_answered || !state.released.empty()) return {};
  return save_witness(files, state);
}

Result<void> DailyStream::save(const Files& files, const DailyState& state) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_TRY(replace_file(files.released, sign_text(key, kReleased, to_text(state))));
  return save_witness(files, state);
}

Result<void> DailyStream::save_witness(const Files& files, const DailyState& state) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  const std::string count = state.receipt + " " + std::to_string(state.released.size());
  return replace_file(files.witness, sign_text(key, kWitness, count));
}

Result<void> DailyStream::check_registered(const Files& files, const std::string& name) const {
  if (is_there(files.released)) return {};
  return Error{Code::kNotFound, "daily question " + in_quotes(name) +
                                    " is not registered here; pay for it once with discreet "
                                    "publish daily register " +
                                    name};
}

Result<DailyState> DailyStream::load(const Files& files, const plan::CheckedDaily& checked) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(const std::string text, read_kept(files.released));
  DISCREET_ASSIGN(const std::string body, signed_body(key, kReleased, text));
  DISCREET_ASSIGN(DailyState state, read_state(body));
  if (state.name != checked.daily.name) {
    return unusable("the state in " + path_in_quotes(files.released) + " is of daily question " +
                    in_quotes(state.name));
  }
  DISCREET_TRY(state.format == 1 ? check_charge(state, checked)
                                 : check_same_question(state, checked));
  for (std::size_t t = 0; t < state.released.size(); ++t) {
    const std::string day = day_text(checked.daily.first + static_cast<std::int64_t>(t));
    if (state.format == 1) state.released[t].day = day;
    if (state.released[t].day != day) return unusable("the released days are not in order");
  }
  if (!is_there(files.witness)) {
    return unusable("the witness " + path_in_quotes(files.witness) +
                    " of the released days is missing; restore it");
  }
  DISCREET_ASSIGN(const std::string kept, read_kept(files.witness));
  DISCREET_ASSIGN(const std::string witnessed, signed_body(key, kWitness, kept));
  const std::size_t blank = witnessed.rfind(' ');
  std::size_t days = 0;
  if (blank == std::string::npos || witnessed.substr(0, blank) != state.receipt ||
      std::from_chars(witnessed.data() + blank + 1, witnessed.data() + witnessed.size(), days).ec !=
          std::errc()) {
    return unusable("the witness belongs to another stream");
  }
  if (days > state.released.size()) {
    return unusable(
        "the released days are older than their witness: the state was rolled back; "
        "restore the newest copy");
  }
  // A step died before it was witnessed: what is shown now may not be taken back.
  if (days < state.released.size()) DISCREET_TRY(save_witness(files, state));
  return state;
}

Result<DailyStream::Paid> DailyStream::paid_by(const DailyState& state) const {
  const Error unknown = unusable("this ledger has no charge for the released days");
  const std::size_t slash = state.receipt.rfind('/');
  if (slash == std::string::npos || state.receipt.substr(0, slash) != ledger_.id()) return unknown;
  std::uint64_t charge = 0;
  ledger::Sequence paid_at = 0;
  const char* const end = state.receipt.data() + state.receipt.size();
  const auto read = std::from_chars(state.receipt.data() + slash + 1, end, charge);
  if (read.ptr != end || read.ec != std::errc()) return unknown;
  std::optional<Paid> paid;
  DISCREET_TRY(ledger_.history([&](const ledger::Record& record) -> Result<void> {
    // Up to 0.9 a receipt named the record by its place.
    const bool is_charge = record.kind == ledger::Kind::kCharge && record.price != ledger::Price();
    if (record.sequence == charge || (is_charge && ledger::receipt_number(record) == charge)) {
      paid = Paid{.plan = record.plan};
      paid_at = record.sequence;
    }
    if (record.kind == ledger::Kind::kAnswer && paid && record.about == paid_at) {
      paid->is_answered = true;
    }
    return {};
  }));
  if (!paid) return unknown;
  return *paid;
}

Result<void> DailyStream::check_charge(const DailyState& state,
                                       const plan::CheckedDaily& checked) const {
  DISCREET_ASSIGN(const Paid paid, paid_by(state));
  if (paid.plan == checked.rows.charge().plan() && state.noise == checked.terms.noise().text &&
      state.event_level == checked.event_level) {
    return {};
  }
  return Error{Code::kRefused,
               "daily question " + in_quotes(checked.daily.name) +
                   " was changed in the policy after it was registered: its table, day, first, "
                   "days, days_per_unit, rows_per_day, rho or unit is not what the ledger was "
                   "charged for. Put it back, or declare another question under daily; nothing "
                   "was released"};
}

Result<void> DailyStream::check_day(const DailyState& state, const plan::CheckedDaily& checked,
                                    const std::optional<std::string>& day) const {
  if (!day) return {};
  const Rational next(checked.daily.first + static_cast<std::int64_t>(state.released.size()));
  DISCREET_ASSIGN(const policy::Value value, policy::parse_value(policy::Type::kDate, *day));
  const std::string next_text = policy::to_string(policy::Value{next, policy::Type::kDate});
  if (value.number() < next) {
    return invalid_input("day " + in_quotes(*day) +
                         (value.number() < Rational(checked.daily.first)
                              ? " is before the stream's first day, "
                              : " was released before; the next day is ") +
                         next_text);
  }
  if (value.number() > next) {
    return invalid_input("day " + next_text + " is missing before " + in_quotes(*day) +
                         "; release it first");
  }
  return {};
}

Result<void> DailyStream::check_is_over(const DailyState& state,
                                        const plan::CheckedDaily& checked) const {
  const auto t = static_cast<std::int64_t>(state.released.size());
  const std::int64_t now = clock_();
  const std::string says = "this machine's clock says " + to_utc(now);
  if (t > 0 && now < end_of(checked, t - 1)) {
    return Error{Code::kStorage, says + ", but day " + state.released.back().day +
                                     " was released before, and is over at " +
                                     to_utc(end_of(checked, t - 1)) +
                                     "; set the clock right, and come again after " +
                                     to_utc(end_of(checked, t)) + ". Nothing was released"};
  }
  if (t < checked.daily.days && now < end_of(checked, t)) {
    return invalid_input("day " + day_text(checked.daily.first + t) + " is not over: " + says +
                         ". Come again after " + to_utc(end_of(checked, t)) +
                         "; nothing was released");
  }
  return {};
}

Result<std::optional<CountedDays>> DailyStream::counted(const Files& files, const DailyState& state,
                                                        const plan::CheckedDaily& checked) const {
  if (state.event_level || state.format == 1) return std::optional<CountedDays>();
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  for (const std::filesystem::path& file : {files.counted, files.counted_next}) {
    if (!is_there(file)) continue;
    DISCREET_ASSIGN(const std::string sealed, read_kept(file));
    if (ledger::to_hex(ledger::sha256(sealed)) != state.counted) continue;
    if (file == files.counted_next) DISCREET_TRY(move_file(file, files.counted));
    DISCREET_ASSIGN(const Sensitive<std::string> kept, decrypt(key, counts_context(state), sealed));
    DISCREET_ASSIGN(CountedDays counted, CountedDays::from(kept, checked.daily.days_per_unit));
    return std::optional<CountedDays>(std::move(counted));
  }
  return unusable("the counts of units in " + path_in_quotes(files.counted) +
                  " are missing, damaged or not those of the last released day; restore the newest "
                  "copy of " +
                  path_in_quotes(folder_));
}

Result<void> DailyStream::keep_counted(const Files& files, const CountedDays& counted,
                                       DailyState& state) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(const std::string sealed, counted.sealed([&](std::string_view bytes) {
    return encrypt(key, counts_context(state), bytes);
  }));
  DISCREET_TRY(replace_file(files.counted_next, sealed));
  state.counted = ledger::to_hex(ledger::sha256(sealed));
  return {};
}

Result<DailyRow> DailyStream::step(const std::string& name, const std::optional<std::string>& day,
                                   engine::Engine& engine, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  const Files files = files_of(name);
  DISCREET_TRY(check_registered(files, name));
  DISCREET_ASSIGN(const OpenFile lock, locked(files));
  DISCREET_ASSIGN(DailyState state, load(files, checked));
  DISCREET_TRY(check_day(state, checked, day));
  DISCREET_TRY(check_is_over(state, checked));
  const auto t = static_cast<std::int64_t>(state.released.size());
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(const std::string sealed, read_kept(files.noise));
  DISCREET_ASSIGN(const Sensitive<std::string> kept, decrypt(key, context_of(state), sealed));
  DISCREET_ASSIGN(PrefixStream stream, PrefixStream::resume(checked.terms, state.receipt, t, kept));
  DISCREET_ASSIGN(std::optional<CountedDays> counted, this->counted(files, state, checked));
  DISCREET_ASSIGN(const bool fresh, stream.prepare());
  if (fresh) {
    DISCREET_ASSIGN(const std::string again, stream.sealed([&](std::string_view bytes) {
      return encrypt(key, context_of(state), bytes);
    }));
    DISCREET_TRY(replace_file(files.noise, again));
  }
  const mechanism::DayRule rule = checked.rule(t);
  DISCREET_ASSIGN(const random::Secret names, names_of(state));
  DISCREET_ASSIGN(
      const Sensitive<mechanism::UnitRows> rows,
      checked.event_level ? engine.rows(checked, log) : engine.named_rows(checked, names, log));
  if (!checked.event_level && !counted) counted = CountedDays::presumed(rows, rule);
  DISCREET_ASSIGN(const auto released,
                  stream.release(counted ? counted->count(rows, rule)
                                         : mechanism::Verbs::day_count(rows, rule)));
  if (state.format == 1) {  // what it could not know is bound from here on
    state.format = kDailyFormat;
    state.plan = ledger::to_hex(checked.rows.charge().plan());
    state.question = checked.question();
  }
  state.released.push_back({day_text(checked.daily.first + t), released.value()});
  if (counted) DISCREET_TRY(keep_counted(files, *counted, state));
  DISCREET_TRY(save(files, state));
  if (counted) DISCREET_TRY(move_file(files.counted_next, files.counted));
  return daily_rows(checked, state).back();
}

// 16 bytes that only the owner can make again, of this stream.
Result<random::Secret> DailyStream::names_of(const DailyState& state) const {
  DISCREET_ASSIGN(const Hash secret,
                  ledger_.secret("names of units of the daily question " + state.receipt));
  random::Secret out;
  std::memcpy(out.words.data(), secret.data(), sizeof out.words);
  return out;
}

Result<DailyState> DailyStream::state(const std::string& name) const {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  const Files files = files_of(name);
  DISCREET_TRY(check_registered(files, name));
  DISCREET_ASSIGN(const OpenFile lock, locked(files));
  return load(files, checked);
}

Result<std::vector<DailyRow>> DailyStream::rows(const std::string& name) const {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  DISCREET_ASSIGN(const DailyState state, this->state(name));
  return daily_rows(checked, state);
}

std::vector<DailyRow> daily_rows(const plan::CheckedDaily& checked, const DailyState& state) {
  std::vector<DailyRow> out;
  const double unit = static_cast<double>(state.unit);
  const double deviation =
      std::sqrt(checked.terms.sigma_squared().value().to_double(Round::kUp)) / unit;
  // o = Q x + C^-1 Q z, but for a rounding below 1/Q: of one day the noise has the inverse's terms,
  // of a running sum their sums.
  const std::vector<double> of_days = running_sum_variances(inverse_series(checked.terms.mixing()));
  const std::vector<double> of_sums =
      running_sum_variances(running_sum_series(checked.terms.mixing()));
  double total = 0;
  for (std::size_t t = 0; t < state.released.size(); ++t) {
    const double count = static_cast<double>(state.released[t].number) / unit;
    total += count;
    out.push_back({.day = state.released[t].day,
                   .count = count,
                   .count_deviation = deviation * std::sqrt(of_days[t]),
                   .total = total,
                   .total_deviation = deviation * std::sqrt(of_sums[t])});
  }
  return out;
}

DailyComparison compare_daily(const plan::CheckedDaily& checked) {
  const auto& options = checked.terms.options();
  const double unit = static_cast<double>(checked.terms.mixing().unit());
  const double rho = options.rho.value().to_double(Round::kDown);
  const double most = static_cast<double>(options.days_per_unit * options.reach);
  const std::vector<double> variances =
      running_sum_variances(running_sum_series(checked.terms.mixing()));
  return {.ours = std::sqrt(checked.terms.sigma_squared().value().to_double(Round::kUp) *
                            variances.back()) /
                  unit,
          .tree = binary_tree_error(options.days, options.days_per_unit).worst *
                  static_cast<double>(options.reach) / std::sqrt(2 * rho),
          .anew = most * std::sqrt(static_cast<double>(options.days) / (2 * rho))};
}

}  // namespace discreet::publish
