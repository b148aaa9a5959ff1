// SPDX-License-Identifier: Apache-2.0
// Many tables of one source, measured together: what the checker makes of them. The plan brings the
// columns (Engine::rows); which tables are counted from them, and with how much of the price each,
// is proposed here; reach, noise and price are the checker's.
//
// Theorem (mechanism/codes.h, residual_table.md, prefix_table.md). The engine keeps at most m rows
// of a unit. A part whose rows weigh at most g moves by at most m g in L1 for one unit added or
// removed, 2 m g for one replaced: its mechanism has that reach. The parts' costs add up.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "mechanism/codes.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/prefix_table.h"
#include "mechanism/residual_table.h"
#include "plan/checker.h"

namespace discreet::plan {

/// How a table is measured.
enum class PartKind {
  kCells,     ///< noise in every cell
  kResidual,  ///< what it tells beyond its margins
  kPrefix,    ///< mixed along its last axis, for running sums
};

struct TablePart {
  mechanism::TableOf table;
  PartKind kind = PartKind::kCells;
  Rational rho;
};

struct Tabulation {
  std::vector<mechanism::Axis> axes;
  std::vector<mechanism::Weight> weights;
  std::vector<TablePart> parts;
};

using TableNoise =
    std::variant<mechanism::GaussianVector, mechanism::ResidualTable, mechanism::PrefixTable>;

/// The charge has one line for each part, in order.
struct CheckedTabulation : CheckedRows {
  Tabulation tabulation;
  std::vector<TableNoise> noises;
};

/// How far a unit with so many rows moves a part. Fails with: kInvalidInput beyond 2^40.
Result<std::int64_t> reach_of(const Tabulation& tabulation, const TablePart& part,
                              std::int64_t rows_per_unit, Neighbours neighbours);

/// A part's mechanism. Fails with: kInvalidInput, as the mechanisms say.
Result<TableNoise> noise_of(const Tabulation& tabulation, const TablePart& part,
                            std::int64_t reach);

}  // namespace discreet::plan
