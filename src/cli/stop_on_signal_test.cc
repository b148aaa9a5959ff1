// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_on_signal.h"

#include <gtest/gtest.h>

#include <csignal>

namespace discreet::cli::stop_on_signal_test {
namespace {

/// Counts how often it was told to stop.
class Told final : public engine::Engine {
 public:
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked&, const engine::OwnerLog&) override {
    return engine::interrupted();
  }
  std::string explain(const plan::Checked&) const override { return ""; }
  void interrupt() override {
    ++times;
    times.notify_all();
  }
  Result<std::vector<std::string>> public_values(const policy::Policy&, const std::string&,
                                                 const std::string&, std::size_t,
                                                 const engine::OwnerLog&) override {
    return engine::interrupted();
  }
  Result<std::int64_t> multiplicity(const policy::Policy&, const std::string&,
                                    const std::vector<std::string>&,
                                    const engine::OwnerLog&) override {
    return engine::interrupted();
  }

  void wait_for(int more_than) {
    for (int seen = times; seen <= more_than; seen = times) times.wait(seen);
  }
  std::atomic<int> times{0};
};

// The second time is for a question that began after the first and forgot it.
TEST(StopOnSignal, TellsTheEngineUntilTheQuestionIsOver) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Told engine;
    {
      const StopOnSignal stop(engine);
      std::raise(signal);
      engine.wait_for(1);
      EXPECT_EQ(std::signal(signal, SIG_DFL), SIG_DFL);  // the next one ends the program
    }
    const int then = engine.times;
    EXPECT_EQ(std::signal(signal, SIG_DFL), SIG_DFL);
    EXPECT_EQ(engine.times, then);
  }
}

TEST(StopOnSignal, LeavesAQuestionAloneThatNobodyStops) {
  Told engine;
  {
    const StopOnSignal stop(engine);
    EXPECT_NE(std::signal(SIGINT, SIG_IGN), SIG_DFL);
  }
  EXPECT_EQ(engine.times, 0);
}

}  // namespace
}  // namespace discreet::cli::stop_on_signal_test
