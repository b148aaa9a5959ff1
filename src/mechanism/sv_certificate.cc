// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sv_certificate.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>

#include "numeric/real.h"

namespace discreet::mechanism {
namespace {

constexpr int kLambdaBits = 32;
constexpr std::int64_t kLambdaMax = std::int64_t{256} << kLambdaBits;
constexpr int kValueBits = 56;  // values are over 2^56
constexpr int kScaleMax = 120;

/// S(h) over 2^scale.
Uint128 edge(const random::SvCells& cells, std::int64_t h, int scale) {
  const random::SvShape& shape = cells.shape();
  const std::int64_t n = (h < 0 ? -h : h) * shape.halvings;
  const std::int64_t down = shape.bits + 1 + n / shape.period;
  DISCREET_CHECK(down <= scale);
  const Uint128 left = Uint128{cells.table()[static_cast<std::size_t>(n % shape.period)]}
                       << (scale - down);
  return h < 0 ? left : (Uint128{1} << scale) - left;
}

std::int64_t ceil_of_two_ln_two_over(const Rational& epsilon, int halvings) {
  // 2 J ln 2 / epsilon, rounded up, with ln 2 < 0.693147180560.
  const Rational ln_two = Rational::ratio(Integer("693147180560"), Integer("1000000000000"));
  return (2 * Rational(halvings) * ln_two / epsilon).ceil().get_si();
}

/// Enough for the table's rounding to be small against the step from one entry to the next.
int table_bits(std::int64_t period) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(period))) + 9;
}

}  // namespace

Result<SvGamma> SvGamma::of(const Rational& gamma) {
  if (gamma.sign() < 0 || gamma > Rational::ratio(1, 2) || gamma.denominator() > 1 << 20) {
    return invalid_input(
        "the bias gamma of a Santha-Vazirani source must be a number from 0 to 0.5 with at most "
        "six "
        "decimals; got " +
        gamma.to_string());
  }
  return SvGamma{gamma.numerator().get_si(), gamma.denominator().get_si()};
}

SvCertificate::SvCertificate(const random::SvCells& cells, const SvGamma& gamma) : gamma_(gamma) {
  const random::SvShape& shape = cells.shape();
  const std::int64_t width = 2 * shape.q;
  // Shifting a cell by a whole period scales it by 2^-J; an odd period changes the parity of the
  // offsets, so that two of them are needed.
  const std::int64_t period = shape.period % 2 == 0 ? shape.period : 2 * shape.period;
  const std::int64_t far = width + period + 4;
  scale_ = static_cast<int>(shape.bits + 1 + far * shape.halvings / shape.period);
  DISCREET_CHECK(scale_ <= kScaleMax);
  const auto s = [&](std::int64_t h) { return edge(cells, h, scale_); };
  const auto add = [&](const Pair& pair) {
    pairs_.push_back(pair);
    pairs_.push_back({pair.u0, pair.u1, pair.t0, pair.t1});
  };
  // Inner cells: one period of the left tail, and the middle as far as the mirror.
  for (std::int64_t a = -width - period; a <= -shape.q + 2; ++a) {
    if ((a - shape.q) % 2 != 0) continue;
    add({s(a), s(a + width), s(a - 2), s(a + width - 2)});
  }
  // The outermost cell, which begins at 0.
  for (std::int64_t b = -period - 1; b <= 0; ++b) {
    if ((b - shape.q) % 2 == 0) add({0, s(b), 0, s(b - 2)});
  }
}

Int128 SvCertificate::value(const Pair& pair, Uint128 from, int log2_size,
                            std::int64_t lambda) const {
  const Uint128 to = from + (Uint128{1} << log2_size);
  const auto outside = [&](Uint128 low, Uint128 high) { return to <= low || from >= high; };
  const auto inside = [&](Uint128 low, Uint128 high) { return from >= low && to <= high; };
  const bool in_t = inside(pair.t0, pair.t1);
  const bool in_u = inside(pair.u0, pair.u1);
  if ((in_t || outside(pair.t0, pair.t1)) && (in_u || outside(pair.u0, pair.u1))) {
    return (in_t ? Int128{1} << kValueBits : 0) -
           (in_u ? Int128{lambda} << (kValueBits - kLambdaBits) : 0);
  }
  const Int128 left = value(pair, from, log2_size - 1, lambda);
  const Int128 right = value(pair, from + (Uint128{1} << (log2_size - 1)), log2_size - 1, lambda);
  // The best bias: the mean and gamma times half the distance, rounded up.
  const Int128 apart = left > right ? left - right : right - left;
  const Int128 sum = (left + right) * gamma_.denominator + apart * gamma_.numerator;
  const Int128 over = 2 * Int128{gamma_.denominator};
  return sum / over + (sum % over > 0 ? 1 : 0);
}

bool SvCertificate::holds(const Pair& pair, std::int64_t lambda) const {
  // From the smallest block that holds both: what lies before it scales all values alike.
  const Uint128 least = std::min(pair.t0, pair.u0);
  const Uint128 last = std::max(pair.t1, pair.u1) - 1;
  int log2_size = scale_;
  while (log2_size > 0 && least >> (log2_size - 1) == last >> (log2_size - 1)) --log2_size;
  return value(pair, least >> log2_size << log2_size, log2_size, lambda) <= 0;
}

bool SvCertificate::holds(const Rational& ratio) const {
  DISCREET_CHECK(ratio >= 1 && ratio <= 256);
  const std::int64_t lambda = (ratio * power_of_two(kLambdaBits)).floor().get_si();
  // Few first: a ratio that is too small mostly fails at many pairs.
  for (std::size_t i = 0; i < pairs_.size(); i += 17) {
    if (!holds(pairs_[i], lambda)) return false;
  }
  return std::all_of(pairs_.begin(), pairs_.end(),
                     [&](const Pair& pair) { return holds(pair, lambda); });
}

std::optional<Rational> SvCertificate::ratio() const {
  std::int64_t best = std::int64_t{1} << kLambdaBits;
  for (const Pair& pair : pairs_) {
    if (holds(pair, best)) continue;
    if (!holds(pair, kLambdaMax)) return std::nullopt;
    std::int64_t high = kLambdaMax;
    while (high - best > 1) {
      const std::int64_t middle = best + (high - best) / 2;
      (holds(pair, middle) ? high : best) = middle;
    }
    best = high;
  }
  return Rational(best) * power_of_two(-kLambdaBits);
}

std::optional<Rational> SvCertificate::epsilon() const {
  const std::optional<Rational> largest = ratio();
  if (!largest) return std::nullopt;
  return round_to_bits(log(Interval::around(*largest, 96)).high(), kLambdaBits, Round::kUp);
}

Rational certified_gamma(const NoiseSpec& noise) {
  if (!noise.text.starts_with("sv-laplace(")) return 0;
  const std::string before = ",gamma=";
  const std::size_t at = noise.text.find(before);
  DISCREET_CHECK(at != std::string::npos);
  const std::size_t from = at + before.size();
  const auto gamma = Rational::parse(noise.text.substr(from, noise.text.find(',', from) - from));
  DISCREET_CHECK(gamma.has_value());
  return *gamma;
}

random::SvShape sv_shape(const Rational& epsilon, std::int64_t q, int halvings) {
  const std::int64_t period = ceil_of_two_ln_two_over(epsilon, halvings);
  return {
      .period = static_cast<int>(period), .halvings = halvings, .bits = table_bits(period), .q = q};
}

Result<random::SvShape> choose_sv_shape(const Epsilon& epsilon, const SvGamma& gamma) {
  if (epsilon.value() < Rational::ratio(1, 100) || epsilon.value() > 5) {
    return invalid_input(
        "on a Santha-Vazirani source epsilon must be from 0.01 to 5 for each answer; got " +
        epsilon.to_string());
  }
  struct Candidate {
    Integer variance;  // 36e6 times 12 Var = 24 (H / 2J ln 2)^2 + q^2
    const random::SvCells* cells;
    std::int64_t q;
  };
  std::deque<random::SvCells> tables;
  std::vector<Candidate> candidates;
  const int halvings_max = epsilon.value() < Rational::ratio(1, 20) ? 1 : 3;
  for (int halvings = 1; halvings <= halvings_max; ++halvings) {
    const std::int64_t first = ceil_of_two_ln_two_over(epsilon.value(), halvings);
    for (std::int64_t period = first; period <= 12 * first + 4; period += 1 + period / 20) {
      if (std::gcd(period, std::int64_t{halvings}) != 1 || period > 1 << 14) continue;
      tables.emplace_back(random::SvShape{.period = static_cast<int>(period),
                                          .halvings = halvings,
                                          .bits = table_bits(period),
                                          .q = 1},
                          0, 0);
      for (std::int64_t q = 1; q * halvings <= 4 * period; q += 1 + q / 6) {
        // (1 / ln 2)^2 = 2.081369
        candidates.push_back({Integer(12488214) * (36 / (halvings * halvings)) * period * period +
                                  Integer(36000000) * q * q,
                              &tables.back(), q});
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.variance < b.variance; });
  const Rational wanted =
      Rational(floor_scaled(exp_real(epsilon.value()), kLambdaBits)) * power_of_two(-kLambdaBits);
  for (const Candidate& candidate : candidates) {
    const random::SvCells cells = candidate.cells->with_width(candidate.q);
    if (SvCertificate(cells, gamma).holds(wanted)) return cells.shape();
  }
  return invalid_input("no shape of the mechanism reaches epsilon " + epsilon.to_string() +
                       " on a source with gamma " + gamma.value().to_string() +
                       "; ask for a larger epsilon, or have a better source");
}

}  // namespace discreet::mechanism
