// SPDX-License-Identifier: Apache-2.0
// A question that does not end, and who waits behind it.
#include "server/time_limit.h"

#include <atomic>
#include <thread>

#include "engine/engine_around.h"
#include "engine/open.h"
#include "session/clinic_for_tests.h"

namespace discreet::server::time_limit_test {
namespace {

/// Runs for ever when it is told to, until it is stopped.
class StuckEngine final : public engine::EngineAround {
 public:
  explicit StuckEngine(const policy::Policy& policy, std::atomic<bool>& sticks)
      : EngineAround(engine::open_engine(policy, {}).value()), sticks_(sticks) {}
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const engine::OwnerLog& log) override {
    is_stopped_ = false;
    while (sticks_ && !is_stopped_) std::this_thread::yield();
    if (is_stopped_) return engine::interrupted();
    return EngineAround::run(checked, log);
  }
  void interrupt() override { is_stopped_ = true; }

 private:
  std::atomic<bool>& sticks_;
  std::atomic<bool> is_stopped_{false};
};

TEST(TimeLimit, EndsAQuestionAndItsChargeAndNothingElse) {
  session::Clinic clinic({}, {}, 2, "1e12");
  std::atomic<bool> sticks{true};
  StuckEngine stuck(clinic.policy(), sticks);
  const auto engine = with_time_limit(stuck, std::chrono::milliseconds(40)).value();
  session::Session limited(clinic.policy(), clinic.ledger(), *engine);
  session::Session unlimited(clinic.policy(), clinic.ledger(), stuck);
  const auto ask = [&](session::Session& session, const std::string& id) {
    session::Request request{.sql = "SELECT COUNT(*) FROM visits"};
    request.analyst = "ann";
    request.options.epsilon = Epsilon::parse("0.5").value();
    request.request_id = id;
    return session.ask(request, {});
  };
  const auto stopped = ask(limited, "one");
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::kInterrupted);
  sticks = false;
  // Time depends on data, so it is not tried again at the old price; others go on.
  const auto again = ask(unlimited, "one");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Code::kConflict);
  const auto other = ask(unlimited, "two");
  EXPECT_TRUE(other.has_value()) << other.error().message;
}

}  // namespace
}  // namespace discreet::server::time_limit_test
