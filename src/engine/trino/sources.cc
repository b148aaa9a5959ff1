// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/sources.h"

#include <algorithm>
#include <span>

#include "base/suggest.h"
#include "engine/trino/inspection.h"
#include "engine/trino/numbers.h"
#include "engine/trino/types.h"
#include "plan/shape.h"

namespace discreet::engine::trino {
namespace {

using lowering::quote_name;
using lowering::quote_text;
using lowering::Schemas;
using lowering::StoredColumn;
using lowering::StoredTable;

std::string text_of(const Cell& cell) {
  const std::string* const text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

Error not_found(const std::vector<std::string>& name, const std::string& what) {
  return {Code::kNotFound, "the cluster has no " + what + " " + in_quotes(dotted(name)) +
                               "; correct the table's source: catalog.schema.table"};
}

Result<const StoredColumn*> find(const StoredTable& table, const std::string& of,
                                 const std::string& name) {
  std::vector<std::string> names;
  for (const StoredColumn& column : table.columns) {
    if (column.name == name) return &column;
    names.push_back(column.name);
  }
  return invalid_input("the source of table " + in_quotes(of) + " has no column " +
                       in_quotes(name) + did_you_mean(name, names) +
                       "; correct the policy or its source");
}

Result<void> check_columns(const policy::Table& table, const StoredTable& stored) {
  for (const policy::Column& column : table.columns) {
    DISCREET_ASSIGN(const StoredColumn* raw, find(stored, table.name, column.name));
    const std::string named = "column " + in_quotes(column.name) + " of table " +
                              in_quotes(table.name) + " is " + raw->type_name + " in the cluster";
    const Type type = type_of(raw->type);
    if (type.kind == Kind::kNested) {
      return Error{Code::kUnsupported,
                   named + ", which holds several values in one; make a table with a row for each"};
    }
    if (!can_read(type, column.type)) {
      return invalid_input(named + " and cannot be read as " + policy::to_string(column.type) +
                           "; if its type changed, declare it anew in the policy");
    }
    const plan::Shape shape = plan::shape_of(column);
    if (shape.grid && !can_quantize(type, *shape.grid)) {
      return Error{Code::kUnsupported,
                   named +
                       ", whose numbers need more than 38 digits on the declared step; declare "
                       "a coarser step"};
    }
  }
  return {};
}

Result<void> check_identifier(const Schemas& schemas, const std::string& table,
                              const std::string& name) {
  DISCREET_ASSIGN(const StoredColumn* raw, find(schemas.at(table), table, name));
  if (can_identify(type_of(raw->type))) return {};
  return invalid_input("column " + in_quotes(name) + " of table " + in_quotes(table) + " is " +
                       raw->type_name +
                       "; a unit or a key must be a whole number, a text, a uuid, a number or a "
                       "date");
}

Result<void> check_unit(const policy::Table& table, const Schemas& schemas) {
  if (!table.unit || table.unit->row_is_unit) return {};
  std::string at = table.name;
  for (const policy::UnitPath::Step& step : table.unit->steps) {
    DISCREET_TRY(check_identifier(schemas, at, step.column));
    DISCREET_TRY(check_identifier(schemas, step.table, step.key));
    at = step.table;
  }
  return check_identifier(schemas, at, table.unit->column);
}

Error is_view(const std::vector<std::string>& name) {
  return invalid_input(in_quotes(dotted(name)) +
                       " is a view: what it runs on a row could fail on one; name a table");
}

/// Columns of a table of the catalog's own, asked about tables of ours, which are all in that
/// catalog.
std::string select_about(std::span<const std::vector<std::string>> tables,
                         const std::string& columns, const std::string& from) {
  std::string sql = "SELECT " + columns + " FROM " + quote_name(tables[0][0]) +
                    ".information_schema." + from + " WHERE ";
  for (const std::vector<std::string>& name : tables) {
    sql += (&name == tables.data() ? "(table_schema = " : " OR (table_schema = ") +
           quote_text(name[1]) + " AND table_name = " + quote_text(name[2]) + ")";
  }
  return sql;
}

/// Rows of `width` texts.
Result<std::vector<Row>> look_up(Client& client, const std::string& sql, std::size_t width,
                                 const std::string& catalog, const OwnerLog& log) {
  Told told;
  Result<std::vector<Row>> rows = client.ask(sql, log, &told);
  if (told.fault == "CATALOG_NOT_FOUND") return not_found({catalog}, "catalog for");
  const bool fine = !rows || std::all_of(rows->begin(), rows->end(), [&](const Row& row) {
    return row.size() == width && std::all_of(row.begin(), row.end(), [](const Cell& cell) {
             return std::holds_alternative<std::string>(cell);
           });
  });
  if (fine) return rows;
  if (log.say) log.say("trino: a row that was not asked for");
  return engine_failed();
}

}  // namespace

Result<std::vector<std::string>> parse_source(const std::string& source) {
  std::vector<std::string> parts(1);
  for (const char c : source) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  const bool empty =
      std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (parts.size() != 3 || empty || source.find('\0') != source.npos) {
    return invalid_input("the source " + in_quotes(source) +
                         " is no table of a cluster; write catalog.schema.table");
  }
  return parts;
}

Result<std::map<std::vector<std::string>, std::vector<StoredColumn>>> columns_of(
    Client& client, const std::vector<std::vector<std::string>>& tables, const OwnerLog& log) {
  std::map<std::string, std::vector<std::vector<std::string>>> catalogs;
  std::map<std::vector<std::string>, std::vector<StoredColumn>> out;
  for (const std::vector<std::string>& name : tables) {
    if (out.try_emplace(name).second) catalogs[name[0]].push_back(name);
  }
  for (const auto& [catalog, inside] : catalogs) {
    // It may have become a view. Two statements: the coordinator alone answers each of them, but a
    // worker would put a union of both together.
    DISCREET_ASSIGN(
        const std::vector<Row> kinds,
        look_up(client, select_about(inside, "table_schema, table_name, table_type", "tables"), 3,
                catalog, log));
    for (const Row& row : kinds) {
      if (text_of(row[2]) != "BASE TABLE") {
        return is_view({catalog, text_of(row[0]), text_of(row[1])});
      }
    }
    DISCREET_ASSIGN(
        const std::vector<Row> rows,
        look_up(client,
                select_about(inside, "table_schema, table_name, column_name, data_type", "columns"),
                4, catalog, log));
    for (const Row& row : rows) {
      const std::string type = text_of(row[3]);
      out[{catalog, text_of(row[0]), text_of(row[1])}].push_back(
          {text_of(row[2]), type, code_of(parse_type(type))});
    }
  }
  for (auto& [name, columns] : out) {
    std::sort(columns.begin(), columns.end(),
              [](const StoredColumn& a, const StoredColumn& b) { return a.name < b.name; });
  }
  return out;
}

Result<StoredTable> describe(Client& client, const std::string& source, const OwnerLog& log) {
  DISCREET_ASSIGN(const std::vector<std::string> name, parse_source(source));
  DISCREET_ASSIGN(
      const std::vector<Row> kinds,
      look_up(client, select_about({&name, 1}, "table_type", "tables"), 1, name[0], log));
  if (kinds.empty()) return not_found(name, "table");
  if (text_of(kinds[0][0]) != "BASE TABLE") return is_view(name);
  Told told;
  const Result<std::vector<Row>> materialized =
      client.ask("SELECT name FROM system.metadata.materialized_views WHERE catalog_name = " +
                     quote_text(name[0]) + " AND schema_name = " + quote_text(name[1]) +
                     " AND name = " + quote_text(name[2]),
                 log, &told);
  if (!materialized && told.fault.empty()) return materialized.error();
  if (materialized && !materialized->empty()) {
    return invalid_input(in_quotes(dotted(name)) +
                         " is a materialized view, which may be computed anew when it is asked; "
                         "name a table");
  }
  DISCREET_ASSIGN(auto columns, columns_of(client, {name}, log));
  return StoredTable{name, std::move(columns[name])};
}

Result<Schemas> open_sources(Client& client, const policy::Policy& policy, const OwnerLog& log) {
  Schemas schemas;
  for (const auto& [name, table] : policy.tables) {
    DISCREET_ASSIGN(StoredTable stored, describe(client, table.source, log));
    DISCREET_TRY(check_columns(table, stored));
    schemas.emplace(name, std::move(stored));
  }
  for (const auto& [name, table] : policy.tables) DISCREET_TRY(check_unit(table, schemas));
  return schemas;
}

Reads declared_reads(const policy::Policy& policy, const Schemas& schemas) {
  Reads reads;
  for (const auto& [name, table] : policy.tables) {
    std::set<std::string>& columns = reads[schemas.at(name).name];
    for (const policy::Column& column : table.columns) columns.insert(column.name);
    if (!table.unit || table.unit->row_is_unit) continue;
    std::string at = name;
    for (const policy::UnitPath::Step& step : table.unit->steps) {
      reads[schemas.at(at).name].insert(step.column);
      reads[schemas.at(step.table).name].insert(step.key);
      at = step.table;
    }
    reads[schemas.at(at).name].insert(table.unit->column);
  }
  return reads;
}

std::optional<std::pair<std::string, std::string>> split_url(const std::string& source) {
  if (!source.starts_with("trino://")) return std::nullopt;
  const std::size_t question = std::min(source.find('?'), source.size());
  const std::size_t slash = source.rfind('/', question);
  if (slash == source.npos || slash < 8 || slash + 1 >= question) return std::nullopt;
  return std::pair(source.substr(0, slash) + source.substr(question),
                   source.substr(slash + 1, question - slash - 1));
}

Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const OwnerLog& log) {
  const auto halves = split_url(source);
  if (!halves) {
    return invalid_input("write a table of Trino as trino://user@host:port/catalog.schema.table");
  }
  DISCREET_ASSIGN(const auto client, Client::open(halves->first, log));
  DISCREET_ASSIGN(const StoredTable table, describe(*client, halves->second, log));
  std::vector<policy::SchemaColumn> schema;
  for (const StoredColumn& column : table.columns) {
    schema.push_back({column.name, column.type_name});
  }
  return schema;
}

}  // namespace discreet::engine::trino
