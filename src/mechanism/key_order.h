// SPDX-License-Identifier: Apache-2.0
// Keys in an order that depends on the keys alone, and numbers of keys as coordinates for
// recordings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "numeric/int128.h"

namespace discreet::mechanism {

/// These places of `keys`, by the bytes of their keys.
std::vector<std::size_t> in_byte_order(const std::vector<std::string>& keys,
                                       const std::vector<std::size_t>& places);

/// Adds each key's number to one of 1024 coordinates that its text decides, so
/// that two inputs with different keys have the same number of coordinates.
inline constexpr std::size_t kCoordinates = 1024;
template <class Number>
void strew(const std::vector<std::string>& keys, std::span<const Number> numbers,
           std::span<Int128> out);

extern template void strew(const std::vector<std::string>&, std::span<const std::int64_t>,
                           std::span<Int128>);
extern template void strew(const std::vector<std::string>&, std::span<const Int128>,
                           std::span<Int128>);

}  // namespace discreet::mechanism
