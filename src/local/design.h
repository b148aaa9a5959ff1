// SPDX-License-Identifier: Apache-2.0
// How a survey's author chooses its randomizer: the integers that a client then checks.
//
//   DISCREET_ASSIGN(Survey s, design_choices({.name = "colour", .epsilon = e, .choices = 12}));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "local/client/survey.h"
#include "privacy/quantity.h"

namespace discreet::local {

/// epsilon in whole 10^-9, rounded down. Fails with: kInvalidInput outside 0.001 to 20.
Result<std::uint64_t> nano_epsilon(const Epsilon& epsilon);

struct ChoicesDesign {
  std::string name;
  Epsilon epsilon;
  std::uint64_t choices = 0;  ///< or labels
  std::vector<std::string> labels = {};
  std::optional<Mechanism> mechanism = {};  ///< chosen, when not given
  std::uint64_t bytes_max = 256;            ///< of a payload, when chosen
  /// Numbers in so many bins from low to high, in millionths: for histograms and quantiles.
  std::optional<std::pair<std::int64_t, std::int64_t>> range = {};
};

/// Default: the least total variance of the estimated shares; among mechanisms within 1 % of it,
/// the smallest payload, where local hashing counts the collector's work too. Fails with:
/// kInvalidInput, naming the field.
Result<Survey> design_choices(const ChoicesDesign& design);

/// Warner's response by its bias: keep with probability 1/2 + bias. Its epsilon follows.
Result<Survey> design_biased_response(const std::string& name, const Rational& bias);

struct NumberDesign {
  std::string name;
  Epsilon epsilon;
  std::int64_t low = 0;  ///< millionths
  std::int64_t high = 0;
  std::optional<Mechanism> mechanism = {};  ///< laplace or piecewise; default: the smaller variance
};
Result<Survey> design_number(const NumberDesign& design);

/// RAPPOR. epsilon is that of the permanent bits, so of all reports about one value together.
struct BloomDesign {
  std::string name;
  Epsilon epsilon;
  std::uint64_t bits = 128;
  std::uint64_t hashes = 2;
  std::uint64_t cohorts = 64;
  std::uint64_t quiet = 32768;  ///< Pr[1 | permanent 0], over 2^16
  std::uint64_t loud = 49152;   ///< Pr[1 | permanent 1]
  std::uint64_t round = 0;
};
Result<Survey> design_bloom(const BloomDesign& design);

/// Strings of up to `length` characters of an alphabet.
struct TreeDesign {
  std::string name;
  Epsilon epsilon;
  std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
  std::uint64_t length = 8;
  std::uint64_t buckets = 4096;
  std::uint64_t cohorts = 16;
};
Result<Survey> design_tree(const TreeDesign& design);

/// What the default was chosen from.
struct Candidate {
  Parameters parameters;
  double variance = 0;  ///< n times the total variance of all shares, for uniform shares
  std::size_t bytes = 0;
};
std::vector<Candidate> candidates(const ChoicesDesign& design);

}  // namespace discreet::local
