// SPDX-License-Identifier: Apache-2.0
// Numbers that a person would choose to make DuckDB's hash tables slow. Its hash of a BIGINT is a
// murmur that can be inverted, and that of several columns xors them in turn.
#pragma once

#include <cstdint>
#include <vector>

namespace discreet::engine::duckdb {

inline constexpr std::uint64_t kMurmur = 0xd6e8feb86659fd93;

/// Of an odd number, modulo 2^64.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}
static_assert(kMurmur * inverse(kMurmur) == 1);

constexpr std::uint64_t folded(std::uint64_t x) { return x ^ (x >> 32); }
/// hash(x)
constexpr std::uint64_t duckdb_hash(std::uint64_t x) {
  return folded(folded(folded(x) * kMurmur) * kMurmur);
}
constexpr std::uint64_t duckdb_inverse(std::uint64_t hash) {
  return folded(folded(folded(hash) * inverse(kMurmur)) * inverse(kMurmur));
}
/// hash(x, y), from that of all before y.
constexpr std::uint64_t duckdb_combined(std::uint64_t before, std::uint64_t y) {
  return (folded(before) * kMurmur) ^ duckdb_hash(y);
}

/// The i-th number whose hash, behind what has the hash `before`, has the place and the salt of all
/// others in a hash table: the lowest 20 and the highest 16 bits. Requires: i < 2^28.
constexpr std::uint64_t crowded(std::uint64_t i, std::uint64_t before) {
  constexpr std::uint64_t kPlace = 0x3243f6a8885a308d & ~(((std::uint64_t{1} << 28) - 1) << 20);
  return duckdb_inverse((kPlace | i << 20) ^ (folded(before) * kMurmur));
}
/// The same, of one column alone.
constexpr std::uint64_t crowded(std::uint64_t i) { return crowded(i, 0); }

/// y such that hash(unit, i, y) is the same for all i.
constexpr std::uint64_t colliding(std::uint64_t unit, std::uint64_t i) {
  const std::uint64_t before = duckdb_combined(duckdb_hash(unit), i);
  return duckdb_inverse(0x3243f6a8885a308d ^ (folded(before) * kMurmur));
}

}  // namespace discreet::engine::duckdb
