// SPDX-License-Identifier: Apache-2.0
#include "cli/learn_request.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/plot_file.h"
#include "report/progress.h"

namespace discreet::cli {

void LearnArguments::add_option(CLI::App& app, const std::string& name, const std::string& what,
                                const std::string& kind) {
  add_text(app, "--" + name, options[name], what, kind);
}

void LearnArguments::add_to(CLI::App& app, bool has_target) {
  if (has_target) add_option(app, "target", "the column to predict", "COLUMN");
  add_option(app, "features", "columns, with commas (all that have a domain)", "LIST");
  add_option(app, "table", "of the policy (its only one with units)", "NAME");
  add_option(app, "epsilon", "what the whole run may cost, such as 1");
  add_option(app, "delta", "above 0: Gaussian noise, far less for many numbers (0)");
  add_text(app, "--output", output, "write it there (standard output)", "FILE");
  add_text(app, "--request-id", request_id, "retrying with it gives the same bytes, free", "ID");
  world.add_to(app);
}

namespace {

/// What is learned must not be written over what it is learned from.
Result<void> check_is_no_source(const policy::Policy& policy, const Text& file) {
  if (!file) return {};
  for (const auto& [name, table] : policy.tables) {
    std::error_code error;
    const auto source = std::filesystem::path(policy.directory) / table.source;
    if (std::filesystem::equivalent(source, *file, error)) {
      return invalid_input("the file " + in_quotes(*file) + " is the source of table " +
                           in_quotes(name) + "; name another with --output; nothing was charged");
    }
  }
  return {};
}

}  // namespace

Result<Learned> learn_task(const std::string& task, const LearnArguments& arguments,
                           const std::string& example, const Streams& streams) {
  DISCREET_TRY(check_place(arguments.output));
  learn::Wish wish{.task = task,
                   .analyst = arguments.world.analyst.value_or("owner"),
                   .request_id = arguments.request_id.value_or("")};
  for (const auto& [name, text] : arguments.options) {
    if (text) wish.options[name] = *text;
  }
  for (const char* const name : {"target", "epsilon"}) {
    const bool is_needed = arguments.options.contains(name);
    if (is_needed && !wish.options.contains(name)) {
      return missing("--" + std::string(name), example);
    }
  }
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  DISCREET_TRY(check_is_no_source(asking->policy(), arguments.output));
  // A run in parts is one mechanism: all of it is spent from the first step on.
  std::optional<report::Progress> training;
  const learn::Rounds rounds = [&](std::uint64_t done, std::uint64_t all) {
    if (!training) {
      training.emplace(streams.err, "training, epsilon " + wish.option("epsilon") + " spent");
    }
    training->show(done, all);
  };
  DISCREET_ASSIGN(learn::Course course, learn::course_of(asking->policy(), wish, rounds));
  bool resumed = false;
  const std::string beside = arguments.output ? *arguments.output + ".checkpoint" : "";
  const std::string file = arguments.checkpoint.value_or(beside);
  const learn::Saving saving{.file = file, .resumed = [&] {
                               resumed = true;
                               say(streams.err, "going on from " + file + ": already paid for\n");
                             }};
  report::Progress reading(streams.err, "reading the data");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               reading.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  DISCREET_ASSIGN(learn::Taught taught, learn::teach(asking->policy(), asking->ledger(),
                                                     asking->engine(), course, log, saving));
  const plan::Training& cost = course.lesson.training;
  const std::string price = "epsilon " + cost.epsilon.to_string() +
                            (cost.delta.value() == 0 ? "" : ", delta " + cost.delta.to_string());
  say(streams.err, taught.repeated ? "the same lesson was paid for before: the stored bytes, free\n"
                   : resumed ? "finished; " + price + " was charged when it began, nothing now\n"
                             : "charged to " + wish.analyst + ": " + price +
                                   "; everything made from the result is free\n");
  return Learned{std::move(course), std::move(taught)};
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
