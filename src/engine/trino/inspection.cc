// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/inspection.h"

#include <algorithm>

#include "base/suggest.h"

namespace discreet::engine::trino {
namespace {

/// Connectors without files hold or make values of the column's own type. Others may run anything
/// of theirs on a row, or show a view as a table.
bool is_offered(const Stored& stored) {
  if (stored.connector == "hive" || stored.connector == "iceberg") {
    return stored.format == "PARQUET" || stored.format == "ORC";
  }
  return stored.connector == "memory" || stored.connector == "tpch" || stored.connector == "tpcds";
}

Error not_offered(const TableName& name, const Stored& stored) {
  const bool format = stored.connector == "hive" || stored.connector == "iceberg";
  return {Code::kUnsupported,
          in_quotes(dotted(name)) + " is " +
              (format ? "stored as " + (stored.format.empty() ? "something else" : stored.format)
                      : "read by the connector " + in_quotes(stored.connector)) +
              ", where one bad row could fail a question; make a table in Parquet or ORC of it, of "
              "the connector hive or iceberg (CREATE TABLE ... AS SELECT); others are for a later "
              "version"};
}

Error rewritten(const TableName& name) {
  return {Code::kUnsupported,
          "the cluster runs a row filter, a column mask or a view on the rows of " +
              in_quotes(dotted(name)) +
              ", which could hide one or fail on one; name a table, and a user to whom it is shown "
              "as it is"};
}

std::optional<TableName> name_in(const Json& entry, const char* catalog) {
  TableName name;
  for (const char* part : {catalog, "schema", "table"}) {
    std::string text;
    if (!entry[part].read(text)) return std::nullopt;
    name.push_back(std::move(text));
  }
  return name;
}

/// What is not there, or not what it was in the versions that we know, does not count as nothing.
bool is_empty_list(const Json& list) { return list.is_array() && list.empty(); }

bool is_plain(const Json& table) {
  const Json& columns = table["columns"];
  return is_empty_list(table["filters"]) && table["viewText"].is_null() &&
         (table["referenceChain"].is_null() || is_empty_list(table["referenceChain"])) &&
         columns.is_array() &&
         std::all_of(columns.items().begin(), columns.items().end(), [](const Json& column) {
           return column["column"].is_string() && column["mask"].is_null();
         });
}

bool is_ours(const std::optional<TableName>& name, const std::vector<TableName>& tables) {
  return name && std::find(tables.begin(), tables.end(), *name) != tables.end();
}

}  // namespace

std::string dotted(const TableName& name) {
  std::string out;
  for (const std::string& part : name) out += (out.empty() ? "" : ".") + part;
  return out;
}

Result<std::map<TableName, Stored>> inspect(const Json& told,
                                            const std::vector<TableName>& tables) {
  const Json& referenced = told["referencedTables"];
  const Json& inputs = told["inputs"];
  if (!referenced.is_array() || !inputs.is_array()) return engine_failed();
  for (const Json& table : referenced.items()) {
    const std::optional<TableName> name = name_in(table, "catalog");
    if (!name) return engine_failed();
    // One that we did not name is that of a view, a filter or a mask, which come before it or after.
    if (!is_ours(name, tables) || !is_plain(table)) return rewritten(*name);
  }
  std::map<TableName, Stored> out;
  for (const Json& input : inputs.items()) {
    const std::optional<TableName> name = name_in(input, "catalogName");
    if (!is_ours(name, tables)) return engine_failed();
    const Stored stored{input["connectorName"].text(),
                        input["connectorInfo"]["tableDefaultFileFormat"].text()};
    if (!is_offered(stored)) return not_offered(*name, stored);
    out[*name] = stored;
  }
  return out;
}

Result<std::map<TableName, Stored>> inspect_statement(Client& client, const std::string& id,
                                                      const std::vector<TableName>& tables,
                                                      const OwnerLog& log) {
  DISCREET_ASSIGN(const Json told, client.about(id, log));
  auto out = inspect(told, tables);
  if (!out && out.error().code == Code::kEngine && log.say) {
    log.say("trino: what it tells of a statement is not what is known here");
  }
  return out;
}

}  // namespace discreet::engine::trino
