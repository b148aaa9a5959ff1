// SPDX-License-Identifier: Apache-2.0
#include "server/pgcatalog/tables.h"

#include <map>
#include <sstream>

#include "policy/value.h"
#include "server/pgcatalog/schema.h"

namespace discreet::server::pgcatalog {
namespace {

std::string quoted_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string type_of(char letter) {
  static const std::map<char, std::string> kTypes = {
      {'o', "UINTEGER"},   {'s', "VARCHAR"},   {'i', "INTEGER"}, {'h', "SMALLINT"},
      {'l', "BIGINT"},     {'b', "BOOLEAN"},   {'f', "DOUBLE"},  {'S', "VARCHAR[]"},
      {'O', "UINTEGER[]"}, {'H', "SMALLINT[]"}};
  return kTypes.at(letter);
}

struct Lines {
  explicit Lines(const char* text) : stream(text) {}
  bool next(std::string& line) {
    while (std::getline(stream, line)) {
      if (!line.empty()) return true;
    }
    return false;
  }
  std::istringstream stream;
};

void create_tables(const std::string& schema, const char* text, std::vector<std::string>& out) {
  std::string line;
  for (Lines lines(text); lines.next(line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::string columns;
    for (std::string column; words >> column;) {
      const std::size_t colon = column.find(':');
      columns += (columns.empty() ? "\"" : ", \"") + column.substr(0, colon) + "\" " +
                 type_of(column[colon + 1]);
    }
    out.push_back("CREATE TABLE " + schema + "." + name + " (" + columns + ")");
  }
}

/// One type that an answer or the catalog can have.
struct TypeFacts {
  unsigned oid;
  const char* name;
  const char* shown;  ///< as format_type spells it
  int size;
  char category;
  unsigned array;
};

constexpr TypeFacts kTypes[] = {
    {16, "bool", "boolean", 1, 'B', 1000},
    {17, "bytea", "bytea", -1, 'U', 1001},
    {18, "char", "\"char\"", 1, 'Z', 1002},
    {19, "name", "name", 64, 'S', 1003},
    {20, "int8", "bigint", 8, 'N', 1016},
    {21, "int2", "smallint", 2, 'N', 1005},
    {23, "int4", "integer", 4, 'N', 1007},
    {25, "text", "text", -1, 'S', 1009},
    {26, "oid", "oid", 4, 'N', 1028},
    {114, "json", "json", -1, 'U', 199},
    {700, "float4", "real", 4, 'N', 1021},
    {701, "float8", "double precision", 8, 'N', 1022},
    {705, "unknown", "unknown", -2, 'X', 0},
    {1042, "bpchar", "character", -1, 'S', 1014},
    {1043, "varchar", "character varying", -1, 'S', 1015},
    {1082, "date", "date", 4, 'D', 1182},
    {1083, "time", "time without time zone", 8, 'D', 1183},
    {1114, "timestamp", "timestamp without time zone", 8, 'D', 1115},
    {1184, "timestamptz", "timestamp with time zone", 8, 'D', 1185},
    {1186, "interval", "interval", 16, 'T', 1187},
    {1700, "numeric", "numeric", -1, 'N', 1231},
    {2205, "regclass", "regclass", 4, 'N', 2210},
    {2206, "regtype", "regtype", 4, 'N', 2211},
    {2278, "void", "void", 4, 'P', 0},
    {2950, "uuid", "uuid", 16, 'U', 2951},
};

void fill_types(std::vector<std::string>& out) {
  std::string types;
  std::string names;
  for (const TypeFacts& type : kTypes) {
    const auto add = [&](unsigned oid, const std::string& name, const std::string& shown, int size,
                         char category, unsigned element, unsigned array) {
      types += (types.empty() ? "(" : ", (") + std::to_string(oid) + ", " + quoted_text(name) +
               ", 11, " + std::to_string(kOwnerRole) + ", " + std::to_string(size) + ", " +
               (size > 0 && size <= 8 ? "true" : "false") + ", '" + (category == 'P' ? 'p' : 'b') +
               "', '" + category + "', " +
               (oid == 25 || oid == 701 || oid == 16 ? "true" : "false") + ", true, ',', 0, 0, " +
               std::to_string(element) + ", " + std::to_string(array) + ", '" +
               (element != 0 ? "array_in" : name + "in") + "', '" +
               (element != 0 ? "array_out" : name + "out") + "', '" +
               (element != 0 ? "array_recv" : name + "recv") + "', '" +
               (element != 0 ? "array_send" : name + "send") +
               "', '-', '-', '-', 'i', 'x', false, 0, -1, 0, " + (category == 'S' ? "100" : "0") +
               ", NULL, NULL, NULL)";
      names +=
          (names.empty() ? "(" : ", (") + std::to_string(oid) + ", " + quoted_text(shown) + ")";
    };
    add(type.oid, type.name, type.shown, type.size, type.category, 0, type.array);
    if (type.array != 0) {
      add(type.array, std::string("_") + type.name, std::string(type.shown) + "[]", -1, 'A',
          type.oid, 0);
    }
  }
  out.push_back("INSERT INTO pgc.pg_type VALUES " + types);
  out.push_back("CREATE TABLE pgc.type_names (oid UINTEGER, name VARCHAR)");
  out.push_back("INSERT INTO pgc.type_names VALUES " + names);
}

unsigned type_oid(policy::Type type) {
  switch (type) {
    case policy::Type::kBoolean:
      return 16;
    case policy::Type::kInteger:
      return 20;
    case policy::Type::kDecimal:
      return 1700;
    case policy::Type::kText:
      return 25;
    case policy::Type::kDate:
      return 1082;
    case policy::Type::kTimestamp:
      return 1114;
  }
  return 25;
}

void add_class(std::vector<std::string>& out, unsigned oid, const std::string& name,
               unsigned schema, char kind, std::size_t columns) {
  out.push_back("INSERT INTO pgc.pg_class VALUES (" + std::to_string(oid) + ", " +
                quoted_text(name) + ", " + std::to_string(schema) + ", 0, 0, 10, " +
                (kind == 'r' ? "2" : "0") + ", 0, 0, 0, -1, 0, 0, false, false, 'p', '" + kind +
                "', " + std::to_string(columns) + ", 0, " + (kind == 'v' ? "true" : "false") +
                ", false, false, false, false, true, 'n', false, 0, 0, 0, NULL, NULL, NULL, false, "
                "0)");
}

void describe(std::vector<std::string>& out, unsigned oid, std::size_t column,
              const std::string& words) {
  if (words.empty()) return;
  out.push_back("INSERT INTO pgc.pg_description VALUES (" + std::to_string(oid) + ", 1259, " +
                std::to_string(column) + ", " + quoted_text(words) + ")");
}

/// What an analyst wants to know of a column, and may.
std::string words_about(const policy::Column& column) {
  constexpr std::size_t kValuesShown = 10;
  std::string out;
  const auto add = [&](const std::string& words) { out += (out.empty() ? "" : "; ") + words; };
  if (column.grid) {
    const policy::GridText grid = policy::grid_text(column.type, *column.grid);
    add("from " + grid.low + " to " + grid.high + " in steps of " + grid.step);
  }
  if (!column.values.empty()) {
    std::string values;
    for (std::size_t i = 0; i < column.values.size() && i < kValuesShown; ++i) {
      values += (i == 0 ? "" : ", ") + policy::to_string(column.values[i]);
    }
    add("values " + values + (column.values.size() > kValuesShown ? ", ..." : ""));
  }
  if (!column.may_aggregate) add("not to be aggregated");
  if (!column.may_group) add("not to be grouped by");
  if (!column.may_filter) add("not to be filtered by");
  return out;
}

void add_table(std::vector<std::string>& out, unsigned oid, const policy::Table& table) {
  add_class(out, oid, table.name, kPublicNamespace, 'r', table.columns.size());
  describe(out, oid, 0,
           table.is_public() ? "public data" : "answers protect each of " + table.unit->space);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const policy::Column& column = table.columns[i];
    const unsigned type = type_oid(column.type);
    out.push_back("INSERT INTO pgc.pg_attribute VALUES (" + std::to_string(oid) + ", " +
                  quoted_text(column.name) + ", " + std::to_string(type) +
                  ", -1, (SELECT typlen FROM "
                  "pgc.pg_type WHERE oid = " +
                  std::to_string(type) + "), " + std::to_string(i + 1) +
                  ", 0, -1, -1, false, 'i', 'x', '', false, false, false, "
                  "'', '', false, true, 0, " +
                  (type == 25 ? "100" : "0") + ", NULL, NULL, NULL, NULL)");
    describe(out, oid, i + 1, words_about(column));
  }
}

void fill_from_policy(const policy::Policy& policy, std::vector<std::string>& out) {
  unsigned oid = kFirstTable;
  for (const auto& [name, table] : policy.tables) add_table(out, oid++, table);
  for (const auto& [name, text] : policy.views) {
    add_class(out, oid, name, kPublicNamespace, 'v', 0);
    out.push_back("INSERT INTO pgc.view_texts VALUES (" + std::to_string(oid++) + ", " +
                  quoted_text(text) + ")");
  }
}

/// The catalog's own tables are in it too, under PostgreSQL's numbers where clients rely on them.
void fill_own(std::vector<std::string>& out) {
  const std::map<std::string, unsigned> known = {
      {"pg_class", 1259},     {"pg_namespace", 2615}, {"pg_type", 1247},       {"pg_proc", 1255},
      {"pg_attribute", 1249}, {"pg_database", 1262},  {"pg_constraint", 2606}, {"pg_attrdef", 2604},
      {"pg_trigger", 2620},   {"pg_extension", 3079}};
  unsigned next = 12000;
  std::string line;
  for (Lines lines(kCatalogTables); lines.next(line);) {
    const std::string name = line.substr(0, line.find(' '));
    const auto found = known.find(name);
    add_class(out, found == known.end() ? next++ : found->second, name, kCatalogNamespace, 'r', 0);
  }
}

constexpr const char* kRows[] = {
    "CREATE TABLE pgc.view_texts (oid UINTEGER, definition VARCHAR)",
    "INSERT INTO pgc.pg_namespace VALUES (11, 'pg_catalog', 10, NULL), (2200, 'public', 10, NULL), "
    "(13000, 'information_schema', 10, NULL)",
    "INSERT INTO pgc.pg_database VALUES (16382, 'discreet', 10, 6, 'c', false, true, -1, 0, 0, "
    "1663, 'C', 'C', NULL, NULL, NULL)",
    "INSERT INTO pgc.pg_tablespace VALUES (1663, 'pg_default', 10, NULL, NULL)",
    "INSERT INTO pgc.pg_am VALUES (2, 'heap', '-', 't')",
    "INSERT INTO pgc.pg_collation VALUES (100, 'default', 11, 10, 'd', true, -1, NULL, NULL, NULL, "
    "NULL)",
    "INSERT INTO pgc.pg_settings (name, setting, context, vartype, source) VALUES "
    "('max_index_keys', '32', 'internal', 'integer', 'default'), "
    "('server_version', '15.0', 'internal', 'string', 'default'), "
    "('server_version_num', '150000', 'internal', 'integer', 'default'), "
    "('standard_conforming_strings', 'on', 'user', 'bool', 'default'), "
    "('server_encoding', 'UTF8', 'internal', 'string', 'default')",
    "INSERT INTO pgc.pg_language VALUES (14, 'sql', 10, false, true, 0, 0, 0, NULL)",
};

// After the tables: functions whose bodies look into them, and views.
constexpr const char* kDerived[] = {
    "CREATE MACRO pgc.regclass_of(t) AS coalesce(TRY_CAST(t AS UINTEGER), (SELECT min(c.oid) FROM "
    "pgc.pg_class c WHERE c.relname = replace(regexp_replace(CAST(t AS VARCHAR), "
    "'^\"?[A-Za-z_]+\"?[.]', ''), '\"', '')))",
    "CREATE MACRO pgc.regclass_name(o) AS coalesce((SELECT min(c.relname) FROM pgc.pg_class c "
    "WHERE "
    "c.oid = TRY_CAST(o AS UINTEGER)), CAST(o AS VARCHAR))",
    "CREATE MACRO pgc.regtype_of(t) AS coalesce(TRY_CAST(t AS UINTEGER), (SELECT min(y.oid) FROM "
    "pgc.pg_type y WHERE y.typname = replace(CAST(t AS VARCHAR), 'pg_catalog.', '')), (SELECT "
    "min(n.oid) FROM pgc.type_names n WHERE n.name = CAST(t AS VARCHAR)))",
    "CREATE MACRO pgc.regtype_name(o) AS coalesce((SELECT min(n.name) FROM pgc.type_names n WHERE "
    "n.oid = TRY_CAST(o AS UINTEGER)), CAST(o AS VARCHAR))",
    "CREATE MACRO pgc.regnamespace_of(t) AS coalesce(TRY_CAST(t AS UINTEGER), (SELECT min(n.oid) "
    "FROM pgc.pg_namespace n WHERE n.nspname = CAST(t AS VARCHAR)))",
    "CREATE MACRO pgc.regnamespace_name(o) AS coalesce((SELECT min(n.nspname) FROM "
    "pgc.pg_namespace n WHERE n.oid = TRY_CAST(o AS UINTEGER)), CAST(o AS VARCHAR))",
    // Who asks is the only role that they see beside the owner of the tables.
    "CREATE MACRO pgc.pg_roles(me) AS TABLE SELECT CAST(oid AS UINTEGER) AS oid, rolname, false AS "
    "rolsuper, true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb, oid = 16383 AS "
    "rolcanlogin, false AS rolreplication, -1 AS rolconnlimit, '********' AS rolpassword, "
    "CAST(NULL AS TIMESTAMP) AS rolvaliduntil, false AS rolbypassrls, CAST(NULL AS VARCHAR[]) AS "
    "rolconfig FROM (VALUES (10, 'discreet'), (16383, me)) AS r(oid, rolname)",
    "CREATE MACRO pgc.pg_user(me) AS TABLE SELECT rolname AS usename, oid AS usesysid, rolcreatedb "
    "AS usecreatedb, rolsuper AS usesuper, rolreplication AS userepl, rolbypassrls AS "
    "usebypassrls, rolpassword AS passwd, rolvaliduntil AS valuntil, rolconfig AS useconfig FROM "
    "pgc.pg_roles(me)",
    "CREATE MACRO pgc.pg_group(me) AS TABLE SELECT CAST('' AS VARCHAR) AS groname, CAST(0 AS "
    "UINTEGER) AS grosysid, CAST(NULL AS UINTEGER[]) AS grolist WHERE false",
    "CREATE VIEW pgc.pg_tables AS SELECT n.nspname AS schemaname, c.relname AS tablename, "
    "'discreet' AS tableowner, CAST(NULL AS VARCHAR) AS tablespace, false AS hasindexes, false AS "
    "hasrules, false AS hastriggers, false AS rowsecurity FROM pgc.pg_class c JOIN "
    "pgc.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'",
    "CREATE VIEW pgc.pg_views AS SELECT 'public' AS schemaname, c.relname AS viewname, 'discreet' "
    "AS viewowner, v.definition FROM pgc.pg_class c JOIN pgc.view_texts v ON v.oid = c.oid",
    "CREATE VIEW isc.schemata AS SELECT 'discreet' AS catalog_name, nspname AS schema_name, "
    "'discreet' AS schema_owner, CAST(NULL AS VARCHAR) AS default_character_set_catalog, CAST(NULL "
    "AS VARCHAR) AS default_character_set_schema, CAST(NULL AS VARCHAR) AS "
    "default_character_set_name, CAST(NULL AS VARCHAR) AS sql_path FROM pgc.pg_namespace",
    "CREATE VIEW isc.tables AS SELECT 'discreet' AS table_catalog, n.nspname AS table_schema, "
    "c.relname AS table_name, CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END AS "
    "table_type, CAST(NULL AS VARCHAR) AS self_referencing_column_name, CAST(NULL AS VARCHAR) AS "
    "reference_generation, CAST(NULL AS VARCHAR) AS user_defined_type_catalog, CAST(NULL AS "
    "VARCHAR) AS user_defined_type_schema, CAST(NULL AS VARCHAR) AS user_defined_type_name, 'NO' "
    "AS is_insertable_into, 'NO' AS is_typed, CAST(NULL AS VARCHAR) AS commit_action FROM "
    "pgc.pg_class c JOIN pgc.pg_namespace n ON n.oid = c.relnamespace",
    "CREATE VIEW isc.views AS SELECT 'discreet' AS table_catalog, schemaname AS table_schema, "
    "viewname AS table_name, definition AS view_definition, 'NONE' AS check_option, 'NO' AS "
    "is_updatable, 'NO' AS is_insertable_into FROM pgc.pg_views",
    "CREATE VIEW isc.columns AS SELECT 'discreet' AS table_catalog, n.nspname AS table_schema, "
    "c.relname AS table_name, a.attname AS column_name, CAST(a.attnum AS INTEGER) AS "
    "ordinal_position, CAST(NULL AS VARCHAR) AS column_default, 'YES' AS is_nullable, f.name AS "
    "data_type, CAST(NULL AS INTEGER) AS character_maximum_length, CASE t.typname WHEN 'text' THEN "
    "1073741824 END AS character_octet_length, CASE t.typname WHEN 'int8' THEN 64 END AS "
    "numeric_precision, CASE WHEN t.typname IN ('int8', 'numeric') THEN 2 END AS "
    "numeric_precision_radix, CASE t.typname WHEN 'int8' THEN 0 END AS numeric_scale, CASE "
    "t.typname WHEN 'timestamp' THEN 6 WHEN 'date' THEN 0 END AS datetime_precision, CAST(NULL AS "
    "VARCHAR) AS interval_type, CAST(NULL AS VARCHAR) AS character_set_name, CAST(NULL AS VARCHAR) "
    "AS collation_name, CAST(NULL AS VARCHAR) AS domain_catalog, CAST(NULL AS VARCHAR) AS "
    "domain_schema, CAST(NULL AS VARCHAR) AS domain_name, 'discreet' AS udt_catalog, 'pg_catalog' "
    "AS udt_schema, t.typname AS udt_name, CAST(a.attnum AS VARCHAR) AS dtd_identifier, 'NO' AS "
    "is_self_referencing, 'NO' AS is_identity, CAST(NULL AS VARCHAR) AS identity_generation, "
    "'NEVER' AS is_generated, CAST(NULL AS VARCHAR) AS generation_expression, 'NO' AS is_updatable "
    "FROM pgc.pg_attribute a JOIN pgc.pg_class c ON c.oid = a.attrelid JOIN pgc.pg_namespace n ON "
    "n.oid = c.relnamespace JOIN pgc.pg_type t ON t.oid = a.atttypid JOIN pgc.type_names f ON "
    "f.oid = a.atttypid",
    "CREATE VIEW isc.table_privileges AS SELECT 'discreet' AS grantor, 'PUBLIC' AS grantee, "
    "table_catalog, table_schema, table_name, 'SELECT' AS privilege_type, 'NO' AS is_grantable, "
    "'NO' AS with_hierarchy FROM isc.tables",
    "CREATE VIEW isc.role_table_grants AS SELECT * FROM isc.table_privileges",
    "CREATE VIEW isc.column_privileges AS SELECT 'discreet' AS grantor, 'PUBLIC' AS grantee, "
    "table_catalog, table_schema, table_name, column_name, 'SELECT' AS privilege_type, 'NO' AS "
    "is_grantable FROM isc.columns",
    "CREATE VIEW isc.character_sets AS SELECT CAST(NULL AS VARCHAR) AS character_set_catalog, "
    "CAST(NULL AS VARCHAR) AS character_set_schema, 'UTF8' AS character_set_name, 'UCS' AS "
    "character_repertoire, 'UTF8' AS form_of_use",
    "CREATE VIEW isc.information_schema_catalog_name AS SELECT 'discreet' AS catalog_name",
};

}  // namespace

const std::vector<std::string>& defined_functions() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    std::string line;
    for (Lines lines(kFunctions); lines.next(line);) {
      names.push_back(line.substr(0, line.find('(')));
    }
    return names;
  }();
  return kNames;
}

std::vector<std::string> setup(const policy::Policy& policy) {
  std::vector<std::string> out = {"CREATE SCHEMA pgc", "CREATE SCHEMA isc"};
  create_tables("pgc", kCatalogTables, out);
  create_tables("isc", kInformationTables, out);
  for (const char* const row : kRows) out.emplace_back(row);
  fill_types(out);
  fill_own(out);
  fill_from_policy(policy, out);
  for (const char* const statement : kDerived) out.emplace_back(statement);
  std::string line;
  for (Lines lines(kFunctions); lines.next(line);) out.push_back("CREATE MACRO pgc." + line);
  return out;
}

}  // namespace discreet::server::pgcatalog
