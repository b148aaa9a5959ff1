// SPDX-License-Identifier: Apache-2.0
#include "plan/tabulation.h"

#include <algorithm>
#include <functional>

#include "ledger/seal.h"
#include "plan/bent_coins.h"

namespace discreet::plan {
namespace {

using mechanism::GaussianVector;
using mechanism::PrefixTable;
using mechanism::ResidualTable;
using mechanism::Toeplitz;

constexpr std::int64_t kReachMax = std::int64_t{1} << 40;
constexpr std::int64_t kPlacesMax = std::int64_t{1} << 26;
constexpr std::int64_t kWeightMax = std::int64_t{1} << 30;
constexpr std::size_t kPartsMax = 100'000;

template <class M>
Result<TableNoise> made_noise(Result<M> mechanism) {
  if (!mechanism) return mechanism.error();
  return TableNoise(std::move(*mechanism));
}

ChargeLine line_of_noise(const TableNoise& noise) {
  return std::visit(
      [](const auto& mechanism) { return ChargeLine{mechanism.noise(), mechanism.cost()}; }, noise);
}

Result<void> check_tabulation_shape(const Tabulation& tabulation, std::size_t columns) {
  for (const mechanism::Axis& axis : tabulation.axes) {
    if (axis.column >= columns || axis.width < 1 || axis.places < 1 || axis.places > kPlacesMax) {
      return invalid_input("an axis has from 1 to 2^26 places, of a column that is read");
    }
    if (!std::is_sorted(axis.cuts.begin(), axis.cuts.end(), std::less_equal<>())) {
      return invalid_input("bins overlap: their edges must increase");
    }
  }
  for (const mechanism::Weight& weight : tabulation.weights) {
    if (weight.column >= columns || weight.width < 1 || weight.largest < 1 ||
        weight.largest > kWeightMax) {
      return invalid_input("a weight is at most 2^30 steps, of a column that is read");
    }
  }
  if (tabulation.parts.empty() || tabulation.parts.size() > kPartsMax) {
    return invalid_input("a publication measures from 1 to 100000 tables");
  }
  for (const TablePart& part : tabulation.parts) {
    for (const std::size_t axis : part.table.axes) {
      if (axis >= tabulation.axes.size()) return invalid_input("a table names no axis");
    }
    if (part.table.weight && *part.table.weight >= tabulation.weights.size()) {
      return invalid_input("a table names no weight");
    }
  }
  return {};
}

/// What the answer depends on beside the columns.
std::string tabulation_text(const Tabulation& tabulation) {
  std::string out = "tabulation";
  const auto add = [&out](std::int64_t n) { out += " " + std::to_string(n); };
  for (const mechanism::Axis& axis : tabulation.axes) {
    out += "\naxis";
    for (const std::int64_t n : {static_cast<std::int64_t>(axis.column), axis.width, axis.places,
                                 std::int64_t{axis.rest}}) {
      add(n);
    }
    for (const std::int64_t cut : axis.cuts) add(cut);
    if (!axis.groups.empty()) out += " groups";
    for (const std::uint32_t group : axis.groups) add(group);
  }
  for (const mechanism::Weight& weight : tabulation.weights) {
    out += "\nweight";
    for (const std::int64_t n :
         {static_cast<std::int64_t>(weight.column), weight.width, weight.offset, weight.largest}) {
      add(n);
    }
  }
  for (const TablePart& part : tabulation.parts) {
    out += "\npart";
    add(static_cast<std::int64_t>(part.kind));
    add(part.table.weight ? static_cast<std::int64_t>(*part.table.weight) : -1);
    for (const std::size_t axis : part.table.axes) add(static_cast<std::int64_t>(axis));
  }
  return out;
}

}  // namespace

Result<std::int64_t> reach_of(const Tabulation& tabulation, const TablePart& part,
                              std::int64_t rows_per_unit, Neighbours neighbours) {
  const std::int64_t largest =
      part.table.weight ? tabulation.weights[*part.table.weight].largest : 1;
  const Int128 reach = static_cast<Int128>(rows_per_unit) * largest *
                       (neighbours == Neighbours::kReplaceOne ? 2 : 1);
  if (reach > kReachMax) {
    return invalid_input(
        "one unit could bring more than 2^40 steps to a table; lower its rows "
        "per unit, or use a coarser step");
  }
  return static_cast<std::int64_t>(reach);
}

Result<TableNoise> noise_of(const Tabulation& tabulation, const TablePart& part,
                            std::int64_t reach) {
  DISCREET_ASSIGN(const Rho rho, Rho::of(part.rho));
  std::vector<std::int64_t> sizes;
  for (const std::size_t axis : part.table.axes) sizes.push_back(tabulation.axes[axis].places);
  switch (part.kind) {
    case PartKind::kResidual:
      return made_noise(ResidualTable::make({.axes = sizes, .reach = reach, .rho = rho}));
    case PartKind::kPrefix: {
      if (sizes.empty()) return invalid_input("running sums need an axis");
      Int128 rows = 1;
      for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        rows *= sizes[i];
        if (rows > kReachMax) return invalid_input("a table has at most 2^31 cells");
      }
      if (sizes.back() > PrefixTable::kMixedMax) {
        return invalid_input(
            "an axis of running sums has at most 16384 places; make its bins wider");
      }
      return made_noise(PrefixTable::make({.rows = static_cast<std::int64_t>(rows),
                                           .mixing = Toeplitz::square_root(sizes.back()),
                                           .reach = reach,
                                           .rho = rho}));
    }
    case PartKind::kCells:
      break;
  }
  const Rational distance{Integer(reach)};
  return made_noise(GaussianVector::make(
      {.sensitivity_squared = L2Squared::trusted(distance * distance), .rho = rho}));
}

Result<CheckedTabulation> Checker::check_tabulation(Plan plan, Tabulation tabulation,
                                                    const policy::Policy& policy,
                                                    std::string request_id) {
  if (!plan.keys.empty()) return invalid_input("tables are counted from rows, not groups");
  if (policy.santha_vazirani) return no_certificate(*policy.santha_vazirani, "publishing");
  for (const Measurement& measurement : plan.measurements) {
    if (measurement.kind != MeasureKind::kSum || !measurement.argument) {
      return invalid_input("tables are counted from columns with a declared domain");
    }
  }
  DISCREET_TRY(check_tabulation_shape(tabulation, plan.measurements.size()));
  // Every column passes as a sum of it would: declared, allowed, on a grid of 62 bits.
  DISCREET_ASSIGN(Checked checked, check(std::move(plan), policy, std::move(request_id)));
  if (checked.pair()) return Error{Code::kUnsupported, "rows of two people cannot be tabulated"};
  const Charge& sums = checked.charge();
  const std::int64_t rows = checked.plan().bounds.rows_per_unit_and_group;
  std::vector<ChargeLine> lines;
  std::vector<TableNoise> noises;
  std::string text(sums.plan().begin(), sums.plan().end());
  text += tabulation_text(tabulation);
  for (const TablePart& part : tabulation.parts) {
    DISCREET_ASSIGN(const std::int64_t reach,
                    reach_of(tabulation, part, rows, sums.units().neighbours));
    DISCREET_ASSIGN(TableNoise noise, noise_of(tabulation, part, reach));
    lines.push_back(line_of_noise(noise));
    text += "\n" + lines.back().noise.text;
    noises.push_back(std::move(noise));
  }
  checked.charge_ = Charge(sums.units(), std::move(lines), ledger::sha256(text), sums.request_id());
  return CheckedTabulation{{std::move(checked)}, std::move(tabulation), std::move(noises)};
}

}  // namespace discreet::plan
