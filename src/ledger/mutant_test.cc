// SPDX-License-Identifier: Apache-2.0
// Planted faults, each caught by name: what the crash and concurrency tests are
// worth. The real ledger goes through the same checks without a complaint
// (crash_test, and the last test here).
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "ledger/crash_trial_for_tests.h"
#include "ledger/sqlite_store.h"

namespace discreet::ledger::mutant_test {
namespace {

struct Planted {
  const char* name;
  Mutant mutant;
  Point model;
  const char* complaint;  ///< what the oracle must say
};

struct Catch {
  Point point;
  std::string complaint;
};

// The first complaint over all operations that has the words, or what was said
// instead.
Catch find(const Planted& planted) {
  std::string others;
  Point point = planted.model;
  for (point.fault.at = 1;; ++point.fault.at) {
    const Verdict verdict = Trial(point, planted.mutant).run();
    for (const std::string& complaint : verdict.complaints) {
      if (complaint.find(planted.complaint) != std::string::npos) return {point, complaint};
      others += complaint + "\n";
    }
    if (!verdict.has_struck) return {point, "NOT CAUGHT; said instead: " + others};
  }
}

TEST(Mutant, EachIsCaughtByName) {
  const Planted all[] = {
      {"sending before storing",
       Mutant::kSendsBeforeStoring,
       {.fault = {Fault::kCrash}},
       "and is not stored"},
      {"charging after release",
       Mutant::kChargesAfterRelease,
       {.fault = {Fault::kCrash}},
       "was drawn on and is not charged"},
      {"forgetting a sync",
       Mutant::kForgetsASync,
       {.fault = {Fault::kCrash}},
       "was drawn on and is not charged"},
      {"refunding on error",
       Mutant::kRefundsOnError,
       {.fault = {Fault::kWriteError}},
       "has a balance above the true one"},
  };
  for (const Planted& planted : all) {
    const Catch found = find(planted);
    EXPECT_NE(found.complaint.find(planted.complaint), std::string::npos)
        << planted.name << ": " << found.complaint;
    EXPECT_TRUE(Trial(found.point).run().complaints.empty())
        << planted.name << ": the real ledger is blamed for the same";
  }
}

// The budget pays for 10 of 16 who ask at once.
constexpr int kClients = 16;
constexpr int kFit = 10;

class Rush {
 public:
  Rush() {
    const auto created =
        Ledger::create({.path = path(), .key = scratch_ / "key", .witness = scratch_ / "witness"});
    NamespaceTerms terms = patients();
    terms.cap = tenths_of_epsilon(kFit);
    EXPECT_TRUE(created.has_value() && created.value()->add_namespace(terms).has_value());
  }

  std::filesystem::path path() const { return scratch_ / "ledger"; }
  Result<std::unique_ptr<Ledger>> open() const {
    return Ledger::open({.path = path(), .key = scratch_ / "key", .witness = scratch_ / "witness"});
  }

  /// How many of the clients were admitted.
  template <class Client>
  static int run(const Client& client) {
    std::atomic<int> admitted = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kClients; ++i) {
      threads.emplace_back([&, i] { admitted += client(i) ? 1 : 0; });
    }
    for (std::thread& thread : threads) thread.join();
    return admitted;
  }

 private:
  Scratch scratch_;
};

Ask cheap(int client) { return {"rush " + std::to_string(client), "ann", 30 * client}; }

bool real_client(const Rush& rush, int client) {
  const auto ledger = rush.open();
  if (!ledger) {
    ADD_FAILURE() << ledger.error().message;
    return false;
  }
  return ledger.value()->charge(cheap(client).charge(), cheap(client).question()).has_value();
}

// A ledger by hand, on the product's own store and state. `checked` lets the others check too.
template <class Checked>
bool client_by_hand(const Rush& rush, int client, bool checks_under_lock, const Checked& checked) {
  SqliteOptions options;
  options.path = rush.path();
  const auto opened = open_sqlite_store(options);
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    if (!checks_under_lock) checked();
    return false;
  }
  const std::unique_ptr<Store>& store = opened.value();
  State state;
  EXPECT_TRUE(checks_under_lock ? store->begin_write() : store->begin_read());
  EXPECT_TRUE(store->records_from(0, [&](const Record& record) { return state.apply(record); }));
  Record record;
  record.kind = Kind::kCharge;
  record.units = "patients";
  record.analyst = "ann";
  record.price = tenths_of_epsilon(cheap(client).tenths());
  record.request_id = cheap(client).id;
  const bool fits = state.find("patients").value()->total.admits(record.price, {});
  if (!checks_under_lock) {
    store->rollback();
    checked();
    EXPECT_TRUE(store->begin_write());
  }
  Hash last = state.hash();
  record.sequence = state.next();
  EXPECT_TRUE(store->records_from(state.next(), [&](const Record& other) {
    last = other.hash;
    record.sequence = other.sequence + 1;
    return Result<void>();
  }));
  record.time_ms = state.time_ms();
  record.hash = chain(last, record);
  const bool is_done = fits && store->append(record).has_value() && store->commit().has_value();
  if (!is_done) store->rollback();
  return is_done;
}

TEST(Mutant, CheckingBeforeLockingIsCaught) {
  const Rush rush;
  std::barrier all_checked(kClients);
  const int admitted = Rush::run([&](int client) {
    return client_by_hand(rush, client, false, [&] { all_checked.arrive_and_wait(); });
  });
  EXPECT_EQ(admitted, kClients);
  // What it left is not opened: the fold passes the cap.
  const auto opened = rush.open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::kCorrupt);
}

TEST(Mutant, CheckingUnderTheLockAdmitsWhatFits) {
  const Rush by_hand;
  EXPECT_EQ(Rush::run([&](int client) { return client_by_hand(by_hand, client, true, [] {}); }),
            kFit);
  EXPECT_TRUE(by_hand.open().has_value());
  const Rush real;
  EXPECT_EQ(Rush::run([&](int client) { return real_client(real, client); }), kFit);
}

}  // namespace
}  // namespace discreet::ledger::mutant_test
