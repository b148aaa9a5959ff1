// SPDX-License-Identifier: Apache-2.0
// Replay on small files: nothing is found where the policy is right, and a policy that protects
// visits where a person was meant is found out.
#include "audit/replay.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace discreet::audit::replay_test {
namespace {

/// 40 patients, the i-th with i % 6 visits; patient 11 has five of them.
class Visits {
 public:
  Visits() {
    std::string pattern = testing::TempDir() + "/discreet-replay-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::ofstream out(folder_ + "/visits.csv");
    out << "id,patient_id,clinic,diagnosis,cost\n";
    int id = 0;
    for (int patient = 0; patient < 40; ++patient) {
      for (int i = 0; i < patient % 6; ++i) {
        out << id++ << "," << patient << "," << (i % 2 == 0 ? "north" : "south") << ",d"
            << patient % 3 << "," << 10 * patient + i << "\n";
      }
    }
  }
  ~Visits() { std::filesystem::remove_all(folder_); }

  policy::Policy policy(const std::string& unit) const {
    const policy::Reading reading = policy::read_policy(
        "version: 1\nsnapshot: one\nunits:\n  people: {budget: {epsilon: 100, delta: 1e-6}}\n"
        "tables:\n  visits:\n    source: visits.csv\n    unit: {namespace: people, column: " +
            unit +
            "}\n    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 2}\n    columns:\n"
            "      clinic: {type: text, values: [north, south]}\n"
            "      diagnosis: {type: text}\n"
            "      cost: {type: integer, range: [0, 1000]}\n",
        folder_);
    EXPECT_TRUE(reading.policy.has_value())
        << (reading.mistakes.empty() ? "" : reading.mistakes.front().message);
    return *reading.policy;
  }

 private:
  std::string folder_;
};

Result<ReplayReport> ask(const policy::Policy& policy, const std::string& sql,
                         const std::string& neighbour = "remove:patient_id=11") {
  DISCREET_ASSIGN(const Neighbour without, parse_neighbour(neighbour));
  ReplayQuestion question{.sql = sql, .options = {}};
  question.options.epsilon = Epsilon::trusted(1);
  question.options.delta = Delta::trusted(Rational::ratio(1, 1000000));
  return replay_question(policy, question, without, {});
}

TEST(Replay, FindsNothingWhereThePolicyIsRight) {
  const Visits visits;
  const policy::Policy policy = visits.policy("patient_id");
  for (const char* sql :
       {"SELECT COUNT(*) FROM visits", "SELECT clinic, SUM(cost) FROM visits GROUP BY clinic",
        "SELECT MEDIAN(cost) FROM visits",
        "SELECT diagnosis, COUNT(*) FROM visits GROUP BY diagnosis"}) {
    const auto report = ask(policy, sql);
    ASSERT_TRUE(report.has_value()) << sql << ": " << report.error().message;
    EXPECT_TRUE(report->ok) << sql;
    EXPECT_EQ(report->checks.size(), 5u);
    for (const ReplayCheck& check : report->checks) EXPECT_EQ(check.finding, "") << sql;
  }
}

// The planted fault: visits are protected, a person is removed. Five rows go, one unit each.
TEST(Replay, FindsAUnitThatIsNoPerson) {
  const Visits visits;
  const auto report = ask(visits.policy("id"), "SELECT COUNT(*) FROM visits");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->ok);
  EXPECT_TRUE(report->checks[0].ok);
  EXPECT_NE(report->checks.back().finding.find("more than the declared"), std::string::npos);
}

TEST(Replay, SaysWhatItCannotDo) {
  const Visits visits;
  const policy::Policy policy = visits.policy("patient_id");
  EXPECT_EQ(ask(policy, "SELECT COUNT(*) FROM visits", "remove:nobody=1").error().code,
            Code::kNotFound);
  EXPECT_EQ(ask(policy, "SELECT COUNT(*) FROM visits", "add:patient_id=1").error().code,
            Code::kInvalidInput);
  EXPECT_EQ(ask(policy, "SELECT nonsense FROM visits").has_value(), false);
}

}  // namespace
}  // namespace discreet::audit::replay_test
