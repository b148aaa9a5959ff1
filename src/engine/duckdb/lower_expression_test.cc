// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/lower_expression.h"

#include <gtest/gtest.h>

#include "engine/duckdb/files_for_tests.h"
#include "plan/random_for_tests.h"

namespace discreet::engine::duckdb {
namespace {

using namespace plan;

// The visits of the test clinic in a file, and expressions over them evaluated by DuckDB.
class Visits {
 public:
  Visits(const std::string& format, std::vector<RawRow> rows) : rows_(std::move(rows)) {
    policy_ = clinic();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i]["id"] = integer_value(static_cast<std::int64_t>(i));
    }
    write_clinic(folder_, format, {{"visits", rows_}}, policy_);
    connection_ = std::move(Connection::open(2, log_.log()).value());
    auto schemas = open_sources(*connection_, policy_, log_.log());
    EXPECT_TRUE(schemas.has_value()) << log_.said;
    schemas_ = *schemas;
  }

  const policy::Policy& policy() const { return policy_; }
  const Source& source() const { return source_; }

  /// values[row][expression], numbers as rationals.
  std::vector<std::vector<Value>> evaluate(const std::vector<Expr>& exprs) {
    ExpressionLowering lowering(source_, policy_, schemas_);
    Select select;
    select.outputs.push_back(Sql::cast(Sql::name({"t0", "id"}), "BIGINT"));
    std::vector<Shape> shapes;
    for (const Expr& expr : exprs) {
      select.outputs.push_back(lowering.lower(expr));
      shapes.push_back(lowering.shape(expr));
    }
    select.from.push_back({Sql::name({"visits"}), "t0", {}});
    std::vector<std::vector<Value>> values(rows_.size());
    auto done = connection_->query(select.print(), log_.log(), [&](const Chunk& chunk) {
      for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
        auto row = static_cast<std::size_t>(column(chunk, 0).values<std::int64_t>()[i]);
        for (std::size_t e = 0; e < exprs.size(); ++e) {
          values[row].push_back(read(column(chunk, e + 1), i, shapes[e]));
        }
      }
    });
    EXPECT_TRUE(done.has_value()) << log_.said << select.print();
    return values;
  }

  void expect_as_interpreted(const std::vector<Expr>& exprs) {
    const Interpreter interpreter(source_, policy_);
    const auto values = evaluate(exprs);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      ASSERT_EQ(values[row].size(), exprs.size());
      for (std::size_t e = 0; e < exprs.size(); ++e) {
        const Value expected = interpreter.evaluate(exprs[e], {rows_[row]});
        EXPECT_EQ(tagged(values[row][e]), tagged(expected))
            << to_string(exprs[e], {""}) << "\nrow " << row << "\n"
            << ExpressionLowering(source_, policy_, schemas_).lower(exprs[e]).print();
      }
    }
  }

 private:
  static Value read(const Column& column, idx_t row, const Shape& shape) {
    if (column.is_null(row)) return null_value(shape.type);
    if (shape.grid) {
      return {Rational(column.values<std::int64_t>()[row]) * shape.grid->step, shape.type};
    }
    if (shape.type == Type::kText) return text_value(std::string(column.text(row)));
    return truth_value(column.values<bool>()[row]);
  }

  std::vector<RawRow> rows_;
  policy::Policy policy_;
  Source source_ = from("visits");
  ScratchFolder folder_;
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
  Schemas schemas_;
};

std::vector<RawRow> random_visits(Random& random, int count) {
  std::vector<RawRow> rows;
  for (int i = 0; i < count; ++i) rows.push_back(random_visit(random));
  return rows;
}

// Expressions that the checker lets pass, of depth up to 4.
std::vector<Expr> random_expressions(Random& random, const Visits& visits, std::size_t count) {
  std::vector<Expr> exprs;
  while (exprs.size() < count) {
    Expr expr = random_expression(random, 1 + up_to(random, 3));
    auto shape = shape_of(expr, visits.source(), visits.policy(), Use::kAggregate);
    if (shape.has_value() && !shape->always_null()) exprs.push_back(std::move(expr));
  }
  return exprs;
}

class LoweredExpression : public testing::TestWithParam<std::string> {};

TEST_P(LoweredExpression, IsWhatTheInterpreterSays) {
  Random random(20261116);
  Visits visits(GetParam(), random_visits(random, 60));
  for (int round = 0; round < 12; ++round) {
    visits.expect_as_interpreted(random_expressions(random, visits, 40));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, LoweredExpression,
                         testing::Values("parquet", "csv", "json", "duckdb"),
                         [](const auto& format) { return format.param; });

RawRow visit(const std::string& column, Value value) { return {{column, std::move(value)}}; }

TEST(LoweredText, LikeAndFunctionsFollowOurRules) {
  std::vector<RawRow> rows;
  for (const char* city :
       {"", " ", "a%b", "a_b", "a\\b", "Aéb", "ÄÖ", "ab", "AB", "xaby", "é", "日本語", "a\nb",
        "  a  ", "\tA\t", "it's", "\"q\"", "'; DROP TABLE x; --"}) {
    rows.push_back(visit("city", text_value(city)));
  }
  rows.push_back({});
  Visits visits("parquet", rows);
  std::vector<Expr> exprs;
  for (const char* pattern : {"%", "", "_", "__", "a%", "%b", "a_b", "a\\%b", "a\\_b", "a\\\\b",
                              "%\\%%", "A%", "_é_", "___", "%'%", "a%b%", "%a%b%"}) {
    exprs.push_back(Expr::of(Op::kLike, {col("city"), txt(pattern)}));
    exprs.push_back(Expr::of(Op::kLike, {col("city"), txt(pattern)}, "i"));
  }
  for (std::int64_t first : {-3, 0, 1, 2, 5}) {
    for (std::int64_t count : {0, 1, 2, 9}) {
      exprs.push_back(Expr::of(Op::kSubstring, {col("city"), num(first), num(count)}));
    }
  }
  for (Op op : {Op::kLower, Op::kUpper, Op::kTrim, Op::kLength}) {
    exprs.push_back(Expr::of(op, {col("city")}));
  }
  exprs.push_back(Expr::of(Op::kConcat, {col("city"), txt("'"), col("clinic")}));
  for (const char* text : {"", "it's", "\"q\"", "'; DROP TABLE x; --", "a\\b"}) {
    exprs.push_back(Expr::of(Op::kEqual, {col("city"), txt(text)}));
    exprs.push_back(Expr::of(Op::kLess, {col("city"), txt(text)}));
    exprs.push_back(Expr::of(Op::kIn, {col("city"), txt(text), txt("ab")}));
  }
  visits.expect_as_interpreted(exprs);
}

TEST(LoweredDates, PartsAndTruncationsFollowTheCalendar) {
  std::vector<RawRow> rows;
  for (std::int64_t day :
       {18262, 18263, 18321, 18322, 18627, 18628, 19000, 20452, 20453, 1, 99999}) {
    rows.push_back(
        {{"day", date_value(day)},
         {"at", Value{Rational(day * kMicrosecondsPerDay + day * 12'345'678 % kMicrosecondsPerDay),
                      Type::kTimestamp}}});
  }
  for (std::int64_t day : {kFirstDay, kFirstDay + 1, std::int64_t{-1}, kLastDay}) {
    rows.push_back(
        {{"at", Value{Rational(day * kMicrosecondsPerDay + 86'399'999'999), Type::kTimestamp}}});
  }
  rows.push_back({});
  Visits visits("parquet", rows);
  std::vector<Expr> exprs;
  for (const char* name : {"day", "at"}) {
    for (const std::string& part : date_parts()) {
      exprs.push_back(Expr::of(Op::kDatePart, {col(name)}, part));
    }
    for (const std::string& unit : date_truncations()) {
      exprs.push_back(Expr::of(Op::kDateTrunc, {col(name)}, unit));
    }
  }
  visits.expect_as_interpreted(exprs);
}

TEST(LoweredArithmetic, RoundsAndDividesExactly) {
  std::vector<RawRow> rows;
  for (const char* cost :
       {"0", "0.005", "-0.005", "2.5", "-2.5", "0.015", "1234.567", "5000.004", "0.014", "0.01"}) {
    for (std::int64_t change : {-5, -2, 0, 1, 3}) {
      rows.push_back({{"cost", decimal_value(Rational::parse(cost).value())},
                      {"change", integer_value(change)},
                      {"age", integer_value(change * 7 + 40)}});
    }
  }
  Visits visits("parquet", rows);
  const Expr cost = col("cost");
  const Expr change = col("change");
  const Expr age = col("age");
  std::vector<Expr> exprs = {
      Expr::of(Op::kDivide, {cost, change}),
      Expr::of(Op::kDivide, {change, cost}),
      Expr::of(Op::kDivide, {age, change}),
      Expr::of(Op::kModulo, {age, change}),
      Expr::of(Op::kModulo, {change, num(3)}),
      Expr::of(Op::kDivide, {change, num(2)}),
      Expr::of(Op::kSubtract, {cost, dec("0.125")}),
      Expr::of(Op::kMultiply, {cost, change}),
      Expr::of(Op::kNegate, {cost}),
      Expr::of(Op::kAbsolute, {change}),
      Expr::of(Op::kFloor, {cost}),
      Expr::of(Op::kCeiling, {cost}),
      Expr::of(Op::kToInteger, {cost}),
      Expr::of(Op::kLess, {cost, dec("0.0149")}),
      Expr::of(Op::kEqual, {cost, dec("2.5")}),
      Expr::of(Op::kIn, {cost, dec("2.5"), dec("0.001"), dec("1234.57")}),
      Expr::of(Op::kIn, {cost, dec("0.001")}),
      Expr::of(Op::kFloor, {Expr::of(Op::kNegate, {cost})}),
      Expr::of(Op::kRound, {Expr::of(Op::kNegate, {cost})}, "1"),
      Expr::of(Op::kCase, {Expr::of(Op::kLess, {change, num(0)}), cost, dec("0.005")}),
      Expr::of(Op::kCoalesce, {cost, num(1)}),
  };
  for (const char* digits : {"", "1", "2", "-1", "-3"}) {
    exprs.push_back(Expr::of(Op::kRound, {cost}, digits));
    exprs.push_back(Expr::of(Op::kRound, {age}, digits));
  }
  for (const char* width : {"0.1", "1", "2.5"}) {
    Expr bucket = Expr::of(Op::kBucket, {cost});
    bucket.grid = Grid{-5, 20, Rational::parse(width).value()};
    exprs.push_back(bucket);
  }
  visits.expect_as_interpreted(exprs);
}

}  // namespace
}  // namespace discreet::engine::duckdb
