// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/sources.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/check.h"
#include "engine/duckdb/functions.h"
#include "engine/duckdb/moments.h"
#include "engine/lowering/sql.h"

namespace discreet::engine::duckdb {
namespace {

using lowering::quote_name;
using lowering::quote_text;
using lowering::Select;
using lowering::Sql;
using Kind = SourceName::Kind;

constexpr std::pair<std::string_view, Kind> kEndings[] = {
    {".parquet", Kind::kParquet}, {".csv", Kind::kCsv},     {".tsv", Kind::kCsv},
    {".json", Kind::kJson},       {".ndjson", Kind::kJson}, {".jsonl", Kind::kJson}};
constexpr std::string_view kDatabaseEndings[] = {".duckdb:", ".db:"};
constexpr std::string_view kCompressed[] = {".gz", ".zst", ".bz2", ".xz", ".zip"};

std::string lower(std::string text) {
  // Of ASCII, whatever the locale.
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return text;
}

std::string located(const std::string& path, const std::string& directory) {
  std::filesystem::path name(path);
  return name.is_absolute() ? path : (std::filesystem::path(directory) / name).string();
}

/// What it is to us: its id, or nothing that we read by ourselves. An alias of a type, such as JSON
/// of VARCHAR, is another type.
duckdb_type type_of(const LogicalType& type) {
  const duckdb_type id = duckdb_get_type_id(type.get());
  const bool is_read =
      on_grid_reads(id) || is_moment(id) || id == DUCKDB_TYPE_UUID || id == DUCKDB_TYPE_ENUM;
  char* const alias = duckdb_logical_type_get_alias(type.get());
  const bool is_alias = alias != nullptr;
  duckdb_free(alias);
  return is_read && !is_alias ? id : DUCKDB_TYPE_INVALID;
}

Result<std::vector<StoredColumn>> describe(Connection& connection, const Sql& table,
                                           const OwnerLog& log) {
  const std::string all = "SELECT * FROM " + table.print();
  // Without rows DuckDB does not look at a file's statistics, on which it can fail.
  DISCREET_ASSIGN(const std::vector<LogicalType> types,
                  connection.types_of(all + " WHERE FALSE", log));
  std::vector<StoredColumn> columns;
  DISCREET_TRY(connection.query("DESCRIBE " + all, log, [&](const Chunk& chunk) {
    const Column names = column(chunk, 0);
    const Column words = column(chunk, 1);
    for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
      const std::size_t place = columns.size();
      const duckdb_type type = place < types.size() ? type_of(types[place]) : DUCKDB_TYPE_INVALID;
      columns.push_back({std::string(names.text(i)), std::string(words.text(i)), type});
    }
  }));
  return columns;
}

/// DuckDB takes names that differ in case for one: it would read the first of them, or give the
/// others new names.
Result<void> check_names(const std::string& table, const std::vector<std::string>& columns) {
  std::set<std::string> names;
  for (const std::string& column : columns) {
    if (names.insert(lower(column)).second) continue;
    return invalid_input("the source of table " + in_quotes(table) + " has two columns " +
                         in_quotes(column) + ", whatever their case; rename one in it");
  }
  return {};
}

/// The columns of a table that the policy names: the others need not be read.
std::vector<std::string> wanted(const policy::Table& table, const policy::Policy& policy) {
  std::set<std::string> names;
  for (const policy::Column& column : table.columns) names.insert(column.name);
  if (table.unit && table.unit->steps.empty()) names.insert(table.unit->column);
  for (const auto& [name, other] : policy.tables) {
    if (!other.unit) continue;
    const auto& steps = other.unit->steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string& from = i == 0 ? other.name : steps[i - 1].table;
      if (from == table.name) names.insert(steps[i].column);
      if (steps[i].table == table.name) names.insert(steps[i].key);
      if (steps[i].table == table.name && i + 1 == steps.size()) names.insert(other.unit->column);
    }
  }
  for (const auto& [name, units] : policy.units) {
    const auto within = units.within ? policy::split_at_dot(units.within->column) : std::nullopt;
    if (within && within->first == table.name) names.insert(within->second);
  }
  names.erase("");
  return {names.begin(), names.end()};
}

/// What a source is in FROM, once its names are known.
class Opener {
 public:
  Opener(Connection& connection, const OwnerLog& log) : connection_(connection), log_(log) {}

  /// The source of table `name`. `json_columns`: those that are wanted of a JSON; none: those of its
  /// first line, for a draft.
  Result<Sql> open(const std::string& name, const SourceName& source,
                   const std::optional<std::vector<std::string>>& json_columns) {
    switch (source.kind) {
      case Kind::kTable:
        return attach(source);
      case Kind::kParquet:
        return parquet(name, source);
      case Kind::kCsv:
        return text_file(name, text::open_csv(source.path));
      case Kind::kJson:
        return json(name, source, json_columns);
    }
    DISCREET_CHECK(false);
  }

  /// What DuckDB itself reads.
  std::vector<std::string> paths() const { return {paths_.begin(), paths_.end()}; }

 private:
  /// That it is a table and nothing is computed when it is read: what a view, or a column that is
  /// generated, runs on a row could fail on one (E1); and a view may read other files, which
  /// change.
  Result<void> check_table(const SourceName& source) {
    const std::size_t dot = source.table.find('.');
    const std::string schema = dot == source.table.npos ? "main" : source.table.substr(0, dot);
    const std::string table =
        dot == source.table.npos ? source.table : source.table.substr(dot + 1);
    const auto is = [](const char* column, const std::string& value) {  // names have no case
      return Sql::infix(
          "=", {Sql::call("lower", {Sql::name({column})}), Sql::call("lower", {Sql::text(value)})});
    };
    Select found;
    const Sql computed =
        Sql::call("contains", {Sql::name({"sql"}), Sql::text("GENERATED ALWAYS AS")});
    found.outputs = {Sql::count_rows(), Sql::cast(Sql::call("count_if", {computed}), "BIGINT")};
    found.from = {{Sql::call("duckdb_tables", {}), "t", {}}};
    found.where = {is("database_name", attached_.at(source.path)), is("schema_name", schema),
                   is("table_name", table)};
    bool is_table = false;
    bool is_computed = false;
    DISCREET_TRY(connection_.query(found.print(), log_, [&](const Chunk& chunk) {
      is_table = column(chunk, 0).values<std::int64_t>()[0] == 1;
      is_computed = column(chunk, 1).values<std::int64_t>()[0] != 0;
    }));
    if (is_table && !is_computed) return {};
    return invalid_input(
        in_quotes(source.table) +
        (is_table ? " has a column that is computed when it is read" : " is no table of its file") +
        ": what a view or such a column runs on a row could fail on one; copy it "
        "into a table (CREATE TABLE ... AS FROM ...) and name that");
  }

  Result<Sql> attach(const SourceName& source) {
    auto [entry, is_new] =
        attached_.try_emplace(source.path, "source" + std::to_string(attached_.size()));
    paths_.insert(source.path);
    if (is_new) {
      DISCREET_TRY(connection_.files().add(source.path));
      DISCREET_TRY(connection_.query(
          "ATTACH " + quote_text(source.path) + " AS " + quote_name(entry->second) + " (READ_ONLY)",
          log_));
    }
    DISCREET_TRY(check_table(source));
    std::size_t dot = source.table.find('.');
    if (dot == source.table.npos) return Sql::name({entry->second, source.table});
    return Sql::name({entry->second, source.table.substr(0, dot), source.table.substr(dot + 1)});
  }

  Result<Sql> parquet(const std::string& name, const SourceName& source) {
    DISCREET_ASSIGN(const std::string held, connection_.files().hold(source.path));
    paths_.insert(held);
    DISCREET_ASSIGN(const std::vector<std::string> columns, parquet_columns(held));
    DISCREET_TRY(check_names(name, columns));
    // Else a folder x=5 would be a column x, in the place of the file's own.
    return Sql::table_call("read_parquet", Sql::text(held),
                           {{"hive_partitioning", Sql::truth(false)}});
  }

  /// The names of the file's columns, as they are written in it.
  Result<std::vector<std::string>> parquet_columns(const std::string& path) {
    Select all;
    all.outputs = {
        Sql::name({"name"}),
        Sql::cast(Sql::call("coalesce", {Sql::name({"num_children"}), Sql::number(0)}), "BIGINT")};
    all.from = {{Sql::table_call("parquet_schema", Sql::text(path), {}), "t", {}}};
    std::vector<std::string> names;
    bool is_root = true;      // the first element, whose children are the columns
    std::int64_t within = 0;  // elements to come that belong to the last column
    DISCREET_TRY(connection_.query(all.print(), log_, [&](const Chunk& chunk) {
      for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
        const std::int64_t children = column(chunk, 1).values<std::int64_t>()[i];
        if (!is_root && within == 0) names.emplace_back(column(chunk, 0).text(i));
        if (!is_root) within += children - (within == 0 ? 0 : 1);
        is_root = false;
      }
    }));
    return names;
  }

  Result<Sql> json(const std::string& name, const SourceName& source,
                   const std::optional<std::vector<std::string>>& wanted) {
    DISCREET_ASSIGN(text::TextTable table, text::open_json(source.path, {}));
    const auto first = text::first_names(*table.file);
    const std::string refused = "the first line of " + in_quotes(source.path) +
                                " is not a JSON object: a line is a row, and an array is not read "
                                "(jq -c '.[]' writes its records on a line each)";
    if (!first && !wanted) return invalid_input(refused);
    // To the owner alone: a row must not decide whether questions are answered.
    if (!first && table.file->size() > 0 && log_.say) log_.say(refused);
    table.names = wanted ? *wanted : *first;
    if (table.names.empty()) table.names = {" "};  // a table has a column
    return text_file(name, std::move(table));
  }

  Result<Sql> text_file(const std::string& name, Result<text::TextTable> table) {
    if (!table) return table.error();
    connection_.files().add(table->file);
    connection_.text_tables().add(name, *std::move(table));
    return Sql::table_call("text_rows", Sql::text(name), {});
  }

  Connection& connection_;
  const OwnerLog& log_;
  std::map<std::string, std::string> attached_;  // path to name
  std::set<std::string> paths_;
};

/// Texts are compared by their bytes, whatever their collation: where 'Bob' and 'bob' are equal a
/// group would show the spelling of one row, and a join put two people together. Only tables of
/// databases have collations.
Sql bytewise(const StoredColumn& column, Sql raw) {
  return column.type == DUCKDB_TYPE_VARCHAR ? Sql::postfix(std::move(raw), "COLLATE C") : raw;
}

/// The value, of which DuckDB knows nothing. It passes over those parts of a Parquet file in which
/// no value can pass a filter, by the word of the file's statistics, and old writers' are wrong: for
/// them 'emile' with an accent is less than 'anna', so that one person's name hides those of others
/// (parquet_test.cc). as_stored() keeps the dictionaries of texts, which try() does not.
Sql without_statistics(const StoredColumn& column, Sql raw) {
  return column.type == DUCKDB_TYPE_VARCHAR ? Sql::call("as_stored", {std::move(raw)})
                                            : Sql::call("try", {std::move(raw)});
}

/// What a policy's table is in FROM.
Result<Sql> as_read(const Sql& scan, Kind kind, Connection& connection, const OwnerLog& log) {
  if (kind != Kind::kTable && kind != Kind::kParquet) return scan;
  DISCREET_ASSIGN(const std::vector<StoredColumn> columns, describe(connection, scan, log));
  Select select;
  for (const StoredColumn& column : columns) {
    Sql raw = Sql::name({column.name});
    Sql value = kind == Kind::kTable ? bytewise(column, std::move(raw))
                                     : without_statistics(column, std::move(raw));
    select.outputs.push_back(Sql::as(std::move(value), column.name));
  }
  select.from = {{scan, "t", {}}};
  return Sql::subquery(select);
}

Error cannot_read(const std::string& table, const Error& error) {
  if (error.code != Code::kEngine) return error;
  return {Code::kEngine, "the source of table " + in_quotes(table) +
                             " cannot be read; the owner's log has the database's words"};
}

}  // namespace

Result<SourceName> parse_source(const std::string& source, const std::string& directory) {
  std::string small = lower(source);
  for (std::string_view ending : kDatabaseEndings) {
    std::size_t at = small.find(ending);
    if (at == small.npos) continue;
    std::size_t colon = at + ending.size() - 1;
    return SourceName{Kind::kTable, located(source.substr(0, colon), directory),
                      source.substr(colon + 1)};
  }
  for (const auto& [ending, kind] : kEndings) {
    if (small.ends_with(ending)) return SourceName{kind, located(source, directory), ""};
  }
  for (std::string_view ending : kCompressed) {
    if (!small.ends_with(ending)) continue;
    return invalid_input("source " + in_quotes(source) +
                         " is compressed, and is not read that way: unpack it, or write it as "
                         "Parquet, which is compressed inside");
  }
  return invalid_input(
      "source " + in_quotes(source) +
      " is of no known kind; name a file that ends in .parquet, .csv, .tsv, "
      ".json, .ndjson or .jsonl, or a table of a DuckDB file as clinic.duckdb:visits");
}

Result<Schemas> open_sources(Connection& connection, const policy::Policy& policy,
                             const OwnerLog& log) {
  Schemas schemas;
  Opener opener(connection, log);
  for (const auto& [name, table] : policy.tables) {
    DISCREET_ASSIGN(SourceName source, parse_source(table.source, policy.directory));
    std::error_code ignored;
    if (!std::filesystem::exists(source.path, ignored)) {
      return Error{Code::kNotFound, "table " + in_quotes(name) + ": there is no file " +
                                        in_quotes(source.path) + "; correct its source"};
    }
    Result<Sql> scan = opener.open(name, source, wanted(table, policy));
    if (scan) scan = as_read(*scan, source.kind, connection, log);
    if (!scan) return cannot_read(name, scan.error());
    Result<void> made = connection.query(
        "CREATE VIEW " + quote_name(name) + " AS SELECT * FROM " + scan->print(), log);
    if (!made) return cannot_read(name, made.error());
    Result<std::vector<StoredColumn>> columns = describe(connection, Sql::name({name}), log);
    if (!columns) return cannot_read(name, columns.error());
    std::vector<std::string> names;
    for (const StoredColumn& column : *columns) names.push_back(column.name);
    DISCREET_TRY(check_names(name, names));
    // An attached file's tables are those that DuckDB read when it opened them. It also locks the
    // file, so that no other program with a DuckDB of its own can write it; a lock may be lost
    // (fcntl(2)), and then a file that changed fails the question (opened_files.h).
    schemas[name] = {{name}, std::move(*columns), source.kind == Kind::kTable};
  }
  DISCREET_TRY(connection.lock(opener.paths(), log));
  return schemas;
}

Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const std::string& directory,
                                                          const OwnerLog& log) {
  DISCREET_ASSIGN(SourceName name, parse_source(source, directory));
  std::error_code ignored;
  if (!std::filesystem::exists(name.path, ignored)) {
    return Error{Code::kNotFound, "there is no file " + in_quotes(name.path)};
  }
  DISCREET_ASSIGN(std::unique_ptr<Connection> connection, Connection::open(1, log));
  Opener opener(*connection, log);
  DISCREET_ASSIGN(Sql scan, opener.open("draft", name, std::nullopt));
  DISCREET_ASSIGN(std::vector<StoredColumn> columns, describe(*connection, scan, log));
  std::vector<policy::SchemaColumn> schema;
  for (const StoredColumn& column : columns) schema.push_back({column.name, column.type_name});
  return schema;
}

}  // namespace discreet::engine::duckdb
