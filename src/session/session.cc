// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ledger/seal.h"
#include "plan/accuracy.h"
#include "session/draw.h"
#include "session/question_text.h"
#include "session/readings.h"

namespace discreet::session {
namespace {

Drawing drawing_of(sql::Drawing drawing) {
  switch (drawing) {
    case sql::Drawing::kHistogram:
      return Drawing::kHistogram;
    case sql::Drawing::kBoxplot:
      return Drawing::kBoxPlot;
    case sql::Drawing::kTable:
    case sql::Drawing::kTopK:
      break;
  }
  return Drawing::kNone;
}

/// The half-width that a question's first measurement must have.
Result<Rational> target_of(const WantedError& error) {
  if (!error.relative) return error.half_width;
  if (!error.about) {
    return invalid_input(
        "a relative error needs a number to be relative to; say it with --about N (a number that "
        "is public or was released), or give an absolute error");
  }
  return error.half_width * error.about->abs();
}

/// The measurement that an error is wanted of: the first value that is shown.
Result<std::size_t> first_measurement(const sql::Query& query) {
  for (const sql::Output& output : query.outputs) {
    if (output.is_key) continue;
    if (output.post.kind == sql::PostKind::kMeasurement) return output.post.index;
    if (output.post.kind == sql::PostKind::kQuantile) return output.post.args.front().index;
    break;
  }
  return Error{Code::kUnsupported,
               "an error can be asked for when the first value is a count, a sum or a quantile by "
               "itself; that of an average depends on how many rows there are, so give --epsilon"};
}

std::string name_of(const plan::Measurement& measurement, const plan::Source& source) {
  std::vector<std::string> tables;
  for (const plan::TableUse& use : source.tables) tables.push_back(use.alias);
  const std::string argument =
      measurement.argument ? plan::to_string(*measurement.argument, tables) : "*";
  switch (measurement.kind) {
    case plan::MeasureKind::kRows:
      return "rows(" + argument + ")";
    case plan::MeasureKind::kUnits:
      return "units";
    case plan::MeasureKind::kDistinct:
      return "distinct(" + argument + ")";
    case plan::MeasureKind::kSum:
      return "sum(" + argument +
             (measurement.centre.sign() == 0 ? "" : " - " + measurement.centre.to_string()) + ")";
    case plan::MeasureKind::kSquares:
      return "squares(" + argument + " - " + measurement.centre.to_string() + ")";
    case plan::MeasureKind::kQuantile:
      return "quantile(" + argument + ", " + measurement.fraction.to_string() +
             (measurement.side < 0 ? ", lower end" : (measurement.side > 0 ? ", upper end" : "")) +
             ")";
  }
  return "";
}

std::string error_text(const plan::ExpectedError& error) {
  if (error.half_width) return "±" + error.half_width->to_decimal(4, Round::kUp);
  if (error.ranks) return "±" + error.ranks->to_decimal(4, Round::kUp) + " ranks";
  return "";
}

std::string bounds_text(const plan::Checked& checked) {
  const policy::ContributionBounds& bounds = checked.plan().bounds;
  if (checked.unit_column().empty()) return "a row is a unit";
  return "at most " + std::to_string(bounds.groups_per_unit) + " groups a unit and " +
         std::to_string(bounds.rows_per_unit_and_group) + " rows in each" +
         (bounds.declared ? "" : " (the safe default; declare `bounds` in the policy)");
}

std::string keys_text(const plan::Checked& checked) {
  if (checked.plan().keys.empty()) return "none: one row";
  if (checked.listed()) {
    return std::to_string(checked.listed()->size()) + " listed, all of them appear";
  }
  return "found privately: a key is certain to appear from " +
         checked.selection()->always_from().get_str() + " units on";
}

}  // namespace

Result<Session::Prepared> Session::prepare(const Request& request) const {
  sql::Options options = request.options;
  options.confidence = request.confidence;
  if (request.error) {
    if (options.epsilon) return invalid_input("give --epsilon or --error, not both");
    options.epsilon = Epsilon::trusted(1);  // until the error has told how much it takes
  }
  DISCREET_ASSIGN(sql::Query query, sql::bind(request.sql, options, policy_));
  if (request.error) {
    DISCREET_ASSIGN(const Rational target, target_of(*request.error));
    DISCREET_ASSIGN(const std::size_t step, first_measurement(query));
    DISCREET_ASSIGN(query.plan.epsilon,
                    plan::least_epsilon(query.plan, policy_, step, target, request.confidence));
  }
  const std::string id =
      request.request_id.empty() ? ledger_.fresh_request_id() : request.request_id;
  DISCREET_ASSIGN(plan::Checked checked, plan::Checker::check(query.plan, policy_, id));
  return Prepared{std::move(query), std::move(checked)};
}

ledger::Question Session::question_of(const Prepared& prepared, const Request& request) const {
  const Hash hash = ledger::sha256(question_text(prepared.query, request.confidence));
  return {.analyst = request.analyst,
          .key = std::string(hash.begin(), hash.end()),
          .snapshot = policy_.snapshot};
}

Result<Answered> Session::ask(const Request& request, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const Prepared prepared, prepare(request));
  const ledger::Question question = question_of(prepared, request);
  const Charge& charge = prepared.checked.charge();
  DISCREET_ASSIGN(const ledger::Quote quote, ledger_.quote(charge, question));
  DISCREET_ASSIGN(ledger::Outcome outcome, ledger_.charge(charge, question));
  if (const auto* const seen = std::get_if<ledger::Answer>(&outcome)) {
    DISCREET_ASSIGN(AnswerSheet sheet, parse_answer(seen->bytes()));
    return Answered{std::move(sheet), seen->bytes(), true};
  }
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  DISCREET_ASSIGN(const Sensitive<mechanism::Groups> groups, engine_.run(prepared.checked, log));
  DISCREET_ASSIGN(const Drawn drawn, draw(prepared.checked, groups, std::move(paid.receipts)));

  AnswerSheet sheet;
  const std::vector<sql::Group> readings = readable(prepared.checked, drawn, request.confidence);
  for (const sql::Output& output : prepared.query.outputs) {
    sheet.columns.push_back({output.name, output.is_key, !output.is_key});
  }
  for (const sql::Line& line : sql::arrange(prepared.query, readings)) {
    std::vector<AnswerCell> row;
    bool small = false;
    for (std::size_t c = 0; c < line.cells.size(); ++c) {
      const sql::Output& output = prepared.query.outputs[c];
      row.push_back(cell_of(line.cells[c], output));
      small = small || is_small(line.cells[c], output);
    }
    sheet.rows.push_back(std::move(row));
    sheet.small.push_back(small);
  }
  sheet.drawing = drawing_of(prepared.query.drawing);
  sheet.question = request.sql;
  sheet.units = charge.units().name;
  sheet.neighbours = to_string(charge.units().neighbours);
  sheet.analyst = request.analyst;
  sheet.snapshot = policy_.snapshot;
  sheet.confidence = request.confidence.to_string();
  sheet.epsilon = quote.price.amount.to_string();
  sheet.delta = quote.price.delta.to_string();
  sheet.charge = std::to_string(paid.charge());
  for (const ChargeLine& line : charge.lines()) sheet.noise.push_back(line.noise.text);
  sheet.notes = prepared.query.notes;
  if (!prepared.checked.unit_column().empty()) {
    sheet.notes.push_back("counts " + bounds_text(prepared.checked) +
                          "; further rows are left out");
  }
  if (!prepared.checked.listed()) {
    sheet.notes.push_back(
        "keys were found privately; intervals hold for each value, not given that its key "
        "appeared");
  }
  DISCREET_ASSIGN(const ledger::State state, ledger_.state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const units, state.find(charge.units().name));
  sheet.notion = std::string(to_string(units->terms.notion));
  DISCREET_ASSIGN(const ledger::Answer answer, ledger_.store(std::move(paid), to_json(sheet)));
  if (!answer.repeated()) return Answered{std::move(sheet), answer.bytes(), false};
  // Somebody else was faster: what is stored is the answer (L5).
  DISCREET_ASSIGN(AnswerSheet stored, parse_answer(answer.bytes()));
  return Answered{std::move(stored), answer.bytes(), true};
}

Result<Explanation> Session::explain(const Request& request) {
  DISCREET_ASSIGN(const Prepared prepared, prepare(request));
  const plan::Checked& checked = prepared.checked;
  DISCREET_ASSIGN(const ledger::Quote quote,
                  ledger_.quote(checked.charge(), question_of(prepared, request)));
  DISCREET_ASSIGN(const ledger::State state, ledger_.state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const units,
                  state.find(checked.charge().units().name));
  const ledger::Notion notion = units->terms.notion;
  Explanation explanation{.units = checked.charge().units().name,
                          .neighbours = to_string(checked.charge().units().neighbours),
                          .bounds = bounds_text(checked),
                          .keys = keys_text(checked),
                          .steps = {},
                          .price = to_text(notion, quote.price),
                          .total_left = to_text(notion, quote.total_left),
                          .analyst_left = to_text(notion, quote.analyst_left),
                          .repeat = quote.repeat,
                          .fits = quote.fits,
                          .sent = engine_.explain(checked),
                          .notes = prepared.query.notes};
  const std::vector<ChargeLine>& lines = checked.charge().lines();
  if (checked.selection()) {
    explanation.steps.push_back(
        {"which keys to show", lines.front().noise.text, to_string(lines.front().cost), ""});
  }
  const std::size_t first = checked.selection() ? 1 : 0;
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    const plan::Step& step = checked.steps()[i];
    const plan::ExpectedError error = plan::expected_error(step, request.confidence);
    explanation.steps.push_back({name_of(step.measurement, checked.plan().source),
                                 lines[first + i].noise.text, to_string(lines[first + i].cost),
                                 error_text(error)});
  }
  return explanation;
}

Result<std::vector<std::pair<Rational, Rational>>> Session::curve(
    const Request& request, const std::vector<Rational>& epsilons) {
  sql::Options options = request.options;
  if (!options.epsilon) options.epsilon = Epsilon::trusted(1);  // the curve's own ones follow
  DISCREET_ASSIGN(sql::Query query, sql::bind(request.sql, options, policy_));
  DISCREET_ASSIGN(const std::size_t first, first_measurement(query));
  std::vector<std::pair<Rational, Rational>> points;
  for (const Rational& epsilon : epsilons) {
    DISCREET_ASSIGN(query.plan.epsilon, Epsilon::of(epsilon));
    DISCREET_ASSIGN(const plan::Checked checked,
                    plan::Checker::check(query.plan, policy_, "curve"));
    const auto width = plan::expected_error(checked.steps()[first], request.confidence).half_width;
    if (!width) {
      return Error{Code::kUnsupported,
                   "the error of a quantile is one of rank, which data turns into a value; a curve "
                   "can be drawn for counts and sums"};
    }
    points.emplace_back(epsilon, *width);
  }
  return points;
}

}  // namespace discreet::session
