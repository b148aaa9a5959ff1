// SPDX-License-Identifier: Apache-2.0
#include "publish/sheets.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mechanism/saturation.h"
#include "publish/nonnegative.h"
#include "publish/ranges.h"
#include "publish/tables.h"

namespace discreet::publish {
namespace {

using mechanism::Toeplitz;

/// Keys of a dense table, the last axis fastest.
std::vector<std::vector<std::string>> keys_of(const Workload& workload,
                                              const std::vector<std::size_t>& axes) {
  std::vector<std::vector<std::string>> keys{{}};
  for (const std::size_t axis : axes) {
    std::vector<std::vector<std::string>> longer;
    const WorkloadAxis& named = workload.axes[axis];
    std::vector<std::string> labels;
    for (std::int64_t i = 0; i < named.places(); ++i) labels.push_back(named.label(i));
    longer.reserve(keys.size() * labels.size());
    for (const auto& key : keys) {
      for (const std::string& label : labels) {
        longer.push_back(key);
        longer.back().push_back(label);
      }
    }
    keys = std::move(longer);
  }
  return keys;
}

/// Everything that counts rows, on increasing attributes, in the order of whole_targets().
struct Counted {
  std::vector<Cells> cells;
  std::vector<Cells> whole;  // empty if they were not asked for
};

Measured measured_of(const Workload& workload, const Publication& publication,
                     const std::vector<Attribute>& attributes) {
  const Design& design = publication.design;
  Measured out;
  for (std::size_t i = 0; i < design.residuals.size(); ++i) {
    const auto& [measure, set] = design.residuals[i];
    if (measure > 0) continue;
    out.residuals.emplace(set, centred(attributes, set, publication.released[i]));
  }
  for (std::size_t i = 0; i < workload.ranges.size(); ++i) {
    const AskedRanges& asked = workload.ranges[i];
    const auto& released = publication.released[design.ranges[i].part];
    const double unit =
        design.ranges[i].mixed
            ? static_cast<double>(Toeplitz::square_root(workload.axes[asked.axis].places()).unit())
            : 1;
    Cells cells(released.begin(), released.end());
    for (double& cell : cells) cell /= unit;
    std::vector<std::size_t> axes = asked.by;
    axes.push_back(asked.axis);
    out.lines.push_back(reordered(attributes, axes, cells, true));
  }
  for (std::size_t i = 0; i < workload.hierarchies.size(); ++i) {
    LevelValues& levels = out.trees.emplace_back();
    for (std::size_t l = 0; l < workload.hierarchies[i].tree.levels(); ++l) {
      const auto& part = publication.released[design.hierarchies[i].first_part + l];
      levels.emplace_back(part.begin(), part.end());
    }
  }
  return out;
}

Counted count(const Workload& workload, const Publication& publication) {
  Counted out;
  const Design& design = publication.design;
  if (!design.counts) return out;
  const std::vector<Attribute> attributes = workload.attributes();
  const auto residuals = design.counts->estimate(measured_of(workload, publication, attributes));
  std::vector<WholeTarget> targets = whole_targets(workload);
  for (WholeTarget& target : targets) {
    target.cells = table(attributes, target.set, residuals);
    out.cells.push_back(target.cells);
  }
  if (workload.nonnegative) {
    const double total = residuals.at({})[0];
    out.whole = whole_counts(attributes, targets, std::max(0.0, std::round(total)));
  }
  return out;
}

/// Of each measure, whether anything that was released for it lies at the limit: all its sheets are
/// read off one estimate. Parts that are no residuals of a measure count rows.
std::vector<bool> measures_at_limit(const Workload& workload, const Publication& publication) {
  const auto& residuals = publication.design.residuals;
  std::vector<bool> out(workload.measures.size(), false);
  for (std::size_t i = 0; i < publication.released.size(); ++i) {
    const auto& part = publication.released[i];
    if (!std::any_of(part.begin(), part.end(), mechanism::is_at_limit)) continue;
    out[i < residuals.size() ? residuals[i].first : 0] = true;
  }
  return out;
}

void add_tables(const Workload& workload, const Publication& publication, const Counted& counted,
                std::vector<Sheet>& out) {
  const Design& design = publication.design;
  const std::vector<Attribute> attributes = workload.attributes();
  std::vector<std::map<AttributeSet, Cells>> residuals(workload.measures.size());
  for (std::size_t i = 0; i < design.residuals.size(); ++i) {
    const auto& [measure, set] = design.residuals[i];
    if (measure == 0) continue;
    residuals[measure].emplace(set, centred(attributes, set, publication.released[i]));
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < workload.tables.size(); ++i) {
    const AskedTable& asked = workload.tables[i];
    const WorkloadMeasure& measure = workload.measures[asked.measure];
    Sheet sheet{.name = asked.name, .kind = "table", .measure = measure.name};
    for (const std::size_t axis : asked.axes) sheet.columns.push_back(workload.axes[axis].name);
    sheet.keys = keys_of(workload, asked.axes);
    sheet.deviations = design.tables[i].deviations;
    if (asked.measure == 0) {
      sheet.values = reordered(attributes, asked.axes, counted.cells[next]);
      if (!counted.whole.empty()) {
        sheet.whole = reordered(attributes, asked.axes, counted.whole[next]);
      }
      ++next;
    } else {
      sheet.values = reordered(attributes, asked.axes,
                               table(attributes, asked.set(), residuals[asked.measure]));
      for (double& value : sheet.values) value *= measure.step;
    }
    out.push_back(std::move(sheet));
  }
}

/// Running sums along the last axis, group by group; or all ranges.
std::vector<double> ranges_of(const Cells& cells, std::size_t places, bool prefix) {
  std::vector<double> out;
  for (std::size_t group = 0; group < cells.size(); group += places) {
    for (std::size_t from = 0; from < (prefix ? 1 : places); ++from) {
      double sum = 0;
      for (std::size_t to = from; to < places; ++to) out.push_back(sum += cells[group + to]);
    }
  }
  return out;
}

Sheet ranges_sheet(const Workload& workload, const AskedRanges& asked, const RangesDesign& design,
                   const Cells& cells, const Cells* whole) {
  const WorkloadAxis& axis = workload.axes[asked.axis];
  const bool prefix = asked.kind == RangeKind::kPrefix;
  Sheet sheet{.name = asked.name, .kind = prefix ? "running sums" : "ranges", .measure = "rows"};
  for (const std::size_t by : asked.by) sheet.columns.push_back(workload.axes[by].name);
  sheet.columns.push_back(prefix ? axis.name + " up to" : axis.name + " from");
  if (!prefix) sheet.columns.push_back(axis.name + " to");
  for (const auto& group : keys_of(workload, asked.by)) {
    for (std::int64_t from = 0; from < (prefix ? 1 : axis.places()); ++from) {
      for (std::int64_t to = from; to < axis.places(); ++to) {
        sheet.keys.push_back(group);
        if (!prefix) sheet.keys.back().push_back(axis.label(from));
        sheet.keys.back().push_back(axis.label(to));
      }
    }
  }
  const std::vector<Attribute> attributes = workload.attributes();
  std::vector<std::size_t> axes = asked.by;
  axes.push_back(asked.axis);
  const auto places = static_cast<std::size_t>(axis.places());
  sheet.values = ranges_of(reordered(attributes, axes, cells), places, prefix);
  if (whole != nullptr) {
    sheet.whole = ranges_of(reordered(attributes, axes, *whole), places, prefix);
  }
  sheet.deviations = design.deviations;
  return sheet;
}

Sheet hierarchy_sheet(const Workload& workload, const AskedHierarchy& asked,
                      const HierarchyDesign& design, const Cells& cells, const Cells* whole) {
  Sheet sheet{.name = asked.name, .kind = "hierarchy", .measure = "rows"};
  sheet.columns = {"level", "area", "in"};
  const WorkloadAxis& axis = workload.axes[asked.axis];
  LevelValues values = level_sums(asked.tree, cells);
  // Adding up rounds; what is published as it is must be just that.
  if (const auto total = workload.fixed_total()) values[0][0] = *total;
  for (const auto& [area, value] : workload.fixed_areas(asked)) {
    values[area.first][static_cast<std::size_t>(area.second)] = value;
  }
  const LevelValues wholes = whole != nullptr ? level_sums(asked.tree, *whole) : LevelValues();
  for (std::size_t l = 0; l < values.size(); ++l) {
    for (std::size_t i = 0; i < values[l].size(); ++i) {
      const bool leaf = l + 1 == values.size();
      const std::string above =
          l == 0 ? ""
                 : asked.tree.names[l - 1][static_cast<std::size_t>(asked.tree.parents[l - 1][i])];
      sheet.keys.push_back(
          {std::to_string(l),
           leaf ? axis.label(static_cast<std::int64_t>(i)) : asked.tree.names[l][i], above});
    }
    sheet.values.insert(sheet.values.end(), values[l].begin(), values[l].end());
    sheet.deviations.insert(sheet.deviations.end(), design.deviations[l].begin(),
                            design.deviations[l].end());
    if (whole != nullptr) {
      sheet.whole.insert(sheet.whole.end(), wholes[l].begin(), wholes[l].end());
    }
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> sheets_of(const Workload& workload, const Publication& publication) {
  std::vector<Sheet> out;
  const Design& design = publication.design;
  const std::vector<bool> at_limit = measures_at_limit(workload, publication);
  const Counted counted = count(workload, publication);
  add_tables(workload, publication, counted, out);
  std::size_t next = counted.cells.size() - workload.ranges.size() - workload.hierarchies.size();
  const auto whole_at = [&](std::size_t i) {
    return counted.whole.empty() ? nullptr : &counted.whole[i];
  };
  for (std::size_t i = 0; i < workload.ranges.size(); ++i, ++next) {
    out.push_back(ranges_sheet(workload, workload.ranges[i], design.ranges[i], counted.cells[next],
                               whole_at(next)));
  }
  for (std::size_t i = 0; i < workload.hierarchies.size(); ++i, ++next) {
    out.push_back(hierarchy_sheet(workload, workload.hierarchies[i], design.hierarchies[i],
                                  counted.cells[next], whole_at(next)));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].at_limit = at_limit[i < workload.tables.size() ? workload.tables[i].measure : 0];
  }
  return out;
}

std::vector<std::string> unprotected(const Workload& workload) {
  std::vector<std::string> out;
  for (const Invariant& invariant : workload.invariants) {
    char number[40];
    std::snprintf(number, sizeof number, "%.15g", invariant.value);
    out.push_back(invariant.table + " = " + number);
  }
  return out;
}

}  // namespace discreet::publish
