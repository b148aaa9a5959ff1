// SPDX-License-Identifier: Apache-2.0
// What the catalog knows by name: types, functions, tables about roles; and PostgreSQL's
// spelling of arrays.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace discreet::server::pgcatalog {

/// In quotes, those inside doubled.
std::string quote(const std::string& text, char mark);

/// DuckDB's name of PostgreSQL's type; "" when it is not known.
std::string duckdb_type(const std::string& name);

/// How DuckDB is to call PostgreSQL's function; "" when it is not known. What is on this list
/// neither reads files nor makes many rows or long texts of little.
std::string duckdb_function(const std::string& name);

/// Tables whose rows depend on who asks.
bool is_about_roles(const std::string& table);

/// The items of '{a,"b c"}'; none when it is not one.
std::optional<std::vector<std::string>> read_array(const std::string& text);

}  // namespace discreet::server::pgcatalog
