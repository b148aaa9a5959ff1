// SPDX-License-Identifier: Apache-2.0
// Every way in which PostgreSQL and DuckDB store a value, with NULL, NaN, infinities, the ends of
// types, odd texts and collations: random tables that both hold, and random questions over them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/sources.h"
#include "engine/postgres/cells_for_tests.h"
#include "engine/postgres/postgres_for_tests.h"
#include "engine/postgres/run.h"
#include "engine/postgres/sources.h"
#include "engine/questions_for_tests.h"

namespace discreet::engine::postgres {

using duckdb::GatheredLog;

/// How a column is stored, and as what it is declared.
struct Storage {
  std::string postgres;
  std::string duckdb;
  Type declared;
  std::function<Cell(Random&)> cell;
};

inline Storage random_storage(Random& random) {
  const Type number = up_to(random, 1) == 0 ? Type::kInteger : Type::kDecimal;
  const auto text = [](Random& r) { return text_cell(r); };
  switch (up_to(random, 16)) {
    case 0:
      return {"smallint", "SMALLINT", number, [](Random& r) { return whole_cell(r, 16); }};
    case 1:
      return {"integer", "INTEGER", number, [](Random& r) { return whole_cell(r, 32); }};
    case 2:
      return {"bigint", "BIGINT", number, [](Random& r) { return whole_cell(r, 64); }};
    case 3:
      if (up_to(random, 1) == 0)
        return {"numeric(9,2)", "DECIMAL(9,2)", number, short_decimal_cell};
      return {"numeric(38,10)", "DECIMAL(38,10)", number, decimal_cell};
    case 4:
    case 5:
      return {"numeric", "VARCHAR", number, numeric_cell};
    case 6:
      return {"real", "FLOAT", number, [](Random& r) { return float_cell(r, true); }};
    case 7:
    case 8:
      return {"double precision", "DOUBLE", number, [](Random& r) { return float_cell(r, false); }};
    case 9:
      return {"text COLLATE caseless", "VARCHAR", Type::kText, text};
    case 10:
      return {"varchar(400)", "VARCHAR", Type::kText, text};
    case 11:
      return {"text", "VARCHAR", number, number_text_cell};
    case 12:
      return {"date", "DATE", Type::kDate, [](Random& r) { return date_cell(r, Type::kDate); }};
    case 13:
      return {"date", "DATE", Type::kTimestamp,
              [](Random& r) { return date_cell(r, Type::kTimestamp); }};
    case 14:
      return {up_to(random, 1) == 0 ? "timestamp" : "timestamptz", "TIMESTAMP", Type::kTimestamp,
              [](Random& r) { return moment_cell(r, Type::kTimestamp); }};
    case 15:
      return {"timestamp", "TIMESTAMP", Type::kDate,
              [](Random& r) { return moment_cell(r, Type::kDate); }};
    default:
      return {"boolean", "BOOLEAN", Type::kBoolean, [](Random& r) {
                const bool truth = up_to(r, 1) == 1;
                const std::string word = truth ? "TRUE" : "FALSE";
                return Cell{word, word, truth_value(truth)};
              }};
  }
}

inline policy::Column random_column(Random& random, const std::string& name,
                                    const Storage& storage) {
  policy::Column column = column_of(name, storage.declared);
  const auto grid = [&](const Rational& step) {
    const Rational low = Rational(-up_to(random, 60)) * step;
    column.grid = Grid{low, low + Rational(1 + up_to(random, 300)) * step, step};
  };
  switch (storage.declared) {
    case Type::kInteger:
      if (up_to(random, 4) != 0) grid(Rational(one_of_these<int>(random, {1, 1, 5})));
      break;
    case Type::kDecimal:
      if (up_to(random, 4) != 0) {
        grid(one_of_these<Rational>(random, {1, Rational::ratio(1, 100), Rational::ratio(1, 4),
                                             Rational::ratio(3, 7), Rational::ratio(5, 2)}));
      }
      break;
    case Type::kDate:
      if (up_to(random, 1) == 0) column.grid = Grid{18'262, 20'453, 1};
      break;
    case Type::kTimestamp:
      if (up_to(random, 1) == 0) {
        column.grid = Grid{Rational(18'262 * kMicrosecondsPerDay + 3'600'000'000),
                           Rational(19'500 * kMicrosecondsPerDay), 1};
      }
      break;
    case Type::kText:
    case Type::kBoolean:
      break;
  }
  if (column.grid && storage.declared != Type::kDate && storage.declared != Type::kTimestamp &&
      up_to(random, 5) == 0) {
    column.null_rule = policy::NullRule::kDefault;
    column.fallback = integer_value(3);
  }
  return column;
}

/// The same rows in both databases, opened.
struct Twins {
  policy::Policy policy;  ///< PostgreSQL's
  policy::Policy files;   ///< DuckDB's
  Database database;
  std::vector<std::string> names;
  duckdb::ScratchFolder folder;
  GatheredLog log;
  std::unique_ptr<Connection> connection;
  lowering::Schemas schemas;
  std::unique_ptr<duckdb::Connection> embedded;
  lowering::Schemas embedded_schemas;

  Twins(Random& random, std::size_t rows) {
    const bool text_unit = up_to(random, 1) == 0;
    std::vector<Storage> storages;
    policy::Table table;
    table.name = "t";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    policy.units["people"].name = "people";
    for (int i = 3 + up_to(random, 3); i > 0; --i) {
      storages.push_back(random_storage(random));
      names.push_back("c" + std::to_string(i) + (i == 1 ? " \"ü" : ""));
      table.columns.push_back(random_column(random, names.back(), storages.back()));
    }
    std::string columns = text_unit ? "u text" : "u bigint";
    std::string embedded_columns = text_unit ? "u VARCHAR" : "u BIGINT";
    for (std::size_t c = 0; c < names.size(); ++c) {
      columns += ", " + lowering::quote_name(names[c]) + " " + storages[c].postgres;
      embedded_columns += ", " + lowering::quote_name(names[c]) + " " + storages[c].duckdb;
    }
    std::string values;
    std::string embedded_values;
    for (std::size_t r = 0; r < rows; ++r) {
      const int unit = up_to(random, 12);
      const std::string word = text_unit ? "ü" + std::to_string(unit) : std::to_string(unit);
      RawRow row;
      Cell own = unit == 12 ? null_cell()
                            : Cell{quote_text(word), quote_text(word),
                                   text_unit ? text_value(word) : integer_value(unit)};
      row["u"] = own.reference;
      values += (r == 0 ? "(" : ", (") + own.postgres;
      embedded_values += (r == 0 ? "(" : ", (") + own.duckdb;
      for (std::size_t c = 0; c < names.size(); ++c) {
        const Cell cell = up_to(random, 8) == 0 ? null_cell() : storages[c].cell(random);
        row[names[c]] = cell.reference;
        values += ", " + cell.postgres;
        embedded_values += ", " + cell.duckdb;
      }
      values += ")";
      embedded_values += ")";
      database["t"].push_back(std::move(row));
    }
    PrivatePostgres& server = PrivatePostgres::instance();
    const std::string schema = server.fresh_schema();
    server.must("CREATE TABLE " + schema + ".t (" + columns + ")");
    server.must("INSERT INTO " + schema + ".t VALUES " + values);
    table.source = schema + ".t";
    policy.tables["t"] = table;
    policy.engine = server.url();
    files = policy;
    files.engine = "duckdb";
    files.directory = folder.path();
    files.tables["t"].source = "all.duckdb:t";
    {
      auto writer = std::move(duckdb::Connection::open(1, log.log()).value());
      duckdb::must(*writer, "ATTACH " + quote_text(folder / "all.duckdb") + " AS f");
      duckdb::must(*writer, "CREATE TABLE f.t (" + embedded_columns + ")");
      duckdb::must(*writer, "INSERT INTO f.t VALUES " + embedded_values);
    }
    connection = std::move(Connection::open(policy.engine, log.log()).value());
    auto opened = open_sources(*connection, policy, log.log());
    EXPECT_TRUE(opened.has_value()) << log.said << opened.error().message;
    schemas = opened.value();
    embedded = std::move(duckdb::Connection::open(2, log.log()).value());
    embedded_schemas = duckdb::open_sources(*embedded, files, log.log()).value();
  }

  Result<mechanism::Groups> run(const lowering::LoweredPlan& lowered, std::size_t steps) {
    const Transaction transaction(*connection);
    EXPECT_TRUE(connection->begin(log.log()).has_value());
    return run_lowered(*connection, lowered, steps, kSecret, log.log());
  }

  Expr random_col(Random& random) const { return col(one_of_these(random, names)); }

  Plan random_question(Random& random) const {
    Plan plan;
    plan.source = from("t");
    plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
    plan.bounds = {1 + up_to(random, 3), 1 + up_to(random, 3), true};
    for (int i = up_to(random, 2); i > 0; --i) plan.keys.push_back({random_col(random), "k"});
    if (up_to(random, 2) == 0) {
      const Expr it = random_col(random);
      switch (up_to(random, 4)) {
        case 0:
          plan.filter = Expr::of(Op::kIsNull, {it});
          break;
        case 1:
          plan.filter = Expr::of(Op::kLess, {it, num(up_to(random, 9))});
          break;
        case 2:
          plan.filter = Expr::of(Op::kLess, {it, txt(one_of_these(random, odd_texts()))});
          break;
        case 3:
          plan.filter = Expr::of(Op::kLessEqual, {it, random_col(random)});
          break;
        default:
          plan.filter = Expr::of(Op::kEqual, {it, random_col(random)});
      }
    }
    plan.measurements.push_back(measurement(MeasureKind::kRows));
    for (int i = 1 + up_to(random, 4); i > 0; --i) {
      Measurement m = measurement(static_cast<MeasureKind>(up_to(random, 5)));
      if (m.kind != MeasureKind::kUnits) m.argument = random_col(random);
      if (up_to(random, 3) == 0 && m.argument) {
        m.argument = Expr::of(one_of_these<Op>(random, {Op::kAdd, Op::kMultiply, Op::kDivide}),
                              {*m.argument, random_col(random)});
      }
      if (m.kind == MeasureKind::kQuantile) m.fractions = {Rational::ratio(1, 2)};
      if (m.kind == MeasureKind::kSum && up_to(random, 2) == 0) m.clamp = Grid{-2, 30, 1};
      plan.measurements.push_back(std::move(m));
    }
    return plan;
  }
};

}  // namespace discreet::engine::postgres
