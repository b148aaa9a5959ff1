// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/whole_columns.h"

#include "base/suggest.h"
#include "engine/lowering/sql.h"

namespace discreet::engine::trino {
namespace {

using lowering::quote_name;

/// Aggregates that one statement computes: each is compiled.
constexpr std::size_t kColumnsAtOnce = 64;

std::string printed(const TableName& name) { return lowering::Sql::name(name).print(); }

/// Which files a table has: a sum over its rows of hashes of what its files are called, when they
/// were written and how long they are, and the number of rows. Iceberg never writes a file twice.
std::string files_of(const Stored& stored) {
  const std::string size = stored.connector == "hive" ? R"(, "$file_size")" : "";
  return R"(coalesce(to_hex(checksum(ROW("$path", "$file_modified_time")" + size +
         R"())), '') || '/' || CAST(count(*) AS VARCHAR))";
}

Error not_whole(const TableName& name) {
  return {Code::kEngine,
          "the source " + in_quotes(dotted(name)) +
              " cannot be read to its end: its files hold what is no value of its columns, or the "
              "cluster stopped; until that is mended nobody is answered about it; make the table "
              "anew (CREATE TABLE ... AS SELECT); the owner's log has the cluster's words"};
}

Error stored_otherwise(const TableName& name) {
  return {Code::kEngine, in_quotes(dotted(name)) +
                             " is stored otherwise than when it was opened; check the policy and "
                             "start again"};
}

const std::string* text_in(const Row& row, std::size_t at) {
  return at < row.size() ? std::get_if<std::string>(&row[at]) : nullptr;
}

}  // namespace

std::vector<TableName> tables_of(const Reads& reads) {
  std::vector<TableName> out;
  for (const auto& [name, columns] : reads) out.push_back(name);
  return out;
}

Reads WholeColumns::of_files(const Reads& reads) const {
  Reads out;
  for (const auto& [name, columns] : reads) {
    const auto found = stored_.find(name);
    if (found != stored_.end() && found->second.is_files()) out.emplace(name, columns);
  }
  return out;
}

Result<void> WholeColumns::pass(Client& client, const Reads& reads, const OwnerLog& log) {
  const Reads needed = of_files(reads);
  if (needed.empty()) return {};
  const std::vector<TableName> names = tables_of(needed);
  std::string sql;
  for (std::size_t i = 0; i < names.size(); ++i) {
    sql += (sql.empty() ? "SELECT '" : " UNION ALL SELECT '") + std::to_string(i) + "', " +
           files_of(stored_.at(names[i])) + " FROM " + printed(names[i]);
  }
  DISCREET_ASSIGN(const std::vector<Row> rows, client.ask(sql, log));
  std::map<std::string, std::string> files;
  for (const Row& row : rows) {
    const std::string* const index = text_in(row, 0);
    const std::string* const words = text_in(row, 1);
    if (index == nullptr || words == nullptr) return engine_failed();
    files[*index] = *words;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto now = files.find(std::to_string(i));
    if (now == files.end()) return engine_failed();
    Known& known = known_[names[i]];
    if (known.files != now->second) known = {now->second, {}};
    std::set<std::string> unread;
    for (const std::string& column : needed.at(names[i])) {
      if (!known.columns.contains(column)) unread.insert(column);
    }
    if (!unread.empty()) DISCREET_TRY(read(client, names[i], unread, log));
  }
  return {};
}

Result<void> WholeColumns::check_same(const std::map<TableName, Stored>& now) const {
  for (const auto& [name, stored] : now) {
    const auto opened = stored_.find(name);
    if (opened == stored_.end() || opened->second != stored) return stored_otherwise(name);
  }
  return {};
}

Result<void> WholeColumns::read(Client& client, const TableName& name,
                                const std::set<std::string>& columns, const OwnerLog& log) {
  Known& known = known_.at(name);
  for (auto at = columns.begin(); at != columns.end();) {
    // A checksum looks at every value; nothing but the files decides whether it can be computed.
    std::string sql = "SELECT " + files_of(stored_.at(name));
    std::set<std::string> some;
    for (; at != columns.end() && some.size() < kColumnsAtOnce; ++at) {
      sql += ", to_hex(checksum(" + quote_name(*at) + "))";
      some.insert(*at);
    }
    sql += " FROM " + printed(name);
    Told told;
    const Result<std::vector<Row>> rows = client.ask(sql, log, &told);
    // A filter or a mask that fails is refused as one that does not.
    if (!rows && rows.error().code == Code::kInterrupted) return rows.error();
    if (!told.id.empty()) {
      DISCREET_ASSIGN(const auto stored, inspect_statement(client, told.id, {name}, log));
      DISCREET_TRY(check_same(stored));
      if (rows && stored.empty()) return engine_failed();
    }
    if (!rows) return told.fault.empty() ? rows.error() : not_whole(name);
    const std::string* const files = rows->size() == 1 ? text_in(rows->front(), 0) : nullptr;
    if (files == nullptr) return engine_failed();
    if (known.files != *files) known = {*files, {}};
    known.columns.merge(some);
  }
  return {};
}

Result<std::map<TableName, Stored>> look_at_storage(Client& client, const Reads& reads,
                                                    const OwnerLog& log) {
  std::string sql;
  for (const auto& [name, columns] : reads) {
    std::string list;
    for (const std::string& column : columns)
      list += (list.empty() ? "" : ", ") + quote_name(column);
    sql += (sql.empty() ? "SELECT count(*) FROM (SELECT "
                        : " UNION ALL SELECT count(*) FROM (SELECT ") +
           (list.empty() ? "1" : list) + " FROM " + printed(name) + " LIMIT 1)";
  }
  if (sql.empty()) return std::map<TableName, Stored>{};
  Told told;
  const Result<std::vector<Row>> rows = client.ask(sql, log, &told);
  if (told.id.empty() && !rows) return rows.error();
  DISCREET_ASSIGN(auto stored, inspect_statement(client, told.id, tables_of(reads), log));
  if (!rows) return rows.error();
  if (stored.size() == reads.size()) return stored;
  if (log.say) log.say("trino: a statement that does not read what it names");
  return engine_failed();
}

}  // namespace discreet::engine::trino
