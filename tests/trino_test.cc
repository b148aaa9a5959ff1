// SPDX-License-Identifier: Apache-2.0
// Expressions and whole questions in a real Trino with two workers and with one, compared bit for
// bit with the reference interpreter, and with DuckDB and PostgreSQL where all rows are kept. Every
// statement is compiled by each node, so that questions take half a second and more; those of the
// suites called Long are for `./dev test trino`.
#include "tests/trino_cluster.h"
//
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/run.h"
#include "engine/duckdb/sources.h"
#include "engine/expressions_for_tests.h"
#include "engine/lowering/expression.h"
#include "engine/pairs_for_tests.h"
#include "engine/postgres/cells_for_tests.h"
#include "engine/postgres/dialect.h"
#include "engine/postgres/postgres_for_tests.h"
#include "engine/postgres/run.h"
#include "engine/postgres/sources.h"
#include "engine/trino/dialect.h"
#include "engine/trino/run.h"
#include "engine/trino/sources.h"
#include "engine/trino/trino_engine.h"
#include "engine/units_for_tests.h"
#include "plan/relational_for_tests.h"
#include "tests/trino_reference.h"

namespace discreet::engine::trino {
namespace {

using lowering::ExpressionLowering;
using lowering::lower_plan;
using lowering::Schemas;
using lowering::Select;
using lowering::Sql;

/// A policy's tables in Trino, opened.
class Opened {
 public:
  explicit Opened(policy::Policy policy) : policy_(std::move(policy)) { open(); }
  explicit Opened(const Database& database, std::size_t split = 3) : policy_(clinic()) {
    write_clinic(database, policy_, split);
    open();
  }

  const policy::Policy& policy() const { return policy_; }
  const Schemas& schemas() const { return schemas_; }
  Client& client() { return Cluster::instance().client(); }
  GatheredLog& log() { return log_; }

  LoweredPlan lower(const Checked& checked) const {
    return lower_plan(checked, dialect(), schemas_);
  }
  std::map<std::string, std::string> run(const Checked& checked,
                                         std::int64_t rows_of_unit = kRowsOfUnit) {
    const Statement statement = lower_statement(checked, schemas_, kSecret, rows_of_unit);
    auto groups = run_statement(client(), statement, checked.steps().size(), log_.log());
    EXPECT_TRUE(groups.has_value()) << log_.said << statement.print();
    return groups ? shown(*groups) : std::map<std::string, std::string>{};
  }

 private:
  void open() {
    auto schemas = open_sources(client(), policy_, log_.log());
    ASSERT_TRUE(schemas.has_value()) << log_.said << schemas.error().message;
    schemas_ = *std::move(schemas);
  }
  policy::Policy policy_;
  GatheredLog log_;
  Schemas schemas_;
};

Value read(const Cell& cell, const Shape& shape) {
  if (std::holds_alternative<std::monostate>(cell)) return null_value(shape.type);
  if (shape.grid) return {Rational(std::get<std::int64_t>(cell)) * shape.grid->step, shape.type};
  if (shape.type == Type::kText) return text_value(std::get<std::string>(cell));
  return truth_value(std::get<bool>(cell));
}

/// Expressions over visits, evaluated by Trino and by the interpreter.
void expect_as_interpreted(std::vector<RawRow> rows, const std::vector<std::vector<Expr>>& rounds) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]["id"] = integer_value(static_cast<std::int64_t>(i));
  }
  Opened opened(Database{{"visits", rows}});
  const Source source = from("visits");
  const Interpreter interpreter(source, opened.policy());
  for (const std::vector<Expr>& exprs : rounds) {
    const ExpressionLowering lowering(dialect(), source, opened.policy(), opened.schemas());
    Select select;
    select.outputs.push_back(Sql::cast(Sql::name({"t0", "id"}), "BIGINT"));
    for (const Expr& expr : exprs) select.outputs.push_back(lowering.lower(expr));
    select.from.push_back({lowering.table("visits"), "t0", {}});
    auto answers = opened.client().ask(select.print(), opened.log().log());
    ASSERT_TRUE(answers.has_value()) << opened.log().said << select.print();
    ASSERT_EQ(answers->size(), rows.size());
    for (const Row& answer : *answers) {
      const auto row = static_cast<std::size_t>(std::get<std::int64_t>(answer[0]));
      for (std::size_t e = 0; e < exprs.size(); ++e) {
        const Value expected = interpreter.evaluate(exprs[e], {rows[row]});
        EXPECT_EQ(tagged(read(answer[e + 1], lowering.shape(exprs[e]))), tagged(expected))
            << to_string(exprs[e], {""}) << "\nrow " << row << "\n"
            << lowering.lower(exprs[e]).print();
      }
    }
  }
}

void expect_random_ones(std::uint64_t seed, int count) {
  Random random(seed);
  const std::vector<RawRow> rows = random_visits(random, 60);
  std::vector<std::vector<Expr>> rounds;
  for (int round = 0; round < count; ++round) {
    rounds.push_back(random_expressions(random, 25));
    rounds.push_back(random_chains(random, 5));
  }
  expect_as_interpreted(rows, rounds);
}

TEST(TrinoExpression, IsWhatTheInterpreterSays) { expect_random_ones(20261115, 1); }
TEST(LongTrinoExpression, IsWhatTheInterpreterSays) { expect_random_ones(20261116, 5); }

TEST(LongTrinoExpression, FollowsOurRulesInHardCases) {
  for (const ExpressionCase& one :
       {text_case(), calendar_case(), arithmetic_case(), nought_case()}) {
    std::vector<std::vector<Expr>> rounds;  // Trino compiles a method for each; not too long a list
    for (std::size_t i = 0; i < one.exprs.size(); i += 30) {
      rounds.emplace_back(
          one.exprs.begin() + static_cast<std::ptrdiff_t>(i),
          one.exprs.begin() + static_cast<std::ptrdiff_t>(std::min(one.exprs.size(), i + 30)));
    }
    expect_as_interpreted(one.rows, rounds);
  }
}

/// The same rows in DuckDB and in PostgreSQL.
struct Others {
  explicit Others(const Database& database) : files(clinic()), server(clinic()) {
    duckdb::write_clinic(folder, "parquet", database, files);
    embedded = std::move(duckdb::Connection::open(2, {}).value());
    schemas = duckdb::open_sources(*embedded, files, {}).value();
    postgres::write_clinic(database, server);
    connection = std::move(postgres::Connection::open(server.engine, {}).value());
    server_schemas = postgres::open_sources(*connection, server, {}).value();
  }
  std::map<std::string, std::string> run_duckdb(const Checked& checked) {
    auto groups = duckdb::run_lowered(*embedded, lower_plan(checked, duckdb::dialect(), schemas),
                                      checked.steps().size(), kSecret, {});
    return shown(groups.value());
  }
  std::map<std::string, std::string> run_postgres(const Checked& checked) {
    EXPECT_TRUE(connection->begin({}).has_value());
    auto groups =
        postgres::run_lowered(*connection, lower_plan(checked, postgres::dialect(), server_schemas),
                              checked.steps().size(), kSecret, {});
    connection->end();
    return shown(groups.value());
  }

  duckdb::ScratchFolder folder;
  policy::Policy files;
  policy::Policy server;
  std::unique_ptr<duckdb::Connection> embedded;
  Schemas schemas;
  std::unique_ptr<postgres::Connection> connection;
  Schemas server_schemas;
};

struct Asked {
  Checked checked;
  std::int64_t most;
  std::map<std::string, std::string> answer;
};

/// DISCREET_TRINO_QUESTIONS of every random round, in place of a few.
int questions_or(int few) {
  const char* const more = std::getenv("DISCREET_TRINO_QUESTIONS");
  return more != nullptr ? std::atoi(more) : few;
}

/// Words of a statement, without names and constants.
std::string words_of(const std::string& sql) {
  std::string out;
  char quote = 0;
  for (const char c : sql) {
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

/// No clock of any node is read, and nothing but reading is asked.
void expect_no_clock(const std::string& sql) {
  const std::string words = words_of(sql);
  EXPECT_TRUE(words.starts_with("select "));
  for (const char* clock : {"now(", "current_", "localtime", "random(", "rand(", "uuid("}) {
    EXPECT_EQ(words.find(clock), std::string::npos) << clock << " in " << sql;
  }
}

/// Each question with its own, tight bounds against the reference, and with loose ones, where every
/// engine keeps all rows, against the other engines too.
std::vector<Asked> compare(Opened& opened, const Database& database, Random& random, int questions,
                           const std::function<Plan(Random&)>& make) {
  Others others(database);
  std::vector<Asked> asked;
  for (int tries = 0; static_cast<int>(asked.size()) < questions && tries < 20 * questions;
       ++tries) {
    Plan plan = make(random);
    auto checked = Checker::check(plan, opened.policy(), "q");
    plan.bounds = {500, 500, true};
    auto loose = Checker::check(plan, opened.policy(), "q");
    if (!checked || !loose) continue;
    // Of those who have many rows some are cut before anything else is done with them.
    const std::int64_t most = up_to(random, 2) == 0 ? kRowsOfUnit : 1 + up_to(random, 12);
    const auto answer = opened.run(*checked, most);
    const std::string sql = lower_statement(*checked, opened.schemas(), kSecret, most).print();
    EXPECT_EQ(answer, expected_of_trino(*checked, database, false, static_cast<std::size_t>(most)))
        << sql;
    expect_no_clock(sql);
    const auto whole = opened.run(*loose);
    EXPECT_EQ(whole, others.run_duckdb(*loose)) << sql;
    EXPECT_EQ(whole, others.run_postgres(*loose)) << sql;
    asked.push_back({*std::move(checked), most, answer});
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(static_cast<int>(asked.size()), questions);
  return asked;
}

/// How a column is stored, and as what it is declared.
struct Storage {
  std::string written;
  std::string read;
  Type declared;
  std::function<postgres::Cell(Random&)> cell;
};

/// Dates and timestamps have no infinities here.
std::function<postgres::Cell(Random&)> finite(std::function<postgres::Cell(Random&)> make) {
  return [make](Random& random) {
    postgres::Cell cell = make(random);
    while (cell.duckdb.find("infinity") != std::string::npos) cell = make(random);
    return cell;
  };
}

std::vector<Storage> storages(Type number) {
  using namespace postgres;
  return {
      {"SMALLINT", "smallint", number, [](Random& r) { return whole_cell(r, 16); }},
      {"BIGINT", "bigint", number, [](Random& r) { return whole_cell(r, 64); }},
      {"DECIMAL(38,10)", "decimal(38,10)", number, decimal_cell},
      {"DECIMAL(38,10)", "decimal(38,10)", number, decimal_cell},
      {"FLOAT", "real", number, [](Random& r) { return float_cell(r, true); }},
      {"DOUBLE", "double", number, [](Random& r) { return float_cell(r, false); }},
      {"DOUBLE", "double", number, [](Random& r) { return float_cell(r, false); }},
      {"VARCHAR", "varchar", Type::kText, [](Random& r) { return text_cell(r); }},
      {"VARCHAR", "varchar", number, number_text_cell},
      {"DATE", "date", Type::kDate, finite([](Random& r) { return date_cell(r, Type::kDate); })},
      {"DATE", "date", Type::kTimestamp,
       finite([](Random& r) { return date_cell(r, Type::kTimestamp); })},
      {"TIMESTAMP", "timestamp(6)", Type::kTimestamp,
       finite([](Random& r) { return moment_cell(r, Type::kTimestamp); })},
      {"TIMESTAMP", "timestamp(6)", Type::kDate,
       finite([](Random& r) { return moment_cell(r, Type::kDate); })},
  };
}

/// Grids of all kinds: whole and broken steps, narrow, wide and none.
std::optional<Grid> random_grid(Random& random, Type type) {
  if (type == Type::kDate) return Grid{18'262, 20'453, 1};
  if (type == Type::kTimestamp) {
    return Grid{Rational(18'262 * kMicrosecondsPerDay + 3'600'000'000),
                Rational(19'500 * kMicrosecondsPerDay), 1};
  }
  if (type != Type::kInteger && type != Type::kDecimal) return std::nullopt;
  if (up_to(random, 4) == 0) return std::nullopt;
  const Rational step =
      type == Type::kInteger
          ? Rational(one_of_these<int>(random, {1, 1, 5}))
          : one_of_these<Rational>(random, {1, Rational::ratio(1, 100), Rational::ratio(1, 4),
                                            Rational::ratio(3, 7), Rational::ratio(5, 2)});
  const Rational low = Rational(-up_to(random, 60)) * step;
  return Grid{low, low + Rational(1 + up_to(random, 300)) * step, step};
}

// Every way in which a file stores a value, with NULL, NaN, infinities, the ends of types, halves
// of steps and odd texts: all values of a column, as the reference reads them.
TEST(LongTrinoStorage, OfAnyKindIsReadAsTheReferenceReadsIt) {
  Cluster& cluster = Cluster::instance();
  Random random(7);
  for (int round = 0; round < 2; ++round) {
    const std::vector<Storage> kinds = storages(round % 2 == 0 ? Type::kDecimal : Type::kInteger);
    policy::Policy policy;
    policy.engine = cluster.url();
    policy.units["people"].name = "people";
    policy::Table table;
    table.name = "t";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    std::string written = "u VARCHAR";
    std::vector<std::pair<std::string, std::string>> read_as = {{"u", "varchar"}};
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      const std::string name = "c" + std::to_string(c);
      written += ", " + name + " " + kinds[c].written;
      read_as.emplace_back(name, kinds[c].read);
      table.columns.push_back(
          column_of(name, kinds[c].declared, random_grid(random, kinds[c].declared)));
    }
    Database database;
    std::string values;
    for (int r = 0; r < 80; ++r) {
      RawRow row;
      const std::string unit = "ü" + std::to_string(up_to(random, 12));
      row["u"] = text_value(unit);
      values += (r == 0 ? "(" : ", (") + quote_text(unit);
      for (std::size_t c = 0; c < kinds.size(); ++c) {
        const postgres::Cell cell =
            up_to(random, 8) == 0 ? postgres::null_cell() : kinds[c].cell(random);
        row["c" + std::to_string(c)] = cell.reference;
        values += ", " + cell.duckdb;
      }
      values += ")";
      database["t"].push_back(std::move(row));
    }
    const std::string schema = cluster.fresh_schema();
    {
      auto writer = std::move(duckdb::Connection::open(1, {}).value());
      duckdb::must(*writer, "CREATE TABLE t (" + written + ")");
      duckdb::must(*writer, "INSERT INTO t VALUES " + values);
      duckdb::must(*writer, "COPY t TO " + quote_text(cluster.files(schema, "t") + "/0.parquet") +
                                " (FORMAT parquet)");
    }
    cluster.make_table(schema, "t", read_as);
    table.source = "hive." + schema + ".t";
    policy.tables["t"] = table;
    Opened opened(policy);
    Plan plan;
    plan.source = from("t");
    plan.bounds = {1, 3, true};
    // One after the other: each value with its count, in one question.
    for (std::size_t first = 0; first < kinds.size(); first += 5) {
      plan.measurements = {measurement(MeasureKind::kUnits)};
      for (std::size_t c = first; c < std::min(first + 5, kinds.size()); ++c) {
        const Expr column = col("c" + std::to_string(c));
        plan.measurements.push_back(measurement(MeasureKind::kDistinct, column));
        plan.measurements.push_back(measurement(MeasureKind::kRows, column));
        if (table.columns[c].grid && kinds[c].declared != Type::kDate &&
            kinds[c].declared != Type::kTimestamp) {
          plan.measurements.push_back(measurement(MeasureKind::kSum, column));
        }
      }
      auto checked = Checker::check(plan, opened.policy(), "q");
      ASSERT_TRUE(checked.has_value()) << checked.error().message;
      ASSERT_EQ(opened.run(*checked), expected_of_trino(*checked, database, true))
          << lower_statement(*checked, opened.schemas(), kSecret).print();
    }
    const ExpressionLowering lowering(dialect(), plan.source, opened.policy(), opened.schemas());
    const Interpreter interpreter(plan.source, opened.policy());
    std::vector<Expr> columns;
    for (std::size_t c = 0; c < kinds.size(); ++c) columns.push_back(col("c" + std::to_string(c)));
    for (std::size_t c = 0; c < kinds.size(); ++c) {  // and each value itself
      const Expr& column = columns[c];
      std::map<std::string, std::int64_t> expected;
      for (const RawRow& row : database["t"])
        ++expected[tagged(interpreter.evaluate(column, {row}))];
      Select select;
      select.outputs = {lowering.lower(column), Sql::count_rows()};
      select.from.push_back({lowering.table("t"), "t0", {}});
      select.group_by = 1;
      auto rows = opened.client().ask(select.print(), opened.log().log());
      ASSERT_TRUE(rows.has_value()) << opened.log().said << select.print();
      std::map<std::string, std::int64_t> found;
      for (const Row& row : *rows) {
        found[tagged(read(row[0], lowering.shape(column)))] = std::get<std::int64_t>(row[1]);
      }
      EXPECT_EQ(found, expected) << kinds[c].read << "\n" << select.print();
    }
  }
}

struct StoredCase {
  std::string type;
  Type declared;
  std::vector<std::pair<std::string, Value>> cells;  // what is stored -> what is read
};

Value moment_value(std::int64_t microseconds) { return {Rational(microseconds), Type::kTimestamp}; }
/// The ends of a column without a range.
Value first_moment() { return moment_value(plan::kFirstDay * kMicrosecondsPerDay); }
Value last_moment() { return moment_value((plan::kLastDay + 1) * kMicrosecondsPerDay - 1); }

std::vector<StoredCase> stored_cases() {
  constexpr std::int64_t kDay = kMicrosecondsPerDay;
  const std::int64_t day = 18'628;  // 2021-01-01
  const Value new_year = moment_value(day * kDay);
  const std::string id = "a0000000-0000-0000-0000-00000000000f";
  return {
      {"timestamp(3) with time zone",
       Type::kTimestamp,
       {{"2021-01-01 00:00:00.000 UTC", new_year},
        {"2021-01-01 05:45:00.000 Asia/Kathmandu", new_year},
        {"2020-12-31 19:00:00.001 -05:00", moment_value(day * kDay + 1'000)},
        {"2021-07-01 02:00:00.000 Europe/Berlin", moment_value((day + 181) * kDay)}}},
      {"timestamp(6) with time zone",
       Type::kDate,
       {{"2021-01-01 00:30:00.000001 +01:00", date_value(day - 1)},
        {"2020-12-31 23:30:00.999999 -01:00", date_value(day)}}},
      {"timestamp(0)",
       Type::kTimestamp,
       {{"2021-01-01 00:00:01", moment_value(day * kDay + 1'000'000)}}},
      {"timestamp(3)",
       Type::kTimestamp,
       {{"2021-01-01 00:00:00.007", moment_value(day * kDay + 7'000)}}},
      {"timestamp(9)",
       Type::kTimestamp,
       {{"2021-01-01 00:00:00.000001499", moment_value(day * kDay + 1)},
        {"2021-01-01 00:00:00.000001501", moment_value(day * kDay + 2)}}},
      {"timestamp(12)",  // the last that there is
       Type::kTimestamp,
       {{"294247-01-10 04:00:54.775807999999", last_moment()},
        {"-290000-12-21 19:59:05.224192000000", first_moment()},
        {"2021-01-01 00:00:00.000001500000", moment_value(day * kDay + 2)}}},
      {"char(5)",
       Type::kText,
       {{"ab", text_value("ab")}, {" a b ", text_value(" a b")}, {"", text_value("")}}},
      {"char(6)",
       Type::kInteger,
       {{"12", integer_value(12)}, {"1e3", integer_value(1000)}, {"x", null_value()}}},
      {"uuid", Type::kText, {{"A0000000-0000-0000-0000-00000000000F", text_value(id)}}},
      {"boolean", Type::kBoolean, {{"true", truth_value(true)}, {"false", truth_value(false)}}},
      {"boolean", Type::kInteger, {{"true", integer_value(1)}, {"false", integer_value(0)}}},
      {"boolean", Type::kText, {{"true", text_value("true")}}},
      {"tinyint", Type::kBoolean, {{"0", truth_value(false)}, {"1", truth_value(true)}}},
  };
}

// What Parquet files written here do not hold.
TEST(TrinoStorage, OfTheRarerTypesIsReadAsDeclared) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = "memory.k" + std::to_string(getpid());
  cluster.must("CREATE SCHEMA " + schema);
  const std::vector<StoredCase> cases = stored_cases();
  policy::Policy policy;
  policy.engine = cluster.url();
  policy.units["people"].name = "people";
  policy::Table table;
  table.name = "t";
  table.source = schema + ".t";
  table.unit = policy::UnitPath{"people", {}, "u", false};
  std::string values;
  for (std::size_t row = 0; row < 5; ++row) {  // the fifth is NULL
    values += (row == 0 ? "SELECT " : " UNION ALL SELECT ") + std::to_string(row) + " AS u";
    for (std::size_t c = 0; c < cases.size(); ++c) {
      values += ", CAST(" +
                (row < cases[c].cells.size() ? quote_text(cases[c].cells[row].first) : "NULL") +
                " AS " + cases[c].type + ") AS c" + std::to_string(c);
    }
  }
  cluster.must("CREATE TABLE " + table.source + " AS " + values);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    std::optional<Grid> grid;
    if (cases[c].declared == Type::kInteger) grid = Grid{-100, 2000, 1};
    table.columns.push_back(column_of("c" + std::to_string(c), cases[c].declared, grid));
  }
  policy.tables["t"] = table;
  Opened opened(policy);
  const Source source = from("t");
  const ExpressionLowering lowering(dialect(), source, opened.policy(), opened.schemas());
  Select select;
  select.outputs.push_back(Sql::cast(Sql::name({"t0", "u"}), "BIGINT"));
  std::vector<Expr> columns;
  for (const policy::Column& column : table.columns) columns.push_back(col(column.name));
  for (const Expr& column : columns) select.outputs.push_back(lowering.lower(column));
  select.from.push_back({lowering.table("t"), "t0", {}});
  auto rows = opened.client().ask(select.print(), opened.log().log());
  ASSERT_TRUE(rows.has_value()) << opened.log().said << select.print();
  ASSERT_EQ(rows->size(), 5U);
  for (const Row& row : *rows) {
    const auto at = static_cast<std::size_t>(std::get<std::int64_t>(row[0]));
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const bool known = at < cases[c].cells.size();
      SCOPED_TRACE(cases[c].type + " " + policy::to_string(cases[c].declared));
      Value expected = known ? cases[c].cells[at].second : null_value();
      if (expected.is_null()) expected = null_value(cases[c].declared);
      EXPECT_EQ(tagged(read(row[c + 1], lowering.shape(columns[c]))), tagged(expected))
          << cases[c].type << " " << (known ? cases[c].cells[at].first : "NULL");
    }
  }
}

/// A question of each way in which a statement is made.
std::vector<Plan> one_of_each_way() {
  Plan beside = count_plan();
  beside.keys = {{col("clinic"), "clinic"}, {col("urgent"), "urgent"}};
  beside.bounds = {6, 2, true};
  beside.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits),
                         measurement(MeasureKind::kSum, col("cost")),
                         measurement(MeasureKind::kRows, col("age"))};
  Plan grouped = beside;
  grouped.bounds = {3, 2, true};
  Plan kept = grouped;
  kept.measurements.push_back(measurement(MeasureKind::kDistinct, col("age")));
  Plan of_all = beside;
  of_all.keys.clear();
  return {beside, grouped, kept, of_all};
}

// Few listed keys: rows of nobody, of no listed key and of NULL count nowhere; groups that nobody
// has are not there, and neither is any in an empty table.
TEST(TrinoQuestion, AddsFewListedKeysUpSideBySide) {
  Random random(11);
  for (const int size : {60, 0}) {
    Database database = random_clinic(random, size);
    for (RawRow& row : database["visits"]) {
      const int draw = up_to(random, 12);
      if (draw == 0) row["clinic"] = text_value("west");
      if (draw == 1) row["clinic"] = null_value();
      if (draw == 2) row["urgent"] = null_value(Type::kBoolean);
      if (draw == 3) row["patient_id"] = null_value();
      if (draw > 8) row["patient_id"] = integer_value(1);  // more rows than count
    }
    Opened opened(database);
    const std::vector<Plan> plans = one_of_each_way();
    for (std::size_t i = 0; i < 2; ++i) {
      auto checked = Checker::check(plans[i], opened.policy(), "q");
      ASSERT_TRUE(checked.has_value()) << checked.error().message;
      const std::string sql = lower_statement(*checked, opened.schemas(), kSecret).print();
      EXPECT_EQ(sql.find("FILTER") != sql.npos, i == 0) << sql;
      EXPECT_EQ(opened.run(*checked), expected_of_trino(*checked, database)) << sql;
    }
  }
}

/// Of what EXPLAIN (TYPE DISTRIBUTED) says: what brings rows to one node, or to us, that no
/// aggregation made; or nothing.
std::string gathered_rows(const std::string& explained) {
  bool single = false;  // the stage runs on one node
  bool gives = false;   // what it puts out goes to one node
  bool begins = false;
  bool made = false;  // by an aggregation
  std::istringstream lines(explained);
  std::size_t stages = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Fragment ")) {
      ++stages;
      single = line.find("[SINGLE]") != line.npos;
      made = false;
    } else if (line.find("Output partitioning:") != line.npos) {
      gives = line.find("SINGLE") != line.npos;
      begins = true;
    } else if (const std::size_t branch = line.find("─ "); branch != line.npos || begins) {
      const std::string step = branch == line.npos ? line.substr(line.find_first_not_of(' '))
                                                   : line.substr(branch + std::string("─ ").size());
      begins = false;
      made = made || step.starts_with("Aggregate[");
      const bool scans = step.starts_with("Scan") || step.starts_with("TableScan");
      const bool passes = step.starts_with("Output[") || step.starts_with("Project[") ||
                          step.starts_with("LocalExchange[") || step.starts_with("RemoteSource[");
      if (single ? scans : gives && !made && !passes) return step;
    }
  }
  return stages == 0 ? "no plan" : "";
}

TEST(TrinoQuestion, BringsNoRowsToOneNode) {
  Random random(12);
  Opened opened(random_clinic(random, 20));
  const auto explained = [&](const std::string& sql) {
    auto rows = opened.client().ask("EXPLAIN (TYPE DISTRIBUTED) " + sql, opened.log().log());
    EXPECT_TRUE(rows.has_value()) << opened.log().said;
    return rows ? std::get<std::string>(rows->at(0).at(0)) : "";
  };
  for (const Plan& plan : one_of_each_way()) {
    auto checked = Checker::check(plan, opened.policy(), "q");
    ASSERT_TRUE(checked.has_value()) << checked.error().message;
    const Statement statement = lower_statement(*checked, opened.schemas(), kSecret);
    const std::string shown = explained(statement.select.print());
    EXPECT_EQ(gathered_rows(shown), "") << shown;
  }
  const std::string visits = Sql::name(opened.schemas().at("visits").name).print();
  for (const std::string& gathers :
       {"SELECT age FROM " + visits,
        "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY age) AS n FROM " + visits + ")"}) {
    EXPECT_NE(gathered_rows(explained(gathers)), "") << gathers;
  }
}

TEST(TrinoUnits, AreEqualWhereTheirValuesAre) {
  Cluster& cluster = Cluster::instance();
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"decimal(5,2)", {"1", "1.0", "1.00"}},
      {"double", {"0", "-0", "0e5"}},
      {"char(5)", {"a", "a ", "a   "}},
      {"uuid",
       {"A0000000-0000-0000-0000-000000000001", "a0000000-0000-0000-0000-000000000001",
        "a0000000-0000-0000-0000-000000000001"}},
      {"timestamp(3) with time zone",
       {"2020-01-01 00:00:00 UTC", "2020-01-01 01:00:00 +01:00", "2019-12-31 19:00:00 -05:00"}},
  };
  policy::Policy policy;
  policy.engine = cluster.url();
  policy.units["people"].name = "people";
  const std::string schema = "memory.u" + std::to_string(getpid());
  cluster.must("CREATE SCHEMA " + schema);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [type, names] = cases[i];
    std::string values;
    for (const std::string& name : names) {
      values += (values.empty() ? "" : " UNION ALL ") + std::string("SELECT CAST('") + name +
                "' AS " + type + ") AS u, 1 AS x";
    }
    policy::Table table;
    table.name = "t" + std::to_string(i);
    table.source = schema + "." + table.name;
    cluster.must("CREATE TABLE " + table.source + " AS " + values);
    table.unit = policy::UnitPath{"people", {}, "u", false};
    table.columns = {column_of("x", Type::kInteger, Grid{0, 9, 1})};
    if (type.starts_with("timestamp")) table.columns.push_back(column_of("u", Type::kTimestamp));
    policy.tables[table.name] = table;
  }
  Opened opened(policy);
  for (const auto& [name, table] : policy.tables) {
    Plan plan;
    plan.source = from(name.c_str());
    plan.bounds = {1, 2, true};
    plan.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits)};
    if (table.columns.size() == 2) {
      plan.measurements.push_back(measurement(MeasureKind::kDistinct, col("u")));
    }
    auto checked = Checker::check(plan, opened.policy(), "q");
    ASSERT_TRUE(checked.has_value()) << checked.error().message;
    EXPECT_EQ(opened.run(*checked)[""],
              table.columns.size() == 2 ? "units 1 | 2 | 1 | 1" : "units 1 | 2 | 1")
        << name;
  }
}

TEST(TrinoUnits, AreTheSameInTablesThatStoreThemDifferently) {
  Cluster& cluster = Cluster::instance();
  int number = 0;
  for (const std::string type : {"double", "real", "decimal(30,2)", "varchar"}) {
    SCOPED_TRACE(type);
    const std::string schema =
        "memory.s" + std::to_string(getpid()) + "_" + std::to_string(number++);
    cluster.must("CREATE SCHEMA " + schema);
    expect_one_row_of_each_unit(
        cluster.url(),
        [&](const std::string& name) {
          cluster.must("CREATE TABLE " + schema + "." + name +
                       " AS SELECT CAST(i * 1152921504606846976 AS " +
                       (name == "a" ? "bigint" : type) +
                       ") AS u, i AS x FROM UNNEST(sequence(0, 4)) AS t(i)");
          return schema + "." + name;
        },
        [](const policy::Policy& policy) { return std::make_unique<Opened>(policy); });
  }
}

TEST(LongTrinoQuestion, OverRowsOfTwoPeopleGivesTheReferencesBits) {
  expect_pairs_as_in_the_reference(
      [](const Database& database) { return std::make_unique<Opened>(database); });
}

std::string message_of(const policy::Policy& policy) {
  auto opened = TrinoEngine::open(policy, {});
  return opened ? "it opened" : opened.error().message;
}

TEST(TrinoSources, ThatCannotBeReadAreRefusedWithTheFix) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = "memory.r" + std::to_string(getpid());
  cluster.must("CREATE SCHEMA " + schema);
  cluster.must(
      "CREATE TABLE " + schema +
      ".t AS SELECT 1 AS u, ARRAY[1] AS a, ROW(1, 'x') AS r, MAP(ARRAY[1], ARRAY[2]) AS m, "
      "X'00' AS b, 5 AS x");
  cluster.must("CREATE VIEW " + schema + ".v AS SELECT * FROM " + schema + ".t");
  policy::Policy policy;
  policy.engine = cluster.url();
  policy.units["people"].name = "people";
  policy::Table table;
  table.name = "t";
  table.unit = policy::UnitPath{"people", {}, "u", false};
  const auto with = [&](const std::string& source, const std::string& column) {
    table.source = source;
    table.columns = {column_of(column, Type::kInteger, Grid{0, 9, 1})};
    policy.tables["t"] = table;
    return message_of(policy);
  };
  EXPECT_EQ(with(schema + ".t", "x"), "it opened");
  for (const char* nested : {"a", "r", "m"}) {
    EXPECT_NE(with(schema + ".t", nested).find("several values in one"), std::string::npos);
  }
  EXPECT_NE(with(schema + ".t", "b").find("cannot be read as integer"), std::string::npos);
  EXPECT_NE(with(schema + ".t", "y").find("has no column 'y'"), std::string::npos);
  EXPECT_NE(with(schema + ".v", "x").find("is a view"), std::string::npos);
  EXPECT_NE(with(schema + ".nothing", "x").find("no table"), std::string::npos);
  EXPECT_NE(with("elsewhere.a.b", "x").find("no catalog"), std::string::npos);
  EXPECT_NE(with("t", "x").find("catalog.schema.table"), std::string::npos);
}

// The whole engine: what it opens it can run, and it notices when a table is another one.
TEST(TrinoEngine, RunsAndSeesThatColumnsChanged) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = "memory.e" + std::to_string(getpid());
  cluster.must("CREATE SCHEMA " + schema);
  cluster.must("CREATE TABLE " + schema + ".t AS SELECT 'a' AS u, 5 AS x, 'red' AS colour");
  policy::Policy policy;
  policy.engine = cluster.url();
  policy.units["people"].name = "people";
  policy::Table table;
  table.name = "t";
  table.source = schema + ".T";  // names have no case there
  table.unit = policy::UnitPath{"people", {}, "u", false};
  table.columns = {column_of("x", Type::kInteger, Grid{0, 9, 1}), column_of("colour", Type::kText)};
  policy.tables["t"] = table;
  auto engine = TrinoEngine::open(policy, {});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  Plan plan;
  plan.source = from("t");
  plan.bounds = {1, 1, true};
  plan.measurements = {measurement(MeasureKind::kSum, col("x"))};
  auto checked = Checker::check(plan, policy, "q");
  ASSERT_TRUE(checked.has_value());
  GatheredLog log;
  auto groups = (*engine)->run(*checked, log.log());
  ASSERT_TRUE(groups.has_value()) << log.said << groups.error().message;
  EXPECT_EQ((*engine)->explain(*checked).find("xxhash64"), std::string::npos);
  plan.measurements.push_back(measurement(MeasureKind::kDistinct, col("x")));
  EXPECT_NE((*engine)->explain(Checker::check(plan, policy, "q").value()).find("xxhash64"),
            std::string::npos);
  EXPECT_FALSE((*engine)->public_values(policy, "t", "colour", 9, {}).has_value());
  // A view with the same columns, which fails on a row.
  cluster.must("ALTER TABLE " + schema + ".t RENAME TO " + schema + ".before");
  cluster.must("CREATE VIEW " + schema + ".t AS SELECT u, 1 / (x - 5) AS x, colour FROM " + schema +
               ".before");
  const auto view = (*engine)->run(*checked, log.log());
  ASSERT_FALSE(view.has_value());
  EXPECT_NE(view.error().message.find("is a view"), std::string::npos) << view.error().message;
  cluster.must("DROP VIEW " + schema + ".t");
  cluster.must("CREATE TABLE " + schema +
               ".t AS SELECT 'a' AS u, DECIMAL '5' AS x, 'red' AS colour");
  auto changed = (*engine)->run(*checked, log.log());
  ASSERT_FALSE(changed.has_value());
  EXPECT_NE(changed.error().message.find("changed since it was opened"), std::string::npos);
}

// TLS with the cluster's certificate, and its token or password.
TEST(TrinoClient, ShowsItsSecretsOverTrustedTlsOnly) {
  Cluster& cluster = Cluster::instance();
  const std::string place = "trino://analyst@127.0.0.1:" + cluster.text("secure");
  const std::string trusted = place + "?ca=" + cluster.path("certificate.pem");
  GatheredLog log;
  auto distrusted = Client::open(place, log.log());
  ASSERT_FALSE(distrusted.has_value());
  EXPECT_NE(distrusted.error().message.find("is not trusted"), std::string::npos);
  auto nobody = std::move(Client::open(trusted, log.log()).value());
  auto refused = nobody->ask("SELECT 1", log.log());
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("refused the user"), std::string::npos);
  const auto asked_with = [&](const char* name, const std::string& secret) {
    setenv(name, secret.c_str(), 1);
    auto client = std::move(Client::open(trusted, log.log()).value());
    unsetenv(name);
    return client->ask("SELECT current_user", log.log());
  };
  for (const char* name : {"TRINO_JWT", "TRINO_PASSWORD"}) {
    SCOPED_TRACE(name);
    const std::string secret =
        cluster.text(name == std::string("TRINO_JWT") ? "token" : "password");
    auto answer = asked_with(name, secret);
    ASSERT_TRUE(answer.has_value()) << log.said;
    EXPECT_EQ(std::get<std::string>(answer->at(0).at(0)), "analyst");
    auto wrong = asked_with(name, secret + "x");
    ASSERT_FALSE(wrong.has_value());
    EXPECT_NE(wrong.error().message.find("refused the user"), std::string::npos);
  }
}

TEST(TrinoClient, PagesStopsAndKeepsItsTimeLimit) {
  Cluster& cluster = Cluster::instance();
  GatheredLog log;
  std::size_t rows = 0;
  std::size_t pages = 0;
  ASSERT_TRUE(cluster.client()
                  .query("SELECT orderkey, comment FROM tpch.tiny.lineitem", log.log(),
                         [&](std::span<const Row> page) {
                           rows += page.size();
                           ++pages;
                         })
                  .has_value())
      << log.said;
  EXPECT_EQ(rows, 60175U);
  EXPECT_GT(pages, 1U);
  const std::string endless =
      "SELECT count(*) FROM tpch.sf100.lineitem a JOIN tpch.sf100.lineitem b ON a.tax = b.tax";
  std::thread other([&] {
    usleep(700'000);
    cluster.client().interrupt();
  });
  auto stopped = cluster.client().ask(endless, log.log());
  other.join();
  cluster.client().resume();
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::kInterrupted);
  auto hasty = std::move(Client::open(cluster.url() + "&timeout=1", log.log()).value());
  auto late = hasty->ask(endless, log.log());
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().message, engine_failed().message);
  for (int i = 0; i < 100; ++i) {  // both were taken back
    if (cluster.must("SELECT count(*) FROM system.runtime.queries WHERE state = 'RUNNING' AND "
                     "query LIKE '%sf100%' AND query NOT LIKE '%queries%'") == 0) {
      return;
    }
    usleep(100'000);
  }
  ADD_FAILURE() << "a statement still runs";
}

struct Round {
  std::unique_ptr<Opened> opened;
  std::vector<Asked> asked;
};

/// A random clinic in one to four files a table, and questions about it.
Round random_round(Random& random, int round, int questions) {
  questions = questions_or(questions);
  const Database database = random_clinic(random, round == 0 ? 0 : 60);
  auto opened = std::make_unique<Opened>(database, static_cast<std::size_t>(round + 1));
  const bool relational = round == 3;  // semi, anti and left joins, groups within a person, ...
  auto asked = compare(*opened, database, random, questions, [&](Random& r) {
    return relational ? random_relational(r, false) : random_plan(r);
  });
  return {std::move(opened), std::move(asked)};
}

TEST(TrinoQuestion, GivesTheReferencesBits) {
  ASSERT_EQ(Cluster::instance().workers(), 2);
  Random random(41);
  for (const int round : {1, 3}) random_round(random, round, 3);
}

TEST(LongTrinoQuestion, GivesTheReferencesBits) {
  ASSERT_EQ(Cluster::instance().workers(), 2);
  Random random(42);
  for (int round = 0; round < 4 && !HasFailure(); ++round) {
    random_round(random, round, round == 0 ? 3 : 9);
  }
}

// The last test, since a worker ends here.
TEST(LongTrinoQuestion, ZGivesTheSameBitsWithOneWorker) {
  Cluster& cluster = Cluster::instance();
  Random random(43);
  std::vector<Round> rounds;
  for (const int round : {2, 3}) rounds.push_back(random_round(random, round, 6));
  ASSERT_FALSE(HasFailure());
  cluster.script("kill 2");
  for (int i = 0; i < 3000 && cluster.workers() != 1; ++i) usleep(100'000);
  ASSERT_EQ(cluster.workers(), 1);
  for (Round& round : rounds) {
    for (const Asked& one : round.asked) {
      EXPECT_EQ(round.opened->run(one.checked, one.most), one.answer);
    }
  }
  cluster.script("again 2");
}

}  // namespace
}  // namespace discreet::engine::trino
