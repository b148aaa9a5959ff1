// SPDX-License-Identifier: Apache-2.0
// Questions that fail and are asked again: one price, whatever fails and however often (L11).
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "engine/engine_around.h"
#include "session/clinic_for_tests.h"

namespace discreet::session::retry_test {
namespace {

/// DuckDB, with days on which it fails.
class MoodyEngine final : public engine::EngineAround {
 public:
  enum class Mood { kGood, kFails, kOutOfTime, kAway };

  explicit MoodyEngine(const policy::Policy& policy)
      : EngineAround(engine::duckdb::DuckDbEngine::open(policy, {}, 1).value()) {}

  Mood mood = Mood::kGood;
  int runs = 0;

  Result<void> ready(const plan::Checked& checked, const engine::OwnerLog& log) override {
    if (mood == Mood::kAway) return Error{Code::kEngine, "what is wrong depends on the day"};
    return EngineAround::ready(checked, log);
  }
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const engine::OwnerLog& log) override {
    ++runs;
    if (mood == Mood::kOutOfTime && log.out_of_time) log.out_of_time();
    if (mood != Mood::kGood) return Error{Code::kEngine, "it failed"};
    return EngineAround::run(checked, log);
  }
};
using Mood = MoodyEngine::Mood;

class Retry : public testing::Test {
 protected:
  Result<Answered> ask(Mood mood, const std::string& id = "one id", const char* sql = kSql) {
    engine_.mood = mood;
    return session_.ask(request(sql, "1", id));
  }

  static constexpr const char* kSql = "SELECT COUNT(*) FROM visits";
  Clinic clinic_;
  MoodyEngine engine_{clinic_.policy()};
  Session session_{clinic_.policy(), clinic_.ledger(), engine_};
};

TEST_F(Retry, WithTheDataAwayTenRetriesCostNothing) {
  const std::filesystem::path away = clinic_.folder() + ".away";
  std::filesystem::rename(clinic_.folder(),
                          away);  // a file that is renamed itself counts as changed
  for (int i = 0; i < 10; ++i) {
    const auto answered = ask(Mood::kGood);
    ASSERT_FALSE(answered.has_value());
    EXPECT_EQ(answered.error().code, Code::kEngine);
    EXPECT_NE(answered.error().message.find("nothing was charged"), std::string::npos);
    EXPECT_EQ(answered.error().message.find("visits"), std::string::npos);
  }
  EXPECT_EQ(clinic_.spent(), "0 0");
  EXPECT_EQ(engine_.runs, 0);
  std::filesystem::rename(away, clinic_.folder());
  EXPECT_TRUE(ask(Mood::kGood).has_value());
  EXPECT_EQ(clinic_.spent(), "1 1");
}

TEST_F(Retry, ThatFailBehindThePulseCostOnePrice) {
  for (int i = 0; i < 10; ++i) {
    const auto answered = ask(Mood::kFails);
    ASSERT_FALSE(answered.has_value());
    EXPECT_EQ(answered.error().code, i < ledger::kTries ? Code::kEngine : Code::kConflict);
  }
  EXPECT_EQ(engine_.runs, ledger::kTries);
  EXPECT_EQ(clinic_.spent(), "1 1");
  // Somebody who gives no id has other ids each time: three tries for a price.
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(ask(Mood::kFails, "").has_value());
  EXPECT_EQ(clinic_.spent(), "2 2");
}

TEST_F(Retry, TakesOverTheChargeAndExplainsIt) {
  EXPECT_FALSE(session_.explain(request(kSql))->retry);
  EXPECT_FALSE(ask(Mood::kFails).has_value());
  EXPECT_TRUE(session_.explain(request(kSql))->retry);
  EXPECT_FALSE(session_.explain(request(kSql, "1/2"))->retry);
  const auto answered = ask(Mood::kGood, "another id");
  ASSERT_TRUE(answered.has_value());
  EXPECT_FALSE(answered->repeated);
  EXPECT_FALSE(session_.explain(request(kSql))->retry);
  EXPECT_TRUE(session_.explain(request(kSql))->repeat);
  EXPECT_EQ(ask(Mood::kGood)->bytes, answered->bytes);
  EXPECT_EQ(clinic_.spent(), "1 1");
}

TEST_F(Retry, IsChargedAgainAfterATimeLimit) {
  const auto stopped = ask(Mood::kOutOfTime);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_FALSE(session_.explain(request(kSql))->retry);
  EXPECT_EQ(ask(Mood::kGood).error().code, Code::kConflict);
  EXPECT_TRUE(ask(Mood::kGood, "another id").has_value());
  EXPECT_EQ(clinic_.spent(), "2 2");
  // Another failure says the same, but for the number of its record.
  const auto failed = ask(Mood::kFails, "third", "SELECT COUNT(*) FROM patients");
  const auto without_digits = [](std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    return text;
  };
  EXPECT_EQ(without_digits(stopped.error().message), without_digits(failed.error().message));
}

TEST_F(Retry, APilotAndItsQuestionArePaidOnceEach) {
  Request wanted = request(kSql, "1", "with a pilot");
  wanted.options.epsilon.reset();
  wanted.error = WantedError{.half_width = Rational::ratio(1, 5),
                             .relative = true,
                             .pilot = Epsilon::trusted(Rational(1))};
  std::string bytes;
  for (const Mood mood : {Mood::kFails, Mood::kAway, Mood::kGood, Mood::kGood}) {
    engine_.mood = mood;
    const auto answered = session_.ask(wanted);
    EXPECT_EQ(answered.has_value(), mood == Mood::kGood);
    if (!answered) continue;
    EXPECT_TRUE(bytes.empty() || bytes == answered->bytes);
    bytes = answered->bytes;
  }
  std::set<std::string> ids;
  for (const ledger::Record& record : clinic_.history()) {
    if (record.kind != ledger::Kind::kCharge || record.price == ledger::Price()) continue;
    EXPECT_TRUE(ids.insert(record.request_id).second) << record.request_id;
  }
  EXPECT_LE(ids.size(), 2U);
}

TEST_F(Retry, ManyAtOnceAreAnsweredForOnePrice) {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::string> seen;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto answered = session_.ask(request(kSql, "1", "id " + std::to_string(i % 2)));
      ASSERT_TRUE(answered.has_value()) << answered.error().message;
      const std::lock_guard lock(mutex);
      seen.insert(answered->bytes);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_EQ(engine_.runs, 1);
  EXPECT_EQ(clinic_.spent(), "1 1");
}

// Random moods: an id is charged once, an answer stays, and no question is run more often than its
// charges allow.
TEST_F(Retry, RandomFailuresNeverChargeAnIdTwice) {
  std::mt19937_64 random(1);
  const char* const questions[] = {"SELECT COUNT(*) FROM visits", "SELECT SUM(age) FROM visits",
                                   "SELECT clinic, COUNT(*) FROM visits GROUP BY clinic"};
  std::map<std::string, std::string> bytes;
  for (int step = 0; step < 150; ++step) {
    const char* const sql = questions[random() % 3];
    const std::string id = std::string(sql) + std::to_string(random() % 4);
    const auto answered =
        ask(static_cast<Mood>(random() % 20 == 0 ? 0 : 1 + random() % 3), id, sql);
    if (!answered) continue;
    const auto [known, is_new] = bytes.emplace(sql, answered->bytes);
    EXPECT_EQ(known->second, answered->bytes);
  }
  std::map<std::string, int> charges;
  for (const ledger::Record& record : clinic_.history()) {
    if (record.kind != ledger::Kind::kCharge || record.price == ledger::Price()) continue;
    EXPECT_EQ(++charges[record.request_id], 1) << record.request_id;
  }
  EXPECT_LE(engine_.runs, ledger::kTries * static_cast<int>(charges.size()));
  EXPECT_TRUE(clinic_.ledger().verify());
}

}  // namespace
}  // namespace discreet::session::retry_test
