// SPDX-License-Identifier: Apache-2.0
// Makes the demonstration's data: a clinic with 100,000 patients, a million visits and their lab
// values, as Parquet files, and a public table of cities. All of it is invented; the same bytes in
// every run, because every value is a function of its row's number.
#include <duckdb.h>

#include <cstdio>
#include <string>

namespace {

// h(i, k): an evenly spread number from 0 to 1 for row i and purpose k.
constexpr const char* kMacros =
    "CREATE MACRO h(i, k) AS (hash(i * 64 + k) % 1000003) / 1000003.0;"
    // A bell: the sum of four even numbers, about 0 with standard deviation 1.
    "CREATE MACRO bell(i, k) AS (h(i, k) + h(i, k + 1) + h(i, k + 2) + h(i, k + 3) - 2) * 1.732;";

constexpr const char* kCities =
    "CREATE TABLE cities AS SELECT * FROM (VALUES"
    " ('Aldershaw', 'north', 610000), ('Brigg', 'north', 240000), ('Corbridge', 'east', 180000),"
    " ('Dunmore', 'south', 330000), ('Elswick', 'east', 90000), ('Farley', 'south', 60000),"
    " ('Garston', 'west', 150000), ('Holmfirth', 'west', 30000)) AS t(city, region, inhabitants);";

// People live in cities in proportion to their size, roughly.
constexpr const char* kPatients =
    "CREATE TABLE patients AS SELECT i AS id,"
    " CASE WHEN h(i, 0) < .36 THEN 'Aldershaw' WHEN h(i, 0) < .5 THEN 'Brigg'"
    " WHEN h(i, 0) < .61 THEN 'Corbridge' WHEN h(i, 0) < .8 THEN 'Dunmore'"
    " WHEN h(i, 0) < .85 THEN 'Elswick' WHEN h(i, 0) < .89 THEN 'Farley'"
    " WHEN h(i, 0) < .98 THEN 'Garston' ELSE 'Holmfirth' END AS city,"
    " CASE WHEN h(i, 1) < .51 THEN 'f' ELSE 'm' END AS sex,"
    " CAST(greatest(0, least(100, 46 + 21 * bell(i, 2))) AS INTEGER) AS age,"
    " h(i, 7) < .12 AS diabetic"
    " FROM range(1, 100001) t(i);";

// Some patients come often: the square of an even number picks whose visit it is.
constexpr const char* kVisits =
    "CREATE TABLE visits AS SELECT v.i AS id, p.id AS patient_id,"
    " DATE '2020-01-01' + CAST(floor(h(v.i, 11) * 2500) AS INTEGER) AS day,"
    " CASE WHEN h(v.i, 12) < .45 THEN 'north' WHEN h(v.i, 12) < .8 THEN 'south' ELSE 'east' END"
    " AS clinic,"
    " CASE WHEN p.diabetic AND h(v.i, 13) < .5 THEN 'diabetes'"
    " WHEN h(v.i, 14) < .3 THEN 'check-up' WHEN h(v.i, 14) < .55 THEN 'infection'"
    " WHEN h(v.i, 14) < .75 THEN 'injury' WHEN h(v.i, 14) < .9 THEN 'asthma' ELSE 'other' END"
    " AS diagnosis,"
    " p.age AS age,"
    " CAST(least(5000, 40 + exp(4 + 0.8 * bell(v.i, 15)) * (1 + p.age / 60.0)) AS DECIMAL(8,2))"
    " AS cost"
    " FROM range(1, 1000001) v(i)"
    " JOIN patients p ON p.id = 1 + CAST(floor(99999 * pow(h(v.i, 10), 1.5)) AS BIGINT);";

constexpr const char* kLabs =
    "CREATE TABLE labs AS SELECT i AS id, 1 + (i * 7) % 1000000 AS visit_id,"
    " CASE WHEN h(i, 20) < .5 THEN 'glucose' ELSE 'cholesterol' END AS test,"
    " CAST(greatest(0, 95 + 22 * bell(i, 21)) AS DECIMAL(6,1)) AS value"
    " FROM range(1, 300001) t(i);";

bool run(duckdb_connection connection, const std::string& sql) {
  duckdb_result result;
  const bool fine = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
  if (!fine) std::fprintf(stderr, "make_data: %s\n", duckdb_result_error(&result));
  duckdb_destroy_result(&result);
  return fine;
}

/// A path as SQL's text.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: clinic_data FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  if (duckdb_open(nullptr, &database) != DuckDBSuccess ||
      duckdb_connect(database, &connection) != DuckDBSuccess) {
    return 5;
  }
  bool fine = true;
  for (const char* sql : {kMacros, kCities, kPatients, kVisits, kLabs}) {
    fine = fine && run(connection, sql);
  }
  for (const char* table : {"patients", "visits", "labs"}) {
    // One row group after the other, in the order of the rows: the same file in every run.
    fine = fine && run(connection, std::string("COPY (SELECT * FROM ") + table +
                                       " ORDER BY id) TO " +
                                       quoted(folder + "/" + table + ".parquet") + ";");
  }
  fine = fine && run(connection, "COPY cities TO " + quoted(folder + "/cities.csv") + " (HEADER);");
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return fine ? 0 : 5;
}
