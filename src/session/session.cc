// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ledger/seal.h"
#include "plan/accuracy.h"
#include "plan/text_work.h"
#include "privacy/shown.h"
#include "session/clipping.h"
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

std::vector<std::string> released_of(const plan::Checked& checked, const Drawn& drawn,
                                     std::size_t group) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    const plan::Step& step = checked.steps()[i];
    for (std::size_t n = 0; n < step.measurement.numbers(); ++n) {
      const Rational integer(drawn.number(checked, i, group, n));
      out.push_back(plan::in_units(step, integer).to_string());
    }
  }
  return out;
}

/// The table, from released values.
void fill_rows(const sql::Query& query, const plan::Checked& checked, const Drawn& drawn,
               const Confidence& confidence, AnswerSheet& sheet) {
  const std::vector<sql::Group> groups = readable(checked, drawn, confidence);
  for (const sql::Output& output : query.outputs) {
    sheet.columns.push_back({output.name, output.is_key, !output.is_key, output.type});
  }
  const std::vector<sql::Line> lines = sql::arrange(query, groups);
  for (const sql::Line& line : lines) {
    std::vector<AnswerCell> row;
    std::size_t values = 0;
    std::size_t small = 0;
    for (std::size_t c = 0; c < line.cells.size(); ++c) {
      const sql::Output& output = query.outputs[c];
      row.push_back(cell_of(line.cells[c], output));
      const auto* const number = std::get_if<sql::Number>(&line.cells[c]);
      if (output.is_key || number == nullptr || number->low == number->high) continue;
      ++values;
      if (is_small(line.cells[c], output)) ++small;
    }
    sheet.rows.push_back(std::move(row));
    // One value that is mostly noise does not make a row useless: its error stands beside it.
    sheet.small.push_back(values > 0 && small == values);
    sheet.released.push_back(released_of(checked, drawn, line.group));
  }
  sheet.clipped = clipping(query, checked, lines, groups);
  sheet.drawing = drawing_of(query.drawing);
}

/// Whether a value is made of an average or a variance.
bool averages(const sql::Post& post) {
  return post.kind == sql::PostKind::kAverage || post.kind == sql::PostKind::kVariance ||
         std::ranges::any_of(post.args, averages);
}

/// Whether some average is NULL, which is for want of rows.
bool lacks_rows(const sql::Query& query, const AnswerSheet& sheet) {
  for (std::size_t c = 0; c < query.outputs.size(); ++c) {
    if (!averages(query.outputs[c].post)) continue;
    const auto is_null = [c](const auto& row) { return !row[c].value; };
    if (std::ranges::any_of(sheet.rows, is_null)) return true;
  }
  return false;
}

/// How an answer is made: of the question and the policy alone. It is not stored, since two ways of
/// writing one question have other notes, which would tell who of two bought it first.
std::vector<std::string> notes_of(const sql::Query& query, const plan::Checked& checked,
                                  const ledger::Quote& quote) {
  std::vector<std::string> notes = query.notes;
  if (!checked.unit_column().empty()) {
    const auto& tables = checked.plan().source.tables;
    const bool made =
        std::ranges::any_of(tables, [](const plan::TableUse& use) { return use.is_subquery(); });
    notes.push_back("counts " + bounds_text(checked) + "; further rows are left out" +
                    (made ? " (rows of a subquery are meant, and where "
                            "contribution_bounds_per_group are given a unit's total in a "
                            "group is one row: those bounds hold for it)"
                          : ""));
  }
  if (std::string joined = plan::to_text(checked.joined_rows()); !joined.empty()) {
    notes.push_back(std::move(joined));
  }
  if (checked.listed() && !checked.plan().keys.empty()) {
    notes.push_back(
        "the groups are those that are listed: rows whose key is NULL or none of them are in none");
  }
  if (checked.selection()) {
    notes.push_back(
        "keys were found privately, by coins of their own: intervals hold for each value that "
        "appears");
  }
  if (checked.threshold()) {
    notes.push_back(
        "keys were found privately, by the noise of their values: intervals hold for each value, "
        "not given that its key appeared; where few units share a key that did, values are more "
        "often too high than too low");
  }
  for (const std::string& note : bought_ranges(checked)) notes.push_back(note);
  for (const std::string& note : notes_on_coins(checked)) notes.push_back(note);
  for (const ledger::Quote::Also& also : quote.also) {
    notes.push_back("charged to " + also.units + " as well: epsilon or rho " +
                    shown(also.price.amount.value(), Round::kUp) + ", delta " +
                    shown(also.price.delta.value(), Round::kUp));
  }
  return notes;
}

}  // namespace

Result<Session::Prepared> Session::prepare(const Request& request) const {
  sql::Options options = request.options;
  DISCREET_ASSIGN(sql::Query query, sql::bind(request.sql, options, policy_));
  const std::string id =
      request.request_id.empty() ? ledger_.fresh_request_id() : request.request_id;
  DISCREET_ASSIGN(plan::Checked checked, plan::Checker::check(query.plan, policy_, id, facts()));
  return Prepared{std::move(query), std::move(checked)};
}

plan::Multiplicity Session::facts() const {
  return [this](const std::string& table, const std::vector<std::string>& columns) {
    return engine_.multiplicity(policy_, table, columns, {});
  };
}

ledger::Question Session::question_of(const Prepared& prepared, const Request& request) const {
  QuestionKeys keys = question_keys(prepared.query, request.confidence);
  return {.analyst = request.analyst,
          .key = std::move(keys.key),
          .snapshot = policy_.snapshot,
          .older_keys = std::move(keys.older),
          .takes_over = true};
}

Result<Answered> Session::ask(const Request& request, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(Settled settled, settle(request, log, true));
  DISCREET_ASSIGN(Answered answered, ask_settled(settled.request, log));
  answered.question = request.sql;
  answered.analyst = request.analyst;
  answered.notes = std::move(settled.notes);
  return answered;
}

Result<Answered> Session::ask_settled(const Request& request, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const Prepared prepared, prepare(request));
  const plan::Checked& checked = prepared.checked;
  const ledger::Question question = question_of(prepared, request);
  const Charge& charge = checked.charge();
  DISCREET_ASSIGN(const ledger::Quote quote, ledger_.quote(charge, question));
  // What was bought stays bought, whatever it joins.
  if (!quote.repeat) {
    DISCREET_TRY(plan::check_joined_rows(checked.joined_rows(), policy_));
    DISCREET_TRY(plan::check_pattern_work(checked.plan()));
    if (quote.fits) DISCREET_TRY(engine::check_ready(engine_, checked, log));
  }
  DISCREET_ASSIGN(ledger::Outcome outcome, ledger_.charge(charge, question));
  const auto stored = [&](const ledger::Answer& answer) -> Result<Answered> {
    DISCREET_ASSIGN(AnswerSheet sheet, parse_answer(answer.bytes()));
    Answered answered{std::move(sheet), answer.bytes(), answer.repeated()};
    answered.made = notes_of(prepared.query, checked, quote);
    // What was stored up to 0.9 has them itself.
    std::erase_if(answered.made, [&](const std::string& note) {
      return std::ranges::find(answered.sheet.notes, note) != answered.sheet.notes.end();
    });
    answered.charge = answer.charge();
    answered.receipt = answer.receipt();
    return answered;
  };
  if (const auto* const seen = std::get_if<ledger::Answer>(&outcome)) return stored(*seen);
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  // Everything that can fail comes before the first draw, and afterwards there is one append (L11).
  const engine::TimedLog timed(log);
  const Result<Sensitive<mechanism::Groups>> groups = engine_.run(checked, timed.log());
  if (!groups) {
    if (timed.ran_out()) DISCREET_TRY(ledger_.end_charge(paid));
    return paid.failed(groups.error());
  }
  if (paid.is_share()) {
    DISCREET_ASSIGN(const ledger::Answer answer, ledger_.give_share(std::move(paid)));
    return stored(answer);
  }
  DISCREET_ASSIGN(const ledger::State state, ledger_.state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const units, state.find(charge.units().name));
  DISCREET_ASSIGN(ledger::Drawing drawing, ledger_.begin_drawing(paid));
  DISCREET_ASSIGN(const Drawn drawn, draw(checked, *groups, std::move(paid.receipts)));

  AnswerSheet sheet;
  fill_rows(prepared.query, checked, drawn, request.confidence, sheet);
  if (lacks_rows(prepared.query, sheet)) sheet.notes.push_back(kNoteOfNoRows);
  sheet.units = charge.units().name;
  sheet.neighbours = to_string(charge.units().neighbours);
  sheet.snapshot = policy_.snapshot;
  sheet.confidence = request.confidence.to_string();
  sheet.epsilon = shown(quote.price.amount.value(), Round::kUp);
  sheet.delta = shown(quote.price.delta.value(), Round::kUp);
  for (const ChargeLine& line : charge.lines()) sheet.noise.push_back(line.noise.text);
  sheet.notion = std::string(to_string(units->terms.notion));
  // What is stored is the answer; when somebody else was faster, that is theirs (L5).
  DISCREET_ASSIGN(const ledger::Answer answer, drawing.store(std::move(paid), to_json(sheet)));
  return stored(answer);
}

}  // namespace discreet::session
