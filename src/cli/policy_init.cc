// SPDX-License-Identifier: Apache-2.0
// discreet policy init: a draft from the schema alone.
#include <memory>
#include <set>
#include <utility>

#include "cli/policy.h"
#include "engine/open.h"

namespace discreet::cli {
namespace {

struct PolicyInitArguments {
  std::vector<std::string> sources;
  DraftPurchase purchase;
};

Result<int> run_policy_init(const PolicyInitArguments& arguments, const Describe& describe,
                            const Streams& streams) {
  const std::vector<std::string>& sources = arguments.sources;
  if (sources.empty()) {
    return invalid_input("name the files; for example: discreet policy init visits.parquet");
  }
  std::vector<policy::SchemaTable> tables;
  std::set<std::string> names;
  std::set<std::string> engines;
  for (const std::string& source : sources) {
    const auto server = engine::split_server(source);
    engines.insert(server ? server->first : "duckdb");
    if (engines.size() > 1) {
      return invalid_input("one policy has one engine; draft files and each server apart");
    }
    const std::string name = policy::table_name_of(source);
    if (!names.insert(name).second) {
      return invalid_input("two files would both be the table " + in_quotes(name) +
                           "; draft them apart and join the drafts by hand");
    }
    DISCREET_ASSIGN(auto columns, describe(source, streams));
    tables.push_back({name, server ? server->second : source, std::move(columns)});
  }
  policy::DraftFacts facts;
  if (arguments.purchase.asked()) {
    if (*engines.begin() != "duckdb") {
      return invalid_input("bounds are bought for files so far; fill in the ranges by hand");
    }
    if (tables.size() != 1) {
      return invalid_input("bounds are bought for one file at a time; draft the others apart");
    }
    DISCREET_ASSIGN(facts, buy_draft(arguments.purchase, tables.front(), streams));
  }
  facts.engine = *engines.begin();
  DISCREET_TRY(write_all(streams.out, policy::draft_policy(tables, facts)));
  return 0;
}

}  // namespace

void add_policy_init(Program& program, CLI::App& policy, Describe describe) {
  const auto arguments = std::make_shared<PolicyInitArguments>();
  CLI::App& app = program.command(
      policy, "init",
      {.summary = "a draft from the schema of files, without looking at a value",
       .explanation =
           "Prints a policy with a \"?\" wherever the owner must decide: the unit, the budget, "
           "the\n"
           "ranges. They are not read off the data, because the largest value that occurs is\n"
           "somebody's. Only names and types are used; the unit's column is guessed from its "
           "name.\n"
           "With --epsilon the ranges (with --delta also the keys of texts) are bought: noisy "
           "counts\n"
           "say where the values lie, and a ledger that exists already pays.\n",
       .closing =
           "Costs nothing without --epsilon: no row is read. With it, what --epsilon says, in "
           "equal\nparts for the columns.\n\n"
           "Example:\n"
           "  discreet policy init visits.parquet patients.csv > policy.yaml\n"
           "  discreet ledger init --namespace patients --epsilon 3 --delta 1e-6\n"
           "  discreet policy init visits.parquet --unit patient_id --snapshot 2026-11 \\\n"
           "    --epsilon 0.4 > policy.yaml"},
      [arguments, describe = std::move(describe)](const Streams& streams) {
        return run_policy_init(*arguments, describe, streams);
      });
  add_words(app, "FILE", arguments->sources,
            "Parquet, CSV or JSON files, FILE.duckdb:TABLE, or\n"
            "postgres://USER@HOST/DATABASE/SCHEMA.TABLE");
  DraftPurchase& purchase = arguments->purchase;
  add_text(app, "--epsilon", purchase.epsilon, "buy the ranges for this much in all");
  add_text(app, "--delta", purchase.delta, "buy the keys of texts too");
  add_text(app, "--unit", purchase.unit, "the column that says whose a row is", "COLUMN");
  add_text(app, "--snapshot", purchase.snapshot, "your label for this state of the data", "LABEL");
  add_text(app, "--namespace", purchase.units, "whose budget pays (the ledger's only one)", "NAME");
  add_text(app, "--analyst", purchase.world.analyst, "whose cap pays (owner)", "NAME");
  purchase.world.where.add_places_to(app);
}

}  // namespace discreet::cli
