// SPDX-License-Identifier: Apache-2.0
// discreet policy check: every mistake with its line and its fix, or what the policy means.
#include <memory>

#include "cli/arguments.h"
#include "cli/policy.h"

namespace discreet::cli {
namespace {

struct CheckArguments {
  Text policy;
  FormatArguments format;
};

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
       .closing = "Costs nothing: no row is read.\n\n"
                  "Example:\n"
                  "  discreet policy check --policy clinic.yaml\n"
                  "    clinic.yaml:12: tables.visits.columns.age.range is reversed\n"
                  "      write [0, 120]"},
      [arguments](const Streams& streams) { return run_check(*arguments, streams); });
  add_text(app, "--policy", arguments->policy, "the policy; ./policy.yaml by default", "FILE");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
