// SPDX-License-Identifier: Apache-2.0
#include "audit/record.h"

#include <gtest/gtest.h>

#include "mechanism/door.h"
#include "mechanism/exponential.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/laplace.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/verbs.h"

namespace discreet::audit::record_test {
namespace {

using mechanism::Door;
using Rows = std::vector<std::int64_t>;

const Sensitivity kTen = Sensitivity::trusted(10);
const Epsilon kOne = Epsilon::trusted(1);

template <class M>
void release(const M& mechanism, Sensitive<typename M::Input> value, Recordings& recordings) {
  const auto answer =
      Door::release(mechanism, std::move(value), cli::OwnValues::for_use_of(mechanism),
                    {.recorder = &recordings});
  ASSERT_TRUE(answer.has_value());
}

/// A sum of rows in [0, 10], with or without its clamp.
void private_sum(const Rows& rows, bool clamped, Recordings& recordings) {
  const auto laplace = mechanism::Laplace::make({.sensitivity = kTen, .epsilon = kOne}).value();
  const auto bounds = mechanism::Bounds::make({.low = 0, .high = 10}).value();
  if (clamped) {
    release(laplace, mechanism::Verbs::clamp_and_sum(Sensitive<Rows>{Rows(rows)}, bounds),
            recordings);
    return;
  }
  Int128 sum = 0;
  for (const std::int64_t row : rows) sum += row;
  release(laplace, Sensitive<Int128>(sum), recordings);
}

TEST(Record, AcceptsNeighboursOfAClampedSum) {
  Recordings with;
  Recordings without;
  private_sum({1, 2, 1000}, true, with);
  private_sum({1, 2}, true, without);
  EXPECT_EQ(with.all().size(), 1u);
  EXPECT_TRUE(compare_recordings(with, without).ok);
}

TEST(Record, FindsAMissingClampByTheMeasuredDistance) {
  Recordings with;
  Recordings without;
  private_sum({1, 2, 1000}, false, with);
  private_sum({1, 2}, false, without);
  const RecordComparison comparison = compare_recordings(with, without);
  EXPECT_FALSE(comparison.ok);
  ASSERT_EQ(comparison.findings.size(), 1u);
  EXPECT_EQ(comparison.findings[0],
            "call 1: L1 distance of the inputs to discrete-laplace(scale=10,sensitivity=10) is "
            "1000, more than the declared 10");
}

TEST(Record, FindsControlFlowThatDependsOnTheData) {
  const auto laplace = mechanism::Laplace::make({.sensitivity = kTen, .epsilon = kOne}).value();
  const auto choice =
      mechanism::Exponential::make({.epsilon = kOne, .sensitivity = kTen, .candidates = 2}).value();
  Recordings a;
  Recordings b;
  release(laplace, Sensitive<Int128>(1), a);
  release(choice, Sensitive<Rows>(Rows{1, 2}), b);
  EXPECT_FALSE(compare_recordings(a, b).ok);
  Recordings none;
  EXPECT_FALSE(compare_recordings(a, none).ok);
  EXPECT_EQ(compare_recordings(a, none).findings[0],
            "control flow depends on the data: 1 calls against 0");
}

TEST(Record, MeasuresEachMechanismInItsOwnMetric) {
  const auto gaussian = mechanism::GaussianVector::make(
                            {.sensitivity_squared = L2Squared::trusted(2), .rho = Rho::trusted(1)})
                            .value();
  const auto choice =
      mechanism::Exponential::make(
          {.epsilon = kOne, .sensitivity = Sensitivity::trusted(1), .candidates = 3})
          .value();
  Recordings a;
  Recordings b;
  release(gaussian, Sensitive<Rows>(Rows{0, 0}), a);
  release(gaussian, Sensitive<Rows>(Rows{1, 1}), b);
  release(choice, Sensitive<Rows>(Rows{0, 0, 0}), a);
  release(choice, Sensitive<Rows>(Rows{1, -1, 1}), b);
  EXPECT_TRUE(compare_recordings(a, b).ok);
  release(gaussian, Sensitive<Rows>(Rows{0, 0}), a);
  release(gaussian, Sensitive<Rows>(Rows{2, 0}), b);
  EXPECT_FALSE(compare_recordings(a, b).ok);
}

TEST(Record, ReadsTheDeclaredSensitivityOfEveryMechanism) {
  const struct {
    const char* text;
    Metric metric;
    const char* bound;
  } kTable[] = {
      {"discrete-laplace(scale=2,sensitivity=3/2)", Metric::kL1, "3/2"},
      {"grid-laplace(step=0.5,scale=2,sensitivity=0.6)", Metric::kL1, "2"},
      {"truncated-geometric(scale=1,sensitivity=1)[0,3]", Metric::kL1, "1"},
      {"discrete-gaussian-vector(sigma_squared=1,sensitivity_squared=2)", Metric::kL2Squared, "2"},
      {"mean-of-bits(n=4,scale=1,neighbours=replace-one)", Metric::kL1, "1"},
      {"randomized-responses(epsilon=1)", Metric::kL0, "1"},
      {"top-k(epsilon=2,sensitivity=5,candidates=3,k=2)", Metric::kLinf, "5"},
      {"partition-selection(epsilon=1,delta=0.05)", Metric::kL1, "1"},
      {"clipped-sum-l1(sensitivity=16)", Metric::kL1, "16"},
      {"clipped-sum-l2(sensitivity_squared=256)", Metric::kL2Squared, "256"},
      {"above-threshold(epsilon=8,sensitivity=7,above_max=1)", Metric::kLinf, "7"},
  };
  for (const auto& row : kTable) {
    const auto declared = declared_sensitivity({row.text});
    ASSERT_TRUE(declared.has_value()) << row.text;
    EXPECT_EQ(declared->metric, row.metric) << row.text;
    EXPECT_EQ(declared->bound, Rational::parse(row.bound).value()) << row.text;
  }
  EXPECT_FALSE(declared_sensitivity({"laplace(b=1)"}).has_value());
  EXPECT_FALSE(declared_sensitivity({"discrete-laplace(scale=2)"}).has_value());
}

}  // namespace
}  // namespace discreet::audit::record_test
