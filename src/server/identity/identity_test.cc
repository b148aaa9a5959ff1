// SPDX-License-Identifier: Apache-2.0
// A1 to A3, the limits, and the audit log.
#include <set>

#include "ledger/scratch_for_tests.h"
#include "server/clock.h"
#include "server/identity/accounts.h"
#include "server/identity/audit_log.h"
#include "server/peer.h"

namespace discreet::server::identity::identity_test {
namespace {

using ledger::Scratch;
using ledger::slurp;
using ledger::spill;

constexpr PasswordCost kCheap{.passes = 1, .kib = 64};

TEST(Password, IsHashedWithASaltOfItsOwn) {
  const std::string one = hash_password("correct horse", kCheap).value();
  const std::string two = hash_password("correct horse", kCheap).value();
  EXPECT_NE(one, two);
  EXPECT_EQ(one.find("$argon2id$"), 0U);
  EXPECT_TRUE(verify_password(one, "correct horse"));
  EXPECT_FALSE(verify_password(one, "correct hors"));
  EXPECT_FALSE(verify_password(one, std::string(1 << 20, 'x')));
  EXPECT_FALSE(verify_password("rubbish", "correct horse"));
  EXPECT_EQ(hash_password("short", kCheap).error().code, Code::kInvalidInput);
  // All 256 bits are there: 43 places of 64 letters, the last with 16.
  std::set<std::string> secrets;
  std::array<std::set<char>, 43> letters;
  for (int i = 0; i < 2000; ++i) {
    const std::string secret = fresh_secret().value();
    ASSERT_EQ(secret.size(), 43U);
    for (std::size_t at = 0; at < 43; ++at) letters[at].insert(secret[at]);
    secrets.insert(secret);
  }
  EXPECT_EQ(secrets.size(), 2000U);
  // A letter is missing in one place with probability below 43 * 64 * (63/64)^2000 < 6e-11.
  for (std::size_t at = 0; at < 43; ++at) EXPECT_EQ(letters[at].size(), at < 42 ? 64U : 16U) << at;
}

TEST(Limits, RefillAndLock) {
  std::int64_t now = 1'000'000;
  const Clock clock = [&] { return now; };
  RateLimit limit({.per_second = 10, .burst = 3}, clock);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("ann"));
  EXPECT_FALSE(limit.take("ann"));
  EXPECT_TRUE(limit.take("press"));
  now += 100;
  EXPECT_TRUE(limit.take("ann"));
  EXPECT_FALSE(limit.take("ann"));

  LockOut lock(clock, 3);
  for (int i = 0; i < 2; ++i) lock.note("ann", false);
  EXPECT_FALSE(lock.is_locked("ann"));
  lock.note("ann", false);
  EXPECT_TRUE(lock.is_locked("ann"));
  now += 1000;
  EXPECT_FALSE(lock.is_locked("ann"));
  lock.note("ann", false);  // twice as long
  now += 1000;
  EXPECT_TRUE(lock.is_locked("ann"));
  now += 1000;
  lock.note("ann", true);
  lock.note("ann", false);
  EXPECT_FALSE(lock.is_locked("ann"));
  for (int i = 0; i < 3; ++i) lock.note("bob\n1.2.3.4", false);
  EXPECT_TRUE(lock.is_locked("bob\n1.2.3.4"));
  EXPECT_FALSE(lock.is_locked("bob\n5.6.7.8"));  // from elsewhere
  EXPECT_FALSE(lock.is_locked("bo\n1.2.3.4"));
  lock.forget("bob\n");
  EXPECT_FALSE(lock.is_locked("bob\n1.2.3.4"));
}

TEST(Peer, IsOneForWhomeverASubscriberCanBe) {
  struct Case {
    const char* address;
    const char* peer;
    bool is_loopback;
  };
  for (const Case& each : {Case{"192.0.2.7", "192.0.2.7", false},
                           {"::ffff:192.0.2.7", "192.0.2.7", false},
                           {"127.0.0.9", "127.0.0.9", true},
                           {"::ffff:127.0.0.9", "127.0.0.9", true},
                           {"::1", "::1", true},
                           {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false},
                           {"2001:db8:1:2::9", "2001:db8:1:2::/64", false},
                           {"2001:db8:1:3::9", "2001:db8:1:3::/64", false},
                           {"", "", false}}) {
    EXPECT_EQ(peer_of(each.address), each.peer);
    EXPECT_EQ(is_loopback(peer_of(each.address)), each.is_loopback) << each.address;
  }
}

TEST(Limits, DoNotSeeTheSystemsClockStep) {
  std::int64_t system = 1'700'000'000'000;
  std::int64_t steady = 77;
  const Clock clock = unstepped([&] { return system; }, [&] { return steady; });
  EXPECT_EQ(clock(), 1'700'000'000'000);
  RateLimit limit({.per_second = 10, .burst = 1}, clock);
  LockOut lock(clock, 1);
  for (const std::int64_t step : {-3'600'000, 3'600'000, -1, 1'000'000'000}) {
    system += step;
    EXPECT_TRUE(limit.take("ann"));
    EXPECT_FALSE(limit.take("ann"));
    lock.note("ann", false);
    system += step;
    EXPECT_FALSE(limit.take("ann"));
    EXPECT_TRUE(lock.is_locked("ann"));
    lock.note("ann", true);
    steady += 100;
    EXPECT_EQ(clock() - 1'700'000'000'000, steady - 77);
  }
}

class AccountsTest : public testing::Test {
 protected:
  AccountsTest() { open(); }
  void open() {
    accounts = nullptr;
    accounts = Accounts::open({.file = scratch / "state/accounts.db",
                               .token_ms = 1000,
                               .cost = kCheap,
                               .clock = [this] { return now; }})
                   .value();
  }
  std::string token(const std::string& name, const std::string& password) {
    const auto login = accounts->log_in(name, password).value();
    return login ? login->token : "";
  }

  Scratch scratch{Scratch::Place::kMemory};
  std::int64_t now = 1'000'000;
  std::unique_ptr<Accounts> accounts;
};

TEST_F(AccountsTest, TokensComeAndGo) {
  EXPECT_TRUE(accounts->is_empty().value());
  const std::string password = accounts->add("ann", Role::kAnalyst).value();
  EXPECT_FALSE(accounts->is_empty().value());
  const std::string first = token("ann", password);
  EXPECT_EQ(accounts->find(first).value(), (Account{"ann", Role::kAnalyst}));
  open();  // they survive a restart, and are nowhere to be read
  EXPECT_EQ(accounts->find(first).value(), (Account{"ann", Role::kAnalyst}));
  std::string files;
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "state")) {
    files += slurp(entry.path());
  }
  EXPECT_EQ(files.find(first), files.npos);
  EXPECT_EQ(files.find(password), files.npos);
  // Forged ones
  for (std::string forged : {first.substr(1), first + "x", std::string(),
                             std::string("' OR 1=1 --"), std::string(43, 'A')}) {
    EXPECT_FALSE(accounts->find(forged).value()) << forged;
  }
  now += 999;
  EXPECT_TRUE(accounts->find(first).value());
  now += 1;
  EXPECT_FALSE(accounts->find(first).value());  // expired
  const std::string second = token("ann", password);
  EXPECT_TRUE(accounts->log_out(second));
  EXPECT_FALSE(accounts->find(second).value());
  const std::string third = token("ann", password);
  EXPECT_EQ(accounts->change_password("ann", "not this one at all", "a new password").error().code,
            Code::kRefused);
  EXPECT_TRUE(accounts->change_password("ann", password, "a new password"));
  EXPECT_FALSE(accounts->find(third).value());
  EXPECT_EQ(token("ann", password), "");
  const std::string fourth = token("ann", "a new password");
  EXPECT_TRUE(accounts->remove("ann"));
  EXPECT_FALSE(accounts->find(fourth).value());
}

TEST_F(AccountsTest, WrongWordsLockAndTellNothing) {
  const std::string password = accounts->add("ann", Role::kAnalyst).value();
  for (const std::string name : {"ann", "nobody"}) {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(token(name, "wrong"), "");
  }
  EXPECT_EQ(token("ann", password), "");  // locked, though right
  now += 1000;
  EXPECT_NE(token("ann", password), "");
}

TEST_F(AccountsTest, NamesAreNamesAndTheLastOwnerStays) {
  for (const std::string name : {"", "a b", "a'b", "a/b", "ä", std::string(65, 'a').c_str()}) {
    EXPECT_EQ(accounts->add(name, Role::kAnalyst).error().code, Code::kInvalidInput) << name;
  }
  ASSERT_TRUE(accounts->add("owner", Role::kOwner));
  EXPECT_EQ(accounts->add("owner", Role::kAnalyst).error().code, Code::kConflict);
  EXPECT_EQ(accounts->remove("owner").error().code, Code::kRefused);
  EXPECT_EQ(accounts->remove("ann").error().code, Code::kNotFound);
  ASSERT_TRUE(accounts->add("second", Role::kOwner));
  EXPECT_TRUE(accounts->remove("owner"));
  EXPECT_EQ(accounts->list().value(), (std::vector<Account>{{"second", Role::kOwner}}));
}

TEST(AuditLog, IsAppendedToAndShowsEveryChange) {
  const Scratch scratch(Scratch::Place::kMemory);
  const auto file = scratch / "audit.log";
  {
    const auto log = AuditLog::open(file).value();
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(log->append({"ann", "query", "line\n" + std::to_string(i)}));
    }
    EXPECT_EQ(log->last(2).value().size(), 2U);
    EXPECT_NE(log->last(2).value()[1].find("line\\n4"), std::string::npos);
  }
  const std::string whole = slurp(file);
  spill(file, whole + "{\"n\":5,");  // a torn line
  EXPECT_EQ(AuditLog::open(file).value()->size(), 5U);
  EXPECT_EQ(slurp(file), whole);
  std::size_t found = 0;
  for (std::size_t at = 0; at < whole.rfind("{\"n\":4"); ++at) {  // the last has none behind it
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    spill(file, changed);
    found += AuditLog::open(file).has_value() ? 0 : 1;
  }
  EXPECT_EQ(found, whole.rfind("{\"n\":4"));
  const std::size_t second = whole.find('\n') + 1;
  spill(file, whole.substr(0, second) + whole.substr(whole.find('\n', second) + 1));  // one gone
  EXPECT_EQ(AuditLog::open(file).error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace discreet::server::identity::identity_test
