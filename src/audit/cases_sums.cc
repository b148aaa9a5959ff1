// SPDX-License-Identifier: Apache-2.0
// Series of clipped sums, and arrays with rounded Gaussian noise.
#include "audit/cases.h"
#include "mechanism/clipped_sums.h"
#include "mechanism/rounded_gaussian_vector.h"

namespace discreet::audit {
namespace {

using mechanism::ClippedSums;
using mechanism::UnitRows;
using Entries = std::vector<std::int64_t>;

/// One column, one row a unit.
Sensitive<UnitRows> rows_of(const Entries& cells) {
  UnitRows rows{.columns = 1, .cells = cells, .ends = {}};
  for (std::size_t i = 1; i <= cells.size(); ++i) rows.ends.push_back(i);
  return Sensitive<UnitRows>(std::move(rows));
}

std::string print(const Entries& entries) {
  std::string text;
  for (const std::int64_t entry : entries) text += std::to_string(entry) + " ";
  return text;
}

/// A unit whose function writes 5 where 1 is the limit, against nobody. The second sum is chosen by
/// the first answer: it counts, or counts downwards.
Pair clipped_sums(const Progress& progress) {
  const auto terms =
      ClippedSums::Terms::pure(Epsilon::trusted(4), {.shares = {1, 1}, .limit = 1}).value();
  const Rational scale = Rational::ratio(1, 2);
  const auto walk = [&](const Entries& cells, int part) {
    const Sensitive<UnitRows> sealed = rows_of(cells);
    const auto walked =
        Walk({.depth = 24, .progress = part_of(progress, part, 2)}).run<5>([&](Tape<5>& tape) {
          Entries answers;
          for (std::uint64_t round = 0; round < 2; ++round) {
            const std::int64_t sign = !answers.empty() && answers[0] > 0 ? -1 : 1;
            const auto f = [sign](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
              out[0] = sign * row[0];
            };
            answers.push_back(ClippedSums::replay(terms, round, sealed, 1, f, tape).outcome()[0]);
          }
          return answers;
        });
    const int sum = cells.empty() ? 0 : 1;
    return distribution(walked, print, [&](const Entries& y) -> std::optional<Range> {
      const int second = y[0] > 0 ? -sum : sum;
      return laplace_probability(static_cast<int>(y[0]) - sum, scale) *
             laplace_probability(static_cast<int>(y[1]) - second, scale);
    });
  };
  const Distribution a = walk({5}, 0);
  return {terms.noise().text, "5 | nobody", terms.cost(), a, walk({}, 1)};
}

/// One round, every unit's vector the row itself.
template <class Theorem>
Pair one_round(const ClippedSums::Terms& terms, const Inputs<Entries>& inputs,
               const Theorem& theorem, const Progress& progress) {
  const auto itself = [](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
    out[0] = row[0];
  };
  const auto walk = [&](const Entries& cells, int part) {
    const Sensitive<UnitRows> sealed = rows_of(cells);
    const auto walked =
        Walk({.depth = 30, .progress = part_of(progress, part, 2)}).run<6>([&](Tape<6>& tape) {
          return ClippedSums::replay(terms, 0, sealed, 1, itself, tape).outcome();
        });
    return distribution(walked, print, [&](const Entries& y) -> std::optional<Range> {
      int sum = 0;
      for (const std::int64_t cell : cells) sum += cell > 0 ? 1 : -1;
      return theorem(sum, static_cast<int>(y[0]));
    });
  };
  Distribution a = walk(inputs.a, 0);
  Distribution b = walk(inputs.b, 1);
  return {terms.noise().text, inputs.text, terms.cost(), std::move(a), std::move(b)};
}

/// Another unit in a unit's place moves the sum by two limits.
Pair clipped_sums_replaced(const Progress& progress) {
  const auto terms =
      ClippedSums::Terms::pure(Epsilon::trusted(2),
                               {.shares = {1}, .limit = 1, .neighbours = Neighbours::kReplaceOne})
          .value();
  return one_round(
      terms, {{5}, {-7}, "5 | -7"}, [](int sum, int y) { return laplace_probability(y - sum, 1); },
      progress);
}

/// At the variance of the row rounded-gaussian.
Pair clipped_sums_gaussian(const Progress& progress) {
  const auto terms = ClippedSums::Terms::gaussian(Epsilon::trusted(Rational::ratio(5, 2)),
                                                  Delta::trusted(Rational::ratio(152, 10'000)),
                                                  {.shares = {1}, .limit = 1})
                         .value();
  return one_round(
      terms, {{5}, {}, "5 | nobody"},
      [&](int sum, int y) { return rounded_gaussian_probability(y - sum, terms.parameter(0)); },
      progress);
}

/// One round on a sample of a half. Variance 0.801 has (2.5, 0.01512), which becomes (ln(1 +
/// (e^2.5 - 1) / 2), half of that delta) by sampling.
Pair clipped_sums_sampled(const Progress& progress) {
  const Cost price{.epsilon = Epsilon::trusted(Rational::ratio(1886, 1000)),
                   .rho = std::nullopt,
                   .delta = Delta::trusted(Rational::ratio(76, 10'000))};
  const auto terms = ClippedSums::Terms::sampled({.threshold = std::uint64_t{1} << 63,
                                                  .noise_multiplier = Rational::ratio(895, 1000),
                                                  .rounds = 1,
                                                  .limit = 1,
                                                  .price = price})
                         .value();
  return one_round(
      terms, {{5}, {}, "5 | nobody"},
      [&](int sum, int y) {
        const Range half{Rational::ratio(1, 2), Rational::ratio(1, 2)};
        return half * rounded_gaussian_probability(y, terms.parameter(0)) +
               half * rounded_gaussian_probability(y - sum, terms.parameter(0));
      },
      progress);
}

Pair rounded_gaussian_vector(const Progress& progress) {
  const auto mechanism = mechanism::RoundedGaussianVector::make(
                             {.sensitivity = Sensitivity::trusted(1),
                              .epsilon = Epsilon::trusted(Rational::ratio(5, 2)),
                              .delta = Delta::trusted(Rational::ratio(152, 10'000))})
                             .value();
  const Rational variance = mechanism.sigma_squared().value();
  const auto theorem = [&](const Entries& x, const Entries& y) -> std::optional<Range> {
    return rounded_gaussian_probability(static_cast<int>(y[0] - x[0]), variance) *
           rounded_gaussian_probability(static_cast<int>(y[1] - x[1]), variance);
  };
  return audit<6>(mechanism, Inputs<Entries>{{0, 0}, {1, 0}, "0 0 | 1 0"}, 24, theorem, progress);
}

}  // namespace

std::vector<Case> sums_cases() {
  return {{"rounded-gaussian-vector", rounded_gaussian_vector},
          {"clipped-sums", clipped_sums},
          {"clipped-sums-replaced", clipped_sums_replaced},
          {"clipped-sums-gaussian", clipped_sums_gaussian},
          {"clipped-sums-sampled", clipped_sums_sampled}};
}

}  // namespace discreet::audit
