// SPDX-License-Identifier: Apache-2.0
#include "publish/workload_axes.h"

#include <fcntl.h>

#include <algorithm>

#include "base/files.h"
#include "base/suggest.h"
#include "policy/value.h"

namespace discreet::publish {
namespace {

using policy::Fields;
using policy::Node;
using policy::Type;

constexpr std::size_t kFileMax = std::size_t{256} << 20;
constexpr std::int64_t kPlacesMax = 10'000'000;
constexpr std::int64_t kStepsMax = 1'024;  // of a sum's weights: finer ones only widen the noise's
                                           // integers

/// The column that the engine reads: one a name.
std::size_t column_of(const std::string& name, Workload& out) {
  const auto found = std::find(out.columns.begin(), out.columns.end(), name);
  if (found == out.columns.end()) out.columns.push_back(name);
  return static_cast<std::size_t>(std::find(out.columns.begin(), out.columns.end(), name) -
                                  out.columns.begin());
}

std::string value_text(const WorkloadAxis& axis, std::int64_t steps) {
  return policy::to_string(
      policy::number_value(axis.type, axis.grid.low + axis.grid.step * Rational(Integer(steps))));
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  // Without O_NONBLOCK a pipe in the file's place would wait for a writer.
  DISCREET_ASSIGN(const OpenFile file, OpenFile::open(path, O_RDONLY | O_NONBLOCK));
  DISCREET_TRY(file.permissions());
  DISCREET_ASSIGN(const std::uint64_t size, file.size());
  DISCREET_ASSIGN(std::string text, file.read_at(0, std::min<std::uint64_t>(size, kFileMax) + 1));
  if (text.size() > kFileMax) return invalid_input(in_quotes(path) + " is larger than 256 MiB");
  return text;
}

std::string WorkloadAxis::label(std::int64_t place) const {
  if (axis.rest && place == axis.places - 1) return "(rest)";
  if (!labels.empty()) return labels[static_cast<std::size_t>(place)];
  const auto last = ((grid.high - grid.low) / grid.step).floor().get_si();
  std::int64_t from = place * axis.width;
  std::int64_t to = std::min<std::int64_t>(last, from + axis.width - 1);
  if (!axis.cuts.empty()) {
    from = place == 0 ? 0 : axis.cuts[static_cast<std::size_t>(place) - 1];
    to = static_cast<std::size_t>(place) < axis.cuts.size()
             ? axis.cuts[static_cast<std::size_t>(place)] - 1
             : last;
  }
  if (from == to) return value_text(*this, from);
  return value_text(*this, from) + " to " + value_text(*this, to);
}

void AxisReader::read_uses(const Node& node) {
  for (const Node& child : node.children) {
    const std::string path = "columns." + policy::shown(child.key);
    Fields fields(child, path, {"bins", "edges", "rest"}, mistakes_);
    if (!child.is(Node::Kind::kMap)) continue;
    const policy::Column* const column = declared(child.key, child.key_line, "columns");
    if (column == nullptr) continue;
    Use use{.line = child.key_line};
    use.rest = fields.get_boolean("rest").value_or(false);
    if (fields.has("bins") && fields.has("edges")) {
      fields.wrong("edges", "stand beside bins", "give one of the two");
    }
    if ((fields.has("bins") || fields.has("edges")) && (!column->grid || !column->values.empty())) {
      fields.wrong(fields.has("bins") ? "bins" : "edges",
                   "are for columns with a range, and not a list", "leave them out");
      continue;
    }
    if (const auto bins = fields.get_text("bins")) {
      const auto width = policy::parse_step(column->type, *bins);
      if (!width || (*width / column->grid->step).denominator() != 1) {
        fields.wrong("bins", "is " + in_quotes(*bins),
                     "write a width that is a multiple of the column's step");
      } else {
        use.bins = *width / column->grid->step;
      }
    }
    if (const Node* edges = fields.get_list("edges", "edges: [18, 65]")) {
      for (const Node* item : policy::texts_of(*edges, path + ".edges", mistakes_)) {
        const auto value = policy::parse_value(column->type, item->text);
        if (!value || !policy::contains(*column->grid, value->number())) {
          mistakes_.add(item->line,
                        path + ".edges: " + in_quotes(item->text) + " is no value of the column",
                        "take values inside the declared range");
          continue;
        }
        const Rational step = (value->number() - column->grid->low) / column->grid->step;
        if (step.sign() == 0 || (!use.edges.empty() && step <= use.edges.back())) {
          mistakes_.add(item->line,
                        path + ".edges: bins overlap or are empty at " + in_quotes(item->text),
                        "edges must increase, from above the range's low end");
          continue;
        }
        use.edges.push_back(step);
      }
    }
    uses_.emplace(child.key, std::move(use));
  }
}

const policy::Column* AxisReader::declared(const std::string& column, int line,
                                           const std::string& path) {
  const policy::Column* const found = table->find(column);
  if (found != nullptr) return found;
  std::vector<std::string> known;
  for (const policy::Column& other : table->columns) known.push_back(other.name);
  mistakes_.add(line,
                path + " names " + in_quotes(column) + ", which table " + in_quotes(table->name) +
                    " does not declare" + did_you_mean(column, known),
                known.empty() ? "declare it in the policy" : "take " + one_of(known));
  return nullptr;
}

std::optional<std::size_t> AxisReader::find(const std::string& column, int line,
                                            const std::string& path, Workload& out) {
  for (std::size_t i = 0; i < out.axes.size(); ++i) {
    if (out.axes[i].name == column) return i;
  }
  const policy::Column* const found = declared(column, line, path);
  if (found == nullptr) return std::nullopt;
  if (!found->may_group) {
    mistakes_.add(line, path + ": " + in_quotes(column) + " may not be grouped by",
                  "ask the owner, or leave it out");
    return std::nullopt;
  }
  WorkloadAxis axis{.name = column, .axis = {}, .type = found->type};
  const auto use = uses_.find(column);
  axis.axis.rest = use != uses_.end() && use->second.rest;
  if (found->type == Type::kBoolean) {
    axis.labels = {"false", "true"};
  } else if (!found->values.empty()) {
    for (const policy::Value& value : found->values) {
      axis.labels.push_back(policy::to_string(value));
    }
  } else if (!found->grid) {
    mistakes_.add(
        line, path + ": " + in_quotes(column) + " declares neither a range nor a list of values",
        "declare one in the policy; keys that must be found are for discreet query");
    return std::nullopt;
  }
  if (axis.labels.empty() && (found->type == Type::kTimestamp ||
                              (found->type == Type::kDate && found->grid->step != Rational(1)))) {
    mistakes_.add(line, path + ": " + in_quotes(column) + " is no number and no column of days",
                  "declare it as a date with a step of 1 day, and give it bins here");
    return std::nullopt;
  }
  Integer places(static_cast<unsigned long>(axis.labels.size()));
  if (axis.labels.empty()) {
    axis.grid = *found->grid;
    const Integer last = ((axis.grid.high - axis.grid.low) / axis.grid.step).floor();
    if (use != uses_.end() && use->second.bins) {
      axis.axis.width = use->second.bins->numerator().get_si();
    }
    places = last / Integer(axis.axis.width) + 1;
    if (use != uses_.end() && !use->second.edges.empty()) {
      for (const Rational& edge : use->second.edges) {
        axis.axis.cuts.push_back(edge.numerator().get_si());
      }
      places = Integer(static_cast<unsigned long>(axis.axis.cuts.size() + 1));
    }
  }
  if (axis.axis.rest) places += 1;
  if (places < 2 || places > kPlacesMax) {
    mistakes_.add(line, path + ": " + in_quotes(column) + " has " + places.get_str() + " places",
                  "an axis has from 2 to 10000000; give it bins under columns");
    return std::nullopt;
  }
  axis.axis.places = places.get_si();
  axis.axis.column = column_of(column, out);
  out.axes.push_back(std::move(axis));
  return out.axes.size() - 1;
}

std::optional<std::size_t> AxisReader::measure(const std::string& column, int line,
                                               const std::string& path, Workload& out) {
  for (std::size_t i = 1; i < out.measures.size(); ++i) {
    if (out.measures[i].name == column) return i;
  }
  const policy::Column* const found = declared(column, line, path);
  if (found == nullptr) return std::nullopt;
  if (!policy::is_number(found->type) || !found->grid || !found->values.empty() ||
      !found->may_aggregate) {
    mistakes_.add(line, path + ": " + in_quotes(column) + " is no number that may be added up",
                  "a sum needs a number with a range, and no list of values");
    return std::nullopt;
  }
  const Rational low = found->grid->low / found->grid->step;
  const Rational high = found->grid->high / found->grid->step;
  const Rational size = std::max(low.abs(), high.abs());
  mechanism::Weight weight{.column = column_of(column, out)};
  const Integer width = std::max(Integer(1), (size / Rational(kStepsMax)).ceil());
  weight.width = width.get_si();
  weight.offset = low.numerator().get_si();
  weight.largest = std::max<std::int64_t>(1, (size / Rational(width)).ceil().get_si());
  out.measures.push_back({.name = column,
                          .weight = weight,
                          .step = (found->grid->step * Rational(width)).to_double(Round::kDown)});
  return out.measures.size() - 1;
}

}  // namespace discreet::publish
