// SPDX-License-Identifier: Apache-2.0
#include "server/pgcatalog/names.h"

#include <map>
#include <set>
#include <sstream>

#include "server/pgcatalog/printer.h"
#include "server/pgcatalog/schema.h"
#include "server/pgcatalog/tables.h"

namespace discreet::server::pgcatalog {
namespace {

std::set<std::string> first_words(const char* text, std::set<std::string> more) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) more.insert(line.substr(0, line.find(' ')));
  }
  return more;
}

}  // namespace

std::string quote(const std::string& text, char mark) {
  std::string out(1, mark);
  for (const char c : text) {
    if (c == mark) out += c;
    out += c;
  }
  return out + mark;
}

std::string duckdb_type(const std::string& name) {
  static const std::map<std::string, std::string> kTypes = {
      {"text", "VARCHAR"},
      {"varchar", "VARCHAR"},
      {"bpchar", "VARCHAR"},
      {"name", "VARCHAR"},
      {"char", "VARCHAR"},
      {"cstring", "VARCHAR"},
      {"json", "VARCHAR"},
      {"jsonb", "VARCHAR"},
      {"regproc", "VARCHAR"},
      {"regprocedure", "VARCHAR"},
      {"regrole", "VARCHAR"},
      {"pg_node_tree", "VARCHAR"},
      {"aclitem", "VARCHAR"},
      {"sql_identifier", "VARCHAR"},
      {"character_data", "VARCHAR"},
      {"yes_or_no", "VARCHAR"},
      {"cardinal_number", "INTEGER"},
      {"oid", "UINTEGER"},
      {"xid", "BIGINT"},
      {"int2", "SMALLINT"},
      {"int4", "INTEGER"},
      {"int8", "BIGINT"},
      {"bool", "BOOLEAN"},
      {"float4", "DOUBLE"},
      {"float8", "DOUBLE"},
      {"numeric", "DOUBLE"},
      {"date", "DATE"},
      {"timestamp", "TIMESTAMP"},
      {"timestamptz", "TIMESTAMP"},
      {"oidvector", "UINTEGER[]"},
      {"int2vector", "SMALLINT[]"},
  };
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? "" : found->second;
}

std::string duckdb_function(const std::string& name) {
  static const std::set<std::string> kOwn(defined_functions().begin(), defined_functions().end());
  static const std::map<std::string, std::string> kSame = {
      {"count", "count"},
      {"sum", "sum"},
      {"min", "min"},
      {"max", "max"},
      {"avg", "avg"},
      {"string_agg", "string_agg"},
      {"array_agg", "array_agg"},
      {"bool_and", "bool_and"},
      {"bool_or", "bool_or"},
      {"row_number", "row_number"},
      {"rank", "rank"},
      {"dense_rank", "dense_rank"},
      {"upper", "upper"},
      {"lower", "lower"},
      {"length", "length"},
      {"char_length", "length"},
      {"btrim", "trim"},
      {"ltrim", "ltrim"},
      {"rtrim", "rtrim"},
      {"substring", "substring"},
      {"substr", "substring"},
      {"left", "left"},
      {"right", "right"},
      {"position", "position"},
      {"strpos", "strpos"},
      {"split_part", "split_part"},
      {"replace", "replace"},
      {"regexp_replace", "regexp_replace"},
      {"concat", "concat"},
      {"concat_ws", "concat_ws"},
      {"md5", "md5"},
      {"abs", "abs"},
      {"round", "round"},
      {"floor", "floor"},
      {"ceil", "ceil"},
      {"mod", "mod"},
      {"unnest", "unnest"},
      {"array_position", "list_position"},
      {"array_append", "list_append"},
      {"array_cat", "list_concat"},
      {"generate_subscripts", "generate_subscripts"},
      {"starts_with", "starts_with"},
      {"reverse", "reverse"},
  };
  if (kOwn.contains(name)) return std::string(kCatalogSchema) + "." + name;
  const auto found = kSame.find(name);
  return found == kSame.end() ? "" : found->second;
}

bool is_about_roles(const std::string& table) {
  static const std::set<std::string> kTables = {"pg_roles", "pg_authid", "pg_user", "pg_group"};
  return kTables.contains(table);
}

bool is_catalog_table(const std::string& schema, const std::string& name) {
  static const std::set<std::string> kCatalog = first_words(
      kCatalogTables, {"pg_roles", "pg_authid", "pg_user", "pg_group", "pg_tables", "pg_views"});
  static const std::set<std::string> kInformation =
      first_words(kInformationTables, {"schemata", "tables", "views", "columns", "table_privileges",
                                       "role_table_grants", "column_privileges", "character_sets",
                                       "information_schema_catalog_name"});
  if (schema == "information_schema") return kInformation.contains(name);
  return (schema.empty() || schema == "pg_catalog") && kCatalog.contains(name);
}

std::optional<std::vector<std::string>> read_array(const std::string& text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  std::vector<std::string> items;
  std::string item;
  bool has_item = false;
  bool in_quotes = false;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 2 < text.size()) {
      item += text[++i];
      has_item = true;
    } else if (c == '"') {
      in_quotes = !in_quotes;
      has_item = true;
    } else if (c == ',' && !in_quotes) {
      items.push_back(std::move(item));
      item.clear();
      has_item = false;
      if (i + 2 == text.size()) return std::nullopt;
    } else if ((c == '{' || c == '}') && !in_quotes) {
      return std::nullopt;
    } else if (c != ' ' || in_quotes) {
      item += c;
      has_item = true;
    }
  }
  if (in_quotes) return std::nullopt;
  if (has_item || !items.empty()) items.push_back(std::move(item));
  return items;
}

}  // namespace discreet::server::pgcatalog
