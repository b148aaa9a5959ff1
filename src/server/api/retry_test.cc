// SPDX-License-Identifier: Apache-2.0
// Clients that retry: with the data away nobody is charged, after three failures the engine is left
// alone for a while by whom they are of, and one id is one charge and one answer.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "engine/engine_around.h"
#include "engine/open.h"
#include "server/api/house_for_tests.h"

namespace discreet::server::api::retry_test {
namespace {

constexpr const char* kQuestion =
    R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5","request_id":"one"})";

/// The folder with the data, so that the files in it are the same when they are back.
class Away {
 public:
  explicit Away(session::Clinic& clinic) : folder_(clinic.folder()), away_(folder_ + ".away") {}
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
  ~Away() { come_back(); }
  void go() { std::filesystem::rename(folder_, away_); }
  void come_back() {
    if (std::filesystem::exists(away_)) std::filesystem::rename(away_, folder_);
  }

 private:
  const std::string folder_;
  const std::string away_;
};

TEST(Retry, WithTheDataAwayNobodyIsChargedAndTheEngineIsLeftAlone) {
  House house;
  Away away(house.clinic);
  const Got other =
      house.query("ann", R"({"sql":"SELECT COUNT(*) FROM patients","epsilon":"0.5"})");
  ASSERT_EQ(other.status, 200);
  std::string spent = house.clinic.spent();
  away.go();
  std::set<std::string> bodies;
  for (int i = 0; i < 10; ++i) {
    const Got got = house.query("ann", kQuestion);
    EXPECT_EQ(got.status, 502);
    bodies.insert(Json::parse(got.body).value_or(nullptr).dump());  // without its padding
  }
  EXPECT_EQ(bodies.size(), 1U) << "all failures look alike";
  EXPECT_EQ(house.clinic.spent(), spent);
  away.come_back();
  EXPECT_EQ(house.query("ann", kQuestion).status, 502);  // it is open
  // To her: of somebody else's questions hers tell nothing.
  EXPECT_EQ(house.query("press", R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"1"})").status,
            200);
  spent = house.clinic.spent();
  // What is stored is given all the time.
  EXPECT_EQ(house.query("ann", R"({"sql":"SELECT COUNT(*) FROM patients","epsilon":"0.5"})").status,
            200);
  EXPECT_EQ(house.query("ann", kQuestion).status, 502);
  EXPECT_EQ(house.clinic.spent(), spent);
  // A reload closes it, and so does time.
  EXPECT_EQ(house.ask("owner", "POST", "/api/v1/reload", "{}").status, 200);
  EXPECT_EQ(house.query("ann", kQuestion).status, 200);
}

TEST(Retry, AfterAWhileTheEngineIsTriedAgain) {
  House house;
  Away away(house.clinic);
  away.go();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(house.query("ann", kQuestion).status, 502);
  away.come_back();
  EXPECT_EQ(house.query("ann", kQuestion).status, 502);
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

/// It finds everything ready, and then reads nothing.
class FailingEngine final : public engine::EngineAround {
 public:
  explicit FailingEngine(const policy::Policy& policy)
      : EngineAround(engine::open_engine(policy, {}).value()) {}
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked&, const engine::OwnerLog&) override {
    return Error{Code::kEngine, "it failed"};
  }
};

TEST(Retry, AFailureBehindTheChargeIsExplainedAsARetry) {
  House house;
  const std::map<std::string, std::string> fields = {{"sql", "SELECT COUNT(*) FROM visits"},
                                                     {"epsilon", "0.5"}};
  const auto says_retry = [&] {
    const Got got = house.ask("ann", "POST", "/api/v1/explain",
                              R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5"})");
    return Json::parse(got.body).value_or(nullptr)["retry"].flag();
  };
  EXPECT_FALSE(says_retry());
  FailingEngine engine(house.clinic.policy());
  session::Session session(house.clinic.policy(), house.clinic.ledger(), engine);
  EXPECT_FALSE(session.ask(request_of(fields, "ann").value()).has_value());
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");
  EXPECT_TRUE(says_retry());
  EXPECT_EQ(house.query("ann", kQuestion).status, 200);
  EXPECT_FALSE(says_retry());
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");
}

}  // namespace
}  // namespace discreet::server::api::retry_test
