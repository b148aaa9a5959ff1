// SPDX-License-Identifier: Apache-2.0
#include "mechanism/key_selection.h"

#include <utility>

#include "mechanism/draws.h"
#include "mechanism/key_order.h"

namespace discreet::mechanism {

KeySelection::KeySelection(Options options, PartitionSelection each)
    : options_(std::move(options)), each_(std::move(each)) {}

Result<KeySelection> KeySelection::make(Options options) {
  if (options.keys_per_unit < 1) {
    return invalid_input("a unit must be allowed at least one key; got " +
                         std::to_string(options.keys_per_unit));
  }
  const Rational k(options.keys_per_unit);
  DISCREET_ASSIGN(
      PartitionSelection each,
      PartitionSelection::make({.epsilon = Epsilon::trusted(options.epsilon.value() / k),
                                .delta = Delta::trusted(options.delta.value() / k)}));
  return KeySelection(std::move(options), std::move(each));
}

NoiseSpec KeySelection::noise() const {
  return {"key-selection(epsilon=" + options_.epsilon.to_string() +
          ",delta=" + options_.delta.to_string() +
          ",keys_per_unit=" + std::to_string(options_.keys_per_unit) + ")"};
}

Cost KeySelection::cost() const {
  const Rational& epsilon = options_.epsilon.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(epsilon * epsilon / (2 * Rational(options_.keys_per_unit))),
          .delta = options_.delta};
}

std::vector<Int128> KeySelection::coordinates(const Input& counts) {
  std::vector<Int128> out(kCoordinates, 0);
  strew<std::int64_t>(counts.keys, counts.units, out);
  return out;
}

std::string KeySelection::describe(const Output& keys) {
  std::string text;
  for (const std::string& key : keys) {
    if (!text.empty()) text += ' ';
    text += std::to_string(key.size()) + ':' + key;
  }
  return text;
}

KeySelection::Output KeySelection::ordered(const std::vector<std::string>& keys,
                                           const std::vector<std::size_t>& places) {
  Output out;
  out.reserve(places.size());
  for (const std::size_t i : in_byte_order(keys, places)) out.push_back(keys[i]);
  return out;
}

template <random::BitSource B>
KeySelection::Output KeySelection::draw(const Input& counts, B& bits) const {
  DISCREET_CHECK(counts.keys.size() == counts.units.size());
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < counts.units.size(); ++i) {
    if (each_.shows(counts.units[i], bits)) kept.push_back(i);
  }
  return ordered(counts.keys, kept);
}

DISCREET_DRAWS(KeySelection)

}  // namespace discreet::mechanism
