// SPDX-License-Identifier: Apache-2.0
#include "random/santha_vazirani_cells.h"

#include <algorithm>

#include "numeric/interval.h"

namespace discreet::random {
namespace {

Int128 ceil_div(Int128 a, Int128 b) {  // b > 0
  return a / b + (a % b > 0 ? 1 : 0);
}
Int128 floor_div(Int128 a, Int128 b) { return -ceil_div(-a, b); }

/// round(2^bits 2^(-i/period)), by intervals that grow finer until both ends agree. A half-way case
/// would be a rational power of two, and only i = 0 and i = period give one.
std::uint64_t entry(int i, int period, int bits) {
  if (i == 0) return std::uint64_t{1} << bits;
  if (i == period) return std::uint64_t{1} << (bits - 1);
  for (int precision = 128; precision <= 1 << 14; precision *= 2) {
    const Interval power = exp(log(Interval::around(2, precision)) *
                               Interval::around(Rational::ratio(-i, period), precision));
    const Integer low = power.floor_low(bits + 1);
    if (low == power.floor_high(bits + 1)) return (low.get_ui() + 1) / 2;
  }
  DISCREET_CHECK(false);
  return 0;
}

}  // namespace

SvCells::SvCells(const SvShape& shape, Int128 low, Int128 high)
    : shape_(shape), low_(low), high_(high) {
  DISCREET_CHECK(shape.period >= 1 && shape.period <= 1 << 14 && shape.halvings >= 1 &&
                 shape.halvings <= 8 && shape.bits >= 2 && shape.bits <= 40 && shape.q >= 1);
  DISCREET_CHECK(low <= high && low > -(Int128{1} << 100) && high < Int128{1} << 100);
  table_.reserve(static_cast<std::size_t>(shape.period) + 1);
  for (int i = 0; i <= shape.period; ++i) table_.push_back(entry(i, shape.period, shape.bits));
  // Strictly falling, else two edges would coincide and a neighbour's cell be empty.
  for (std::size_t i = 1; i < table_.size(); ++i) DISCREET_CHECK(table_[i] < table_[i - 1]);
}

SvCells SvCells::with_width(std::int64_t q) const {
  DISCREET_CHECK(q >= 1);
  SvCells other = *this;
  other.shape_.q = q;
  return other;
}

Rational SvCells::edge(std::int64_t d) const {
  DISCREET_CHECK(d >= 0 && d < 1 << 20);
  const std::int64_t n = d * shape_.halvings;
  return Rational(Integer(table_[static_cast<std::size_t>(n % shape_.period)])) *
         power_of_two(-static_cast<int>(shape_.bits + 1 + n / shape_.period));
}

void SvCells::Position::read(bool one) {
  if (lead_bits == 0 && !one) {
    ++zeros;
    return;
  }
  lead = lead << 1 | (one ? 1U : 0U);
  ++lead_bits;
}

Int128 SvCells::least(const Position& x, bool strictly) const {
  // E(n) for n = dJ, in (2^-(zeros + 2), 2^-(zeros + 1)] from n = zeros H on; find the entry there.
  const int up = shape_.bits - x.lead_bits;  // both over 2^-(zeros + 1 + bits)
  const auto reaches = [&](std::uint64_t m) {
    const Uint128 a = up >= 0 ? Uint128{m} : Uint128{m} << -up;
    const Uint128 b = up >= 0 ? Uint128{x.lead} << up : Uint128{x.lead};
    return strictly ? a < b : a <= b;
  };
  const auto found =
      std::partition_point(table_.begin(), table_.end(), [&](auto m) { return !reaches(m); });
  DISCREET_CHECK(found != table_.end());  // the last entry is 2^-(zeros + 2), below every x here
  const Int128 i = found - table_.begin();
  return ceil_div(x.zeros * shape_.period + i, shape_.halvings);
}

Int128 SvCells::last_from(Int128 y, Int128 h) const {
  return std::clamp(floor_div(h + 2 * y + shape_.q, 2 * Int128{shape_.q}), low_, high_);
}

bool SvCells::decided(Int128 y, bool right, const Position& at, Int128& cell) const {
  // The tape's number, or 1 minus it on the right, lies in [a, b).
  const bool at_zero = at.lead_bits == 0;  // a = 0
  const Position b =
      at_zero ? Position{at.zeros, 1, 0} : Position{at.zeros, at.lead + 1, at.lead_bits};
  Int128 first = 0;
  Int128 last = 0;
  if (!right) {
    // S(h) <= a: h <= -min{d : E(d) <= a}.   S(h) < b: h <= -min{d : E(d) < b}.
    first = at_zero ? low_ : last_from(y, -least(at, false));
    last = last_from(y, -least(b, true));
  } else {
    // S(h) <= 1 - b: h <= max{d : E(d) >= b}.   S(h) < 1 - a: h <= max{d : E(d) > a}.
    first = last_from(y, least(b, true) - 1);
    last = at_zero ? high_ : last_from(y, least(at, false) - 1);
  }
  cell = first;
  return first == last;
}

}  // namespace discreet::random
