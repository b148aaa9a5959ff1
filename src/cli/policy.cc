// SPDX-License-Identifier: Apache-2.0
// discreet policy: what the owner declares about the data.
#include "cli/policy.h"

#include "cli/policy_schema.h"

namespace discreet::cli {

void add_policy(Program& program) {
  CLI::App& policy = program.group(
      "policy",
      {.summary = "what the owner declares: whom to protect, what may be asked",
       .explanation =
           "A policy is a short YAML file. It says whose rows are in which table, what is "
           "publicly\n"
           "known about each column (its type, its range, its keys), who may ask, and the budget\n"
           "for life. What it does not declare cannot be reached. Its facts are trusted: they "
           "must\n"
           "come from what everybody may know, never from a look into the data.\n",
       .closing = "Costs nothing: no row is read; but `policy buy`, and `policy init --epsilon`,\n"
                  "which say and charge their price.\n\n"
                  "Example:\n"
                  "  discreet policy init visits.parquet patients.parquet > policy.yaml\n"
                  "  discreet policy check"});
  add_policy_init(program, policy, describe_source);
  add_policy_check(program, policy);
  add_policy_import(program, policy);
  add_policy_buy(program, policy);
}

}  // namespace discreet::cli
