// SPDX-License-Identifier: Apache-2.0
// What may be asked about: the policy's public facts.
#include "base/json.h"
#include "policy/value.h"
#include "publish/example.h"
#include "server/api/documents.h"
#include "server/api/json_body.h"
#include "server/api/service.h"
#include "sql/examples.h"

namespace discreet::server::api {
namespace {

Json column_json(const policy::Column& column) {
  constexpr std::size_t kValuesShown = 1000;
  Json json = {{"name", column.name}, {"type", policy::to_string(column.type)}};
  if (column.grid) {
    const policy::GridText grid = policy::grid_text(column.type, *column.grid);
    json["low"] = grid.low;
    json["high"] = grid.high;
    json["step"] = grid.step;
  }
  if (!column.values.empty()) {
    Json values = Json::array();
    for (std::size_t i = 0; i < column.values.size() && i < kValuesShown; ++i) {
      values.push_back(policy::to_string(column.values[i]));
    }
    json["values"] = values;
    json["values_in_all"] = column.values.size();
  }
  json["may_aggregate"] = column.may_aggregate;
  json["may_group"] = column.may_group;
  json["may_filter"] = column.may_filter;
  return json;
}

}  // namespace

std::string catalog_document(const policy::Policy& policy) {
  Json tables = Json::array();
  for (const auto& [name, table] : policy.tables) {
    Json columns = Json::array();
    for (const policy::Column& column : table.columns) columns.push_back(column_json(column));
    tables.push_back({{"name", name}, {"public", table.is_public()}, {"columns", columns}});
  }
  constexpr std::size_t kExamples = 8;
  const Json json = {{"snapshot", policy.snapshot},
                     {"tables", tables},
                     {"examples", sql::examples(policy, kExamples)},
                     {"workload", publish::example_workload(policy)},
                     {"other_releases", policy.other_releases}};
  return json_text(json);
}

void catalog(Service& service, Call call) {
  call.reply({.body = padded(catalog_document(service.world()->policy()))});
}

}  // namespace discreet::server::api
