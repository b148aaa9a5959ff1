// SPDX-License-Identifier: Apache-2.0
// Finite fields of prime order and of order 2^m, and the points of the projective space over one:
// what the projective-geometry response is made of.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace discreet::local {

inline constexpr std::uint64_t kFieldMax = 256;

/// A prime, or a power of two, from 2 to kFieldMax.
bool is_field_order(std::uint64_t q);

class Field {
 public:
  /// Requires: is_field_order(q).
  explicit Field(std::uint64_t q);

  std::uint32_t order() const { return q_; }
  std::uint32_t add(std::uint32_t a, std::uint32_t b) const {
    if (binary_) return a ^ b;
    const std::uint32_t sum = a + b;
    return sum >= q_ ? sum - q_ : sum;
  }
  std::uint32_t minus(std::uint32_t a) const { return binary_ || a == 0 ? a : q_ - a; }
  std::uint32_t times(std::uint32_t a, std::uint32_t b) const { return times_[a * q_ + b]; }
  /// Requires: a != 0.
  std::uint32_t inverse(std::uint32_t a) const { return inverse_[a]; }

 private:
  std::uint32_t q_;
  bool binary_;
  std::vector<std::uint8_t> times_;
  std::vector<std::uint8_t> inverse_;
};

/// Points are vectors whose first coordinate that is not 0 is 1; they are numbered from 0 by where
/// that coordinate stands, and then by the others as digits.
class ProjectiveSpace {
 public:
  static constexpr std::size_t kDimensionMax = 24;
  using Vector = std::array<std::uint8_t, kDimensionMax>;

  /// Requires: t >= 1, at most 2^24 points.
  ProjectiveSpace(std::uint64_t q, std::uint64_t t);

  const Field& field() const { return field_; }
  std::size_t dimension() const { return t_; }
  std::uint64_t points() const { return points_; }
  /// q^i
  std::uint64_t power(std::size_t i) const { return powers_[i]; }

  Vector point(std::uint64_t index) const;
  /// Of the point that a vector other than 0 lies on.
  std::uint64_t index_of(const Vector& vector) const;
  std::uint32_t product(const Vector& a, const Vector& b) const;

  /// A vector on the hyperplane (or, for `value` != 0, beside it) of point `normal`: the
  /// coordinates other than the normal's leading one are the digits of `free`, below q^(t-1), and
  /// that one is solved for, so that the inner product is `value`. One to one for a given normal.
  Vector solve(const Vector& normal, std::uint64_t free, std::uint32_t value) const;

 private:
  std::size_t leading(const Vector& vector) const;

  Field field_;
  std::size_t t_;
  std::uint64_t points_;
  std::vector<std::uint64_t> powers_;
};

}  // namespace discreet::local
