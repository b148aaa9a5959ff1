// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/sources.h"

#include <charconv>
#include <map>

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

/// The base type's number, its kind and category, and what its cast to text is: a relabelling ("b"),
/// PostgreSQL's own code ("own"), or somebody's.
unsigned int code_of(const TextRow& row) {
  const std::string digits = row[2].value_or("");
  unsigned int oid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), oid);
  if (row[5] != "b" && row[5] != "own") return kForeignCast;
  if (row[3] == "e") return kEnum;
  if (row[4] != "S" || is_text(oid)) return oid;
  return row[5] == "b" ? kOtherText : kForeignCast;
}

std::string are_named(const std::vector<std::vector<std::string>>& names) {
  std::string named;
  for (const std::vector<std::string>& name : names) {
    named += (named.empty() ? "(" : " OR (") + is_named(name) + ")";
  }
  return "(" + named + ")";
}

/// What the catalog says of a table, for the role that asks.
struct Standing {
  std::string kind;
  bool may_read = false;
  bool may_write = false;     ///< to it or to what is below it, by any right
  bool hides_rows = false;    ///< row-level security that holds for the role
  bool is_elsewhere = false;  ///< something below it is not a table
};

Standing standing_of(const TextRow& row) {
  const auto may_be = [&](std::size_t at) { return row[at] != "f"; };  // also where nobody knows
  return {row[2].value_or(""), row[3] == "t", may_be(4), may_be(5), may_be(6)};
}

/// The tables that are there, by schema and name.
Result<std::map<std::vector<std::string>, Standing>> look_up(
    Connection& connection, const std::vector<std::vector<std::string>>& names,
    const OwnerLog& log) {
  const std::string from =
      "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE " + are_named(names);
  DISCREET_ASSIGN(
      const std::vector<TextRow> rows,
      connection.query(
          "WITH RECURSIVE below(root, part) AS (SELECT c.oid, c.oid " + from +
              " UNION SELECT b.root, i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = "
              "b.part), parts AS (SELECT b.root, bool_or(has_table_privilege(b.part, 'INSERT, "
              "UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(b.part, 'INSERT, UPDATE')) "
              "AS "
              "writable, bool_or(p.oid IS NULL OR p.relkind NOT IN ('r', 'p', 'm')) AS elsewhere "
              "FROM below b LEFT JOIN pg_class p ON p.oid = b.part GROUP BY b.root) "
              "SELECT n.nspname, c.relname, c.relkind, has_schema_privilege(n.oid, 'USAGE') AND "
              "has_table_privilege(c.oid, 'SELECT'), parts.writable OR (SELECT rolsuper FROM "
              "pg_roles WHERE rolname = current_user), row_security_active(c.oid), parts.elsewhere "
              "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN parts ON "
              "parts.root = c.oid",
          log));
  std::map<std::vector<std::string>, Standing> found;
  for (const TextRow& row : rows) {
    found.emplace(std::vector{row[0].value_or(""), row[1].value_or("")}, standing_of(row));
  }
  return found;
}

Result<void> check_standing(const Standing& now, const std::vector<std::string>& name) {
  const std::string table = in_quotes(dotted(name));
  if (now.kind != "r" && now.kind != "p" && now.kind != "m") {
    return invalid_input(table +
                         " is no table: what a view or a foreign table runs on a row could fail on "
                         "one; name a table or a materialized view");
  }
  if (now.is_elsewhere) {
    return invalid_input(table +
                         " has a foreign table among its partitions or children: reading that "
                         "could fail on a row; copy it into a table");
  }
  const std::string role =
      "; make a role for this program: CREATE ROLE reader LOGIN; GRANT USAGE "
      "ON SCHEMA " +
      name[0] + " TO reader; GRANT SELECT ON " + dotted(name) + " TO reader";
  if (!now.may_read) {
    return Error{Code::kRefused, "the database's role may not read " + table + role};
  }
  if (now.may_write) {
    return Error{Code::kRefused,
                 "the database's role may write to " + table + ", which nothing here needs" + role};
  }
  if (now.hides_rows) {
    return Error{Code::kRefused, "row-level security of " + table +
                                     " would hide rows from the database's role; give the role "
                                     "BYPASSRLS, or a table without such rules"};
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
          policy::to_string(column.type) +
          (raw->type == kForeignCast
               ? "; its type's cast to text is a function of somebody's, which would run on each "
                 "row; store it as text or varchar"
               : "; if its type changed, declare it anew in the policy"));
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
  DISCREET_ASSIGN(
      const std::vector<TextRow> rows,
      connection.query(
          // A domain is read as what it is made of, however deep. Its own name may say anything.
          "WITH RECURSIVE domains(oid, base) AS (SELECT oid, typbasetype FROM pg_type WHERE "
          "typtype "
          "= 'd' UNION ALL SELECT d.oid, t.typbasetype FROM domains d JOIN pg_type t ON t.oid = "
          "d.base AND t.typtype = 'd') "
          // A column that is computed when it is read could fail on a row: it is of no type.
          "SELECT a.attname, format_type(b.oid, CASE WHEN made.oid IS NULL THEN a.atttypmod END) "
          "|| "
          "CASE WHEN a.attgenerated = 'v' THEN ', computed when it is read' ELSE '' END, "
          "CASE WHEN a.attgenerated = 'v' THEN 0 ELSE b.oid END, "
          "CASE WHEN a.attgenerated = 'v' THEN 'b' ELSE b.typtype END, "
          "CASE WHEN a.attgenerated = 'v' THEN 'X' ELSE b.typcategory END, "
          // A cast is a relabelling, a function, or (without an entry) the type's output function.
          "CASE WHEN k.castmethod = 'b' THEN 'b' WHEN CASE WHEN k.castmethod = 'f' THEN k.castfunc "
          "ELSE CAST(b.typoutput AS oid) END < CAST(16384 AS oid) THEN 'own' END, "  // not people's
          "n.nspname, c.relname "
          "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
          "JOIN pg_attribute a ON a.attrelid = c.oid "
          "LEFT JOIN (SELECT d.oid, d.base FROM domains d JOIN pg_type t ON t.oid = d.base AND "
          "t.typtype <> 'd') made ON made.oid = a.atttypid "
          "JOIN pg_type b ON b.oid = coalesce(made.base, a.atttypid) "
          "LEFT JOIN pg_cast k ON k.castsource = b.oid AND k.casttarget = 25 "
          "WHERE a.attnum > 0 AND NOT a.attisdropped AND " +
              are_named(names) + " ORDER BY a.attnum",
          log));
  std::vector<StoredTable> tables;
  for (const std::vector<std::string>& name : names) {
    StoredTable& table = tables.emplace_back(StoredTable{name, {}, true});  // on one snapshot
    for (const TextRow& row : rows) {
      if (row[6] != name[0] || row[7] != name[1]) continue;
      table.columns.push_back({row[0].value_or(""), row[1].value_or(""), code_of(row)});
    }
  }
  return tables;
}

Result<void> check_tables(Connection& connection,
                          const std::vector<std::vector<std::string>>& names, const OwnerLog& log) {
  if (names.empty()) return {};
  DISCREET_ASSIGN(const auto found, look_up(connection, names, log));
  for (const std::vector<std::string>& name : names) {
    const auto now = found.find(name);
    if (now == found.end()) {
      return Error{Code::kNotFound, "the database has no table " + in_quotes(dotted(name)) +
                                        "; correct the table's source"};
    }
    DISCREET_TRY(check_standing(now->second, name));
  }
  return {};
}

Result<std::set<std::vector<std::string>>> materialized_views(Connection& connection,
                                                              const Schemas& schemas,
                                                              const OwnerLog& log) {
  std::set<std::vector<std::string>> views;
  if (schemas.empty()) return views;
  const Transaction transaction(connection);
  DISCREET_TRY(connection.begin(log));
  std::vector<std::vector<std::string>> names;
  for (const auto& [name, stored] : schemas) names.push_back(stored.name);
  DISCREET_ASSIGN(const auto found, look_up(connection, names, log));
  for (const auto& [name, now] : found) {
    if (now.kind == "m") views.insert(name);
  }
  return views;
}

Result<Schemas> open_sources(Connection& connection, const policy::Policy& policy,
                             const OwnerLog& log) {
  const Transaction transaction(connection);
  DISCREET_TRY(connection.begin(log));
  Schemas schemas;
  std::vector<std::vector<std::string>> private_tables;
  for (const auto& [name, table] : policy.tables) {
    const std::vector<std::string> source = parse_source(table.source);
    if (!table.is_public()) private_tables.push_back(source);
    DISCREET_TRY(check_tables(connection, {source}, log));
    DISCREET_ASSIGN(std::vector<StoredTable> stored, describe(connection, {source}, log));
    schemas.emplace(name, std::move(stored.front()));
    DISCREET_TRY(check_columns(table, schemas));
  }
  DISCREET_TRY(lowering::check_identifiers(
      policy, schemas, [](const StoredColumn& column) { return can_identify(column.type); }));
  connection.set_private_tables(PrivateTables(private_tables));
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
  const Transaction transaction(*connection);
  DISCREET_TRY(connection->begin(log));
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
