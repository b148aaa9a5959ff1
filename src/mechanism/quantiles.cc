// SPDX-License-Identifier: Apache-2.0
#include "mechanism/quantiles.h"

#include <algorithm>
#include <utility>

#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "mechanism/exponential.h"

namespace discreet::mechanism {
namespace {

constexpr std::int64_t kEnd = std::int64_t{1} << 62;
constexpr int kDenominatorMax = 1 << 20;
constexpr std::size_t kFractionsMax = 1'000;
constexpr std::size_t kPlaces = 16;  // of a key's values in a recording

/// What a row may change of one fraction's scores: they stay within a range of this width, in rows;
/// smaller for a row on the side where fewer are. quantiles.md §2.
struct Width {
  Rational above;  ///< a row above the quantile
  Rational below;
};
Width width_of(const Rational& fraction) {
  const Rational rest = Rational(1) - fraction;
  const Rational most = std::max(fraction, rest);
  return {most + fraction, most + rest};
}

/// C, and the same of squares.
struct Widths {
  Rational sum;
  Rational squares;
};
Widths widths_of(const std::vector<Rational>& fractions) {
  Widths above{0, 0};
  Widths below{0, 0};
  for (const Rational& fraction : fractions) {
    const Width width = width_of(fraction);
    above = {above.sum + width.above, above.squares + width.above * width.above};
    below = {below.sum + width.below, below.squares + width.below * width.below};
  }
  return {std::max(above.sum, below.sum), std::max(above.squares, below.squares)};
}

/// w = epsilon / (k r C), for each row of rank.
Rational weight_of(const Quantiles::Options& options) {
  return options.epsilon.value() /
         (Rational(options.keys_per_unit) * Rational(options.rows_per_unit) *
          widths_of(options.fractions).sum);
}

std::size_t points_of(const Quantiles::Options& options) {
  return static_cast<std::size_t>(options.high - options.low) + 1;
}

Result<void> check_fractions(const std::vector<Rational>& fractions) {
  if (fractions.empty() || fractions.size() > kFractionsMax) {
    return invalid_input("there must be between 1 and 1000 quantiles of one thing");
  }
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    if (fractions[i].sign() < 0 || fractions[i] > Rational(1) ||
        fractions[i].denominator() > kDenominatorMax) {
      return invalid_input(
          "the fraction of a quantile must be between 0 and 1, with a denominator of at most "
          "1048576, such as 0.5 or 0.999");
    }
    if (std::find(fractions.begin(), fractions.begin() + static_cast<std::ptrdiff_t>(i),
                  fractions[i]) != fractions.begin() + static_cast<std::ptrdiff_t>(i)) {
      return invalid_input("the fractions of quantiles must differ");
    }
  }
  return {};
}

Result<void> check(const Quantiles::Options& options) {
  if (options.keys_per_unit < 1 || options.rows_per_unit < 1) {
    return invalid_input("a unit must be allowed at least one key and one row in it; got " +
                         std::to_string(options.keys_per_unit) + " and " +
                         std::to_string(options.rows_per_unit));
  }
  DISCREET_TRY(check_fractions(options.fractions));
  if (options.low > options.high) {
    return invalid_input("the low bound, " + std::to_string(options.low) +
                         ", must not exceed the high bound, " + std::to_string(options.high));
  }
  if (options.low < -kEnd || options.high > kEnd || options.high - options.low > kEnd) {
    return invalid_input(
        "a quantile's range must lie within 2^62 of zero and be at most 2^62 wide: use a coarser "
        "step");
  }
  if (options.choice == Quantiles::Choice::kPermuteAndFlip &&
      options.high - options.low >= Quantiles::kFlipMax) {
    return invalid_input("permute-and-flip looks at every point of the range: at most 1024");
  }
  return {};
}

}  // namespace

Quantiles::Quantiles(Options options, std::shared_ptr<const Levels> levels)
    : options_(std::move(options)), levels_(std::move(levels)) {}

Result<Quantiles> Quantiles::make(Options options) {
  DISCREET_TRY(check(options));
  const Rational weight = weight_of(options);
  auto levels = std::make_shared<Levels>();
  for (const Rational& fraction : options.fractions) {
    levels->emplace_back(
        QuantileLevels::Options{.a = to_int128(fraction.numerator()),
                                .b = to_int128(fraction.denominator()),
                                .weight = weight / Rational(fraction.denominator()),
                                .low = options.low,
                                .high = options.high});
  }
  return Quantiles(std::move(options), std::move(levels));
}

NoiseSpec Quantiles::noise() const {
  std::string fractions;
  for (const Rational& fraction : options_.fractions) {
    fractions += (fractions.empty() ? "" : " ") + fraction.to_string();
  }
  return {"quantiles(epsilon=" + options_.epsilon.to_string() +
          ",keys_per_unit=" + std::to_string(options_.keys_per_unit) +
          ",rows_per_unit=" + std::to_string(options_.rows_per_unit) + ",fractions=" + fractions +
          ",low=" + std::to_string(options_.low) + ",high=" + std::to_string(options_.high) +
          (options_.choice == Choice::kPermuteAndFlip ? ",choice=permute-and-flip)" : ")")};
}

Rational Quantiles::gain(std::int64_t keys_per_unit, const std::vector<Rational>& fractions) {
  const Widths widths = widths_of(fractions);
  if (fractions.empty()) return 4 * Rational(keys_per_unit);  // make() says what is wrong
  return 4 * Rational(keys_per_unit) * widths.sum * widths.sum / widths.squares;
}

Cost Quantiles::cost() const {
  if (options_.choice == Choice::kPermuteAndFlip) return pure_cost(options_.epsilon);
  const Rational& epsilon = options_.epsilon.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(epsilon * epsilon /
                              (2 * gain(options_.keys_per_unit, options_.fractions))),
          .delta = Delta::trusted(0)};
}

Rational Quantiles::rank_shortfall(const Confidence& confidence) const {
  const Rational weight = weight_of(options_);
  Rational most = 0;  // they differ by less than a row: scores are whole numbers of 1/b
  for (const Rational& fraction : options_.fractions) {
    const Rational b(fraction.denominator());
    const Integer units = worst_shortfall(points_of(options_), weight / b, confidence);
    most = std::max(most, Rational(units) / b);
  }
  return most;
}

std::vector<Int128> Quantiles::coordinates(const Input& keys) {
  std::vector<Int128> out(keys.size() * kPlaces, 0);
  for (std::size_t key = 0; key < keys.size(); ++key) {
    for (const auto& [value, count] : keys[key]) {
      out[key * kPlaces + static_cast<std::uint64_t>(value) % kPlaces] += count;
    }
  }
  return out;
}

std::string Quantiles::describe(const Output& values) { return describe_entries(values); }

template <random::BitSource B>
Quantiles::Output Quantiles::draw(const Input& keys, B& bits) const {
  Output out;
  out.reserve(keys.size() * levels_->size());
  for (const Runs& runs : keys) {
    for (const QuantileLevels& levels : *levels_) {
      out.push_back(options_.choice == Choice::kPermuteAndFlip ? levels.flip(runs, bits)
                                                               : levels.draw(runs, bits));
    }
  }
  return out;
}

DISCREET_DRAWS(Quantiles)

}  // namespace discreet::mechanism
