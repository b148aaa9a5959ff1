// SPDX-License-Identifier: Apache-2.0
// Which keys may be shown, and whether a count is above a threshold.
#include <algorithm>
#include <functional>

#include "audit/cases.h"
#include "mechanism/above_threshold.h"
#include "mechanism/key_selection.h"
#include "mechanism/partition_selection.h"
#include "mechanism/thresholded_gaussian.h"
#include "mechanism/thresholded_groups.h"
#include "mechanism/thresholded_laplace.h"

namespace discreet::audit {
namespace {

using mechanism::AboveThreshold;

int to_int(Int128 x) { return static_cast<int>(x); }

Pair selection(const Inputs<Int128>& counts, const Progress& progress,
               const Rational& delta = Rational::ratio(1, 20)) {
  const Rational epsilon = 1;
  const auto mechanism = mechanism::PartitionSelection::make(
      {.epsilon = Epsilon::trusted(epsilon), .delta = Delta::trusted(delta)});
  const auto theorem = [&](Int128 n, bool shown) -> std::optional<Range> {
    const Range p = selection_probability(to_int(n), epsilon, delta);
    return shown ? p : complement(p);
  };
  return audit<4>(mechanism.value(), counts, 60, theorem, progress);
}

/// A key that nobody has, and one that a single unit has: all of delta is used.
Pair selection_of_new_key(const Progress& progress) {
  return selection({0, 1, "0 | 1 units"}, progress);
}

/// Rising with e^epsilon.
Pair selection_of_rare_key(const Progress& progress) {
  return selection({2, 3, "2 | 3 units"}, progress);
}

/// Past the turn: what is left to 1 falls with e^-epsilon.
Pair selection_of_known_key(const Progress& progress) {
  return selection({4, 5, "4 | 5 units"}, progress);
}

/// The first count that is certainly shown, and the one before it.
Pair selection_of_certain_key(const Progress& progress) {
  return selection({4, 5, "4 | 5 units"}, progress, Rational::ratio(27, 400));
}

/// A unit with two keys: epsilon/2 and delta/2 for each.
Pair selection_of_keys(const Rational& delta, const Inputs<mechanism::KeyCounts>& inputs,
                       const Progress& progress) {
  using mechanism::KeyCounts;
  const auto mechanism = mechanism::KeySelection::make(
      {.epsilon = Epsilon::trusted(2), .delta = Delta::trusted(delta), .keys_per_unit = 2});
  const auto theorem = [&](const KeyCounts& counts,
                           const std::vector<std::string>& shown) -> std::optional<Range> {
    Range all{1, 1};
    for (std::size_t i = 0; i < counts.keys.size(); ++i) {
      const Range p = selection_probability(static_cast<int>(counts.units[i]), 1, delta / 2);
      const bool is_shown = std::find(shown.begin(), shown.end(), counts.keys[i]) != shown.end();
      all = all * (is_shown ? p : complement(p));
    }
    return all;
  };
  return audit<4>(mechanism.value(), inputs, 28, theorem, progress);
}

/// It is alone in both.
Pair key_selection(const Progress& progress) {
  return selection_of_keys(
      Rational::ratio(1, 10),
      {{{"c"}, {2}}, {{"a", "b", "c"}, {1, 1, 2}}, "c: 2 | a: 1, b: 1, c: 2 units"}, progress);
}

Pair key_selection_known(const Progress& progress) {
  return selection_of_keys(
      Rational::ratio(1, 50),
      {{{"a", "b"}, {3, 3}}, {{"a", "b"}, {4, 4}}, "a: 3, b: 3 | a: 4, b: 4 units"}, progress);
}

Pair thresholded_laplace(const Inputs<Int128>& counts, const Progress& progress) {
  const auto mechanism =
      mechanism::ThresholdedLaplace::make({.epsilon = Epsilon::trusted(1),
                                           .delta = Delta::trusted(Rational::ratio(73, 2000)),
                                           .sensitivity = Sensitivity::trusted(1)});
  const int tau = to_int(mechanism.value().threshold());
  const auto theorem = [&](Int128 x, const std::optional<Int128>& y) -> std::optional<Range> {
    if (x == 0) return y ? Range{0, 0} : Range{1, 1};
    if (!y) return complement(laplace_at_least(tau - to_int(x), 1));
    return *y < tau ? Range{0, 0} : laplace_probability(to_int(*y - x), 1);
  };
  return audit<5>(mechanism.value(), counts, 26, theorem, progress);
}

Pair thresholded_laplace_of_new_key(const Progress& progress) {
  return thresholded_laplace({0, 1, "0 | 1"}, progress);
}

Pair thresholded_laplace_of_known_key(const Progress& progress) {
  return thresholded_laplace({3, 4, "3 | 4"}, progress);
}

Pair thresholded_gaussian(const Rational& delta, const Inputs<Int128>& counts,
                          const Progress& progress) {
  const auto mechanism =
      mechanism::ThresholdedGaussian::make({.rho = Rho::trusted(Rational::ratio(1, 2)),
                                            .delta = Delta::trusted(delta),
                                            .sensitivity = Sensitivity::trusted(1)});
  const int tau = to_int(mechanism.value().threshold());
  const auto theorem = [&](Int128 x, const std::optional<Int128>& y) -> std::optional<Range> {
    if (x == 0) return y ? Range{0, 0} : Range{1, 1};
    if (!y) return complement(gaussian_at_least(tau - to_int(x), 1));
    return *y < tau ? Range{0, 0} : gaussian_probability(to_int(*y - x), 1);
  };
  return audit<6>(mechanism.value(), counts, 36, theorem, progress);
}

/// Pr[Z >= 1] is 0.3005, and what is certified of it 0.3086.
Pair thresholded_gaussian_of_new_key(const Progress& progress) {
  return thresholded_gaussian(Rational::ratio(309, 1000), {0, 1, "0 | 1"}, progress);
}

/// Beside a small delta the noise pays rho.
Pair thresholded_gaussian_of_known_key(const Progress& progress) {
  return thresholded_gaussian(Rational::ratio(1, 1000), {8, 9, "8 | 9"}, progress);
}

using mechanism::KeySums;
using mechanism::ShownSums;
using mechanism::ThresholdedGroups;

/// A theorem for each number of a key.
struct NoiseTheorem {
  std::function<Range(int)> probability;
  std::function<Range(int)> at_least;
};

NoiseTheorem laplace_theorem(const Rational& scale) {
  return {[scale](int z) { return laplace_probability(z, scale); },
          [scale](int t) { return laplace_at_least(t, scale); }};
}
NoiseTheorem gaussian_theorem(const Rational& variance) {
  return {[variance](int z) { return gaussian_probability(z, variance); },
          [variance](int t) { return gaussian_at_least(t, variance); }};
}

/// Without room, so that one number is drawn for a key.
template <int kWidth>
Pair groups_with_threshold(const ThresholdedGroups::Options& options, const NoiseTheorem& noise,
                           const Inputs<KeySums>& inputs, int depth, const Progress& progress) {
  const auto mechanism = ThresholdedGroups::make(options).value();
  const int tau = to_int(mechanism.threshold());
  const auto theorem = [&](const KeySums& groups, const ShownSums& shown) -> std::optional<Range> {
    Range all{1, 1};
    std::size_t next = 0;  // the keys of the input stand in byte order
    for (std::size_t i = 0; i < groups.keys.size(); ++i) {
      const int x = to_int(groups.sums[i]);
      if (next < shown.keys.size() && shown.keys[next] == groups.keys[i]) {
        const int y = static_cast<int>(shown.sums[next++]);
        all = all * (y < tau ? Range{0, 0} : noise.probability(y - x));
      } else {
        all = all * complement(noise.at_least(tau - x));
      }
    }
    return all;
  };
  return audit<kWidth>(mechanism, inputs, depth, theorem, progress);
}

/// Scale 1 / epsilon_each.
ThresholdedGroups::Options laplace_groups(int keys, int epsilon_each, const Rational& delta) {
  const auto noise =
      mechanism::LaplaceNoise::make({.sensitivity = Sensitivity::trusted(keys),
                                     .epsilon = Epsilon::trusted(keys * epsilon_each)});
  return {.noise = noise.value(),
          .delta = Delta::trusted(delta),
          .capacity = 1,
          .keys_per_unit = keys,
          .room = false};
}

const Rational kHalf = Rational::ratio(1, 2);
const Rational kDeltaOfTwo = Rational::ratio(323, 10'000);
const Inputs<KeySums> kNewKeys{
    {{}, {}, {}, 1}, {{"a", "b"}, {1, 1}, {1, 1}, 1}, "nothing | a: 1, b: 1"};
const Inputs<KeySums> kKnownKeys{
    {{"a", "b"}, {8, 8}, {8, 8}, 1}, {{"a", "b"}, {9, 9}, {9, 9}, 1}, "a: 8, b: 8 | a: 9, b: 9"};

/// A key that nobody has, and one that a single unit has.
Pair thresholded_groups_of_new_key(const Progress& progress) {
  return groups_with_threshold<5>(
      laplace_groups(1, 1, Rational::ratio(73, 2000)), laplace_theorem(1),
      {{{}, {}, {}, 1}, {{"a"}, {1}, {1}, 1}, "nothing | a: 1"}, 26, progress);
}

/// Pr[Z >= 2] is just below 0.01615.
Pair thresholded_groups_of_new_keys(const Progress& progress) {
  return groups_with_threshold<5>(laplace_groups(2, 2, kDeltaOfTwo), laplace_theorem(kHalf),
                                  kNewKeys, 24, progress);
}

Pair thresholded_groups_of_known_keys(const Progress& progress) {
  return groups_with_threshold<5>(laplace_groups(2, 2, kDeltaOfTwo), laplace_theorem(kHalf),
                                  kKnownKeys, 26, progress);
}

/// Variance 1.
Pair gaussian_groups(int keys, const Rational& delta, const Inputs<KeySums>& inputs,
                     const Progress& progress) {
  const auto noise =
      mechanism::GaussianNoise::make({.sensitivity_squared = L2Squared::trusted(keys),
                                      .rho = Rho::trusted(Rational::ratio(keys, 2))});
  return groups_with_threshold<6>({.noise = noise.value(),
                                   .delta = Delta::trusted(delta),
                                   .capacity = 1,
                                   .keys_per_unit = keys,
                                   .room = false},
                                  gaussian_theorem(1), inputs, 30, progress);
}

Pair gaussian_groups_of_new_key(const Progress& progress) {
  return gaussian_groups(1, Rational::ratio(309, 1000),
                         {{{}, {}, {}, 1}, {{"a"}, {1}, {1}, 1}, "nothing | a: 1"}, progress);
}

Pair gaussian_groups_of_known_keys(const Progress& progress) {
  return gaussian_groups(2, Rational::ratio(1, 1000), kKnownKeys, progress);
}

/// A key that nobody has, and one of a unit that brings `sum` of the 2 that it may: the sum and the
/// room are drawn, and the key is shown if both together reach the threshold.
Pair groups_with_room(int sum, const Progress& progress) {
  const auto noise = mechanism::LaplaceNoise::make(
      {.sensitivity = Sensitivity::trusted(2), .epsilon = Epsilon::trusted(4)});
  const auto mechanism =
      ThresholdedGroups::make({.noise = noise.value(),
                               .delta = Delta::trusted(Rational::ratio(393, 10'000)),
                               .capacity = 2,
                               .keys_per_unit = 1})
          .value();
  const int tau = to_int(mechanism.threshold());
  const auto theorem = [&](const KeySums& groups, const ShownSums& shown) -> std::optional<Range> {
    if (groups.keys.empty()) return shown.keys.empty() ? Range{1, 1} : Range{0, 0};
    if (shown.keys.empty()) return std::nullopt;  // what is left of 1
    const int y = static_cast<int>(shown.sums[0]);
    return laplace_probability(y - sum, kHalf) * laplace_at_least(tau - y - (2 - sum), kHalf);
  };
  return audit<4>(
      mechanism,
      Inputs<KeySums>{
          {{}, {}, {}, 2}, {{"a"}, {1}, {sum}, 2}, "no key | a: 1 unit of " + std::to_string(sum)},
      28, theorem, progress);
}

Pair thresholded_groups(const Progress& progress) { return groups_with_room(1, progress); }
Pair thresholded_groups_empty(const Progress& progress) { return groups_with_room(0, progress); }
Pair thresholded_groups_full(const Progress& progress) { return groups_with_room(2, progress); }

/// One yes allowed: the first two counts rise while the last one falls, at the threshold's end of
/// the domain.
Pair above_threshold(const Progress& progress) {
  const Int128 top = (Int128{1} << 125) - 1;
  const AboveThreshold::Options options{.epsilon = Epsilon::trusted(12),
                                        .sensitivity = Sensitivity::trusted(1),
                                        .threshold = top,
                                        .above_max = 1};
  const auto walk = [&](const std::vector<int>& below, int part) {
    std::vector<Int128> questions;
    for (const int q : below) questions.push_back(top + q);
    const Sensitive<std::vector<Int128>> sealed{std::move(questions)};
    const AboveThresholdTheorem theorem{.threshold_scale = Rational::ratio(1, 6),
                                        .question_scale = Rational::ratio(1, 3),
                                        .threshold = 0,
                                        .questions = below};
    const Walk all({.depth = 25, .progress = part_of(progress, part, 2)});
    const auto walked = all.run<1>([&](Tape<1>& tape) {
      return AboveThreshold::replay(options, sealed, tape).value().outcome();
    });
    const auto print = [](const std::vector<bool>& answers) {
      std::string text;
      for (const bool yes : answers) text += yes ? "yes " : "no ";
      return text;
    };
    return distribution(walked, print, [&](const std::vector<bool>& answers) {
      return std::optional(answers_probability(theorem, answers));
    });
  };
  Distribution a = walk({-1, -1, 0}, 0);
  Distribution b = walk({0, 0, -1}, 1);
  return {AboveThreshold::noise(options).text, "from the limit -1 -1 0 | 0 0 -1",
          AboveThreshold::cost(options), std::move(a), std::move(b)};
}

}  // namespace

std::vector<Case> keys_cases() {
  return {
      {"partition-selection", selection_of_new_key},
      {"partition-selection-rare", selection_of_rare_key},
      {"partition-selection-known", selection_of_known_key},
      {"partition-selection-certain", selection_of_certain_key},
      {"key-selection", key_selection},
      {"key-selection-known", key_selection_known},
      {"thresholded-laplace", thresholded_laplace_of_new_key},
      {"thresholded-laplace-known", thresholded_laplace_of_known_key},
      {"thresholded-gaussian", thresholded_gaussian_of_new_key},
      {"thresholded-gaussian-known", thresholded_gaussian_of_known_key},
      {"thresholded-groups", thresholded_groups},
      {"thresholded-groups-empty", thresholded_groups_empty},
      {"thresholded-groups-full", thresholded_groups_full},
      {"thresholded-groups-new", thresholded_groups_of_new_key},
      {"thresholded-groups-new-keys", thresholded_groups_of_new_keys},
      {"thresholded-groups-known-keys", thresholded_groups_of_known_keys},
      {"gaussian-groups-new", gaussian_groups_of_new_key},
      {"gaussian-groups-known-keys", gaussian_groups_of_known_keys},
      {"above-threshold", above_threshold,
       "used up by series of questions only: with two before it 0.75, with four 0.98, which are "
       "too many tapes"}};
}

}  // namespace discreet::audit
