// SPDX-License-Identifier: Apache-2.0
// discreet policy check: every mistake with its line and its fix, or what the policy means.
#include <filesystem>
#include <memory>

#include "cli/arguments.h"
#include "cli/asking.h"
#include "cli/policy.h"
#include "cli/policy_ledger.h"
#include "engine/open.h"
#include "ledger/store_place.h"

namespace discreet::cli {
namespace {

struct CheckArguments {
  LedgerArguments where;
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

/// Where the ledger differs from the policy; nothing when there is no ledger yet.
Result<std::vector<session::Difference>> compared(const LedgerArguments& where,
                                                  const policy::Policy& policy) {
  std::error_code ignored;
  const bool is_there =
      ledger::is_postgres(where.path()) || std::filesystem::exists(where.path(), ignored);
  if (!where.ledger && !is_there && policy.ledger.empty()) {
    return std::vector<session::Difference>();
  }
  DISCREET_ASSIGN(const auto ledger, open_ledger(where, policy, ledger::Access::kLook));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  DISCREET_ASSIGN(auto found, session::differences(policy, state, places_of(where)));
  // The namespaces that are missing are among them.
  const Result<void> fits = check_terms(policy, *ledger);
  if (!fits && fits.error().code != Code::kNotFound) {
    found.insert(found.begin(), {.what = fits.error().message, .fix = ""});
  }
  return found;
}

Result<int> run_check(const CheckArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  const std::string file = arguments.where.policy_path();
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
  std::vector<session::Difference> differences;
  Result<std::vector<session::Difference>> found = compared(arguments.where, *reading.policy);
  if (found) {
    differences = std::move(*found);
  } else {
    say(streams.err, "discreet: warning: the policy could not be compared with its ledger: " +
                         found.error().message + "\n");
  }
  DISCREET_TRY(write_all(streams.out, render_policy(file, *reading.policy, differences, format)));
  return 0;
}

}  // namespace

void add_policy_check(Program& program, CLI::App& policy) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App& app = program.command(
      policy, "check",
      {.summary = "every mistake with its line and its fix, or what the policy means",
       .explanation =
           "Reads the policy, and its ledger if there is one. Mistakes are listed on standard\n"
           "output, all of them at once, and the exit status is 2. A policy without mistakes is\n"
           "told back: whom it protects, who may ask, what is public, and what its bounds imply,\n"
           "defaults included. Where the ledger differs (an analyst without a cap, another cap),\n"
           "the command that mends it is shown.\n",
       .closing = "Costs nothing: no row is read, unless --data asks for it.\n\n"
                  "Example:\n"
                  "  discreet policy check --policy clinic.yaml\n"
                  "    clinic.yaml:12: tables.visits.columns.age.range is reversed\n"
                  "      write [0, 120]"},
      [arguments](const Streams& streams) { return run_check(*arguments, streams); });
  arguments->where.add_to(app);
  add_flag(app, "--data", arguments->data,
           "also open the data: tables, columns, whether keys of paths are unique");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
