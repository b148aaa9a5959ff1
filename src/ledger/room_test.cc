// SPDX-License-Identifier: Apache-2.0
// What there is no room for is refused before it is charged: on the disk, in a quota, under a limit.
#include "ledger/room.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::room_test {
namespace {

using fixture::Ask;
using fixture::Home;
using fixture::spent;

Result<Outcome> retry(Ledger& ledger, const Ask& what = {}) {
  Question question = what.question();
  question.takes_over = true;
  return ledger.charge(what.charge(), question);
}

TEST(Room, DiskQuotaAndLimitAreToldApart) {
  const std::pair<int, const char*> all[] = {
      {ENOSPC, "disk of the ledger is full"}, {EDQUOT, "quota"}, {EFBIG, "ulimit -f"}};
  for (const auto& [error, words] : all) {
    const Result<void> judged = judge_room(error);
    ASSERT_FALSE(judged) << words;
    EXPECT_EQ(judged.error().code, Code::kStorage);
    EXPECT_NE(judged.error().message.find(words), std::string::npos) << judged.error().message;
  }
  for (const int error : {0, EOPNOTSUPP, ENOSYS, EISDIR}) EXPECT_TRUE(judge_room(error)) << error;
}

/// A ledger whose room is what the test says.
struct Held {
  Home home;
  Result<void> room;
  int times = 0;
  std::unique_ptr<Ledger> ledger;

  Held() {
    home.create().reset();
    World world = home.world();
    world.hold = [this](const std::filesystem::path& file,
                        std::uint64_t bytes) -> Result<HeldRoom> {
      ++times;
      DISCREET_TRY(room);
      return HeldRoom::at(file, bytes);
    };
    ledger =
        Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
            .value();
  }
};

TEST(Room, IsTakenBeforeTheChargeOrTheTry) {
  Held held;
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
    held.room = judge_room(error);
    const auto outcome = retry(*held.ledger);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().message, "nothing was charged: " + held.room.error().message);
  }
  EXPECT_EQ(spent(*held.ledger), "0 0");
  held.room = {};
  ASSERT_TRUE(retry(*held.ledger));  // and nothing comes of it
  held.room = judge_room(EDQUOT);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(retry(*held.ledger).error().code, Code::kStorage);
  held.room = {};
  auto outcome = retry(*held.ledger);
  ASSERT_TRUE(outcome);
  Paid& paid = std::get<Paid>(*outcome);
  EXPECT_EQ(paid.number_of_try(), 2);  // no try was used up
  // From the charge on it is held, whatever the disk says.
  held.room = judge_room(EFBIG);
  const int before = held.times;
  auto drawing = held.ledger->begin_drawing(paid);
  ASSERT_TRUE(drawing) << drawing.error().message;
  EXPECT_EQ(drawing->store(std::move(paid), "42")->bytes(), "42");
  EXPECT_EQ(held.times, before);
  // What is stored needs none.
  EXPECT_EQ(std::get<Answer>(*retry(*held.ledger)).bytes(), "42");
  EXPECT_EQ(spent(*held.ledger), "0.5 0.5");
}

TEST(Room, ForALongAnswerItIsLookedForUnderQuotasToo) {
  Held held;
  auto outcome = retry(*held.ledger);
  Paid& paid = std::get<Paid>(*outcome);
  {
    auto drawing = held.ledger->begin_drawing(paid);
    held.room = judge_room(EDQUOT);
    EXPECT_FALSE(drawing->store(std::move(paid), std::string(Drawing::kRoom, 'x')));
  }
  held.room = {};
  EXPECT_EQ(retry(*held.ledger).error().code, Code::kConflict);  // what failed ended the charge
}

/// In a process of its own, that may write files of so many bytes.
bool holds_under(rlim_t bytes, const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit{bytes, bytes};
    _exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 && work() ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Room, UnderALimitOfFileSizesNothingIsCharged) {
  Home home;
  home.create().reset();
  for (const rlim_t bytes : {600U << 10, 4U << 20}) {
    EXPECT_TRUE(holds_under(bytes, [&] {
      const auto ledger = home.try_open();
      if (!ledger) return false;
      const auto outcome = retry(**ledger);
      return !outcome && outcome.error().message.find("ulimit -f") != std::string::npos;
    })) << bytes;
  }
  EXPECT_EQ(spent(*home.open()), "0 0");
  EXPECT_TRUE(holds_under(kLeastRoom + (8U << 20), [&] {
    const auto ledger = home.try_open();
    return ledger && retry(**ledger);
  }));
  EXPECT_EQ(spent(*home.open()), "0.5 0.5");
  EXPECT_TRUE(holds_under(1 << 10, [&] { return growth_left(home.path) == 0U; }));
  EXPECT_FALSE(growth_left(home.path).has_value());
}

TEST(Room, AFileThatMayNotGrowThatFarIsNotHeld) {
  const Scratch scratch;
  spill(scratch / "ledger", "");
  EXPECT_TRUE(HeldRoom::at(scratch / "ledger", 1 << 20));
  EXPECT_TRUE(holds_under(600U << 10, [&] {
    const auto held = HeldRoom::at(scratch / "ledger", 1 << 20);
    return !held && held.error().message.find("ulimit -f") != std::string::npos;
  }));
}

}  // namespace
}  // namespace discreet::ledger::room_test
