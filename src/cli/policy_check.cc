// SPDX-License-Identifier: Apache-2.0
// discreet policy check: every mistake with its line and its fix, or what the policy means.
#include <memory>

#include "cli/arguments.h"
#include "cli/asking.h"
#include "cli/policy.h"
#include "engine/open.h"

namespace discreet::cli {
namespace {

struct CheckArguments {
  Text policy;
  bool data = false;
  FormatArguments format;
};

/// What the policy says about rows that can be looked up: tables, columns, and keys of paths.
Result<void> check_data(const policy::Policy& policy, const Streams& streams) {
  const engine::OwnerLog log{.say = engine_says(streams), .progress = {}};
  DISCREET_ASSIGN(const auto engine, engine::open_engine(policy, log));
  DISCREET_ASSIGN(const std::vector<std::string> repeated, engine->repeated_keys(policy, log));
  if (repeated.empty()) return {};
  std::string names;
  for (const std::string& name : repeated) names += (names.empty() ? "" : ", ") + name;
  return invalid_input("the policy's paths need unique keys, but a value occurs twice in " + names +
                       "; rows would have two owners: correct the data, or lead the paths to "
                       "another key");
}

Result<int> run_check(const CheckArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  const std::string file = arguments.policy.value_or("policy.yaml");
  DISCREET_ASSIGN(const std::string text, policy::read_policy_file(file));
  const policy::Reading reading = policy::read_policy(text, policy::directory_of(file));
  if (!reading.policy) {
    // The list is this command's answer, so it goes where answers go.
    DISCREET_TRY(write_all(streams.out, render_mistakes(file, reading.mistakes, format)));
    return describe(Code::kInvalidInput).exit_status;
  }
  for (const std::string& warning : reading.warnings) {
    say(streams.err, "discreet: warning: " + file + ": key " + warning + "\n");
  }
  DISCREET_TRY(engine::check_words(*reading.policy));
  if (arguments.data) DISCREET_TRY(check_data(*reading.policy, streams));
  DISCREET_TRY(write_all(streams.out, render_policy(file, *reading.policy, format)));
  return 0;
}

}  // namespace

void add_policy_check(Program& program, CLI::App& policy) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App& app = program.command(
      policy, "check",
      {.summary = "every mistake with its line and its fix, or what the policy means",
       .explanation =
           "Reads the policy and nothing else. Mistakes are listed on standard output, all of "
           "them\n"
           "at once, and the exit status is 2. A policy without mistakes is told back: whom it\n"
           "protects, who may ask, what is public, and what its bounds imply, defaults included.\n",
       .closing = "Costs nothing: no row is read, unless --data asks for it.\n\n"
                  "Example:\n"
                  "  discreet policy check --policy clinic.yaml\n"
                  "    clinic.yaml:12: tables.visits.columns.age.range is reversed\n"
                  "      write [0, 120]"},
      [arguments](const Streams& streams) { return run_check(*arguments, streams); });
  add_text(app, "--policy", arguments->policy, "the policy; ./policy.yaml by default", "FILE");
  add_flag(app, "--data", arguments->data,
           "also open the data: tables, columns, whether keys of paths are unique");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
