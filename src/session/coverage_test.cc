// SPDX-License-Identifier: Apache-2.0
// Intervals cover what was measured as often as they say, from the sealed groups to the cell that
// is shown: draws of the kernel on lowered aggregates. Each test of a share alarms falsely once in
// 10^6 times at most (share_draws), and is shown to catch intervals that are half as wide.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/key.h"
#include "mechanism/receipt_for_tests.h"
#include "plan/accuracy.h"
#include "policy/value.h"
#include "session/clinic_for_tests.h"
#include "session/draw.h"
#include "session/readings.h"
#include "session/share_for_tests.h"

namespace discreet::session::coverage_test {
namespace {

using mechanism::Groups;
using mechanism::Runs;

const policy::Policy& clinic(policy::Notion notion) {
  static const auto read = [](policy::Notion which) {
    policy::Policy policy = *policy::read_policy(kClinicPolicy, ".").policy;
    policy.units["patients"].notion = which;
    return policy;
  };
  static const policy::Policy epsilon = read(policy::Notion::kEpsilon);
  static const policy::Policy zcdp = read(policy::Notion::kZcdp);
  return notion == policy::Notion::kZcdp ? zcdp : epsilon;
}

/// A question, checked, and what an engine would bring back for it: one group.
class Lowered {
 public:
  Lowered(const std::string& sql, const char* epsilon, const char* confidence,
          policy::Notion notion = policy::Notion::kEpsilon)
      : confidence_(*Confidence::parse(confidence)),
        query_(bound(sql, epsilon, notion)),
        checked_(std::move(plan::Checker::check(query_.plan, clinic(notion), "coverage").value())) {
  }

  const std::vector<plan::Step>& steps() const { return checked_.steps(); }
  /// The key of a group by one text.
  std::string key(const std::string& text) const {
    return engine::encode_key({*policy::parse_value(policy::Type::kText, text)},
                              checked_.key_shapes());
  }

  /// How many of the draws' first cell cover `truth`. `spoil` may change what is read.
  double coverage(const Groups& measured, double truth,
                  const std::function<sql::Number(sql::Number)>& spoil = {}) const {
    const Sensitive<Groups> groups(measured);
    const int draws = share_draws(confidence_.value().to_double(Round::kDown));
    int covered = 0;
    for (int i = 0; i < draws; ++i) {
      std::vector<Receipt> receipts;
      for (const ChargeLine& line : checked_.charge().lines()) {
        receipts.push_back(cli::OwnValues::mint(line.noise, line.cost));
      }
      const Drawn drawn = draw(checked_, groups, std::move(receipts)).value();
      std::vector<sql::Group> readings = readable(checked_, drawn, confidence_);
      if (spoil) {
        for (sql::Group& group : readings) {
          group.readings = [read = group.readings, &spoil](const sql::Post& which,
                                                           std::size_t shares) {
            return spoil(read(which, shares));
          };
        }
      }
      const auto lines = sql::arrange(query_, readings);
      // A hidden key, or no number, is an answer that claims nothing.
      const sql::Cell cell = lines.empty() ? sql::Cell() : lines[0].cells.at(0);
      const auto* const number = std::get_if<sql::Number>(&cell);
      if (number == nullptr || (number->low <= truth && truth <= number->high)) ++covered;
    }
    return static_cast<double>(covered) / draws;
  }

 private:
  static sql::Query bound(const std::string& sql, const char* epsilon, policy::Notion notion) {
    sql::Options options;
    options.epsilon = *Epsilon::parse(epsilon);
    options.delta = *Delta::parse("1e-9");
    return sql::bind(sql, options, clinic(notion)).value();
  }

  Confidence confidence_;
  sql::Query query_;
  plan::Checked checked_;
};

/// One group without keys, one integer for each measurement.
Groups one_group(const std::vector<Int128>& integers) {
  Groups groups;
  groups.keys = {""};
  for (const Int128 integer : integers) {
    groups.integers.push_back({integer});
    groups.runs.emplace_back();
  }
  return groups;
}

/// The planted bug: half as wide as it should be.
sql::Number halved(const sql::Number& number) {
  return {number.value, (number.value + number.low) / 2, (number.value + number.high) / 2};
}

double in_units(const plan::Step& step, std::int64_t integer) {
  return plan::in_units(step, Rational(integer)).to_double(Round::kDown);
}

TEST(Coverage, OfACountIsWhatItSays) {
  for (const char* confidence : {"0.5", "0.95"}) {
    const Lowered count("SELECT COUNT(*) FROM visits", "0.3", confidence);
    const double nominal = std::stod(confidence);
    EXPECT_GE(count.coverage(one_group({900}), 900), nominal - kShareMargin);
    EXPECT_LT(count.coverage(one_group({900}), 900, halved), nominal - kShareMargin);
  }
  // Near 0, where an interval is cut.
  const Lowered count("SELECT COUNT(*) FROM visits", "0.3", "0.95");
  EXPECT_GE(count.coverage(one_group({2}), 2), 0.95 - kShareMargin);
  EXPECT_GE(count.coverage(one_group({0}), 0), 0.95 - kShareMargin);
}

TEST(Coverage, OfACountWithGaussianNoiseIsWhatItSays) {
  const Lowered count("SELECT COUNT(*) FROM visits", "0.3", "0.95", policy::Notion::kZcdp);
  ASSERT_TRUE(std::holds_alternative<mechanism::GaussianVector>(count.steps().at(0).noise));
  EXPECT_GE(count.coverage(one_group({900}), 900), 0.95 - kShareMargin);
  EXPECT_LT(count.coverage(one_group({900}), 900, halved), 0.95 - kShareMargin);
}

// Keys that are found with the value: of all draws at most 5% show an interval that misses, also
// where the key is often hidden (such a draw claims nothing). Of those that show it, more miss.
TEST(Coverage, OfAKeyThatIsFoundHoldsForEveryKeyAndNotGivenThatItAppeared) {
  for (const policy::Notion notion : {policy::Notion::kEpsilon, policy::Notion::kZcdp}) {
    const Lowered count("SELECT COUNT(*) FROM visits GROUP BY city", "1", "0.95", notion);
    for (const std::int64_t units : {1'000'000, 100, 60, 50}) {
      Groups groups = one_group({2 * units});
      groups.keys = {count.key("Ulm")};
      groups.units = {units};
      EXPECT_GE(count.coverage(groups, static_cast<double>(2 * units)), 0.95 - kShareMargin)
          << units;
      if (units != 1'000'000) continue;
      EXPECT_LT(count.coverage(groups, static_cast<double>(2 * units), halved),
                0.95 - kShareMargin);
    }
  }
}

TEST(Coverage, OfASumIsWhatItSays) {
  const Lowered sum("SELECT SUM(cost) FROM visits", "0.5", "0.95");
  ASSERT_EQ(sum.steps().size(), 1U);
  const std::int64_t integer = 4'905'000;
  const double truth = in_units(sum.steps()[0], integer);
  EXPECT_GE(sum.coverage(one_group({integer}), truth), 0.95 - kShareMargin);
  EXPECT_LT(sum.coverage(one_group({integer}), truth, halved), 0.95 - kShareMargin);
}

TEST(Coverage, OfAnAverageIsWhatItSays) {
  const Lowered average("SELECT AVG(age) FROM visits", "1", "0.95");
  ASSERT_EQ(average.steps().size(), 2U);
  ASSERT_EQ(average.steps()[1].measurement.kind, plan::MeasureKind::kRows);
  // About the centre of the range, 60, the noise of the sum is all there is.
  EXPECT_GE(average.coverage(one_group({0, 20'000}), 60), 0.95 - kShareMargin);
  EXPECT_LT(average.coverage(one_group({0, 20'000}), 60, halved), 0.95 - kShareMargin);
  // Far from it, and over a few rows.
  for (const std::int64_t rows : {20'000, 900, 40, 3}) {
    const std::int64_t sum = -45 * rows;
    const double truth = 60 + in_units(average.steps()[0], sum) / static_cast<double>(rows);
    EXPECT_GE(average.coverage(one_group({sum, rows}), truth), 0.95 - kShareMargin) << rows;
  }
}

/// The rows of a quantile in one group without keys.
Groups group_of(const Runs& runs) {
  Groups groups;
  groups.keys = {""};
  groups.integers.emplace_back();
  groups.runs.push_back({runs});
  return groups;
}

TEST(Coverage, OfAMedianIsWhatItSays) {
  for (const policy::Notion notion : {policy::Notion::kEpsilon, policy::Notion::kZcdp}) {
    const Lowered median("SELECT MEDIAN(age) FROM visits", "5", "0.95", notion);
    ASSERT_EQ(median.steps().size(), 1U);
    ASSERT_TRUE(median.steps()[0].counts);
    // 10 rows of each age but one of 60: the median is 60, and its neighbours are ranks away.
    Runs runs;
    for (std::int64_t age = 30; age <= 90; ++age) runs.emplace_back(age, age == 60 ? 1 : 10);
    EXPECT_GE(median.coverage(group_of(runs), in_units(median.steps()[0], 60)),
              0.95 - kShareMargin);
    // Without rows every age is a median, the ends of the range too.
    EXPECT_GE(median.coverage(group_of({}), 0), 0.95 - kShareMargin);
    EXPECT_LT(median.coverage(group_of({}), 0, halved), 0.95 - kShareMargin);
  }
}

TEST(Coverage, OfADifferenceOfQuantilesIsWhatItSays) {
  const Lowered spread(
      "SELECT PERCENTILE_DISC(0.75) WITHIN GROUP (ORDER BY age) - PERCENTILE_DISC(0.25) WITHIN "
      "GROUP (ORDER BY age) FROM visits",
      "20", "0.95");
  ASSERT_EQ(spread.steps().size(), 1U);
  Runs runs;
  for (std::int64_t age = 0; age <= 120; ++age) runs.emplace_back(age, 20);
  EXPECT_GE(spread.coverage(group_of(runs), 60), 0.95 - kShareMargin);
}

}  // namespace
}  // namespace discreet::session::coverage_test
