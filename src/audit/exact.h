// SPDX-License-Identifier: Apache-2.0
// The exact audit as a table: one row for each mechanism, measured from the compiled code by
// walking all its coin tapes, and one row for each planted fault that the same comparison must
// catch. The proof that a bracket is a bound, and its limits, are in exact.md.
//
//   for (const std::string& name : audit::case_names()) {
//     DISCREET_ASSIGN(audit::AuditRow row, audit::run_case(name));
//     ...
//   }
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "numeric/rational.h"

namespace discreet::audit {

/// Told now and then how much of the work is done, in thousandths, from 0 to 1000, never falling.
using Progress = std::function<void(int permille)>;

/// What the walk says about one mechanism on one pair of neighbours.
struct AuditRow {
  std::string mechanism;   ///< its canonical text, with parameters
  std::string neighbours;  ///< the two inputs
  std::string claimed;     ///< the price that the mechanism charges
  std::string measured;    ///< certified lower bound, and the largest value among resolved outputs
  std::string share;       ///< how much of the claim that bound uses up; "-" where none is claimed
  std::string delta;       ///< bracket of delta at the claimed epsilon; "-" where rho is claimed
  std::string tapes;       ///< tapes walked, both sides
  std::string unresolved;  ///< probability of the tapes that did not end within the depth
  std::string verdict;     ///< "holds", "unresolved: ...", or what is broken
  std::string reason;      ///< why no pair of neighbours uses up 9/10 of the claim; else empty
  std::optional<Rational> used;  ///< `share`, as a number
  Rational left;                 ///< `unresolved`, as a number: the larger of both sides'
  bool ok = false;
};

/// What the same comparison says about a planted fault, and about the code without it.
struct MutantRow {
  std::string name;    ///< e.g. "dropped sign rule"
  std::string fault;   ///< what was done to the code
  std::string caught;  ///< what the comparison found; "missed" when nothing
  std::string intact;  ///< what it says about the correct code
  bool ok = false;     ///< the fault was caught and the correct code passed
};

/// The names that run_case takes, in the order of the table.
std::vector<std::string> case_names();

/// Fails with: kNotFound, naming the known cases.
Result<AuditRow> run_case(std::string_view name, const Progress& progress = {});

/// The names that run_mutant takes.
std::vector<std::string> mutant_names();

/// Fails with: kNotFound, naming the known mutants.
Result<MutantRow> run_mutant(std::string_view name, const Progress& progress = {});

}  // namespace discreet::audit
