// SPDX-License-Identifier: Apache-2.0
// Questions that learn: rows of declared columns, sealed, and a series of clipped sums over them.
// As with SQL, what is proposed is recomputed here: which columns may be reached, whose rows they
// are, what the series costs. A sampled series is priced by the accountant.
//
// Theorem (mechanism/clipped_sums.md): a series over the kept rows of the units costs at most the
// charge's one line, for one unit with all its rows, however many rows it has. Where units are
// within larger ones (members.h) the line is for a share of the training's epsilon and delta, and
// these are what the dearest of both kinds of units pays, at most.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mechanism/clipped_sums.h"
#include "plan/checker.h"

namespace discreet::plan {

/// The chance threshold / 2^64 of a unit to be in a round, how many rounds there are, and in how
/// many parts they are taken, if by more than one process.
struct Sampling {
  std::uint64_t threshold = 0;
  std::uint64_t rounds = 1;
  std::uint64_t parts = 1;
};

struct Training {
  Epsilon epsilon = Epsilon::trusted(1);
  Delta delta = Delta::trusted(0);  ///< 0: Laplace noise; else Gaussian
  std::vector<Rational> shares;     ///< of the rounds; not for a sampled series
  std::optional<Sampling> sampling;
};

/// The series with its noise and its price.
/// Fails with: kInvalidInput, as mechanism::ClippedSums and the accountant say; kUnsupported for a
/// sampled series where neighbours replace a unit, or without a delta.
Result<mechanism::ClippedSums::Terms> terms_of(const Training& training, Neighbours neighbours);

/// Rows that an engine may hand over (Engine::rows), and the series that was priced.
struct CheckedTraining : CheckedRows {
  mechanism::ClippedSums::Terms terms;
};

}  // namespace discreet::plan
