// SPDX-License-Identifier: Apache-2.0
// discreet policy init: a draft from the schema alone.
#include <memory>
#include <set>
#include <utility>

#include "cli/policy.h"

namespace discreet::cli {
namespace {

Result<int> run_init(const std::vector<std::string>& sources, const Describe& describe,
                     const Streams& streams) {
  if (sources.empty()) {
    return invalid_input("name the files; for example: discreet policy init visits.parquet");
  }
  std::vector<policy::SchemaTable> tables;
  std::set<std::string> names;
  for (const std::string& source : sources) {
    const std::string name = policy::table_name_of(source);
    if (!names.insert(name).second) {
      return invalid_input("two files would both be the table " + in_quotes(name) +
                           "; draft them apart and join the drafts by hand");
    }
    DISCREET_ASSIGN(auto columns, describe(source, streams));
    tables.push_back({name, source, std::move(columns)});
  }
  DISCREET_TRY(write_all(streams.out, policy::draft_policy(tables)));
  return 0;
}

}  // namespace

void add_policy_init(Program& program, CLI::App& policy, Describe describe) {
  const auto sources = std::make_shared<std::vector<std::string>>();
  CLI::App& app = program.command(
      policy, "init",
      {.summary = "a draft from the schema of files, without looking at a value",
       .explanation =
           "Prints a policy with a \"?\" wherever the owner must decide: the unit, the budget, "
           "the\n"
           "ranges. They are not read off the data, because the largest value that occurs is\n"
           "somebody's. Only names and types are used; the unit's column is guessed from its "
           "name.\n",
       .closing = "Costs nothing: no row is read.\n\n"
                  "Example:\n"
                  "  discreet policy init visits.parquet patients.csv > policy.yaml"},
      [sources, describe = std::move(describe)](const Streams& streams) {
        return run_init(*sources, describe, streams);
      });
  app.add_option("FILE", *sources, "Parquet, CSV or JSON files, or FILE.duckdb:TABLE")
      ->type_name("");
}

}  // namespace discreet::cli
