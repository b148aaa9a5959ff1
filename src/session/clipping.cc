// SPDX-License-Identifier: Apache-2.0
#include "session/clipping.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <variant>

#include "policy/value.h"
#include "sql/post.h"

namespace discreet::session {
namespace {

using plan::MeasureKind;
using plan::Step;
using sql::Number;

/// At an end: within this part of the range's width.
constexpr double kNear = 0.02;
/// An interval wider than this part of the range says nothing about its ends.
constexpr double kVague = 0.1;

/// By the policy's names, never by the asker's: the answer is stored for everybody.
std::string name_of(const plan::Expr& argument, const plan::Source& source) {
  std::vector<std::string> tables;
  for (const plan::TableUse& use : source.tables) {
    if (use.is_subquery()) return "the values";  // its fields have the asker's names
    tables.push_back(source.tables.size() == 1 ? "" : use.table);
  }
  return plan::to_string(argument, tables);
}

const policy::Grid& range_of(const Step& step) {
  return step.measurement.clamp ? *step.measurement.clamp : *step.shape.grid;
}

class Judge {
 public:
  Judge(const plan::Checked& checked, const sql::Group& group) : checked_(checked), group_(group) {}

  void look(const sql::Post& post) {
    if (post.kind == sql::PostKind::kAverage) {
      const std::size_t sum = post.args.front().index;
      judge(sum, sql::evaluate(post, group_.keys, group_.readings), "the mean");
    } else if (post.kind == sql::PostKind::kQuantile) {
      quantile(post);
    } else if (post.kind == sql::PostKind::kMeasurement) {
      sum(post.index);
    }
    for (const sql::Post& arg : post.args) look(arg);
  }

  /// "a; b"
  std::string words() const {
    std::string out;
    for (const std::string& word : words_) out += (out.empty() ? "" : "; ") + word;
    return out;
  }

 private:
  /// A sum and the rows that it is over, where both were released.
  void sum(std::size_t index) {
    const Step& step = checked_.steps()[index];
    if (step.measurement.kind != MeasureKind::kSum) return;
    for (std::size_t i = 0; i < checked_.steps().size(); ++i) {
      const plan::Measurement& rows = checked_.steps()[i].measurement;
      if (rows.kind != MeasureKind::kRows) continue;
      if (rows.argument && rows.argument != step.measurement.argument) continue;
      sql::Post mean = sql::Post::of(sql::PostKind::kAverage,
                                     {sql::Post::measurement(index), sql::Post::measurement(i)});
      mean.centre = step.measurement.centre;
      mean.low = range_of(step).low;
      mean.high = range_of(step).high;
      judge(index, sql::evaluate(mean, group_.keys, group_.readings), "the mean");
      return;
    }
  }

  void quantile(const sql::Post& post) {
    const sql::Post& which = post.args.front();
    const plan::Measurement& measurement = checked_.steps()[which.index].measurement;
    sql::Number point = group_.readings(which, 1);
    // It lies at an end or it does not: the width of its interval is one of values.
    point.low = point.high = point.value;
    const Rational percent = measurement.fractions[which.number] * Rational(100);
    judge(which.index, point, "the " + percent.to_string() + "% quantile");
  }

  void judge(std::size_t index, const sql::Cell& cell, const std::string& what) {
    const auto* const number = std::get_if<Number>(&cell);
    const Step& step = checked_.steps()[index];
    if (number == nullptr || !step.measurement.argument) return;
    const policy::Grid& range = range_of(step);
    const double low = range.low.to_double(Round::kDown);
    const double high = range.high.to_double(Round::kUp);
    const double width = high - low;
    if (number->high - number->low > 2 * kVague * width) return;
    if (number->value >= high - kNear * width) add(step, what, "upper", range.high);
    // A range that starts at 0 mostly starts there because nothing is below.
    if (number->value <= low + kNear * width && range.low.sign() != 0) {
      add(step, what, "lower", range.low);
    }
  }

  void add(const Step& step, const std::string& what, const char* side, const Rational& bound) {
    words_.insert(what + " of " + name_of(*step.measurement.argument, checked_.plan().source) +
                  " is at the " + side + " bound " +
                  policy::to_string(policy::number_value(step.shape.type, bound)) +
                  ": values beyond it were probably cut off");
  }

  const plan::Checked& checked_;
  const sql::Group& group_;
  std::set<std::string> words_;
};

/// Bins that stand beside each other in the answer: is the one at the end of the range far above?
bool towers(const Number& end, const Number& beside) {
  return end.value > 2 * beside.value && end.low > beside.high && end.low > 0;
}

void judge_bins(const std::vector<sql::Line>& lines, const policy::Grid& range,
                std::vector<std::string>& out) {
  const auto number = [&](std::size_t line, std::size_t from_the_back) {
    const std::vector<sql::Cell>& cells = lines[line].cells;
    return std::get_if<Number>(&cells[cells.size() - from_the_back]);
  };
  const double low = range.low.to_double(Round::kDown);
  const double high = range.high.to_double(Round::kDown);
  const double hair = (high - low) * 1e-9;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const bool upper : {false, true}) {
      if (upper ? i == 0 : i + 1 == lines.size()) continue;
      const std::size_t beside = upper ? i - 1 : i + 1;
      const Number* const edge = number(i, upper ? 2 : 3);
      const Number* const inner = number(i, upper ? 3 : 2);
      const Number* const next = number(beside, upper ? 2 : 3);
      const Number* const rows = number(i, 1);
      const Number* const others = number(beside, 1);
      if (edge == nullptr || inner == nullptr || next == nullptr || rows == nullptr ||
          others == nullptr) {
        continue;
      }
      const bool at_end = std::abs(edge->value - (upper ? high : low)) <= hair;
      const bool adjacent = std::abs(next->value - inner->value) <= hair;
      if (!at_end || !adjacent || (!upper && range.low.sign() == 0)) continue;
      if (towers(*rows, *others)) {
        out[i] = std::string("the ") + (upper ? "last" : "first") +
                 " bin stands out: values beyond the range were probably cut off into it";
      }
    }
  }
}

void columns_of(const plan::Expr& expr, const plan::Checked& checked,
                std::set<std::string>& notes) {
  if (expr.op == plan::Op::kColumn) {
    const std::string& name = checked.plan().source.tables[expr.table].table;
    const policy::Table* const table = checked.policy().find(name);
    const policy::Column* const column = table == nullptr ? nullptr : table->find(expr.name);
    if (column != nullptr && column->grid && !column->bought.empty()) {
      notes.insert("the range of " + expr.name + " was bought: " + column->bought);
    }
  }
  for (const plan::Expr& arg : expr.args) columns_of(arg, checked, notes);
}

}  // namespace

std::vector<std::string> clipping(const sql::Query& query, const plan::Checked& checked,
                                  const std::vector<sql::Line>& lines,
                                  const std::vector<sql::Group>& groups) {
  std::vector<std::string> out(lines.size());
  if (query.drawing == sql::Drawing::kHistogram) {
    for (const plan::Key& key : checked.plan().keys) {
      if (key.expr.op == plan::Op::kBucket && key.expr.grid) judge_bins(lines, *key.expr.grid, out);
    }
    return out;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Judge judge(checked, groups[lines[i].group]);
    for (const sql::Output& output : query.outputs) {
      if (!output.is_key) judge.look(output.post);
    }
    out[i] = judge.words();
  }
  return out;
}

std::vector<std::string> bought_ranges(const plan::Checked& checked) {
  std::set<std::string> notes;
  for (const Step& step : checked.steps()) {
    if (step.measurement.argument) columns_of(*step.measurement.argument, checked, notes);
  }
  return {notes.begin(), notes.end()};
}

}  // namespace discreet::session
