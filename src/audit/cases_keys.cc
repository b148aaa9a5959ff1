// SPDX-License-Identifier: Apache-2.0
// Which keys may be shown, and whether a count is above a threshold.
#include <algorithm>

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

AuditRow selection(const Inputs<Int128>& counts, const Progress& progress) {
  const Rational epsilon = 1;
  const Rational delta = Rational::ratio(1, 20);
  const auto mechanism = mechanism::PartitionSelection::make(
      {.epsilon = Epsilon::trusted(epsilon), .delta = Delta::trusted(delta)});
  const auto theorem = [&](Int128 n, bool shown) -> std::optional<Range> {
    const Range p = selection_probability(to_int(n), epsilon, delta);
    return shown ? p : complement(p);
  };
  return audit<4>(mechanism.value(), counts, 60, theorem, progress);
}

/// A key that nobody has, and one that a single unit has: all of delta is used.
AuditRow selection_of_new_key(const Progress& progress) {
  return selection({0, 1, "0 | 1 units"}, progress);
}

/// Rising with e^epsilon.
AuditRow selection_of_rare_key(const Progress& progress) {
  return selection({2, 3, "2 | 3 units"}, progress);
}

/// Past the turn: what is left to 1 falls with e^-epsilon.
AuditRow selection_of_known_key(const Progress& progress) {
  return selection({4, 5, "4 | 5 units"}, progress);
}

/// A unit that is alone in two keys: delta/2 for each.
AuditRow key_selection(const Progress& progress) {
  using mechanism::KeyCounts;
  const auto mechanism =
      mechanism::KeySelection::make({.epsilon = Epsilon::trusted(2),
                                     .delta = Delta::trusted(Rational::ratio(1, 10)),
                                     .keys_per_unit = 2});
  const auto theorem = [](const KeyCounts& counts,
                          const std::vector<std::string>& shown) -> std::optional<Range> {
    Range all{1, 1};
    for (std::size_t i = 0; i < counts.keys.size(); ++i) {
      const Range p =
          selection_probability(static_cast<int>(counts.units[i]), 1, Rational::ratio(1, 20));
      const bool is_shown = std::find(shown.begin(), shown.end(), counts.keys[i]) != shown.end();
      all = all * (is_shown ? p : complement(p));
    }
    return all;
  };
  return audit<4>(mechanism.value(),
                  Inputs<KeyCounts>{
                      {{"c"}, {2}}, {{"a", "b", "c"}, {1, 1, 2}}, "c: 2 | a: 1, b: 1, c: 2 units"},
                  28, theorem, progress);
}

AuditRow thresholded_laplace(const Inputs<Int128>& counts, const Progress& progress) {
  const auto mechanism =
      mechanism::ThresholdedLaplace::make({.epsilon = Epsilon::trusted(1),
                                           .delta = Delta::trusted(Rational::ratio(1, 20)),
                                           .sensitivity = Sensitivity::trusted(1)});
  const int tau = to_int(mechanism.value().threshold());
  const auto theorem = [&](Int128 x, const std::optional<Int128>& y) -> std::optional<Range> {
    if (x == 0) return y ? Range{0, 0} : Range{1, 1};
    if (!y) return complement(laplace_at_least(tau - to_int(x), 1));
    return *y < tau ? Range{0, 0} : laplace_probability(to_int(*y - x), 1);
  };
  return audit<5>(mechanism.value(), counts, 26, theorem, progress);
}

AuditRow thresholded_laplace_of_new_key(const Progress& progress) {
  return thresholded_laplace({0, 1, "0 | 1"}, progress);
}

AuditRow thresholded_laplace_of_known_key(const Progress& progress) {
  return thresholded_laplace({3, 4, "3 | 4"}, progress);
}

AuditRow thresholded_gaussian(const Progress& progress) {
  const auto mechanism =
      mechanism::ThresholdedGaussian::make({.rho = Rho::trusted(Rational::ratio(1, 2)),
                                            .delta = Delta::trusted(Rational::ratio(1, 20)),
                                            .sensitivity = Sensitivity::trusted(1)});
  const int tau = to_int(mechanism.value().threshold());
  const auto theorem = [&](Int128 x, const std::optional<Int128>& y) -> std::optional<Range> {
    if (x == 0) return y ? Range{0, 0} : Range{1, 1};
    if (!y) return complement(gaussian_at_least(tau - to_int(x), 1));
    return *y < tau ? Range{0, 0} : gaussian_probability(to_int(*y - x), 1);
  };
  return audit<6>(mechanism.value(), Inputs<Int128>{0, 1, "0 | 1"}, 30, theorem, progress);
}

/// Without room, so that one number is drawn for a key.
template <int kWidth>
AuditRow groups_with_threshold(const mechanism::LaplaceOptions& noise, const Rational& delta,
                               std::int64_t keys, const Inputs<mechanism::KeySums>& inputs,
                               const Progress& progress) {
  using mechanism::KeySums;
  using mechanism::ShownSums;
  const auto laplace = mechanism::LaplaceNoise::make(noise);
  const auto mechanism = mechanism::ThresholdedGroups::make({.noise = laplace.value(),
                                                             .delta = Delta::trusted(delta),
                                                             .capacity = 1,
                                                             .keys_per_unit = keys,
                                                             .room = false});
  const Rational scale = noise.sensitivity.value() / noise.epsilon.value();
  const int tau = to_int(mechanism.value().threshold());
  const auto theorem = [&](const KeySums& groups, const ShownSums& shown) -> std::optional<Range> {
    Range all{1, 1};
    std::size_t next = 0;  // the keys of the input stand in byte order
    for (std::size_t i = 0; i < groups.keys.size(); ++i) {
      const int x = to_int(groups.sums[i]);
      if (next < shown.keys.size() && shown.keys[next] == groups.keys[i]) {
        const int y = static_cast<int>(shown.sums[next++]);
        all = all * (y < tau ? Range{0, 0} : laplace_probability(y - x, scale));
      } else {
        all = all * complement(laplace_at_least(tau - x, scale));
      }
    }
    return all;
  };
  return audit<kWidth>(mechanism.value(), inputs, 26, theorem, progress);
}

/// A key that nobody has, and one that a single unit has.
AuditRow thresholded_groups_of_new_key(const Progress& progress) {
  return groups_with_threshold<5>(
      {.sensitivity = Sensitivity::trusted(1), .epsilon = Epsilon::trusted(1)},
      Rational::ratio(1, 20), 1, {{{}, {}, {}, 1}, {{"a"}, {1}, {1}, 1}, "nothing | a: 1"},
      progress);
}

/// A key that nobody has, and one that a single unit has, with one of the two rows that it may
/// have: the sum and the room are drawn, and the key is shown if both together reach the threshold.
AuditRow thresholded_groups(const Progress& progress) {
  using mechanism::KeySums;
  using mechanism::ShownSums;
  const auto noise = mechanism::LaplaceNoise::make(
      {.sensitivity = Sensitivity::trusted(2), .epsilon = Epsilon::trusted(4)});
  const auto mechanism =
      mechanism::ThresholdedGroups::make({.noise = noise.value(),
                                          .delta = Delta::trusted(Rational::ratio(1, 20)),
                                          .capacity = 2,
                                          .keys_per_unit = 1});
  const Rational scale = Rational::ratio(1, 2);
  const int tau = to_int(mechanism.value().threshold());
  const auto theorem = [&](const KeySums& groups, const ShownSums& shown) -> std::optional<Range> {
    if (groups.keys.empty()) return shown.keys.empty() ? Range{1, 1} : Range{0, 0};
    if (shown.keys.empty()) return std::nullopt;  // what is left of 1
    const int y = static_cast<int>(shown.sums[0]);
    return laplace_probability(y - 1, scale) * laplace_at_least(tau - y - 1, scale);
  };
  return audit<4>(mechanism.value(),
                  Inputs<KeySums>{{{}, {}, {}, 2}, {{"a"}, {1}, {1}, 2}, "no key | a: 1 unit"}, 24,
                  theorem, progress);
}

/// Two questions, one yes allowed: the first count rises while the second falls.
AuditRow above_threshold(const Progress& progress) {
  const AboveThreshold::Options options{.epsilon = Epsilon::trusted(12),
                                        .sensitivity = Sensitivity::trusted(1),
                                        .threshold = 1,
                                        .above_max = 1};
  const auto walk = [&](const std::vector<int>& questions, int part) {
    const Sensitive<std::vector<Int128>> sealed{
        std::vector<Int128>(questions.begin(), questions.end())};
    const AboveThresholdTheorem theorem{.threshold_scale = Rational::ratio(1, 6),
                                        .question_scale = Rational::ratio(1, 3),
                                        .threshold = 1,
                                        .questions = questions};
    const Walk all({.depth = 22, .progress = part_of(progress, part, 2)});
    const auto walked = all.run<4>([&](Tape<4>& tape) {
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
  const Distribution a = walk({0, 1}, 0);
  const Distribution b = walk({1, 0}, 1);
  return make_row(AboveThreshold::noise(options).text, "counts 0 1 | 1 0",
                  AboveThreshold::cost(options), a, b);
}

}  // namespace

std::vector<Case> keys_cases() {
  return {{"partition-selection", selection_of_new_key},
          {"partition-selection-rare", selection_of_rare_key},
          {"partition-selection-known", selection_of_known_key},
          {"key-selection", key_selection},
          {"thresholded-laplace", thresholded_laplace_of_new_key},
          {"thresholded-laplace-known", thresholded_laplace_of_known_key},
          {"thresholded-gaussian", thresholded_gaussian},
          {"thresholded-groups", thresholded_groups},
          {"thresholded-groups-new", thresholded_groups_of_new_key},
          {"above-threshold", above_threshold}};
}

}  // namespace discreet::audit
