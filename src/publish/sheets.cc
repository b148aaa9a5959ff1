// SPDX-License-Identifier: Apache-2.0
#include "publish/sheets.h"

#include <algorithm>
#include <cmath>
#include <map>

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

/// A table on the sorted set, in the order of its axes as asked.
Cells as_asked(const Workload& workload, const AskedTable& table, const Cells& sorted) {
  const AttributeSet set = table.set();
  std::vector<std::size_t> sizes;
  for (const std::size_t axis : table.axes) {
    sizes.push_back(static_cast<std::size_t>(workload.axes[axis].places()));
  }
  Cells out(sorted.size());
  std::vector<std::size_t> at(sizes.size(), 0);
  for (double& cell : out) {
    std::size_t place = 0;
    for (const int axis : set) {
      const auto k = static_cast<std::size_t>(
          std::find(table.axes.begin(), table.axes.end(), static_cast<std::size_t>(axis)) -
          table.axes.begin());
      place = place * sizes[k] + at[k];
    }
    cell = sorted[place];
    for (std::size_t k = sizes.size(); k-- > 0;) {
      if (++at[k] < sizes[k]) break;
      at[k] = 0;
    }
  }
  return out;
}

void add_tables(const Workload& workload, const Publication& publication, std::vector<Sheet>& out) {
  const Design& design = publication.design;
  const std::vector<Attribute> attributes = workload.attributes();
  std::vector<std::map<AttributeSet, Cells>> residuals(workload.measures.size());
  for (std::size_t i = 0; i < design.residuals.size(); ++i) {
    const auto& [measure, set] = design.residuals[i];
    residuals[measure].emplace(set, centred(attributes, set, publication.released[i]));
  }
  std::optional<double> total;
  for (const Invariant& invariant : workload.invariants) {
    if (invariant.table.find('/') == std::string::npos) total = invariant.value;
  }
  // A total that is published as it is takes the place of the released one.
  if (total && !residuals[0].empty()) residuals[0].at({}) = {*total};
  std::vector<AttributeSet> counted;
  std::vector<Cells> counts;
  for (const AskedTable& table : workload.tables) {
    const Cells cells = publish::table(attributes, table.set(), residuals[table.measure]);
    if (table.measure == 0) {
      counted.push_back(table.set());
      counts.push_back(cells);
    }
  }
  std::vector<Cells> whole;
  if (workload.nonnegative && !counts.empty()) {
    whole = whole_tables(attributes, counted, counts, total);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < workload.tables.size(); ++i) {
    const AskedTable& table = workload.tables[i];
    const WorkloadMeasure& measure = workload.measures[table.measure];
    Sheet sheet{.name = table.name, .kind = "table", .measure = measure.name};
    for (const std::size_t axis : table.axes) sheet.columns.push_back(workload.axes[axis].name);
    sheet.keys = keys_of(workload, table.axes);
    const bool counts_rows = table.measure == 0;
    sheet.values =
        as_asked(workload, table,
                 counts_rows ? counts[next]
                             : publish::table(attributes, table.set(), residuals[table.measure]));
    for (double& value : sheet.values) value *= measure.step;
    sheet.deviations.assign(sheet.values.size(), design.tables[i].deviation);
    if (counts_rows) {
      if (!whole.empty()) sheet.whole = as_asked(workload, table, whole[next]);
      ++next;
    }
    out.push_back(std::move(sheet));
  }
}

Sheet ranges_sheet(const Workload& workload, const AskedRanges& asked, const RangesDesign& design,
                   const std::vector<std::int64_t>& released) {
  const WorkloadAxis& axis = workload.axes[asked.axis];
  const auto places = static_cast<std::size_t>(axis.places());
  const bool prefix = asked.kind == RangeKind::kPrefix;
  Sheet sheet{.name = asked.name, .kind = prefix ? "running sums" : "ranges", .measure = "rows"};
  for (const std::size_t by : asked.by) sheet.columns.push_back(workload.axes[by].name);
  sheet.columns.push_back(prefix ? axis.name + " up to" : axis.name + " from");
  if (!prefix) sheet.columns.push_back(axis.name + " to");
  const auto groups = keys_of(workload, asked.by);
  const Toeplitz mixing =
      design.mixed ? Toeplitz::square_root(axis.places()) : Toeplitz::identity(axis.places());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<double> sums =
        running_sums(mixing, std::span(released).subspan(g * places, places));
    const std::vector<double> whole =
        workload.nonnegative ? whole_running_sums(sums) : std::vector<double>();
    const auto add = [&](std::size_t from, std::size_t to) {
      sheet.keys.push_back(groups[g]);
      if (!prefix) sheet.keys.back().push_back(axis.label(static_cast<std::int64_t>(from)));
      sheet.keys.back().push_back(axis.label(static_cast<std::int64_t>(to)));
      sheet.values.push_back(sums[to] - (from == 0 ? 0 : sums[from - 1]));
      if (!whole.empty()) sheet.whole.push_back(whole[to] - (from == 0 ? 0 : whole[from - 1]));
    };
    for (std::size_t from = 0; from < (prefix ? 1 : places); ++from) {
      for (std::size_t to = from; to < places; ++to) add(from, to);
    }
    sheet.deviations.insert(sheet.deviations.end(), design.deviations.begin(),
                            design.deviations.end());
  }
  return sheet;
}

Sheet hierarchy_sheet(const Workload& workload, const AskedHierarchy& asked,
                      const HierarchyDesign& design,
                      const std::vector<std::vector<std::int64_t>>& released) {
  LevelValues measured;
  for (std::size_t l = 0; l < asked.tree.levels(); ++l) {
    const auto& part = released[design.first_part + l];
    measured.emplace_back(part.begin(), part.end());
  }
  std::map<std::pair<std::size_t, std::int64_t>, double> fixed;
  for (const Invariant& invariant : workload.invariants) {
    if (!invariant.table.starts_with(asked.name + "/")) continue;
    const std::string area = invariant.table.substr(asked.name.size() + 1);
    for (std::size_t l = 0; l < asked.tree.names.size(); ++l) {
      const auto& names = asked.tree.names[l];
      const auto found = std::find(names.begin(), names.end(), area);
      if (found != names.end()) fixed[{l, found - names.begin()}] = invariant.value;
    }
  }
  const LevelValues values = hierarchy_estimate(asked.tree, measured, design.variances, fixed);
  const LevelValues whole =
      workload.nonnegative ? whole_hierarchy(asked.tree, values, fixed) : LevelValues();
  Sheet sheet{.name = asked.name, .kind = "hierarchy", .measure = "rows"};
  sheet.columns = {"level", "area", "in"};
  const WorkloadAxis& axis = workload.axes[asked.axis];
  for (std::size_t l = 0; l < values.size(); ++l) {
    for (std::size_t i = 0; i < values[l].size(); ++i) {
      const bool leaf = l + 1 == values.size();
      const std::string above =
          l == 0 ? ""
                 : asked.tree.names[l - 1][static_cast<std::size_t>(asked.tree.parents[l - 1][i])];
      sheet.keys.push_back(
          {std::to_string(l),
           leaf ? axis.label(static_cast<std::int64_t>(i)) : asked.tree.names[l][i], above});
      sheet.values.push_back(values[l][i]);
      sheet.deviations.push_back(
          fixed.contains({l, static_cast<std::int64_t>(i)}) ? 0 : design.deviations[l][i]);
      if (!whole.empty()) sheet.whole.push_back(whole[l][i]);
    }
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> sheets_of(const Workload& workload, const Publication& publication) {
  std::vector<Sheet> out;
  const Design& design = publication.design;
  add_tables(workload, publication, out);
  for (std::size_t i = 0; i < workload.ranges.size(); ++i) {
    out.push_back(ranges_sheet(workload, workload.ranges[i], design.ranges[i],
                               publication.released[design.ranges[i].part]));
  }
  for (std::size_t i = 0; i < workload.hierarchies.size(); ++i) {
    out.push_back(hierarchy_sheet(workload, workload.hierarchies[i], design.hierarchies[i],
                                  publication.released));
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
