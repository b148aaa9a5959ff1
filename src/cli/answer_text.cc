// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "engine/duckdb/parquet_file.h"
#include "policy/value.h"
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
  names.insert(names.end(), {"too_small", "clipped"});
  report::Table table(names);
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    const std::vector<AnswerCell>& row = sheet.rows[r];
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(cell(row[c].value, row[c].is_number, ""));
      if (!sheet.columns[c].has_interval) continue;
      cells.push_back(cell(row[c].low, row[c].is_number, ""));
      cells.push_back(cell(row[c].high, row[c].is_number, ""));
    }
    cells.push_back(Cell::words(sheet.small[r] ? "yes" : ""));
    cells.push_back(Cell::words(sheet.clipped[r]));
    table.add(std::move(cells));
  }
  return table.render(format);
}

std::string interval(const AnswerCell& value) {
  if (!value.value) return "";
  if (!value.low && !value.high) return "unbounded";
  return value.low.value_or("...") + " to " + value.high.value_or("...");
}

double number(const std::optional<std::string>& text, double otherwise) {
  return text ? std::strtod(text->c_str(), nullptr) : otherwise;
}

/// How large the noise is beside the value: ", 4 %". Groups are compared by it.
std::string relative(const AnswerCell& value) {
  if (!value.is_number || !value.value || !value.low || !value.high) return "";
  const double size = std::abs(number(value.value, 0));
  const double half = (number(value.high, 0) - number(value.low, 0)) / 2;
  std::array<char, 32> text{};
  if (size <= 0 || half / size >= 10) return ", above 999 %";
  std::snprintf(text.data(), text.size(), half / size < 0.0995 ? ", %.1f %%" : ", %.0f %%",
                100 * half / size);
  return text.data();
}

bool has_groups(const AnswerSheet& sheet) {
  return std::ranges::any_of(sheet.columns,
                             [](const session::AnswerColumn& column) { return column.is_key; });
}

/// What is to be known of a row beside its numbers.
std::string mark_of(const AnswerSheet& sheet, std::size_t r) {
  const std::string small = sheet.small[r] ? "too small to be useful" : "";
  return small + (small.empty() || sheet.clipped[r].empty() ? "" : "; ") + sheet.clipped[r];
}

std::string for_people(const AnswerSheet& sheet, report::Format format) {
  const bool grouped = has_groups(sheet) && sheet.drawing != session::Drawing::kBoxPlot;
  bool any_mark = false;
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    any_mark = any_mark || !mark_of(sheet, r).empty();
  }
  std::vector<std::string> names;
  for (const session::AnswerColumn& column : sheet.columns) {
    names.push_back(column.name);
    if (column.has_interval) names.push_back(grouped ? "interval, error" : "interval");
  }
  if (any_mark) names.push_back("note");
  report::Table table(names);
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < sheet.rows[r].size(); ++c) {
      const AnswerCell& value = sheet.rows[r][c];
      cells.push_back(cell(value.value, value.is_number, "NULL"));
      if (!sheet.columns[c].has_interval) continue;
      cells.push_back(Cell::words(interval(value) + (grouped ? relative(value) : "")));
    }
    if (any_mark) cells.push_back(Cell::words(mark_of(sheet, r)));
    table.add(std::move(cells));
  }
  return table.render(format);
}

std::string price_text(const session::Answered& answered) {
  const AnswerSheet& sheet = answered.sheet;
  std::string text = (sheet.notion == "zcdp" ? "rho " : "epsilon ") + sheet.epsilon;
  if (sheet.delta != "0") text += ", delta " + sheet.delta;
  if (answered.repeated) return "nothing new: the stored answer (it had cost " + text + ")";
  return text + ", paid by " + answered.analyst + " of " + sheet.units;
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
  for (const std::string& note : answered.notes) text += "note        " + note + "\n";
  for (const std::string& note : answered.made) text += "note        " + note + "\n";
  for (const std::string& note : sheet.notes) text += "note        " + note + "\n";
  return text;
}

Result<std::string> answer_parquet(const session::Answered& answered) {
  using engine::duckdb::ParquetColumn;
  const AnswerSheet& sheet = answered.sheet;
  std::vector<ParquetColumn> columns;
  for (const session::AnswerColumn& column : sheet.columns) {
    columns.push_back({column.name, column.type});
    if (!column.has_interval) continue;
    columns.push_back({column.name + "_low", column.type});
    columns.push_back({column.name + "_high", column.type});
  }
  columns.push_back({"too_small", policy::Type::kBoolean});
  columns.push_back({"clipped", policy::Type::kText});
  std::vector<std::vector<std::optional<std::string>>> rows;
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    std::vector<std::optional<std::string>> cells;
    for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
      const AnswerCell& value = sheet.rows[r][c];
      cells.push_back(value.value);
      if (!sheet.columns[c].has_interval) continue;
      cells.push_back(value.low);
      cells.push_back(value.high);
    }
    cells.emplace_back(sheet.small[r] ? "true" : "false");
    cells.emplace_back(sheet.clipped[r]);
    rows.push_back(std::move(cells));
  }
  return engine::duckdb::parquet_bytes(columns, rows);
}

std::string explanation_text(const session::OwnerExplanation& owners, report::Format format) {
  report::Sheet sheet;
  // A sheet's line is one line: the others of a longer text follow it without a label.
  const session::Explanation& explained = owners.analysts;
  const auto both = [&](const std::string& name, const std::string& text) {
    std::string label = name;
    for (std::size_t from = 0; from < text.size() || from == 0;) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      sheet.line(std::exchange(label, ""), text.substr(from, end - from));
      from = end + 1;
    }
    sheet.field(name, report::Cell::words(text));
  };
  both("protects", "one unit of " + explained.units + ", " + explained.neighbours);
  both("bounds", explained.bounds);
  both("keys", explained.keys);
  int number = 0;
  for (const session::ExplainedStep& step : explained.steps) {
    const std::string name = "measure " + std::to_string(++number);
    both(name, step.measurement + (step.error.empty() ? "" : "  " + step.error) + "  for " +
                   step.price + "\n" + step.noise);
  }
  both("price", explained.price +
                    (explained.repeat ? ", but you have its answer: free"
                     : explained.retry
                         ? ", but it was charged before and has no answer yet: asking again is free"
                         : "") +
                    (owners.fits ? "" : ": MORE THAN WHAT IS LEFT"));
  both("left", owners.total_left + " in all; " + explained.left + " for this analyst");
  for (const std::string& note : explained.notes) both("note", note);
  for (const std::string& note : owners.notes) both("note", note);
  both("sent", explained.sent);
  return sheet.render(format);
}

namespace {

std::string moment_text(double steps, policy::Type type) {
  return policy::to_string({Rational(static_cast<std::int64_t>(std::llround(steps))), type});
}

/// Dates and timestamps are drawn by their steps and written as what they are.
std::string (*written_as(policy::Type type))(double) {
  if (type == policy::Type::kDate) {
    return [](double steps) { return moment_text(steps, policy::Type::kDate); };
  }
  if (type == policy::Type::kTimestamp) {
    return [](double steps) { return moment_text(steps, policy::Type::kTimestamp); };
  }
  return nullptr;
}

double drawn_at(const std::optional<std::string>& text, policy::Type type) {
  if (!text || written_as(type) == nullptr) return number(text, 0);
  const auto value = policy::parse_value(type, *text);
  return value ? value->number().to_double(Round::kDown) : 0;
}

std::vector<report::Plot> histograms(const session::Answered& answered) {
  const AnswerSheet& sheet = answered.sheet;
  std::vector<std::string> labels;
  std::vector<report::Plot> plots;
  const policy::Type type = sheet.columns[sheet.columns.size() - 3].type;
  for (const auto& row : sheet.rows) {
    // Beside bin_from, bin_to and rows there are the columns of GROUP BY.
    const std::string label = label_of(row, 3);
    const auto known = std::ranges::find(labels, label);
    const auto at = static_cast<std::size_t>(known - labels.begin());
    if (known == labels.end()) {
      labels.push_back(label);
      plots.push_back({.title = answered.question + (label.empty() ? "" : ": " + label),
                       .y_label = sheet.columns.back().name,
                       .y_scale = report::YScale::kLinear,
                       .measured = written_as(type)});
    }
    const AnswerCell& count = row.back();
    const double height = number(count.value, 0);
    plots[at].bars.push_back({drawn_at(row[row.size() - 3].value, type),
                              drawn_at(row[row.size() - 2].value, type), height,
                              number(count.low, height), number(count.high, height)});
  }
  return plots;
}

}  // namespace

std::vector<report::Plot> answer_plots(const session::Answered& answered) {
  const AnswerSheet& sheet = answered.sheet;
  if (sheet.rows.empty() || sheet.drawing == session::Drawing::kNone) return {};
  if (sheet.drawing == session::Drawing::kHistogram) return histograms(answered);
  const policy::Type type = sheet.columns.back().type;
  report::Plot plot{
      .title = answered.question, .y_scale = report::YScale::kLinear, .measured = written_as(type)};
  for (const auto& row : sheet.rows) {
    const std::size_t first = row.size() - 5;
    const auto at = [&](std::size_t i) { return drawn_at(row[first + i].value, type); };
    plot.boxes.push_back({label_of(row, 5), at(0), at(1), at(2), at(3), at(4)});
  }
  return {plot};
}

std::string answer_drawing(const session::Answered& answered) {
  std::string text;
  for (const report::Plot& plot : answer_plots(answered)) {
    text += "\n" + (plot.boxes.empty() ? bars_text(plot, 50) : boxes_text(plot, 60));
  }
  return text;
}

}  // namespace discreet::cli
