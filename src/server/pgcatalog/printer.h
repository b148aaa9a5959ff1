// SPDX-License-Identifier: Apache-2.0
// A question about the catalog, from PostgreSQL's parse tree to DuckDB's SQL. Only what is known
// here is printed: any other kind of node, function, operator, type or table is refused, so no text
// of a client reaches DuckDB but as a quoted name or a quoted constant.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sql/parse.h"

namespace discreet::server::pgcatalog {

/// A parameter's value: text that DuckDB reads as `type`.
struct Parameter {
  std::optional<std::string> text;  ///< none: NULL
  std::string type = "VARCHAR";     ///< DuckDB's name for it
};

/// Who asks.
struct Asker {
  std::string user;
  int process = 0;
  /// current_setting(); none: there is no such setting.
  std::function<std::optional<std::string>(const std::string& name)> setting = {};
  std::vector<Parameter> parameters = {};
};

struct Printed {
  std::string sql;
  std::vector<std::string> names = {};  ///< of the columns; empty where a * stands among them
  /// set_config() calls, to be carried out when the statement is.
  std::vector<std::pair<std::string, std::string>> assignments = {};
};

/// Whether a table belongs to the catalog. `schema` may be empty.
bool is_catalog_table(const std::string& schema, const std::string& name);

/// Fails with: kUnsupported, naming what is not known; kNotFound for a table or a setting.
Result<Printed> print(const sql::Node& select, const Asker& asker);

}  // namespace discreet::server::pgcatalog
