// SPDX-License-Identifier: Apache-2.0
// Clients that retry: with the data away nobody is charged, after three failures the engine is left
// alone for a while, and one id is one charge and one answer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "server/api/house_for_tests.h"

namespace discreet::server::api::retry_test {
namespace {

constexpr const char* kQuestion =
    R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5","request_id":"one"})";

TEST(Retry, WithTheDataAwayNobodyIsChargedAndTheEngineIsLeftAlone) {
  House house;
  const auto file = house.clinic.file("visits");
  const auto away = file.string() + ".away";
  const Got other =
      house.query("ann", R"({"sql":"SELECT COUNT(*) FROM patients","epsilon":"0.5"})");
  ASSERT_EQ(other.status, 200);
  const std::string spent = house.clinic.spent();
  std::filesystem::rename(file, away);
  std::set<std::string> bodies;
  for (int i = 0; i < 10; ++i) {
    const Got got = house.query("ann", kQuestion);
    EXPECT_EQ(got.status, 502);
    bodies.insert(Json::parse(got.body).value_or(nullptr).dump());  // without its padding
  }
  EXPECT_EQ(bodies.size(), 1U) << "all failures look alike";
  EXPECT_EQ(house.clinic.spent(), spent);
  std::filesystem::rename(away, file);
  EXPECT_EQ(house.query("ann", kQuestion).status, 502);  // it is open
  EXPECT_EQ(house.query("press", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"1"})").status,
            502);
  // What is stored is given all the time.
  EXPECT_EQ(house.query("ann", R"({"sql":"SELECT COUNT(*) FROM patients","epsilon":"0.5"})").status,
            200);
  EXPECT_EQ(house.clinic.spent(), spent);
  house.later_ms = Breaker::kRestMs;
  EXPECT_EQ(house.query("ann", kQuestion).status, 200);
}

TEST(Retry, ManyRequestsOfOneIdAreOneChargeAndOneAnswer) {
  House house;
  std::mutex mutex;
  std::set<std::string> answers;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const Got got = house.query("ann", kQuestion);
      EXPECT_EQ(got.status, 200) << got.body;
      const Json body = Json::parse(got.body).value_or(nullptr);
      const std::lock_guard lock(mutex);
      answers.insert(body["answer"].dump());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers.size(), 1U);
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");
}

/// Other bytes in the same file, with the same size and time.
void overwrite(const std::string& file, const std::string& bytes) {
  const auto written = std::filesystem::last_write_time(file);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << bytes;
  std::filesystem::last_write_time(file, written);
}

// A file that is there, looks as before and cannot be read fails behind the charge.
TEST(Retry, AFailureBehindTheChargeIsExplainedAsARetry) {
  House house;
  const std::string explain = R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5"})";
  const auto says_retry = [&] {
    const Got got = house.ask("ann", "POST", "/api/v1/explain", explain);
    return Json::parse(got.body).value_or(nullptr)["retry"].flag();
  };
  EXPECT_FALSE(says_retry());
  const std::string file = house.clinic.file("visits");
  const std::string bytes = ledger::slurp(file);
  overwrite(file, std::string(bytes.size(), '?'));
  EXPECT_EQ(house.query("ann", kQuestion).status, 502);
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");
  EXPECT_TRUE(says_retry());
  overwrite(file, bytes);
  house.clinic.reopen("2026-11");
  EXPECT_EQ(house.query("ann", kQuestion).status, 200);
  EXPECT_FALSE(says_retry());
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");
}

}  // namespace
}  // namespace discreet::server::api::retry_test
