// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thresholded_groups.h"

#include <span>

#include "mechanism/draws.h"
#include "mechanism/key_order.h"
#include "mechanism/threshold_jump.h"
#include "random/gaussian.h"
#include "random/laplace.h"

namespace discreet::mechanism {
namespace {

/// Whether the noise covers k keys in which (sum, room) moves by C each.
bool covers(const ThresholdedGroups::Options& options) {
  const Integer k(options.keys_per_unit);
  if (const auto* const laplace = std::get_if<LaplaceNoise>(&options.noise)) {
    return laplace->sensitivity().value() >= Rational(Integer(k * options.capacity));
  }
  return std::get<GaussianNoise>(options.noise).sensitivity_squared().value() >=
         Rational(Integer(k * options.capacity * options.capacity));
}

/// A t >= 1 that the noise of a key's numbers, added up, reaches with probability at most delta.
Integer jump_of(const ThresholdedGroups::Options& options, const Delta& delta) {
  const int parts = options.room ? 2 : 1;
  if (const auto* const laplace = std::get_if<LaplaceNoise>(&options.noise)) {
    return laplace_jump(laplace->scale(), delta, parts);
  }
  return gaussian_jump(std::get<GaussianNoise>(options.noise).sigma_squared(), delta, parts);
}

}  // namespace

ThresholdedGroups::ThresholdedGroups(Options options, Int128 capacity, Int128 threshold)
    : options_(std::move(options)), capacity_(capacity), threshold_(threshold) {}

Result<ThresholdedGroups> ThresholdedGroups::make(Options options) {
  if (options.delta.value().sign() == 0) {
    return invalid_input(
        "a threshold needs a delta above 0, such as 1e-6: with delta 0 it would be infinite");
  }
  if (options.keys_per_unit < 1) {
    return invalid_input("a unit must be allowed at least one key; got " +
                         std::to_string(options.keys_per_unit));
  }
  if (options.capacity < 1 || Rational(options.capacity) > power_of_two(62)) {
    return invalid_input("what a unit adds to a group must lie between 1 and 2^62; got " +
                         options.capacity.get_str());
  }
  if (!covers(options)) {
    return invalid_input("the noise is made for less than what a unit moves in all of its keys");
  }
  const Delta each = Delta::trusted(options.delta.value() / Rational(options.keys_per_unit));
  const Int128 capacity = to_int128(options.capacity);
  const Int128 threshold = capacity + to_int128(jump_of(options, each));
  return ThresholdedGroups(std::move(options), capacity, threshold);
}

NoiseSpec ThresholdedGroups::noise() const {
  const auto rest = ",capacity=" + options_.capacity.get_str() +
                    ",keys_per_unit=" + std::to_string(options_.keys_per_unit) +
                    ",numbers=" + (options_.room ? "2" : "1") +
                    ",threshold=" + to_string(threshold_) + ")";
  if (const auto* const laplace = std::get_if<LaplaceNoise>(&options_.noise)) {
    return {"thresholded-groups-laplace(scale=" + laplace->scale().to_string() +
            ",sensitivity=" + laplace->sensitivity().to_string() + rest};
  }
  const auto& gaussian = std::get<GaussianNoise>(options_.noise);
  return {"thresholded-groups-gaussian(sigma_squared=" + gaussian.sigma_squared().to_string() +
          ",sensitivity_squared=" + gaussian.sensitivity_squared().to_string() + rest};
}

Cost ThresholdedGroups::cost() const {
  Cost cost = std::visit([](const auto& noise) { return noise.cost(); }, options_.noise);
  cost.delta = options_.delta;
  return cost;
}

std::optional<Accuracy> ThresholdedGroups::accuracy(const Confidence& confidence) const {
  return std::visit([&](const auto& noise) { return noise.accuracy(confidence); }, options_.noise);
}

Integer ThresholdedGroups::shown_from(const Confidence& confidence) const {
  // Hidden: C n + S < tau, that is -S >= C n - tau + 1; S is symmetric.
  const Integer jump = jump_of(options_, Delta::trusted(Rational(1) - confidence.value()));
  return (Rational(Integer(to_integer(threshold_) + jump - 1)) / Rational(options_.capacity))
      .ceil();
}

Int128 ThresholdedGroups::room_of(const Input& groups, std::size_t i) {
  // Both factors are below 2^62 and the sum is far below 2^127: no overflow.
  const Int128 units = std::clamp<Int128>(groups.units[i], 0, kEntryMax);
  return units * groups.capacity - std::clamp<Int128>(groups.sums[i], -kAnswerMax, kAnswerMax);
}

ThresholdedGroups::Output ThresholdedGroups::ordered(const std::vector<std::string>& keys,
                                                     const std::vector<std::int64_t>& sums,
                                                     const std::vector<std::size_t>& places) {
  Output out;
  out.keys.reserve(places.size());
  out.sums.reserve(places.size());
  for (const std::size_t i : in_byte_order(keys, places)) {
    out.keys.push_back(keys[i]);
    out.sums.push_back(sums[i]);
  }
  return out;
}

std::vector<Int128> ThresholdedGroups::coordinates(const Input& groups) {
  std::vector<Int128> room(groups.keys.size());
  for (std::size_t i = 0; i < room.size(); ++i) room[i] = room_of(groups, i);
  std::vector<Int128> out(2 * kCoordinates, 0);
  const std::span<Int128> all(out);
  strew<Int128>(groups.keys, groups.sums, all.first(kCoordinates));
  strew<Int128>(groups.keys, room, all.last(kCoordinates));
  return out;
}

std::string ThresholdedGroups::describe(const Output& shown) {
  std::string text;
  for (std::size_t i = 0; i < shown.keys.size(); ++i) {
    if (!text.empty()) text += ' ';
    text += std::to_string(shown.keys[i].size()) + ':' + shown.keys[i] + '=' +
            std::to_string(shown.sums[i]);
  }
  return text;
}

template <random::BitSource B>
std::vector<std::int64_t> ThresholdedGroups::noise_for(std::size_t keys, B& bits) const {
  std::vector<std::int64_t> out(keys);
  if (const auto* const laplace = std::get_if<LaplaceNoise>(&options_.noise)) {
    fill(out, *random::LaplaceFor<B>::shared(laplace->scale()), bits);
  } else {
    const Variance& variance = std::get<GaussianNoise>(options_.noise).sigma_squared();
    fill(out, *random::GaussianFor<B>::shared(variance), bits);
  }
  return out;
}

template <random::BitSource B>
ThresholdedGroups::Output ThresholdedGroups::draw(const Input& groups, B& bits) const {
  const std::size_t size = groups.keys.size();
  DISCREET_CHECK(groups.units.size() == size && groups.sums.size() == size);
  DISCREET_CHECK(groups.capacity == capacity_);
  const auto entry = [](Int128 x) {
    return static_cast<std::int64_t>(std::clamp<Int128>(x, -kEntryMax, kEntryMax));
  };
  std::vector<std::int64_t> sums = noise_for(size, bits);
  std::vector<std::int64_t> room = noise_for(options_.room ? size : 0, bits);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < size; ++i) {
    sums[i] = add_noise_to_entry(entry(groups.sums[i]), sums[i]);
    Int128 total = sums[i];
    if (options_.room) {
      total += add_noise_to_entry(entry(room_of(groups, i)), room[i]);
    }
    if (groups.units[i] > 0 && total >= threshold_) shown.push_back(i);
  }
  Output out = ordered(groups.keys, sums, shown);
  wipe(sums);  // those of hidden keys are nobody's business
  wipe(room);
  return out;
}

DISCREET_DRAWS(ThresholdedGroups)

}  // namespace discreet::mechanism
