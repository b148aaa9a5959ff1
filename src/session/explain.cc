// SPDX-License-Identifier: Apache-2.0
// What a question would do and cost, and how its error falls as epsilon grows. Nothing is charged.
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "plan/accuracy.h"
#include "plan/text_work.h"
#include "privacy/shown.h"
#include "session/draw.h"
#include "session/session.h"

namespace discreet::session {
namespace {

std::string measurement_name(const plan::Measurement& measurement, const plan::Source& source) {
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
    case plan::MeasureKind::kQuantile: {
      std::string text = "quantile(" + argument;
      for (const Rational& fraction : measurement.fractions) text += ", " + fraction.to_string();
      return text + ")";
    }
  }
  return "";
}

std::string error_text(const plan::ExpectedError& error) {
  if (error.half_width) return "±" + error.half_width->to_decimal(4, Round::kUp);
  if (error.ranks) return "±" + error.ranks->to_decimal(4, Round::kUp) + " ranks";
  return "";
}

/// "±12.3", supposing so many rows in a group.
std::string error_with(const sql::Output& output, const plan::Checked& checked,
                       const Supposed& supposed, const Confidence& confidence) {
  const double half = foreseen_half_width(output, checked, supposed, confidence);
  if (!std::isfinite(half)) return "unbounded";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "±%.4g", half);
  return text.data();
}

/// What is to be expected of an output. Of an average it depends on how many rows there are, which
/// is nobody's to know: then for some numbers of rows.
std::string output_error(const sql::Output& output, const plan::Checked& checked,
                         const Request& request) {
  const std::string start = "expected error of " + output.name + ": ";
  const auto with_rows = [&](double rows) {
    return error_with(output, checked, suppose_rows(checked, rows), request.confidence);
  };
  switch (error_kind(output.post)) {
    case ErrorKind::kRanks:
      return start + error_with(output, checked, {}, request.confidence) + " ranks";
    case ErrorKind::kValues:
      if (request.error && request.error->rows) {
        return start + with_rows(request.error->rows->to_double(Round::kDown)) +
               ", with about as many rows as --rows says";
      }
      return start + with_rows(100) + " with 100 rows in a group, " + with_rows(1'000) +
             " with 1,000, " + with_rows(10'000) + " with 10,000, " + with_rows(100'000) +
             " with 100,000; for another number see discreet curve --rows N";
    default:
      return start + error_with(output, checked, {}, request.confidence);
  }
}

std::string keys_text(const plan::Checked& checked) {
  if (checked.plan().keys.empty()) return "none: one row";
  if (checked.listed()) {
    return std::to_string(checked.listed()->size()) + " listed, all of them appear";
  }
  if (checked.threshold()) {
    const Confidence almost = Confidence::trusted(Rational::ratio(99, 100));
    return "found privately, by the noise of a measurement: a key appears from " +
           checked.threshold()->noise.shown_from(almost).get_str() +
           " units on, with 99% confidence";
  }
  return "found privately: a key is certain to appear from " +
         checked.selection()->always_from().get_str() + " units on";
}

}  // namespace

std::string bounds_text(const plan::Checked& checked) {
  const policy::ContributionBounds& bounds = checked.plan().bounds;
  if (checked.unit_column().empty()) return "a row is a unit";
  std::string text = "at most " + std::to_string(bounds.groups_per_unit) + " groups a unit and " +
                     std::to_string(bounds.rows_per_unit_and_group) + " rows in each" +
                     (bounds.declared ? "" : " (the safe default; declare `bounds` in the policy)");
  for (const ChargedUnits& larger : checked.charge().units().also) {
    text += ", and at most " + std::to_string(checked.members()->most) + " units of one of " +
            larger.name;
  }
  return text;
}

Result<Explanation> Session::explain(const Request& request) {
  DISCREET_ASSIGN(OwnerExplanation explanation, explain_to_owner(request));
  return std::move(explanation.analysts);
}

Result<OwnerExplanation> Session::explain_to_owner(const Request& request) {
  DISCREET_ASSIGN(const Settled settled, settle(request, {}, false));
  DISCREET_ASSIGN(const Prepared prepared, prepare(settled.request));
  const plan::Checked& checked = prepared.checked;
  DISCREET_ASSIGN(const ledger::OwnerQuote owners,
                  ledger_.owner_quote(checked.charge(), question_of(prepared, request)));
  const ledger::Quote& quote = owners.analysts;
  if (!quote.repeat) DISCREET_TRY(plan::check_joined_rows(checked.joined_rows(), policy_));
  if (!quote.repeat) DISCREET_TRY(plan::check_pattern_work(checked.plan()));
  DISCREET_ASSIGN(const ledger::State state, ledger_.state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const units,
                  state.find(checked.charge().units().name));
  const ledger::Notion notion = units->terms.notion;
  Explanation explanation{.units = checked.charge().units().name,
                          .neighbours = to_string(checked.charge().units().neighbours),
                          .bounds = bounds_text(checked),
                          .keys = keys_text(checked),
                          .steps = {},
                          .price = to_text(notion, quote.price, Round::kUp),
                          .cost = quote.price,
                          .left = to_text(notion, quote.left, Round::kDown),
                          .repeat = quote.repeat,
                          .retry = quote.retry,
                          .is_open = quote.is_open,
                          .fits = quote.fits,
                          .sent = engine_.explain(checked),
                          .notes = prepared.query.notes};
  if (std::string joined = plan::to_text(checked.joined_rows()); !joined.empty()) {
    explanation.notes.push_back(std::move(joined));
  }
  for (const std::string& note : settled.notes) explanation.notes.push_back(note);
  std::vector<std::string> also_left;
  for (std::size_t i = 0; i < quote.also.size(); ++i) {
    const ledger::Quote::Also& also = quote.also[i];
    DISCREET_ASSIGN(const ledger::NamespaceState* const larger, state.find(also.units));
    const ledger::Notion its = larger->terms.notion;
    explanation.notes.push_back(also.units +
                                " pays as well: " + to_text(its, also.price, Round::kUp));
    also_left.push_back("left of " + also.units + ": " +
                        to_text(its, owners.also_left[i], Round::kDown) + " in all, " +
                        to_text(its, also.left, Round::kDown) + " for " + request.analyst);
  }
  for (const std::string& note : notes_on_coins(checked)) explanation.notes.push_back(note);
  const std::vector<ChargeLine>& lines = checked.charge().lines();
  if (checked.selection()) {
    explanation.steps.push_back(
        {"which keys to show", lines.front().noise.text, shown_price(lines.front().cost), ""});
  }
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    const plan::Step& step = checked.steps()[i];
    const plan::ExpectedError error = plan::expected_error(step, request.confidence);
    const ChargeLine& line = lines[checked.line_of_step(i)];
    const bool finds = checked.threshold() && checked.threshold()->step == i;
    explanation.steps.push_back({measurement_name(step.measurement, checked.plan().source) +
                                     (finds ? ", and which keys to show" : ""),
                                 line.noise.text, shown_price(line.cost), error_text(error)});
    if (!step.counts) continue;
    const ChargeLine& counts = lines[checked.line_of_counts(i)];
    explanation.steps.push_back({"rows around " +
                                     measurement_name(step.measurement, checked.plan().source) +
                                     ", for intervals",
                                 counts.noise.text, shown_price(counts.cost), ""});
  }
  for (const sql::Output& output : prepared.query.outputs) {
    if (output.is_key || output.post.kind == sql::PostKind::kLiteral) continue;
    explanation.notes.push_back(output_error(output, checked, request));
  }
  return OwnerExplanation{.analysts = std::move(explanation),
                          .total_left = to_text(notion, owners.total_left, Round::kDown),
                          .fits = owners.fits,
                          .notes = std::move(also_left)};
}

Result<std::vector<CurvePoint>> Session::curve(const Request& request,
                                               const std::vector<Rational>& epsilons,
                                               const std::optional<Rational>& rows) {
  sql::Options options = request.options;
  if (!options.epsilon) options.epsilon = Epsilon::trusted(1);  // the curve's own ones follow
  DISCREET_ASSIGN(sql::Query query, sql::bind(request.sql, options, policy_));
  DISCREET_ASSIGN(const std::size_t first, first_value(query));
  const sql::Output& output = query.outputs[first];
  if (error_kind(output.post) == ErrorKind::kValues && !rows) {
    return invalid_input("the error of " + in_quotes(output.name) +
                         " depends on how many rows there are; say about how many with --rows N (a "
                         "public guess, or what was released)");
  }
  std::vector<CurvePoint> points;
  for (const Rational& epsilon : epsilons) {
    DISCREET_ASSIGN(query.plan.epsilon, Epsilon::of(epsilon));
    DISCREET_ASSIGN(const plan::Checked checked,
                    plan::Checker::check(query.plan, policy_, "curve"));
    const Supposed supposed =
        rows ? suppose_rows(checked, rows->to_double(Round::kDown)) : Supposed{};
    points.push_back({epsilon, foreseen_half_width(output, checked, supposed, request.confidence)});
  }
  return points;
}

}  // namespace discreet::session
