// SPDX-License-Identifier: Apache-2.0
// The rows of bench/sql-error.py and their exact answers, by DuckDB alone: `bench sql-error PARQUET
// CITY` makes the file unless it is there, and prints {"cities": {city: [rows, sum, mean of
// income]}, "ages": [of CITY, sorted]}. 10^6 rows of 250,000 users with 2 cities and 4 rows each.
#include <duckdb.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "base/json.h"
#include "bench.h"

namespace discreet::sql_error_bench {
namespace {

/// A database in memory.
class Database {
 public:
  Database() {
    if (duckdb_open(nullptr, &database_) != DuckDBSuccess) bench::fail("DuckDB does not open");
    duckdb_connect(database_, &connection_);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }

  /// Calls `each(result, row)` for every row of the answer.
  template <class Each>
  void run(const std::string& sql, const Each& each) {
    duckdb_result result;
    if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
      bench::fail(sql + "\n" + duckdb_result_error(&result));
    }
    for (idx_t row = 0; row < duckdb_row_count(&result); ++row) each(result, row);
    duckdb_destroy_result(&result);
  }
  void run(const std::string& sql) {
    run(sql, [](duckdb_result&, idx_t) {});
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

void make_rows(Database& database, const std::string& parquet) {
  const std::string rows = std::to_string(bench::sized(1'000'000, 40'000));
  std::filesystem::create_directories(std::filesystem::path(parquet).parent_path());
  database.run(
      "CREATE TABLE zipf AS SELECT 'city' || lpad(CAST(k AS VARCHAR), 4, '0') AS city, "
      "(sum(1.0 / k) OVER (ORDER BY k) - 1.0 / k) / (SELECT sum(1.0 / j) FROM range(1, 1001) "
      "r(j)) AS low FROM range(1, 1001) r(k)");
  database.run(
      "COPY (SELECT user_id, city, "
      "CAST(18 + hash(user_id, 3) % 60 + hash(i, 4) % 2 AS BIGINT) AS age, "
      "CAST(least(500000, exp(10.5 + 0.6 * sqrt(-2 * ln((hash(i, 5) % 4294967296 + 1) / "
      "4294967297.0)) * cos(6.283185307179586 * (hash(i, 6) % 4294967296) / 4294967296.0))) AS "
      "BIGINT) AS income FROM (SELECT i, i // 4 AS user_id, "
      "(hash(i // 2, 2) % 4294967296) / 4294967296.0 AS u FROM range(" +
      rows + ") r(i)) ASOF JOIN zipf ON u >= low) TO '" + parquet + ".new' (FORMAT parquet)");
  std::filesystem::rename(parquet + ".new", parquet);  // a file that is there is whole
}

int run(const bench::Words& words) {
  if (words.size() != 2) {
    std::fprintf(stderr, "bench sql-error PARQUET CITY\n");
    return 2;
  }
  const std::string& parquet = words[0];
  Database database;
  if (!std::filesystem::exists(parquet)) make_rows(database, parquet);
  Json out = {{"cities", Json::object()}, {"ages", Json::array()}};
  database.run(
      "SELECT city, count(*), sum(income), avg(income) FROM '" + parquet + "' GROUP BY city",
      [&](duckdb_result& result, idx_t row) {
        char* const city = duckdb_value_varchar(&result, 0, row);
        Json& values = out["cities"][city];
        for (idx_t i = 1; i < 4; ++i) {
          values.push_back(duckdb_value_double(&result, i, row));
        }
        duckdb_free(city);
      });
  database.run("SELECT age FROM '" + parquet + "' WHERE city = '" + words[1] + "' ORDER BY age",
               [&](duckdb_result& result, idx_t row) {
                 out["ages"].push_back(duckdb_value_int64(&result, 0, row));
               });
  out.sort_keys();
  std::puts(out.dump().c_str());
  return 0;
}

const bench::Benchmark kBenchmark("sql-error", run);

}  // namespace
}  // namespace discreet::sql_error_bench
