// SPDX-License-Identifier: Apache-2.0
// The computations of docs/errata.md, with intervals that contain the true values; the document
// must state the numbers that come out.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "audit/exact.h"
#include "audit/theorems.h"
#include "numeric/interval.h"

namespace discreet::audit::errata_test {
namespace {

const std::string& document() {
  static const std::string text = [] {
    std::ifstream in(std::string(DISCREET_SOURCE_DIR) + "/docs/errata.md");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }();
  return text;
}

Interval wide(const Rational& x) { return Interval::around(x, 128); }
Interval wide(const char* x) { return wide(Rational::parse(x).value()); }

/// That the value, rounded to the nearest with as many decimals as `text` has, is `text`, and that
/// the document says so.
void stated(const Interval& value, const std::string& text) {
  const std::size_t point = text.find('.');
  const int decimals = point == text.npos ? 0 : static_cast<int>(text.size() - point - 1);
  Rational unit(1);
  for (int i = 0; i < decimals; ++i) unit = unit * Rational::ratio(1, 10);
  const Rational said = Rational::parse(text).value();
  EXPECT_GE(value.low(), said - unit * Rational::ratio(1, 2)) << text;
  EXPECT_LE(value.high(), said + unit * Rational::ratio(1, 2)) << text;
  EXPECT_NE(document().find(text), document().npos) << text << " is not in the document";
}

TEST(Errata, TheWorkedExamplesHalfWidth) {
  const Interval right = sqrt(log(wide(40)) / wide(2));
  stated(right, "1.3581");
  stated(sqrt(log(wide(40)) / log(wide(10)) / wide(2)), "0.8950");
  const Interval factor = (wide(1) + exp(wide(1))) / (exp(wide(1)) - wide(1));
  stated(factor, "2.1640");
  stated(factor * right / wide(1000), "0.00294");
}

TEST(Errata, TheProofsDenominator) { stated((exp(wide(1)) + wide(1)) / wide(2), "1.859"); }

TEST(Errata, ResponseByBias) {
  const Interval printed = (exp(wide(1)) - wide(1)) / (exp(wide(1)) + wide(1));
  const auto cost = [](const Interval& bias) {
    return log((wide("1/2") + bias) / (wide("1/2") - bias));
  };
  stated(printed, "0.4621");
  stated(cost(printed), "3.235");
  stated(printed / wide(2), "0.2311");
  stated(cost(printed / wide(2)), "1");
}

TEST(Errata, AccuracyOfTheoremOne) {
  stated(wide(2) * exp(wide("-0.1")) / (wide(1) - exp(wide("-0.2"))), "9.98");
}

TEST(Errata, TheParityFloor) { stated(log(wide("1.2") / wide("0.8")), "0.405"); }

TEST(Errata, WeightsAreNoProbabilities) {
  const auto p = exponential_probabilities({0, 0, 0}, 1);
  EXPECT_LE((p[0] + p[1] + p[2]).low, 1);
  EXPECT_GE((p[0] + p[1] + p[2]).high, 1);
  EXPECT_LT(p[0].high, 1);  // the printed e^0
}

// At ratio e^epsilon exactly, and no more: the factor 2 is not needed.
TEST(Errata, TheLaplaceProofsExponent) {
  const Range at0 = laplace_probability(0, 2);
  const Range at1 = laplace_probability(1, 2);
  EXPECT_LE(at0.low, (wide(at1.high) * exp(wide("1/2"))).high());
  EXPECT_GE(at0.high, (wide(at1.low) * exp(wide("1/2"))).low());
}

TEST(Errata, TailsOfIntegerNoise) {
  stated(log(wide(20)), "2.996");
  const auto beyond = [](int t) {
    return wide(2) * exp(wide(-(t + 1))) / (wide(1) + exp(wide(-1)));
  };
  stated(beyond(2), "0.0728");
  stated(beyond(3), "0.0268");
}

// docs/measured.md is written by `discreet audit exact --format markdown`.
TEST(Measured, ThePageNamesEveryCase) {
  std::ifstream in(std::string(DISCREET_SOURCE_DIR) + "/docs/measured.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const std::string& name : case_names()) {
    EXPECT_NE(page.find("| " + name + " |"), page.npos)
        << name << " is missing: put the output of discreet audit exact --format markdown there";
  }
}

}  // namespace
}  // namespace discreet::audit::errata_test
