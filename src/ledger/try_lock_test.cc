// SPDX-License-Identifier: Apache-2.0
// Several processes that ask the same question: one tries, the others wait for it.
#include "ledger/try_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <functional>
#include <thread>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::try_lock_test {
namespace {

using fixture::Ask;
using fixture::Home;
using fixture::spent;
using std::chrono::milliseconds;

/// A process that says letters and may be told to go on.
class Child {
 public:
  using Say = std::function<void(char)>;
  using Wait = std::function<void()>;
  explicit Child(const std::function<void(const Say&, const Wait&)>& work) {
    EXPECT_EQ(pipe2(said_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(told_, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ != 0) {
      close(said_[1]);  // so that its end is heard
      return;
    }
    work(
        [&](char letter) {
          if (write(said_[1], &letter, 1) != 1) _exit(1);
        },
        [&] {
          char any = 0;
          if (read(told_[0], &any, 1) != 1) _exit(1);
        });
    _exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    for (const int end : {said_[0], told_[0], told_[1]}) close(end);
  }
  /// '-': it ended.
  char hear() const {
    char letter = '-';
    return read(said_[0], &letter, 1) == 1 ? letter : '-';
  }
  void go_on() const { EXPECT_EQ(write(told_[1], "g", 1), 1); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  int said_[2];
  int told_[2];
  pid_t pid_ = 0;
};

Question question_of(const Ask& what) {
  Question question = what.question();
  question.takes_over = true;
  return question;
}

Result<Outcome> retry(Ledger& ledger, const Ask& what = {}) {
  return ledger.charge(what.charge(), question_of(what));
}

std::size_t records_of(Home& home) { return fixture::history_of(home).size(); }

std::unique_ptr<Ledger> open_for(Home& home, int busy_ms) {
  World world = home.world();
  world.busy_ms = busy_ms;
  return Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
      .value();
}

TEST(TryLock, OfSevenProcessesOneIsChargedAndAllAreAnswered) {
  for (const bool has_ids : {true, false}) {
    Home home;
    home.create().reset();
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 7; ++i) {
      const Ask what{.id = has_ids ? "one id" : "id " + std::to_string(i)};
      children.push_back(std::make_unique<Child>([&](const auto& say, const auto& wait) {
        wait();
        const auto ledger = home.try_open();
        auto outcome = ledger ? retry(**ledger, what) : Result<Outcome>(ledger.error());
        if (!outcome) return say('e');
        if (const Answer* const answer = std::get_if<Answer>(&*outcome)) {
          return say(answer->bytes() == "42" ? 'a' : '?');
        }
        // Long enough for the others to come; if they are late nothing is lost but the test's edge.
        std::this_thread::sleep_for(milliseconds(200));
        Paid& paid = std::get<Paid>(*outcome);
        auto drawing = (*ledger)->begin_drawing(paid);
        say(drawing && drawing->store(std::move(paid), "42") ? 'p' : 'e');
      }));
    }
    for (const auto& child : children) child->go_on();
    std::string heard;
    for (const auto& child : children) heard += child->hear();
    std::ranges::sort(heard);
    EXPECT_EQ(heard, "aaaaaap");
    EXPECT_EQ(spent(*home.open()), "0.5 0.5");
  }
}

TEST(TryLock, ATryThatIsKilledIsTakenOver) {
  Home home;
  home.create().reset();
  Child child([&](const auto& say, const auto& wait) {
    const auto ledger = home.try_open();
    const auto outcome = retry(**ledger);
    say(outcome ? 'p' : 'e');
    wait();
  });
  ASSERT_EQ(child.hear(), 'p');
  const auto ledger = home.open();
  std::jthread killer([&] {
    std::this_thread::sleep_for(milliseconds(50));
    child.kill();
  });
  const auto outcome = retry(*ledger);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(std::get<Paid>(*outcome).number_of_try(), 2);
}

TEST(TryLock, OneThatTakesTooLongIsSaidAndNothingIsUsed) {
  Home home;
  home.create().reset();
  Child child([&](const auto& say, const auto& wait) {
    const auto ledger = home.try_open();
    const auto outcome = retry(**ledger);
    say(outcome ? 'p' : 'e');
    wait();
  });
  ASSERT_EQ(child.hear(), 'p');
  const std::size_t before = records_of(home);
  const auto ledger = open_for(home, 30);
  for (const char* id : {"request 1", "another", "a third"}) {
    const auto outcome = retry(*ledger, {.id = id});
    ASSERT_FALSE(outcome) << id;
    EXPECT_EQ(outcome.error().code, Code::kStorage);
    EXPECT_NE(outcome.error().message.find("by another process"), std::string::npos);
    const Ask what{.id = id};
    EXPECT_TRUE(ledger->quote(what.charge(), question_of(what))->retry);
  }
  EXPECT_EQ(records_of(home), before);
  // Who asks something else does not wait.
  EXPECT_TRUE(retry(*ledger, {.id = "other", .key = "other"}));
  child.kill();
  EXPECT_EQ(std::get<Paid>(*retry(*ledger)).number_of_try(), 2);
}

TEST(TryLock, IsHeldByOneAndLetGoOfByNoChild) {
  const Scratch scratch;
  const auto ledger = scratch / "ledger";
  spill(ledger, "");
  std::filesystem::permissions(ledger, std::filesystem::perms(0660));
  EXPECT_FALSE(TryLock::is_held(ledger, 7));
  EXPECT_FALSE(std::filesystem::exists(ledger.string() + ".tries"));  // looking makes no file
  auto lock = TryLock::take(ledger, 7);
  ASSERT_TRUE(lock);
  struct stat facts{};
  ASSERT_EQ(stat((ledger.string() + ".tries").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0660U);  // as the ledger's
  EXPECT_FALSE(TryLock::take(ledger, 7));
  EXPECT_TRUE(TryLock::take(ledger, 8));
  EXPECT_TRUE(TryLock::is_held(ledger, 7));
  EXPECT_FALSE(TryLock::is_held(ledger, 8));
  Child child([&](const auto& say, const auto& wait) {
    lock->let_go();
    say('l');
    wait();
  });
  EXPECT_EQ(child.hear(), 'l');
  EXPECT_TRUE(TryLock::is_held(ledger, 7));
  Child other([&](const auto& say, const auto& wait) {
    say('h');
    wait();
  });
  EXPECT_EQ(other.hear(), 'h');
  lock->let_go();
  EXPECT_FALSE(TryLock::is_held(ledger, 7));  // though a child has the file open
}

TEST(TryLock, WhereThereIsNoneNobodyWaits) {
  const Scratch scratch;
  EXPECT_TRUE(TryLock::take(scratch / "no folder/ledger", 7));
  EXPECT_TRUE(TryLock::take("postgres://u@h/d", 7));
  EXPECT_FALSE(TryLock::is_held("postgres://u@h/d", 7));
  const auto ledger = scratch / "ledger";
  spill(ledger, "");
  std::filesystem::create_symlink("elsewhere", ledger.string() + ".tries");
  EXPECT_TRUE(TryLock::take(ledger, 7));
  EXPECT_FALSE(std::filesystem::exists(scratch / "elsewhere"));
}

}  // namespace
}  // namespace discreet::ledger::try_lock_test
