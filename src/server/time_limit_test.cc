// SPDX-License-Identifier: Apache-2.0
// A question that does not end, and who waits behind it.
#include "server/time_limit.h"

#include <atomic>
#include <thread>

#include "engine/open.h"
#include "session/clinic_for_tests.h"

namespace discreet::server::time_limit_test {
namespace {

/// Runs for ever when it is told to, until it is stopped.
class StuckEngine final : public engine::Engine {
 public:
  explicit StuckEngine(const policy::Policy& policy, std::atomic<bool>& sticks)
      : engine_(engine::open_engine(policy, {}).value()), sticks_(sticks) {}
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const engine::OwnerLog& log) override {
    is_stopped_ = false;
    while (sticks_ && !is_stopped_) std::this_thread::yield();
    if (is_stopped_) return engine::interrupted();
    return engine_->run(checked, log);
  }
  std::string explain(const plan::Checked& checked) const override {
    return engine_->explain(checked);
  }
  void interrupt() override { is_stopped_ = true; }
  Result<std::vector<std::string>> public_values(const policy::Policy& policy,
                                                 const std::string& table,
                                                 const std::string& column, std::size_t most,
                                                 const engine::OwnerLog& log) override {
    return engine_->public_values(policy, table, column, most, log);
  }
  Result<std::int64_t> multiplicity(const policy::Policy& policy, const std::string& table,
                                    const std::vector<std::string>& columns,
                                    const engine::OwnerLog& log) override {
    return engine_->multiplicity(policy, table, columns, log);
  }

 private:
  std::unique_ptr<engine::Engine> engine_;
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
