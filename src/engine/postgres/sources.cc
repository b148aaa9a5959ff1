// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/sources.h"

#include <charconv>

#include "engine/lowering/stored.h"
#include "engine/postgres/types.h"

namespace discreet::engine::postgres {
namespace {

using lowering::quote_text;
using lowering::Schemas;
using lowering::StoredColumn;
using lowering::StoredTable;
using policy::Type;

std::string dotted(const std::vector<std::string>& name) { return name[0] + "." + name[1]; }

std::string is_named(const std::vector<std::string>& name) {
  return "n.nspname = " + quote_text(name[0]) + " AND c.relname = " + quote_text(name[1]);
}

std::string where_named(const std::vector<std::string>& name) {
  return " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE " + is_named(name);
}

unsigned int code_of(const TextRow& row) {
  const std::string& digits = row[2].value();
  unsigned int oid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), oid);
  if (row[3] == "e") return kEnum;
  const bool known = is_text(oid) || is_whole(oid);
  if (row[4] == "S" && !known) return kOtherText;
  return oid;
}

Result<void> check_rights(Connection& connection, const std::vector<std::string>& name,
                          const OwnerLog& log) {
  DISCREET_ASSIGN(
      const std::vector<TextRow> rows,
      connection.query("SELECT c.relkind, has_schema_privilege(n.oid, 'USAGE') AND "
                       "has_table_privilege(c.oid, 'SELECT'), "
                       "has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR "
                       "has_any_column_privilege(c.oid, 'INSERT, UPDATE'), "
                       "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)" +
                           where_named(name),
                       log));
  const std::string table = in_quotes(dotted(name));
  if (rows.empty()) {
    return Error{Code::kNotFound,
                 "the database has no table " + table + "; correct the table's source"};
  }
  const std::string kind = rows[0][0].value_or("");
  if (kind != "r" && kind != "p" && kind != "m") {
    return invalid_input(table +
                         " is no table: what a view or a foreign table runs on a row could fail on "
                         "one; name a table or a materialized view");
  }
  DISCREET_ASSIGN(
      const std::vector<TextRow> parts,
      connection.query(
          "WITH RECURSIVE below AS (SELECT c.oid" + where_named(name) +
              " UNION ALL SELECT i.inhrelid FROM pg_inherits i JOIN below b ON i.inhparent = "
              "b.oid) SELECT 1 FROM below b JOIN pg_class p ON p.oid = b.oid "
              "WHERE p.relkind NOT IN ('r', 'p', 'm') LIMIT 1",
          log));
  if (!parts.empty()) {
    return invalid_input(table +
                         " has a foreign table among its partitions or children: reading that "
                         "could fail on a row; copy it into a table");
  }
  const std::string role =
      "; make a role for this program: CREATE ROLE reader LOGIN; GRANT USAGE "
      "ON SCHEMA " +
      name[0] + " TO reader; GRANT SELECT ON " + dotted(name) + " TO reader";
  if (rows[0][1] != "t") {
    return Error{Code::kRefused, "the database's role may not read " + table + role};
  }
  if (rows[0][2] == "t" || rows[0][3] == "t") {
    return Error{Code::kRefused,
                 "the database's role may write to " + table + ", which nothing here needs" + role};
  }
  return {};
}

bool holds_zero(const policy::Value& value) {
  const std::string* text = std::get_if<std::string>(&value.data);
  return text != nullptr && text->find('\0') != text->npos;
}

Result<void> check_columns(const policy::Table& table, const Schemas& schemas) {
  for (const policy::Column& column : table.columns) {
    DISCREET_ASSIGN(const StoredColumn* raw,
                    lowering::find_column(schemas, table.name, column.name));
    if (!can_read(raw->type, column.type)) {
      return invalid_input(
          "column " + in_quotes(column.name) + " of table " + in_quotes(table.name) + " is " +
          raw->type_name + " in the database and cannot be read as " +
          policy::to_string(column.type) + "; if its type changed, declare it anew in the policy");
    }
    bool zero = holds_zero(column.fallback);
    for (const policy::Value& value : column.values) zero = zero || holds_zero(value);
    if (zero) {
      return invalid_input("column " + in_quotes(column.name) + " of table " +
                           in_quotes(table.name) +
                           " lists a text with a zero byte, which PostgreSQL cannot hold");
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> parse_source(const std::string& source) {
  const std::size_t dot = source.find('.');
  if (dot == source.npos) return {"public", source};
  return {source.substr(0, dot), source.substr(dot + 1)};
}

Result<std::vector<StoredTable>> describe(Connection& connection,
                                          const std::vector<std::vector<std::string>>& names,
                                          const OwnerLog& log) {
  std::string named;
  for (const std::vector<std::string>& name : names) {
    named += (named.empty() ? "(" : " OR (") + is_named(name) + ")";
  }
  // A domain is read as what it is made of.
  DISCREET_ASSIGN(
      const std::vector<TextRow> rows,
      connection.query(
          // A column that is computed when it is read could fail on a row: it is of no type.
          "SELECT a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attgenerated = "
          "'v' THEN ', computed when it is read' ELSE '' END, "
          "CASE WHEN a.attgenerated = 'v' THEN 0 ELSE b.oid END, "
          "CASE WHEN a.attgenerated = 'v' THEN 'b' ELSE b.typtype END, "
          "CASE WHEN a.attgenerated = 'v' THEN 'X' ELSE b.typcategory END, n.nspname, c.relname "
          "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
          "JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid "
          "LEFT JOIN pg_type d ON d.oid = t.typbasetype "
          "JOIN pg_type b ON b.oid = CASE WHEN t.typbasetype = 0 THEN t.oid "
          "WHEN d.typbasetype = 0 THEN d.oid ELSE d.typbasetype END "
          "WHERE a.attnum > 0 AND NOT a.attisdropped AND (" +
              named + ") ORDER BY a.attnum",
          log));
  std::vector<StoredTable> tables;
  for (const std::vector<std::string>& name : names) {
    StoredTable& table = tables.emplace_back(StoredTable{name, {}, true});  // on one snapshot
    for (const TextRow& row : rows) {
      if (row[5] != name[0] || row[6] != name[1]) continue;
      table.columns.push_back({row[0].value(), row[1].value(), code_of(row)});
    }
  }
  return tables;
}

Result<Schemas> open_sources(Connection& connection, const policy::Policy& policy,
                             const OwnerLog& log) {
  Schemas schemas;
  for (const auto& [name, table] : policy.tables) {
    const std::vector<std::string> source = parse_source(table.source);
    DISCREET_TRY(check_rights(connection, source, log));
    DISCREET_ASSIGN(std::vector<StoredTable> stored, describe(connection, {source}, log));
    schemas.emplace(name, std::move(stored.front()));
    DISCREET_TRY(check_columns(table, schemas));
  }
  DISCREET_TRY(lowering::check_identifiers(
      policy, schemas, [](const StoredColumn& column) { return can_identify(column.type); }));
  return schemas;
}

std::optional<std::pair<std::string, std::string>> split_url(const std::string& source) {
  if (!source.starts_with("postgres://") && !source.starts_with("postgresql://")) return {};
  const std::size_t slash = source.rfind('/');
  const std::size_t host = source.find("://") + 3;
  if (slash == source.npos || slash < host || source.find('/', host) == slash) return {};
  return std::pair(source.substr(0, slash), source.substr(slash + 1));
}

Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const OwnerLog& log) {
  const auto halves = split_url(source);
  if (!halves) {
    return invalid_input(
        "write a table of PostgreSQL as postgres://user@host:port/database/schema.table");
  }
  DISCREET_ASSIGN(const auto connection, Connection::open(halves->first, log));
  DISCREET_ASSIGN(const std::vector<StoredTable> found,
                  describe(*connection, {parse_source(halves->second)}, log));
  const StoredTable& table = found.front();
  if (table.columns.empty()) {
    return Error{Code::kNotFound, "the database has no table " + in_quotes(dotted(table.name))};
  }
  std::vector<policy::SchemaColumn> schema;
  for (const StoredColumn& column : table.columns)
    schema.push_back({column.name, column.type_name});
  return schema;
}

}  // namespace discreet::engine::postgres
