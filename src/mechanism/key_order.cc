// SPDX-License-Identifier: Apache-2.0
#include "mechanism/key_order.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace discreet::mechanism {
namespace {

std::size_t coordinate_of(std::string_view key) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash % kCoordinates;
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

std::vector<std::size_t> in_byte_order(const std::vector<std::string>& keys,
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
  std::vector<std::size_t> out;
  out.reserve(order.size());
  for (const auto& entry : order) out.push_back(entry.second);
  return out;
}

template <class Number>
void strew(const std::vector<std::string>& keys, std::span<const Number> numbers,
           std::span<Int128> out) {
  DISCREET_CHECK(keys.size() == numbers.size() && out.size() == kCoordinates);
  for (std::size_t i = 0; i < keys.size(); ++i) out[coordinate_of(keys[i])] += numbers[i];
}

template void strew(const std::vector<std::string>&, std::span<const std::int64_t>,
                    std::span<Int128>);
template void strew(const std::vector<std::string>&, std::span<const Int128>, std::span<Int128>);

}  // namespace discreet::mechanism
