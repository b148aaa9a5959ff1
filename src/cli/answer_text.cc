// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_text.h"

#include <cstdlib>

#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;
using session::AnswerCell;
using session::AnswerSheet;

Cell cell(const std::optional<std::string>& text, bool is_number, const char* otherwise) {
  if (!text) return Cell::words(otherwise);
  return is_number ? Cell::number(*text) : Cell::words(*text);
}

/// value, low, high in columns of their own.
std::string for_programs(const AnswerSheet& sheet, report::Format format) {
  std::vector<std::string> names;
  for (const session::AnswerColumn& column : sheet.columns) {
    names.push_back(column.name);
    if (!column.has_interval) continue;
    names.push_back(column.name + "_low");
    names.push_back(column.name + "_high");
  }
  report::Table table(names);
  for (const auto& row : sheet.rows) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(cell(row[c].value, row[c].is_number, ""));
      if (!sheet.columns[c].has_interval) continue;
      cells.push_back(cell(row[c].low, row[c].is_number, ""));
      cells.push_back(cell(row[c].high, row[c].is_number, ""));
    }
    table.add(std::move(cells));
  }
  return table.render(format);
}

std::string interval(const AnswerCell& value) {
  if (!value.value) return "";
  if (!value.low && !value.high) return "unbounded";
  return value.low.value_or("...") + " to " + value.high.value_or("...");
}

std::string for_people(const AnswerSheet& sheet, report::Format format) {
  bool any_small = false;
  for (const bool small : sheet.small) any_small = any_small || small;
  std::vector<std::string> names;
  for (const session::AnswerColumn& column : sheet.columns) {
    names.push_back(column.name);
    if (column.has_interval) names.push_back("interval");
  }
  if (any_small) names.push_back("note");
  report::Table table(names);
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < sheet.rows[r].size(); ++c) {
      const AnswerCell& value = sheet.rows[r][c];
      cells.push_back(cell(value.value, value.is_number, "NULL"));
      if (sheet.columns[c].has_interval) cells.push_back(Cell::words(interval(value)));
    }
    if (any_small) cells.push_back(Cell::words(sheet.small[r] ? "too small to be useful" : ""));
    table.add(std::move(cells));
  }
  return table.render(format);
}

std::string price_text(const session::Answered& answered) {
  const AnswerSheet& sheet = answered.sheet;
  std::string text = (sheet.notion == "zcdp" ? "rho " : "epsilon ") + sheet.epsilon;
  if (sheet.delta != "0") text += ", delta " + sheet.delta;
  if (answered.repeated) return "nothing new: the stored answer (it had cost " + text + ")";
  return text + ", paid by " + sheet.analyst + " of " + sheet.units;
}

double number(const std::optional<std::string>& text, double otherwise) {
  return text ? std::strtod(text->c_str(), nullptr) : otherwise;
}

/// The keys of a row, but the last `values` columns, as one label.
std::string label_of(const std::vector<AnswerCell>& row, std::size_t values) {
  std::string label;
  for (std::size_t c = 0; c + values < row.size(); ++c) {
    label += (label.empty() ? "" : ", ") + row[c].value.value_or("NULL");
  }
  return label;
}

}  // namespace

std::string answer_text(const session::Answered& answered, report::Format format) {
  const AnswerSheet& sheet = answered.sheet;
  if (format == report::Format::kJson || format == report::Format::kCsv) {
    return for_programs(sheet, format);
  }
  std::string text = for_people(sheet, format);
  if (format != report::Format::kTable) return text;
  text += "\nprice       " + price_text(answered) + "\n";
  text += "confidence  " + sheet.confidence + " for each interval\n";
  for (const std::string& note : sheet.notes) text += "note        " + note + "\n";
  return text;
}

std::string explanation_text(const session::Explanation& explained, report::Format format) {
  report::Sheet sheet;
  const auto both = [&](const std::string& name, const std::string& text) {
    sheet.line(name, text).field(name, report::Cell::words(text));
  };
  both("protects", "one unit of " + explained.units + ", " + explained.neighbours);
  both("bounds", explained.bounds);
  both("keys", explained.keys);
  int number = 0;
  for (const session::ExplainedStep& step : explained.steps) {
    const std::string name = "measure " + std::to_string(++number);
    both(name, step.measurement + (step.error.empty() ? "" : "  " + step.error) + "  for " +
                   step.price + "\n            " + step.noise);
  }
  both("price", explained.price +
                    (explained.repeat ? ", but it was answered before: free for the total" : "") +
                    (explained.fits ? "" : ": MORE THAN WHAT IS LEFT"));
  both("left", explained.total_left + " in all; " + explained.analyst_left + " for this analyst");
  for (const std::string& note : explained.notes) both("note", note);
  both("sent", explained.sent);
  return sheet.render(format);
}

std::optional<report::Plot> answer_plot(const AnswerSheet& sheet) {
  if (sheet.rows.empty() || sheet.drawing == session::Drawing::kNone) return std::nullopt;
  report::Plot plot{.title = sheet.question, .y_scale = report::YScale::kLinear};
  if (sheet.drawing == session::Drawing::kHistogram) {
    plot.y_label = sheet.columns.back().name;
    for (const auto& row : sheet.rows) {
      const AnswerCell& count = row.back();
      const double height = number(count.value, 0);
      plot.bars.push_back({number(row[row.size() - 3].value, 0),
                           number(row[row.size() - 2].value, 0), height, number(count.low, height),
                           number(count.high, height)});
    }
    return plot;
  }
  for (const auto& row : sheet.rows) {
    const std::size_t first = row.size() - 5;
    const auto at = [&](std::size_t i) { return number(row[first + i].value, 0); };
    plot.boxes.push_back({label_of(row, 5), at(0), at(1), at(2), at(3), at(4)});
  }
  return plot;
}

}  // namespace discreet::cli
