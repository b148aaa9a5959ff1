// SPDX-License-Identifier: Apache-2.0
#include "learn/lesson.h"

#include <utility>

#include "base/suggest.h"
#include "ledger/seal.h"
#include "plan/daily.h"

namespace discreet::learn {
namespace {

using plan::Expr;
using plan::Op;
using policy::Type;
using policy::Value;

Value whole(std::int64_t n) { return {Rational(n), Type::kInteger}; }

/// The values of a column that is read as categories, in order.
std::vector<Value> listed(const policy::Column& column) {
  if (column.type == Type::kBoolean) {
    return {Value{false, Type::kBoolean}, Value{true, Type::kBoolean}};
  }
  return column.values;
}

bool is_category(const policy::Column& column) {
  return !column.values.empty() || column.type == Type::kBoolean;
}

}  // namespace

Result<std::string> table_of(const policy::Policy& policy, const std::string& named) {
  std::vector<std::string> names;
  for (const auto& [name, table] : policy.tables) {
    if (!table.is_public()) names.push_back(name);
    if (name == named && !table.is_public()) return name;
  }
  if (!named.empty()) {
    return Error{Code::kNotFound, "the policy has no table " + in_quotes(named) + " with units" +
                                      did_you_mean(named, names)};
  }
  if (names.size() == 1) return names.front();
  return invalid_input("the policy has several tables; say which with --table");
}

Result<std::vector<Column>> columns_of(const policy::Policy& policy, const std::string& table,
                                       const std::vector<std::string>& names) {
  const policy::Table* const declared = policy.find(table);
  if (declared == nullptr) return Error{Code::kNotFound, "no table " + in_quotes(table)};
  std::vector<Column> out;
  for (const std::string& name : names) {
    const policy::Column* const column = declared->find(name);
    if (column == nullptr) {
      std::vector<std::string> known;
      for (const policy::Column& other : declared->columns) known.push_back(other.name);
      return Error{Code::kNotFound, "table " + in_quotes(table) + " declares no column " +
                                        in_quotes(name) + did_you_mean(name, known)};
    }
    Column one{.name = name};
    if (is_category(*column)) {
      for (const Value& value : listed(*column)) {
        one.categories.push_back(policy::to_string(value));
      }
    } else if (column->type == Type::kTimestamp) {
      return Error{Code::kUnsupported, "column " + in_quotes(name) +
                                           " is a timestamp, which cannot be learned from; offer "
                                           "its date, or its hour, as a column of the source"};
    } else if (column->grid) {
      one.low = column->grid->low.to_double(Round::kDown);
      one.high = column->grid->high.to_double(Round::kUp);
      one.is_date = column->type == Type::kDate;
      one.step = column->grid->step.to_double(Round::kDown);
    } else {
      return Error{Code::kRefused, "column " + in_quotes(name) +
                                       " declares neither a range nor a list of values; declare "
                                       "one in the policy (a domain never comes from the data)"};
    }
    DISCREET_TRY(check_column(one));
    out.push_back(std::move(one));
  }
  return out;
}

plan::Plan rows_plan(const policy::Policy& policy, const std::string& table,
                     const std::vector<std::string>& names) {
  plan::Plan out;
  out.source.tables.push_back({.table = table, .alias = table, .on = {}});
  // A column passes the checker as its sum would; the price of these sums is not what is charged.
  out.epsilon = Epsilon::trusted(1'000'000);
  for (const std::string& name : names) {
    const policy::Column& column = *policy.find(table)->find(name);
    Expr expr = Expr::column(0, name);
    if (is_category(column)) {
      std::vector<Expr> cases{Expr::of(Op::kIsNull, {expr}),
                              Expr::literal({std::monostate(), Type::kInteger})};
      std::int64_t place = 0;
      for (const Value& value : listed(column)) {
        cases.push_back(Expr::of(Op::kEqual, {expr, Expr::literal(value)}));
        cases.push_back(Expr::literal(whole(place++)));
      }
      cases.push_back(Expr::literal(whole(place)));
      expr = Expr::of(Op::kCase, std::move(cases));
    } else if (column.type == Type::kDate) {
      expr = plan::days_from_start(*policy.find(table), name);
    }
    plan::Measurement measurement;
    measurement.kind = plan::MeasureKind::kSum;
    measurement.argument = std::move(expr);
    out.measurements.push_back(std::move(measurement));
  }
  return out;
}

Certificate CheckedLesson::certificate(const Lesson& lesson, const policy::Policy& policy,
                                       std::string receipt) const {
  const Charge& charge = training.rows.charge();
  return {.units = charge.units().name,
          .neighbours = to_string(charge.units().neighbours),
          .snapshot = policy.snapshot,
          .epsilon = lesson.training.epsilon.to_string(),
          .delta = lesson.training.delta.to_string(),
          .noise = training.terms.noise().text,
          .receipt = std::move(receipt)};
}

Result<CheckedLesson> check_lesson(const policy::Policy& policy, ledger::Ledger& ledger,
                                   const Lesson& lesson) {
  const std::string request =
      lesson.request_id.empty() ? ledger.fresh_request_id() : lesson.request_id;
  DISCREET_ASSIGN(plan::CheckedTraining checked,
                  plan::Checker::check_training(rows_plan(policy, lesson.table, lesson.columns),
                                                lesson.training, policy, request));
  const Hash& plan = checked.rows.charge().plan();
  const Hash key =
      ledger::sha256("learn\n" + lesson.text + "\n" + std::string(plan.begin(), plan.end()));
  return CheckedLesson{std::move(checked),
                       {.analyst = lesson.analyst,
                        .key = std::string(key.begin(), key.end()),
                        .snapshot = policy.snapshot,
                        .takes_over = true}};
}

Result<void> check_before_charge(ledger::Ledger& ledger, engine::Engine& engine,
                                 const CheckedLesson& checked, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const ledger::Quote quote,
                  ledger.quote(checked.training.rows.charge(), checked.question));
  if (quote.repeat || !quote.fits) return {};
  return engine::check_ready(engine, checked.training.rows, log);
}

Result<Sensitive<mechanism::UnitRows>> rows_for(const ledger::Paid& paid, ledger::Ledger& ledger,
                                                engine::Engine& engine,
                                                const CheckedLesson& checked,
                                                const engine::OwnerLog& log) {
  const engine::TimedLog timed(log);
  auto rows = engine.rows(checked.training, timed.log());
  if (rows) return rows;
  if (timed.ran_out()) DISCREET_TRY(ledger.end_charge(paid));
  return paid.failed(rows.error());
}

Result<Taught> teach(const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine,
                     const Lesson& lesson, const engine::OwnerLog& log,
                     const std::function<Result<std::string>(Sums&, const Certificate&)>& fit) {
  DISCREET_ASSIGN(const CheckedLesson checked, check_lesson(policy, ledger, lesson));
  DISCREET_TRY(check_before_charge(ledger, engine, checked, log));
  DISCREET_ASSIGN(ledger::Outcome outcome,
                  ledger.charge(checked.training.rows.charge(), checked.question));
  if (const auto* const seen = std::get_if<ledger::Answer>(&outcome)) {
    return Taught{seen->bytes(), true};
  }
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  DISCREET_ASSIGN(const Sensitive<mechanism::UnitRows> rows,
                  rows_for(paid, ledger, engine, checked, log));
  if (paid.is_share()) {
    DISCREET_ASSIGN(const ledger::Answer answer, ledger.give_share(std::move(paid)));
    return Taught{answer.bytes(), answer.repeated()};
  }
  const Certificate certificate = checked.certificate(lesson, policy, paid.receipts.front().id());
  DISCREET_ASSIGN(ledger::Drawing drawing, ledger.begin_drawing(paid));
  DISCREET_ASSIGN(
      mechanism::ClippedSums series,
      mechanism::ClippedSums::open(checked.training.terms, std::move(paid.receipts.front())));
  Sums sums(std::move(series), rows);
  DISCREET_ASSIGN(std::string bytes, fit(sums, certificate));
  DISCREET_ASSIGN(const ledger::Answer answer, drawing.store(std::move(paid), std::move(bytes)));
  return Taught{answer.bytes(), answer.repeated()};
}

}  // namespace discreet::learn
