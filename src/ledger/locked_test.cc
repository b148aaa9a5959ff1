// SPDX-License-Identifier: Apache-2.0
// Locks that somebody else holds: who looks goes on, who writes has a deadline, and nothing is lost.
// Nothing here depends on time but how long a mistake takes to be told.
#include <fcntl.h>

#include <condition_variable>
#include <future>
#include <thread>

#include "base/files.h"
#include "ledger/ledger_for_tests.h"
#include "ledger/postgres_schema.h"
#include "ledger/sqlite.h"

namespace discreet::ledger::locked_test {
namespace {

using namespace fixture;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kMistake{10};

/// Something that happens once.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kMistake, [&] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

Event* asleep = nullptr;

/// SQLite's own way to the disk, but that sleeping for a lock is seen.
const char* watched_vfs() {
  static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
  static int (*const sleep)(sqlite3_vfs*, int) = vfs.xSleep;
  static const bool is_new = [] {
    vfs.zName = "watched";
    vfs.xSleep = [](sqlite3_vfs* self, int microseconds) {
      if (asleep != nullptr) asleep->set();
      return sleep(self, microseconds);
    };
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  }();
  EXPECT_TRUE(is_new);
  return vfs.zName;
}

/// A witness that stands still, once it was told to, until it may go on.
class StillWitness : public Witness {
 public:
  struct Gate {
    std::atomic<bool> is_shut{false};
    Event reached;
    Event opened;
  };
  StillWitness(const std::filesystem::path& file, Gate& gate)
      : file_(file_witness(file)), gate_(gate) {}
  Result<std::optional<Head>> read() override {
    if (gate_.is_shut) {
      gate_.reached.set();
      EXPECT_TRUE(gate_.opened.wait());
    }
    return file_->read();
  }
  Result<void> advance(const Head& head, const Recognise& recognise) override {
    return file_->advance(head, recognise);
  }
  Result<void> replace(const Head& head) override { return file_->replace(head); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<Witness> file_;
  Gate& gate_;
};

/// All that looks, in a thread of its own. Where it is stuck it ends when the lock is let go of,
/// which must be before this does.
class Looking {
 public:
  Looking(Ledger& ledger, Sequence records)
      : said_(
            std::async(std::launch::async, [&ledger, records] { return look(ledger, records); })) {}
  /// "", or what did not answer, or not as it should.
  std::string said() {
    if (said_.wait_for(kMistake) != std::future_status::ready) return "nothing";
    return said_.get();
  }

 private:
  static std::string look(Ledger& ledger, Sequence records) {
    const Ask asked{.id = "q", .key = "q"};
    const auto state = ledger.state();
    const auto quote = ledger.quote(asked.charge(), asked.question());
    Sequence seen = 0;
    const auto history = ledger.history([&](const Record&) {
      ++seen;
      return Result<void>();
    });
    const auto verified = ledger.verify();
    std::string text;
    if (!state || state->next() != records) text += "state ";
    if (!quote || !quote->fits) text += "quote ";
    if (!history || seen != records) text += "history ";
    if (!verified || verified->records != records) text += "verify ";
    if (!ledger.signed_head()) text += "head ";
    return text;
  }

  std::future<std::string> said_;
};

TEST(Locked, WhoLooksDoesNotWaitForAWriterThatWaitsForAnotherProcessInTheFile) {
  Home home;
  auto world = home.world();
  world.sqlite_vfs = watched_vfs();
  home.create();
  const auto ledger =
      Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
          .value();
  const auto other = home.open();
  ASSERT_TRUE(ask_and_store(*other, {.key = "another process's"}, "bytes"));
  const Sequence records = other->state()->next();
  auto holds = Connection::open(home.path, SQLITE_OPEN_READWRITE, "", 0).value();
  ASSERT_TRUE(holds.run("BEGIN EXCLUSIVE"));
  Event waits;
  asleep = &waits;
  auto writing = std::async(std::launch::async, [&] {
    return ask_and_store(*ledger, {.id = "second", .key = "second"}, "two").has_value();
  });
  EXPECT_TRUE(waits.wait());
  Looking looking(*ledger, records);
  EXPECT_EQ(looking.said(), "");
  asleep = nullptr;
  ASSERT_TRUE(holds.run("ROLLBACK"));
  EXPECT_TRUE(writing.get());
  EXPECT_EQ(Looking(*ledger, records + 2).said(), "");
}

TEST(Locked, WhoLooksDoesNotWaitForAServersLock) {
  Home home;
  home.path = PostgresServer::instance().fresh();
  const auto ledger = home.create();
  const Sequence records = ledger->state()->next();
  auto holds = PgSession::open(home.path.string()).value();
  ASSERT_TRUE(holds.run(std::string("BEGIN; ") + kPostgresLock));
  auto writing = std::async(std::launch::async, [&] {
    return ask_and_store(*ledger, {.id = "second", .key = "second"}, "two").has_value();
  });
  auto watches = PgSession::open(home.path.string()).value();
  bool waits = false;
  for (int i = 0; i < 1000 && !waits; ++i) {
    const auto found = watches.run(
        "SELECT pg_sleep(0.01) FROM (SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND "
        "locktype = 'advisory') AS all_of WHERE n > 0");
    waits = found && found->size() > 0;
    if (!waits) std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_TRUE(waits);
  Looking looking(*ledger, records);
  EXPECT_EQ(looking.said(), "");
  ASSERT_TRUE(holds.run("ROLLBACK"));
  EXPECT_TRUE(writing.get());
  EXPECT_EQ(Looking(*ledger, records + 2).said(), "");
}

TEST(Locked, WhoLooksDoesNotWaitForAWriterThatWaitsForTheWitness) {
  Home home;
  StillWitness::Gate gate;
  auto world = home.world();
  world.witness = [&](const std::filesystem::path& file) {
    return std::make_unique<StillWitness>(file, gate);
  };
  home.create();
  const auto ledger =
      Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
          .value();
  const Sequence records = ledger->state()->next();
  gate.is_shut = true;
  auto writing = std::async(std::launch::async, [&] {
    return ask_and_store(*ledger, {.id = "second", .key = "second"}, "two").has_value();
  });
  EXPECT_TRUE(gate.reached.wait());
  Looking looking(*ledger, records);
  EXPECT_EQ(looking.said(), "");
  gate.is_shut = false;
  gate.opened.set();
  EXPECT_TRUE(writing.get());
  EXPECT_EQ(Looking(*ledger, records + 2).said(), "");
}

TEST(Locked, AWitnessThatIsHeldEndsAWriteAndTheLedgerGoesOn) {
  Home home;
  auto world = home.world();
  world.witness = [](const std::filesystem::path& file) {
    return file_witness_within(file, milliseconds(50));
  };
  home.create();
  const Opened opened{.path = home.path, .key = home.key, .witness = home.witness, .world = world};
  const auto ledger = Ledger::open(opened).value();
  ASSERT_TRUE(ask_and_store(*ledger, {.id = "first", .key = "first"}, "one"));
  const Sequence records = ledger->state()->next();
  const Ask second{.id = "second", .key = "second"};
  {
    const auto held = OpenFile::open(home.witness, O_RDWR).value();
    ASSERT_TRUE(held.lock());
    for (int i = 0; i < 2; ++i) {
      const auto refused = ask(*ledger, second);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::kStorage);
      EXPECT_NE(refused.error().message.find("another process holds its lock"), std::string::npos)
          << refused.error().message;
    }
    EXPECT_FALSE(ledger->add_analyst("patients", {"new", price("1")}));
    EXPECT_EQ(Looking(*ledger, records).said(), "");
    // What is there is free as before; and a server that starts now ends.
    EXPECT_TRUE(ask_and_store(*ledger, {.id = "first", .key = "first"}, "other bytes"));
    const auto starting = Ledger::open(opened);
    ASSERT_FALSE(starting);
    EXPECT_EQ(starting.error().code, Code::kStorage);
  }
  EXPECT_TRUE(ask_and_store(*ledger, second, "two"));
  EXPECT_TRUE(ledger->add_analyst("patients", {"new", price("1")}));
  EXPECT_EQ(Looking(*ledger, records + 3).said(), "");
  EXPECT_EQ(home.open()->state()->hash(), ledger->state()->hash());
}

TEST(Locked, AStoreThatIsHeldEndsAWriteAndTheLedgerGoesOn) {
  Home home;
  auto world = home.world();
  world.busy_ms = 50;
  home.create();
  const auto ledger =
      Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
          .value();
  const Sequence records = ledger->state()->next();
  std::optional<Connection> file;
  std::optional<PgSession> server;
  const auto hold = [&](const char* begin, const char* lock) {
    if (is_postgres(home.path)) {
      if (!server) server.emplace(PgSession::open(home.path.string()).value());
      ASSERT_TRUE(server->run(lock));
    } else {
      if (!file) file.emplace(Connection::open(home.path, SQLITE_OPEN_READWRITE, "", 0).value());
      ASSERT_TRUE(file->run(begin));
    }
  };
  hold("BEGIN EXCLUSIVE", (std::string("BEGIN; ") + kPostgresLock).c_str());
  const auto refused = ask(*ledger, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStorage);
  EXPECT_EQ(Looking(*ledger, records).said(), "");
  hold("ROLLBACK", "ROLLBACK");
  EXPECT_TRUE(ask_and_store(*ledger, {}, "one"));
  EXPECT_EQ(Looking(*ledger, records + 2).said(), "");
}

TEST(Locked, WhoLooksAtStoredAnswersEndsInSpiteOfACommitThatDoesNot) {
  Home home;
  auto world = home.world();
  world.look_ms = 50;
  Event reached;
  Event opened;
  std::atomic<bool> is_shut = false;
  world.clock = [&] {  // within the transaction that writes
    if (is_shut) {
      reached.set();
      EXPECT_TRUE(opened.wait());
    }
    return home.now_ms;
  };
  home.create();
  const auto ledger =
      Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
          .value();
  const Sequence records = ledger->state()->next();
  is_shut = true;
  auto writing =
      std::async(std::launch::async, [&] { return ask_and_store(*ledger, {}, "one").has_value(); });
  EXPECT_TRUE(reached.wait());
  const auto quote = ledger->quote(Ask{}.charge(), Ask{}.question());
  ASSERT_FALSE(quote);
  EXPECT_EQ(quote.error().code, Code::kStorage);
  EXPECT_EQ(ledger->state()->next(), records);
  Sequence seen = 0;
  EXPECT_TRUE(ledger->history([&](const Record&) {
    ++seen;
    return Result<void>();
  }));
  EXPECT_EQ(seen, records);
  is_shut = false;
  opened.set();
  EXPECT_TRUE(writing.get());
  EXPECT_TRUE(ledger->quote(Ask{}.charge(), Ask{}.question()));
}

// Its lock is taken behind the look at it and before the move: nobody is told of that charge, and
// the ledger stops, so that nothing that is not under the witness leaves it. Opened again it goes on.
TEST(Locked, AWitnessThatIsTakenBeforeTheMoveStopsTheLedger) {
  Home home;
  std::optional<OpenFile> held;
  Event taken;
  std::atomic<bool> takes = false;
  auto world = home.world();
  world.witness = [](const std::filesystem::path& file) {
    return file_witness_within(file, seconds(3));
  };
  world.look_ms = 1000;
  world.clock = [&] {  // within the transaction
    if (takes.exchange(false)) {
      held.emplace(OpenFile::open(home.witness, O_RDWR).value());
      EXPECT_TRUE(held->lock(milliseconds(0)));
      taken.set();
    }
    return home.now_ms;
  };
  home.create();
  const auto ledger =
      Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world})
          .value();
  for (const char* const first : {"a", "b"}) {  // the second is optimistic where a store can
    ASSERT_TRUE(ask_and_store(*ledger, {.id = first, .key = first, .lines = {line("0.1")}}, first));
  }
  const Sequence records = ledger->state()->next();
  takes = true;
  auto writing = std::async(std::launch::async, [&] { return ask(*ledger, {}); });
  EXPECT_TRUE(taken.wait());
  // Shown from the commit on, though its writer waits.
  for (int i = 0; i < 2000 && ledger->state()->next() == records; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(Looking(*ledger, records + 1).said(), "");
  const auto refused = writing.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStorage);
  held.reset();
  EXPECT_FALSE(ledger->state());
  EXPECT_FALSE(ask(*ledger, {}));
  const auto again = home.open();
  EXPECT_TRUE(ask_and_store(*again, {.id = "second", .key = "second"}, "two"));
  EXPECT_EQ(again->witness_head().value()->sequence + 1, again->state()->next() - 1);
}

// What state() shows is folded once more, record by record: it must not come apart from what is
// charged against, whoever wrote.
TEST(Locked, WhatIsShownIsWhatIsCommitted) {
  Home home;
  const auto ledger = home.create();
  const auto other = home.open();
  for (int i = 0; i < 40; ++i) {
    Ledger& writes = i % 3 == 0 ? *other : *ledger;
    const std::string name = std::to_string(i);
    const auto answer = ask_and_store(
        writes,
        {.analyst = i % 5 == 0 ? "press" : "ann", .id = name, .key = name, .lines = {line("0.1")}},
        name);
    if (i % 8 == 7) {
      EXPECT_TRUE(ledger->add_analyst("patients", {"a" + name, price("1")}));
    }
    const State shown = ledger->state().value();
    const State again = home.open(Access::kLook)->state().value();
    ASSERT_EQ(shown.hash(), again.hash()) << i << answer.has_value();
    for (const auto& [analyst, account] : again.find("patients").value()->analysts) {
      ASSERT_EQ(shown.find("patients").value()->analyst(analyst).value()->spent().amount,
                account.spent().amount);
    }
  }
}

}  // namespace
}  // namespace discreet::ledger::locked_test
