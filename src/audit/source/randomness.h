// SPDX-License-Identifier: Apache-2.0
// What bent coins do to a guarantee, and what stands: the sections of `discreet audit randomness`.
#pragma once

#include <vector>

#include "audit/exact.h"
#include "base/result.h"
#include "random/santha_vazirani_cells.h"
#include "report/html.h"

namespace discreet::audit {

/// Effective epsilon of the plain and of the robust mechanism over all sources of each gamma; the
/// plain one is the inverse of the distribution function on a grid of 1.
report::Section effective_epsilon();
/// The least error that reaches a given effective epsilon, against the grid of 1/epsilon.
report::Section chosen_shapes();
/// The same as curves over gamma, at base epsilon 0.1.
report::Section effective_curves();
/// Lemma 4: the parity of additive noise, for the compiled Laplace and Gaussian mechanisms.
report::Section parity_attack();
/// Several sources, and the best one, against the compiled mechanisms.
report::Section sources_compared();
/// Two answers from one source that remembers.
report::Section memory_attack();
/// Bits read for each answer, and the entropy that any sampler needs.
Result<report::Section> entropy_meter();
/// Health tests on steady and adaptive sources.
report::Section health_and_adversary();

struct RandomnessPart {
  std::string name;
  Result<report::Section> (*run)();
};
/// All of them, in the order of reading.
const std::vector<RandomnessPart>& randomness_parts();

/// The root mean square error on fair coins, over all positions of the truth on the grid, in units.
double sv_error(const random::SvCells& cells);

}  // namespace discreet::audit
