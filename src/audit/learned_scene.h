// SPDX-License-Identifier: Apache-2.0
// What the audits of learned models share: a crowd, some who are in by a coin, and a series over
// all of their rows.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "audit/learned.h"
#include "audit/seeded_bits.h"
#include "learn/clusters.h"
#include "learn/network.h"

namespace discreet::audit {

using Row = std::vector<std::int64_t>;

/// How many are in or out: half of them are guessed, and 55 right ones of 60 refute epsilon 1.
inline constexpr std::size_t kCandidates = 120;

/// Who was in, and what speaks for each: the larger, the more.
struct Told {
  std::vector<bool> in;
  std::vector<double> scores;
  Delta delta = Delta::trusted(0);  ///< that was claimed
};

class LearnedScene {
 public:
  LearnedScene(const LearnedOptions& options, const OpenSums& open)
      : options_(options), open_(open), coins_(options.seed) {}

  SeededBits& coins() { return coins_; }
  const LearnedOptions& options() const { return options_; }

  /// The crowd has one row each; candidate c, if it is in, `rows_each` times candidate(c).
  void people(std::size_t crowd, const std::function<Row(std::size_t)>& member,
              std::size_t rows_each, const std::function<Row(std::size_t)>& candidate);

  /// A series with these shares, or this one; over the people.
  Result<learn::Sums> sums(std::vector<Rational> shares);
  Result<learn::Sums> sums(const plan::Training& training);

  Told told(std::vector<double> scores) const;

 private:
  const LearnedOptions& options_;
  const OpenSums& open_;
  SeededBits coins_;
  std::vector<bool> in_;
  Sensitive<mechanism::UnitRows> rows_{mechanism::UnitRows()};
  Delta delta_ = Delta::trusted(0);
};

/// Of a network, which needs a delta.
plan::Training network_training(const LearnedScene& scene, const learn::NetworkTask& task);

/// Of points in a unit cube, in steps of 1/1024.
learn::ClusterTask cluster_task(std::size_t dimensions, std::size_t clusters);

/// What speaks for each of these rows: how near a centre is.
std::vector<double> nearness(const learn::Clusters& model, const std::vector<Row>& rows);

/// One family under one attack.
struct LearnedCase {
  std::string family;
  std::string attack;
  std::function<Result<Told>(LearnedScene&)> run;
};
std::vector<LearnedCase> canary_cases();      // learned_canaries.cc
std::vector<LearnedCase> membership_cases();  // learned_membership.cc

}  // namespace discreet::audit
