// SPDX-License-Identifier: Apache-2.0
// ThresholdedGroups: sums of groups whose keys nobody listed, and with them which keys may be
// shown. One noise does both: the price of the sums is the price of the keys.
//
//   DISCREET_ASSIGN(auto found,
//                   Door::release(groups, Verbs::key_sums(sealed, 0, capacity),
//                                 std::move(receipt)));
//   found.value().keys, found.value().sums
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "mechanism/gaussian_noise.h"
#include "mechanism/groups.h"
#include "mechanism/laplace_noise.h"
#include "mechanism/mechanisms.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// The keys that are shown, in byte order, each with its noisy sum.
struct ShownSums {
  std::vector<std::string> keys;
  std::vector<std::int64_t> sums;
  friend bool operator==(const ShownSums&, const ShownSums&) = default;
  friend auto operator<=>(const ShownSums&, const ShownSums&) = default;
};

/// Mechanism    for each key with n >= 1 units and sum x:  y = x + Z and, with room,
///              v = (C n - x) + Z'; the key is shown, with y, if y + v >= tau (y >= tau without
///              room). Z, Z' independent discrete Laplace or Gaussian; tau = C + t, t >= 1 with
///              Pr[Z + Z' >= t] <= delta/k: the mass *at* tau counts.
/// Domain       any finite set of keys; a key that is not in it has n = 0 and is never shown. Sums
///              are clamped as entries of an array are (saturation.h).
/// Neighbours   inputs that differ in at most k keys; in each key the pair (x, C n - x) moves by at
///              most C in L1, and so in L2, or in one key by two such steps where that uses up two
///              of the k; a key that only one of them has has n = 1 there.
///              One unit that adds to a key's sum something between 0 and C does that.
/// Measure      (epsilon, delta)-DP, or delta-approximate zCDP.
/// Theorem      Laplace of scale k C/epsilon: (epsilon, delta)-DP, hence delta-approximately
///              (epsilon^2/2)-zCDP. Gaussian of variance k C^2/(2 rho): delta-approximately
///              rho-zCDP; no epsilon is claimed.
/// Proof        thresholded_groups.md §2
/// Privacy map  k keys -> (epsilon, delta) or (rho, delta), exact rationals.
/// Accuracy     Pr[shown and |y - x| > half width] <= 1 - confidence, for each key; *not* given
///              that it is shown: near tau shown sums are too high more often than too low.
///              shown_from() says how many units surely suffice.
/// Output       the shown keys in byte order: nothing else about the input's order leaves.
/// Randomness   OS entropy only; as many coins for a hidden key as for a shown one.
/// Fails with   nothing on data.
/// Side channel time grows with the number of keys, hidden ones too: see CAVEATS.
/// Source       threshold: [Korolova et al. 2009]; the room C n - x, which makes a sum tell the
///              number of units at no price: here.
/// Trust        proved.
/// Checked by   thresholded_groups_test (all tapes, neighbours, planted faults), audit exact
///              thresholded-groups.
class ThresholdedGroups {
 public:
  using Input = KeySums;
  using Output = ShownSums;
  using Noise = std::variant<LaplaceNoise, GaussianNoise>;

  struct Options {
    Noise noise;                 ///< of each number
    Delta delta;                 ///< of the whole release
    Integer capacity;            ///< C: the most that a unit adds to a key's sum
    std::int64_t keys_per_unit;  ///< k: in how many keys neighbours differ
    bool room = true;            ///< whether C n - x is measured too; needless where x = C n
  };

  /// Fails with: kInvalidInput when delta is 0, C or k below 1, C above 2^62, or the noise was made
  /// for less than k keys of C each.
  static Result<ThresholdedGroups> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  Int128 threshold() const { return threshold_; }
  /// A number of units from which on a key is shown with at least this confidence; requires
  /// x = C n without room.
  Integer shown_from(const Confidence& confidence) const;
  const Options& options() const { return options_; }

  /// Sums and room, in places that the keys' texts decide.
  static std::vector<Int128> coordinates(const Input& groups);
  static std::string describe(const Output& shown);

 private:
  friend class Door;
  ThresholdedGroups(Options options, Int128 capacity, Int128 threshold);

  template <random::BitSource B>
  Output draw(const Input& groups, B& bits) const;

  /// Independent noise for so many keys.
  template <random::BitSource B>
  std::vector<std::int64_t> noise_for(std::size_t keys, B& bits) const;

  /// C n - x of the key at place i.
  static Int128 room_of(const Input& groups, std::size_t i);
  /// The sums of the keys at these places, in byte order of their keys.
  static Output ordered(const std::vector<std::string>& keys, const std::vector<std::int64_t>& sums,
                        const std::vector<std::size_t>& places);

  Options options_;
  Int128 capacity_;
  Int128 threshold_;
};

}  // namespace discreet::mechanism
