// SPDX-License-Identifier: Apache-2.0
// What a trained model tells of who was in its data: audits in one run (one_run.h) of every family
// of learn/, on people who are made up here. Two attacks:
//   canaries     units whose rows are nobody else's, each with a place of its own in the model;
//   membership   units that are like everybody; the attacker looks how well the model knows them.
// Each of them is in or out by its own coin. With the planted fault clipping is removed: every row
// of such a unit counts as a unit of its own, which is the same sum.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "audit/one_run.h"
#include "base/result.h"
#include "learn/sums.h"
#include "plan/training.h"

namespace discreet::audit {

/// A series over rows that nobody owns; the caller mints its receipt.
using OpenSums = std::function<Result<learn::Sums>(const plan::Training& training,
                                                   const Sensitive<mechanism::UnitRows>& rows)>;

struct LearnedOptions {
  Epsilon epsilon = Epsilon::trusted(1);
  /// Of all families but the network, which takes 1e-5 where this is 0.
  Delta delta = Delta::trusted(0);
  bool clipping_removed = false;
  std::uint64_t seed = 1;  ///< of the people and of who is in; not of the noise
};

/// The chance that a sound model is called unsound, for each row, if it told all that it may.
inline constexpr double kLearnedFalseAlarm = 1e-3;

struct LearnedRow {
  std::string family;               ///< "regress", "cluster in 10 dimensions", ...
  std::string attack;               ///< "canaries" or "membership"
  Delta delta = Delta::trusted(0);  ///< as claimed
  Guesses guesses = {};
  double measured = 0;    ///< epsilon is at least this, with 95 % confidence
  bool violated = false;  ///< above the claim: wrong with a chance of kLearnedFalseAlarm at most
  bool ok = false;        ///< not violated; with the planted fault: violated
};

/// All audits, in the order of the table; "regress canaries", ...
std::vector<std::string> learned_names();

/// Those of a task's families: of "cluster" also "cluster in 10 dimensions canaries", ...
/// Fails with: kNotFound, naming the families.
Result<std::vector<std::string>> learned_names_of(const std::string& task);

/// Fails with: kNotFound, naming the known ones; kInvalidInput for options that no series has.
Result<LearnedRow> audit_learned(const std::string& name, const LearnedOptions& options,
                                 const OpenSums& open);

}  // namespace discreet::audit
