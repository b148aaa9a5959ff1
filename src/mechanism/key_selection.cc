// SPDX-License-Identifier: Apache-2.0
#include "mechanism/key_selection.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace discreet::mechanism {
namespace {

/// For recordings: keys are strewn over so many places, so that two inputs with different keys have
/// the same number of coordinates.
constexpr std::size_t kPlaces = 1024;

std::size_t place_of(std::string_view key) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash % kPlaces;
}

/// Eight letters from `skip` on as one number, so that most comparisons need no look at the text.
/// A text that ends earlier sorts first, as if followed by zeros; ties are looked at.
std::uint64_t letters(std::string_view text, std::size_t skip) {
  std::uint64_t out = 0;
  for (std::size_t i = skip; i < skip + 8; ++i) {
    out = out << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return out;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

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
  std::vector<Int128> out(kPlaces, 0);
  for (std::size_t i = 0; i < counts.keys.size(); ++i) {
    out[place_of(counts.keys[i])] += counts.units[i];
  }
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

KeySelection::Output KeySelection::in_byte_order(const std::vector<std::string>& keys,
                                                 const std::vector<std::size_t>& places) {
  if (places.empty()) return {};
  std::size_t same = keys[places[0]].size();
  for (const std::size_t i : places) {
    same =
        std::min(same, common_prefix(std::string_view(keys[places[0]]).substr(0, same), keys[i]));
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(places.size());
  for (const std::size_t i : places) order.emplace_back(letters(keys[i], same), i);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : keys[a.second] < keys[b.second];
  });
  Output out;
  out.reserve(order.size());
  for (const auto& entry : order) out.push_back(keys[entry.second]);
  return out;
}

}  // namespace discreet::mechanism
