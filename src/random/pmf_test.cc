// SPDX-License-Identifier: Apache-2.0
// Probabilities worked out elsewhere (testdata/pmf.csv: mpmath, 40 digits) against the weights that
// the tables are built from, and against the truth that the other tests use.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "random/distribution_for_tests.h"
#include "random/gaussian.h"
#include "random/laplace.h"
#include "random/rounded_gaussian.h"

namespace discreet::random::pmf_test {
namespace {

struct Row {
  std::string family;
  Rational parameter;
  std::int64_t value;
  Rational probability;
};

std::vector<Row> rows(const std::string& family) {
  std::ifstream file(DISCREET_SOURCE_DIR "/src/random/testdata/pmf.csv");
  std::vector<Row> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string name, parameter, value, digits;
    std::getline(cells, name, ',');
    std::getline(cells, parameter, ',');
    std::getline(cells, value, ',');
    std::getline(cells, digits, ',');
    if (name != family) continue;
    out.push_back({name, parse(parameter.c_str()), std::stoll(value), parse(digits.c_str())});
  }
  EXPECT_GT(out.size(), 10U) << family;
  return out;
}

// The table gives 40 digits; 37 of them leave room for its own rounding.
void expect_close(const Row& row, const Rational& ours) {
  const Rational error = (ours - row.probability).abs() / row.probability;
  EXPECT_LE(error, parse("1e-37")) << row.family << "(" << row.parameter.to_string() << ") at "
                                   << row.value << ": " << ours.to_decimal(40, Round::kDown);
}

constexpr int kBits = 400;

Rational middle(const FixedInterval& x) {
  return Rational(Integer(x.low + x.high)) * power_of_two(-kBits - 1);
}

Rational share(const std::vector<FixedInterval>& weights, std::size_t i) {
  Rational total;
  for (const FixedInterval& weight : weights) total = total + middle(weight);
  return middle(weights[i]) / total;
}

TEST(Probabilities, OfTheLaplaceTablesAgreeWithMpmath) {
  for (const Row& row : rows("discrete_laplace")) {
    const LaplaceShape shape = laplace_shape(row.parameter, 10, 64);
    std::uint64_t size = static_cast<std::uint64_t>(std::abs(row.value));
    Rational p = 1;
    std::uint64_t rest = size == 0 ? 0 : size - 1;
    for (int i = 0; i < shape.digits; ++i, rest /= 1024) {
      if (size != 0) p = p * share(laplace_digit_weights(row.parameter, 10, i)(kBits), rest % 1024);
    }
    if (rest >= static_cast<std::uint64_t>(shape.high_count)) continue;
    const std::uint64_t top = size == 0 ? 0 : rest + 1;
    const std::size_t column = row.value < 0 ? 511 - top : 511 + top;
    expect_close(row, p * share(laplace_top_weights(row.parameter, 10, shape)(kBits), column));
    expect_close(row, laplace_probability(row.parameter, row.value).low());
  }
}

TEST(Probabilities, OfTheGaussianTablesAgreeWithMpmath) {
  std::map<Rational, Rational> at_zero;
  for (const Row& row : rows("discrete_gaussian")) {
    if (row.value == 0) at_zero[row.parameter] = row.probability;
  }
  for (const Row& row : rows("discrete_gaussian")) {
    expect_close(row, gaussian_probability(row.parameter, row.value, kBits).low());
    const GaussianShape shape = gaussian_shape(row.parameter, 10, 64);
    if (!shape.is_direct || std::abs(row.value) >= shape.reach) continue;
    // The tail's weight is an envelope, so weights give ratios.
    const auto weights = gaussian_weights(row.parameter, 10, shape)(kBits);
    const auto column = static_cast<std::size_t>(511 + row.value);
    expect_close(row, middle(weights[column]) / middle(weights[511]) * at_zero.at(row.parameter));
  }
}

TEST(Probabilities, OfTheRoundedGaussianTablesAgreeWithMpmath) {
  for (const Row& row : rows("rounded_gaussian")) {
    expect_close(row, rounded_gaussian_probability(row.parameter, row.value, kBits).low());
    const GaussianShape shape = rounded_gaussian_shape(row.parameter, 10, 64);
    if (!shape.is_direct || std::abs(row.value) >= shape.reach) continue;
    const auto weights = rounded_gaussian_weights(row.parameter, 10, shape)(kBits);
    expect_close(row, share(weights, static_cast<std::size_t>(511 + row.value)));
  }
}

}  // namespace
}  // namespace discreet::random::pmf_test
