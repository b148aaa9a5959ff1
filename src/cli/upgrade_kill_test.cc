// SPDX-License-Identifier: Apache-2.0
// `discreet ledger upgrade`, killed before each of its calls that change a file or speak to the
// server: afterwards the older ledger is as it was and a second upgrade finishes, or the new one is
// there. No balance changes, nothing that was bought is lost, and there is one copy.
#include <gtest/gtest.h>

#include "cli/killed_for_tests.h"
#include "ledger/upgrade_for_tests.h"

namespace discreet::cli::upgrade_kill_test {
namespace {

using namespace ledger;
using namespace ledger::fixture;

std::vector<std::string> words(const Home& home) {
  return {"ledger", "upgrade",         "--ledger",  home.path.string(),
          "--key",  home.key.string(), "--witness", home.witness.string()};
}

/// Expects a ledger whose upgrade was killed to be whole, and finishes it. Returns whether it was
/// upgraded already.
bool judge(Home& home, const std::vector<Record>& before, int moment) {
  SCOPED_TRACE("killed before call " + std::to_string(moment));
  const std::vector<Record> after = history_of(home);
  const bool was_done = after.size() > before.size();
  EXPECT_EQ(std::vector<Record>(after.begin(), after.end() - (was_done ? 1 : 0)), before);
  EXPECT_EQ(spent(*home.open(Access::kLook)), "0.5 0.5");
  EXPECT_EQ(home.try_open().has_value(), was_done);
  const auto again = Ledger::upgrade(opened(home));
  EXPECT_TRUE(again) << again.error().message;
  if (!again) return was_done;
  EXPECT_EQ(again->is_needed(), !was_done);
  EXPECT_EQ(history_of(home).size(), before.size() + 1);
  auto ledger = home.open();
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {})).bytes(), "42");
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
  EXPECT_TRUE(ledger->verify());
  if (is_postgres(home.path)) return was_done;
  int copies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(home.scratch.path())) {
    const std::string name = entry.path().filename().string();
    EXPECT_FALSE(name.ends_with(".partial")) << name;
    copies += name == "patients.ledger.format-4" ? 1 : 0;
  }
  EXPECT_EQ(copies, 1);
  return was_done;
}

void kill_at_every_moment(const std::function<void(Home&)>& place) {
  int moment = 1;
  int killed_before = 0;
  int killed_after = 0;
  for (bool was_killed = true; was_killed; ++moment) {
    Home home;
    place(home);
    create_older(home);
    const std::vector<Record> before = history_of(home);
    was_killed = discreet_killed_at(words(home), moment).killed;
    const bool was_done = judge(home, before, moment);
    if (was_killed) ++(was_done ? killed_after : killed_before);
    EXPECT_TRUE(was_killed || was_done);
  }
  std::printf("killed before the commit: %d, behind it: %d\n", killed_before, killed_after);
  EXPECT_GT(killed_before, 10);
  EXPECT_GT(killed_after, 3);
}

TEST(UpgradeKilled, AFileIsTheOlderOrTheNewLedgerAtEveryMoment) {
  kill_at_every_moment([](Home&) {});
}

TEST(UpgradeKilled, ADatabaseIsTheOlderOrTheNewLedgerAtEveryMoment) {
  kill_at_every_moment([](Home& home) { home.path = PostgresServer::instance().fresh(); });
}

}  // namespace
}  // namespace discreet::cli::upgrade_kill_test
