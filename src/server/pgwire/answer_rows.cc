// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/answer_rows.h"

#include <algorithm>

namespace discreet::server::pgwire {

Result<std::vector<ShownColumn>> shown_columns(const std::vector<session::AnswerColumn>& columns,
                                               const std::vector<IntervalColumn>& wanted,
                                               bool all) {
  std::vector<ShownColumn> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const session::AnswerColumn& column = columns[i];
    const TypeId type = type_of(column.type, column.is_key);
    out.push_back({column.name, type, i, Part::kValue});
    if (!all || !wanted.empty() || !column.has_interval) continue;
    out.push_back({column.name + "_low", type, i, Part::kLow});
    out.push_back({column.name + "_high", type, i, Part::kHigh});
  }
  for (const IntervalColumn& end : wanted) {
    const auto found = std::ranges::find_if(columns, [&](const session::AnswerColumn& column) {
      return column.name == end.of && column.has_interval;
    });
    if (found == columns.end()) {
      return invalid_input("the column " + in_quotes(end.of) + " has no interval, so no " +
                           in_quotes(end.name));
    }
    const auto source = static_cast<std::size_t>(found - columns.begin());
    const auto place = static_cast<std::ptrdiff_t>(std::min(end.place, out.size()));
    out.insert(out.begin() + place,
               {end.name, type_of(found->type, found->is_key), source, end.part});
  }
  return out;
}

std::vector<Cells> shown_rows(const session::AnswerSheet& sheet,
                              const std::vector<ShownColumn>& columns) {
  std::vector<Cells> rows;
  rows.reserve(sheet.rows.size());
  for (const std::vector<session::AnswerCell>& cells : sheet.rows) {
    Cells row;
    row.reserve(columns.size());
    for (const ShownColumn& column : columns) {
      const session::AnswerCell& cell = cells[column.source];
      row.push_back(column.part == Part::kLow    ? cell.low
                    : column.part == Part::kHigh ? cell.high
                                                 : cell.value);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> lines_of(const session::Explanation& e) {
  std::vector<std::string> out = {"Price: " + e.price + " of " + e.units +
                                      (e.repeat  ? " (you have its answer, so free)"
                                       : e.retry ? " (charged before and not answered yet, so free)"
                                                 : ""),
                                  "Left: " + e.left + (e.fits ? "" : ", which is not enough"),
                                  "Contribution: " + e.bounds, "Keys: " + e.keys};
  for (const session::ExplainedStep& step : e.steps) {
    out.push_back("  -> " + step.measurement + ": " + step.noise + ", " + step.price +
                  (step.error.empty() ? "" : ", " + step.error));
  }
  for (const std::string& note : e.notes) out.push_back("Note: " + note);
  return out;
}

Fault with_hint(const Error& error) {
  Fault fault = fault_of(error);
  const std::size_t option = fault.message.find(", e.g. --epsilon 0.1");
  if (option != fault.message.npos) {
    fault.message.erase(option);
    fault.hint = "SET discreet.epsilon = 0.1";
  }
  return fault;
}

}  // namespace discreet::server::pgwire
