// SPDX-License-Identifier: Apache-2.0
#include "cli/learn_request.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/plot_file.h"

namespace discreet::cli {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// Every column that has a domain, but the named one.
std::vector<std::string> all_with_a_domain(const policy::Table& table, const std::string& but) {
  std::vector<std::string> out;
  for (const policy::Column& column : table.columns) {
    const bool known =
        column.grid || !column.values.empty() || column.type == policy::Type::kBoolean;
    if (known && column.may_aggregate && column.name != but) out.push_back(column.name);
  }
  return out;
}

}  // namespace

void LearnArguments::add_to(CLI::App& app, bool has_target) {
  if (has_target) add_text(app, "--target", target, "the column to predict", "COLUMN");
  add_text(app, "--features", features, "columns, with commas (all that have a domain)", "LIST");
  add_text(app, "--table", table, "of the policy (its only one with units)", "NAME");
  add_text(app, "--epsilon", epsilon, "what the whole run may cost, such as 1");
  add_text(app, "--delta", delta, "above 0: Gaussian noise, far less for many numbers (0)");
  add_text(app, "--output", output, "write it there (standard output)", "FILE");
  add_text(app, "--request-id", request_id, "retrying with it gives the same bytes, free", "ID");
  world.add_to(app);
}

Result<LearnRequest> LearnRequest::read(const LearnArguments& arguments, const Streams& streams,
                                        const std::string& example, const Text& also) {
  LearnRequest out;
  DISCREET_TRY(check_place(arguments.output));
  DISCREET_ASSIGN(out.lesson.training.epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", example));
  DISCREET_ASSIGN(out.lesson.training.delta, Delta::parse(arguments.delta.value_or("0")));
  DISCREET_ASSIGN(out.asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  const policy::Policy& policy = out.asking->policy();
  DISCREET_ASSIGN(out.lesson.table, learn::table_of(policy, arguments.table.value_or("")));
  const std::string target = arguments.target.value_or("");
  out.lesson.columns = arguments.features
                           ? split(*arguments.features)
                           : all_with_a_domain(*policy.find(out.lesson.table), target);
  std::vector<std::string>& names = out.lesson.columns;
  if (std::find(names.begin(), names.end(), target) != names.end()) {
    return invalid_input("the target " + in_quotes(target) + " cannot be one of its own features");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return invalid_input("--features names " + in_quotes(names[i]) + " twice");
    }
    out.features.push_back(i);
  }
  out.target = names.size();
  if (!target.empty()) names.push_back(target);
  if (also && !also->empty() && std::find(names.begin(), names.end(), *also) == names.end()) {
    names.push_back(*also);
  }
  DISCREET_ASSIGN(out.columns, learn::columns_of(policy, out.lesson.table, names));
  out.lesson.analyst = arguments.world.analyst.value_or("owner");
  out.lesson.request_id = arguments.request_id.value_or("");
  return out;
}

namespace {

/// Runs `lesson` with a log for the owner, and says what came of it.
Result<learn::Taught> run(
    LearnRequest& request, const Streams& streams, const bool& resumed,
    const std::function<Result<learn::Taught>(Asking&, const engine::OwnerLog&)>& lesson) {
  report::Progress progress(streams.err, "reading the data");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               progress.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  DISCREET_ASSIGN(learn::Taught taught, lesson(*request.asking, log));
  const plan::Training& training = request.lesson.training;
  const std::string price =
      "epsilon " + training.epsilon.to_string() +
      (training.delta.value() == 0 ? "" : ", delta " + training.delta.to_string());
  say(streams.err, taught.repeated ? "the same lesson was paid for before: the stored bytes, free\n"
                   : resumed ? "finished; " + price + " was charged when it began, nothing now\n"
                             : "charged to " + request.lesson.analyst + ": " + price +
                                   "; everything made from the result is free\n");
  return taught;
}

}  // namespace

Result<learn::Taught> teach(LearnRequest& request, const Streams& streams, const Fit& fit) {
  return run(request, streams, false, [&](Asking& asking, const engine::OwnerLog& log) {
    return learn::teach(asking.policy(), asking.ledger(), asking.engine(), request.lesson, log,
                        fit);
  });
}

Result<learn::Taught> teach_in_parts(LearnRequest& request, const Streams& streams,
                                     const std::string& file, const learn::FitInParts& fit) {
  bool resumed = false;
  const learn::Saving saving{.file = file, .resumed = [&] {
                               resumed = true;
                               say(streams.err, "going on from " + file + ": already paid for\n");
                             }};
  return run(request, streams, resumed, [&](Asking& asking, const engine::OwnerLog& log) {
    return learn::teach_in_parts(asking.policy(), asking.ledger(), asking.engine(), request.lesson,
                                 log, saving, fit);
  });
}

Result<void> check_place(const Text& file) {
  if (!file) return {};
  std::error_code error;
  const bool there = std::filesystem::exists(*file, error);
  // What is no file (a pipe, a terminal) is left alone: opening it could wait for a reader.
  if (there && !std::filesystem::is_regular_file(*file, error) &&
      !std::filesystem::is_directory(*file, error)) {
    return {};
  }
  const int fd = ::open(file->c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) {
    return Error{Code::kStorage, "the file " + in_quotes(*file) + ": " + std::strerror(errno) +
                                     "; nothing was charged"};
  }
  ::close(fd);
  if (!there) std::filesystem::remove(*file, error);
  return {};
}

Result<int> hand_over(const LearnArguments& arguments, const std::string& bytes,
                      const Streams& streams) {
  if (arguments.output) {
    DISCREET_TRY(write_file(*arguments.output, bytes));
  } else {
    DISCREET_TRY(write_all(streams.out, bytes));
  }
  return 0;
}

}  // namespace discreet::cli
