// SPDX-License-Identifier: Apache-2.0
#include "local/client/field.h"

#include <bit>

#include "base/check.h"
#include "local/client/parameters.h"

namespace discreet::local {
namespace {

// Irreducible polynomials of degree 1..8 over GF(2), with their leading term.
constexpr std::uint32_t kPolynomials[] = {0, 0x3, 0x7, 0xb, 0x13, 0x25, 0x43, 0x83, 0x11b};

std::uint32_t binary_product(std::uint32_t a, std::uint32_t b, int degree) {
  std::uint32_t product = 0;
  for (int bit = 0; bit < degree; ++bit) {
    if ((b >> bit & 1) != 0) product ^= a << bit;
  }
  for (int bit = 2 * degree - 2; bit >= degree; --bit) {
    if ((product >> bit & 1) != 0) product ^= kPolynomials[degree] << (bit - degree);
  }
  return product;
}

}  // namespace

bool is_field_order(std::uint64_t q) {
  if (q < 2 || q > kFieldMax) return false;
  if (std::has_single_bit(q)) return true;
  for (std::uint64_t d = 2; d * d <= q; ++d) {
    if (q % d == 0) return false;
  }
  return true;
}

Field::Field(std::uint64_t q)
    : q_(static_cast<std::uint32_t>(q)),
      binary_(std::has_single_bit(q)),
      times_(q * q),
      inverse_(q) {
  DISCREET_CHECK(is_field_order(q));
  const int degree = static_cast<int>(std::bit_width(q)) - 1;
  for (std::uint32_t a = 0; a < q_; ++a) {
    for (std::uint32_t b = 0; b < q_; ++b) {
      const std::uint32_t product = binary_ ? binary_product(a, b, degree) : a * b % q_;
      times_[a * q_ + b] = static_cast<std::uint8_t>(product);
      if (product == 1) inverse_[a] = static_cast<std::uint8_t>(b);
    }
  }
}

ProjectiveSpace::ProjectiveSpace(std::uint64_t q, std::uint64_t t)
    : field_(q), t_(static_cast<std::size_t>(t)), points_(projective_points(q, t)) {
  DISCREET_CHECK(t >= 1 && t <= kDimensionMax && points_ <= std::uint64_t{1} << 24);
  powers_.push_back(1);
  for (std::size_t i = 1; i <= t_; ++i) powers_.push_back(powers_.back() * q);
}

ProjectiveSpace::Vector ProjectiveSpace::point(std::uint64_t index) const {
  Vector vector{};
  std::size_t lead = 0;
  for (; index >= powers_[t_ - 1 - lead]; ++lead) index -= powers_[t_ - 1 - lead];
  vector[lead] = 1;
  for (std::size_t i = t_ - 1; i > lead; --i) {
    vector[i] = static_cast<std::uint8_t>(index % field_.order());
    index /= field_.order();
  }
  return vector;
}

std::size_t ProjectiveSpace::leading(const Vector& vector) const {
  std::size_t lead = 0;
  while (lead < t_ && vector[lead] == 0) ++lead;
  DISCREET_CHECK(lead < t_);
  return lead;
}

std::uint64_t ProjectiveSpace::index_of(const Vector& vector) const {
  const std::size_t lead = leading(vector);
  const std::uint32_t scale = field_.inverse(vector[lead]);
  std::uint64_t index = 0;
  for (std::size_t i = lead + 1; i < t_; ++i) {
    index = index * field_.order() + field_.times(scale, vector[i]);
  }
  for (std::size_t i = 0; i < lead; ++i) index += powers_[t_ - 1 - i];
  return index;
}

std::uint32_t ProjectiveSpace::product(const Vector& a, const Vector& b) const {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < t_; ++i) sum = field_.add(sum, field_.times(a[i], b[i]));
  return sum;
}

ProjectiveSpace::Vector ProjectiveSpace::solve(const Vector& normal, std::uint64_t free,
                                               std::uint32_t value) const {
  const std::size_t lead = leading(normal);
  Vector vector{};
  for (std::size_t i = 0; i < t_; ++i) {
    if (i == lead) continue;
    vector[i] = static_cast<std::uint8_t>(free % field_.order());
    free /= field_.order();
  }
  // normal[lead] is 1.
  const std::uint32_t rest = product(normal, vector);
  vector[lead] = static_cast<std::uint8_t>(field_.add(value, field_.minus(rest)));
  return vector;
}

}  // namespace discreet::local
