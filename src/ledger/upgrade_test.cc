// SPDX-License-Identifier: Apache-2.0
// Ledgers of other formats, in both stores: an older one is looked at as it is, refused for writing
// and upgraded; a newer one and an unknown kind of record are refused by name.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/version.h"
#include "ledger/no_more_budget.h"
#include "ledger/sqlite_copy.h"
#include "ledger/upgrade_for_tests.h"

namespace discreet::ledger::upgrade_test {
namespace {

using namespace fixture;

#define EXPECT_SAYS(text, what) \
  EXPECT_NE((text).find(what), std::string::npos) << "instead: " << (text)

std::string balances(Home& home) {
  auto ledger = home.open(Access::kLook);
  return spent(*ledger) + " / " + spent(*ledger, "press");
}

TEST(Upgrade, AnOlderFormatIsLookedAtAsItIsAndRefusedForWriting) {
  Home home;
  create_older(home);
  EXPECT_EQ(balances(home), "0.5 0.5 / 0.5 0.5");
  EXPECT_EQ(home.open(Access::kLook)->verify()->answers, 1U);
  const auto refused = home.try_open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_SAYS(refused.error().message,
              "has format " + std::to_string(older_format(home)) + ", and discreet " + kVersion +
                  " writes format 6; `discreet ledger upgrade` converts it");
}

TEST(Upgrade, KeepsBalancesAndAnswersAndWritesASignedRecord) {
  Home home;
  create_older(home);
  const std::vector<Record> before = history_of(home);
  const auto done = Ledger::upgrade(opened(home));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->from, older_format(home));
  EXPECT_EQ(done->to, 6);
  EXPECT_EQ(done->verified.records, before.size());
  EXPECT_EQ(done->record, before.size());
  EXPECT_EQ(balances(home), "0.5 0.5 / 0.5 0.5");
  std::vector<Record> after = history_of(home);
  ASSERT_EQ(after.size(), before.size() + 1);
  const Record record = after.back();
  EXPECT_EQ(record.kind, Kind::kUpgraded);
  EXPECT_FALSE(record.signature.empty());
  EXPECT_EQ(record.price, Price());
  EXPECT_EQ(record.detail, "from " + std::to_string(older_format(home)) + "\nto 6\nprogram " +
                               std::string(kVersion) + "\n");
  after.pop_back();
  EXPECT_EQ(after, before);
  auto ledger = home.open();
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {})).bytes(), "42");
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {.analyst = "press"})).bytes(), "42");
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
  EXPECT_EQ(ledger->witness_head()->value().sequence, record.sequence);
  EXPECT_EQ((*ledger->state()).upgraded_to(), 6);
  EXPECT_TRUE(ask_and_store(*ledger, {.id = "2", .key = "another"}, "43"));
  EXPECT_TRUE(ledger->verify());
}

TEST(Upgrade, ASecondTimeThereIsNothingToDo) {
  Home home;
  create_older(home);
  ASSERT_TRUE(Ledger::upgrade(opened(home)));
  const std::size_t records = history_of(home).size();
  for (const auto& again : {Ledger::upgrade(opened(home)), Ledger::check_upgrade(opened(home))}) {
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->is_needed());
  }
  EXPECT_EQ(history_of(home).size(), records);
}

TEST(Upgrade, TheCheckSaysWhatWouldBeDoneAndChangesNothing) {
  Home home;
  create_older(home);
  const std::string bytes = slurp(home.path);
  const std::string witness = slurp(home.witness);
  const auto would = Ledger::check_upgrade(opened(home));
  ASSERT_TRUE(would) << would.error().message;
  EXPECT_EQ(would->from, older_format(home));
  EXPECT_EQ(would->to, 6);
  EXPECT_EQ(would->verified.answers, 1U);
  EXPECT_EQ(slurp(home.path), bytes);
  EXPECT_EQ(slurp(home.witness), witness);
  EXPECT_FALSE(home.try_open());  // still the older one
  const auto done = Ledger::upgrade(opened(home));
  ASSERT_TRUE(done) << done.error().message;  // and nothing is in its way
  EXPECT_EQ(done->copy, would->copy);
  EXPECT_EQ(done->record, would->record);
}

TEST(Upgrade, OfSeveralAtOnceOneDoesIt) {
  Home home;
  create_older(home);
  const std::size_t records = history_of(home).size();
  std::vector<Result<Upgraded>> results(4, Upgraded{});
  std::vector<std::thread> threads;
  for (Result<Upgraded>& result : results) {
    threads.emplace_back([&home, &result] { result = Ledger::upgrade(opened(home)); });
  }
  for (std::thread& thread : threads) thread.join();
  int done = 0;
  for (const Result<Upgraded>& result : results) {
    ASSERT_TRUE(result) << result.error().message;
    done += result->is_needed() ? 1 : 0;
  }
  EXPECT_EQ(done, 1);
  EXPECT_EQ(history_of(home).size(), records + 1);
}

TEST(Upgrade, ALedgerThatIsBeingLookedAtCanStillBeRead) {
  Home home;
  create_older(home);
  auto looking = home.open(Access::kLook);
  ASSERT_TRUE(Ledger::upgrade(opened(home)));
  EXPECT_EQ(spent(*looking), "0.5 0.5");
  EXPECT_TRUE(looking->verify());
}

TEST(Upgrade, NeedsTheKeyAndASoundWitness) {
  Home home;
  create_older(home);
  const auto refuses = [&](const std::string& why) {
    for (const auto& tried : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
      ASSERT_FALSE(tried) << why;
      EXPECT_SAYS(tried.error().message, why);
    }
  };
  std::filesystem::rename(home.key, home.scratch / "k");
  refuses("only with its owner's key");
  std::filesystem::rename(home.scratch / "k", home.key);
  std::filesystem::rename(home.witness, home.scratch / "w");
  refuses("is missing, so nobody can tell whether it was rolled back");
  std::filesystem::rename(home.scratch / "w", home.witness);
  EXPECT_TRUE(Ledger::upgrade(opened(home)));
}

/// The error of a check and of the upgrade, which is the same.
std::string why_not_upgraded(Home& home) {
  const auto would = Ledger::check_upgrade(opened(home));
  const auto tried = Ledger::upgrade(opened(home));
  EXPECT_FALSE(would);
  EXPECT_FALSE(tried);
  if (would || tried) return "";
  EXPECT_EQ(would.error().code, tried.error().code);
  return would.error().message + " / " + tried.error().message;
}

void give_to_ordinary_user(const Home& home) {
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(home.scratch.path().c_str(), 65534, 65534), 0);
  for (const auto& entry : std::filesystem::directory_iterator(home.scratch.path())) {
    ASSERT_EQ(chown(entry.path().c_str(), 65534, 65534), 0);
  }
}

/// Fails when it is to be moved, and only then.
class StuckWitness : public Witness {
 public:
  explicit StuckWitness(const std::filesystem::path& file) : file_(file_witness(file)) {}
  Result<std::optional<Head>> read() override { return file_->read(); }
  Result<void> advance(const Head& head, const Recognise& recognise) override {
    DISCREET_ASSIGN(const auto kept, file_->read());
    if (head.sequence > kept->sequence) return Error{Code::kStorage, "the disk is full"};
    return file_->advance(head, recognise);
  }
  Result<void> replace(const Head& head) override { return file_->replace(head); }
  std::string name() const override { return file_->name(); }

 private:
  std::unique_ptr<Witness> file_;
};

TEST(Upgrade, AWitnessThatFailsBehindTheCommitSaysThatTheLedgerWasUpgraded) {
  Home home;
  create_older(home);
  Opened stuck = opened(home);
  stuck.world.witness = [](const std::filesystem::path& file) {
    return std::make_unique<StuckWitness>(file);
  };
  const auto done = Ledger::upgrade(stuck);
  ASSERT_FALSE(done);
  EXPECT_SAYS(done.error().message,
              "the ledger was upgraded to format 6, but its witness could not be moved: the disk "
              "is full. Make the witness writable and run it again");
  const auto again = Ledger::upgrade(opened(home));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->is_needed());
  EXPECT_EQ(home.open()->witness_head()->value().sequence, history_of(home).size() - 1);
}

TEST(Upgrade, AHistoryThatWasChangedIsNotUpgraded) {
  Home home;
  create_older(home);
  home.sql("UPDATE answers SET bytes = " + home.bytes("34"));
  for (const auto& tried : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error().code, Code::kCorrupt);
    EXPECT_SAYS(tried.error().message, "was changed");
  }
  EXPECT_EQ(history_of(home).back().kind, Kind::kShare);
  EXPECT_SAYS(home.why_not(), "has format");
}

// A lost witness and a clock that went back are mended first, without a conversion.
TEST(Upgrade, RepairsWorkInTheOlderFormat) {
  Home home;
  create_older(home);
  std::filesystem::remove(home.witness);
  ASSERT_TRUE(home.open(Access::kRepair)->recover("state directory lost"));
  home.now_ms -= 10 * kClockSlackMs;
  for (const auto& late : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
    ASSERT_FALSE(late);
    EXPECT_SAYS(late.error().message, "ledger clock");
  }
  ASSERT_TRUE(home.open(Access::kRepair)->accept_clock("battery"));
  ASSERT_TRUE(Ledger::upgrade(opened(home)));
  EXPECT_EQ(spent(*home.open()), "10 2");
}

TEST(Upgrade, ANumberThatWasSetBackIsFound) {
  Home home;
  create_older(home);
  ASSERT_TRUE(Ledger::upgrade(opened(home)));
  set_format(home, older_format(home));
  EXPECT_SAYS(home.why_not(Access::kLook), "cannot be in a ledger of format");
  EXPECT_FALSE(Ledger::upgrade(opened(home)));
}

TEST(Upgrade, ANewerFormatIsRefusedWithBothNumbers) {
  Home home;
  create_older(home);
  set_format(home, 7);
  for (const Access access : {Access::kUse, Access::kLook, Access::kRepair}) {
    const auto newer = home.try_open(access);
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().code, Code::kUnsupported);
    EXPECT_SAYS(newer.error().message, std::string("has format 7, but discreet ") + kVersion +
                                           " knows formats up to 6; use a newer program");
  }
  EXPECT_FALSE(Ledger::upgrade(opened(home)));
}

TEST(Upgrade, InTheDatabaseANumberOfAnySizeIsNewer) {
  Home home;
  home.path = PostgresServer::instance().fresh();
  create_older(home);
  home.sql("UPDATE format SET version = 99999999999");
  EXPECT_SAYS(home.why_not(), "has format 99999999999, but discreet");
  EXPECT_SAYS(home.why_not(), "use a newer program");
  home.sql("UPDATE format SET version = -99999999999");
  EXPECT_SAYS(home.why_not(), "which no release of discreet has written");
}

TEST(Upgrade, InTheDatabaseItIsDoneByTheTablesOwner) {
  Home home;
  home.path = PostgresServer::instance().fresh();
  create_older(home);
  home.sql(
      "CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA discreet_ledger TO writer; GRANT SELECT ON "
      "ALL TABLES IN SCHEMA discreet_ledger TO writer; GRANT INSERT ON batches, answers TO writer");
  const std::string owner = home.path.string();
  home.path = std::string("postgres://writer@") + owner.substr(owner.find('@') + 1);
  EXPECT_SAYS(why_not_upgraded(home), "run it as the owner of the tables");
  home.path = owner;
  EXPECT_TRUE(Ledger::upgrade(opened(home)));
  home.sql("DROP OWNED BY writer; DROP ROLE writer");
}

TEST(Upgrade, ARecordOfAnUnknownKindIsRefusedByName) {
  Home home;
  home.create().reset();
  if (is_postgres(home.path)) {
    // Number 0 created, then namespace and analysts in one row; byte 23 is the last of the kind.
    home.sql("UPDATE batches SET records = set_byte(records, 23, 14) WHERE first = 1");
  } else {
    home.sql("UPDATE records SET kind = 14 WHERE sequence = 1");
  }
  for (const Access access : {Access::kUse, Access::kLook, Access::kRepair}) {
    const auto newer = home.try_open(access);
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().code, Code::kUnsupported);
    EXPECT_SAYS(newer.error().message, "record 1 is of kind 14: a newer version of discreet");
  }
}

// What was kept is older than the current witness (L6).
TEST(Upgrade, TheKeptCopyIsRefused) {
  Home home;
  create_older(home);
  const auto done = Ledger::upgrade(opened(home));
  ASSERT_TRUE(done);
  if (is_postgres(home.path)) {
    home.sql("ALTER SCHEMA discreet_ledger RENAME TO newer; ALTER SCHEMA " + done->copy +
             " RENAME TO discreet_ledger");
  } else {
    home.path = done->copy;
  }
  EXPECT_SAYS(home.why_not(Access::kLook), "it was rolled back");
  EXPECT_SAYS(home.why_not(), "has format");
  const auto again = Ledger::upgrade(opened(home));
  ASSERT_FALSE(again);
  EXPECT_SAYS(again.error().message, "it was rolled back");
}

TEST(Upgrade, TheCopyInTheFileIsTheLedgerAsItWas) {
  Home home;
  create_older(home);
  const std::vector<Record> before = history_of(home);
  const std::string witness = slurp(home.witness);
  const auto done = Ledger::upgrade(opened(home));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->copy, home.path.string() + ".format-4");
  EXPECT_EQ(std::filesystem::status(done->copy).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // With the witness of then it is whole.
  spill(home.witness, witness);
  home.path = done->copy;
  EXPECT_EQ(history_of(home), before);
  EXPECT_TRUE(home.open(Access::kLook)->verify());
}

TEST(Upgrade, InTheFileTheCopyOfAnInterruptedRunIsReplacedAndNobodyElsesFileIs) {
  Home home;
  create_older(home);
  const std::filesystem::path copy = home.path.string() + ".format-4";
  const std::string id = home.open(Access::kLook)->id();
  const std::string partial = copy.string() + "." + id + ".partial";
  const auto in_the_way = [&] {
    for (const auto& tried : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
      ASSERT_FALSE(tried);
      EXPECT_EQ(tried.error().code, Code::kConflict);
      EXPECT_SAYS(tried.error().message, "something else has that name; move it away");
    }
    EXPECT_EQ(history_of(home).back().kind, Kind::kShare);
  };
  spill(copy, "a letter");
  in_the_way();
  EXPECT_EQ(slurp(copy), "a letter");
  const auto tried = Ledger::upgrade(opened(home));
  EXPECT_SAYS(tried.error().message, "'" + copy.string() + "'");
  std::filesystem::remove(copy);
  {
    Home other;  // another ledger
    create_older(other);
    std::filesystem::copy_file(other.path, copy);
    in_the_way();
    EXPECT_EQ(slurp(copy), slurp(other.path));
  }
  std::filesystem::remove(copy);
  std::filesystem::create_symlink(home.path, copy);
  in_the_way();
  std::filesystem::remove(copy);
  // An earlier state of this ledger, and a copy that was not finished.
  std::filesystem::copy_file(home.path, copy);
  {
    set_format(home, 6);
    ASSERT_TRUE(ask_and_store(*home.open(), {.id = "2", .key = "another"}, "43"));
    set_format(home, 4);
  }
  spill(partial, "half of a co");
  const std::size_t records = history_of(home).size();
  ASSERT_TRUE(Ledger::upgrade(opened(home)));
  EXPECT_FALSE(std::filesystem::exists(partial));
  const auto kept = open_store({.path = copy, .mode = StoreMode::kRead});
  ASSERT_TRUE(kept);
  ASSERT_TRUE((*kept)->begin_read());
  EXPECT_TRUE((*kept)->record(records - 1)->has_value());
  EXPECT_EQ((*kept)->format().value(), 4);
  EXPECT_EQ(**(*kept)->answer_bytes(records - 2), "43");
}

TEST(Upgrade, InTheFileALogThatWouldBeReadAsAPartOfTheCopyIsInTheWay) {
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    Home home;
    create_older(home);
    const std::filesystem::path copy = home.path.string() + ".format-4";
    const std::string stale = copy.string() + suffix;
    spill(stale, "of another file");
    for (const auto& tried : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
      ASSERT_FALSE(tried);
      EXPECT_EQ(tried.error().code, Code::kConflict);
      EXPECT_SAYS(tried.error().message, "would take for a part of it; move it away");
    }
    EXPECT_EQ(slurp(stale), "of another file");
    EXPECT_FALSE(std::filesystem::exists(copy));
    std::filesystem::remove(stale);
    EXPECT_TRUE(Ledger::upgrade(opened(home)));
  }
}

TEST(Upgrade, InTheFileACopyThatIsNotLikeTheLedgerIsNotKept) {
  Home home;
  create_older(home);
  const SqliteOptions options = {.path = home.path};
  const CopyPlace place = CopyPlace::beside(home.path, 4, "id");
  ASSERT_TRUE(copy_file(options, place));
  EXPECT_TRUE(check_copy(options, place));
  const auto again = copy_file(options, place);  // whose name is not free after all
  ASSERT_FALSE(again);
  EXPECT_SAYS(again.error().message, "something else has that name");
  EXPECT_FALSE(std::filesystem::exists(place.partial));
  home.path = place.copy;
  home.sql("DELETE FROM answers");
  const auto checked = check_copy(options, place);
  ASSERT_FALSE(checked);
  EXPECT_SAYS(checked.error().message, "does not hold what the ledger does");
}

// The pages that are free hold nothing, so no record and no answer shows that they are damaged.
TEST(Upgrade, InTheFileDamageInFreePagesIsFound) {
  Home home;
  create_older(home);
  home.sql(
      "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000)); DROP TABLE t; "
      "PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = slurp(home.path);
  bytes[35] = static_cast<char>(bytes[35] ^ 1);  // the number of the first free page
  spill(home.path, bytes);
  EXPECT_TRUE(home.open(Access::kLook)->verify());
  for (const auto& tried : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error().code, Code::kCorrupt);
    EXPECT_SAYS(tried.error().message, "restore the newest copy");
  }
  EXPECT_FALSE(std::filesystem::exists(home.path.string() + ".format-4"));
}

TEST(Upgrade, InTheFileANumberThatDoesNotFitTheTablesIsCalledDamage) {
  for (const int format : {1, 2, 3}) {
    Home home;
    create_older(home);
    set_format(home, format);
    for (const auto& tried : {Ledger::check_upgrade(opened(home)), Ledger::upgrade(opened(home))}) {
      ASSERT_FALSE(tried);
      EXPECT_EQ(tried.error().code, Code::kCorrupt);
      EXPECT_SAYS(tried.error().message,
                  "does not have the tables of format " + std::to_string(format));
      EXPECT_SAYS(tried.error().message, "it is damaged");
    }
  }
}

TEST(Upgrade, InTheFileALinkLeadsToTheFileItsLogAndItsCopy) {
  Home home;
  create_older(home);
  const std::filesystem::path real = home.path;
  home.path = home.scratch / "link";
  std::filesystem::create_symlink(real, home.path);
  const auto would = Ledger::check_upgrade(opened(home));
  ASSERT_TRUE(would) << would.error().message;
  const auto done = Ledger::upgrade(opened(home));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(would->copy, real.string() + ".format-4");
  EXPECT_EQ(done->copy, would->copy);
  EXPECT_TRUE(std::filesystem::exists(done->copy));
}

// Who may not write there cannot read the log, and says so instead of leaving out what is in it.
TEST(Upgrade, InTheFileTheLogBehindALinkIsNotOverlooked) {
  Home home;
  const auto open = home.create();
  ASSERT_TRUE(ask_and_store(*open, {}, "42"));
  const std::filesystem::path folder = home.scratch / "elsewhere";
  std::filesystem::create_directory(folder);
  for (const char* suffix : {"", "-wal"}) {
    const std::string copy = (folder / "patients.ledger").string() + suffix;
    std::filesystem::copy_file(home.path.string() + suffix, copy);
    std::filesystem::permissions(copy, std::filesystem::perms(0444));
  }
  std::filesystem::create_symlink(folder / "patients.ledger", home.scratch / "link");
  std::filesystem::permissions(folder, std::filesystem::perms(0555));
  std::filesystem::permissions(home.scratch.path(), std::filesystem::perms(0555));
  std::filesystem::permissions(home.witness, std::filesystem::perms(0444));
  for (const std::filesystem::path& path : {folder / "patients.ledger", home.scratch / "link"}) {
    const AsOrdinaryUser ordinary;
    home.path = path;
    EXPECT_SAYS(home.why_not(Access::kLook), "unable to open database file");
  }
  std::filesystem::permissions(home.scratch.path(), std::filesystem::perms(0700));
  std::filesystem::permissions(folder, std::filesystem::perms(0700));
}

TEST(Upgrade, InTheFileTheCheckNoticesWhatCannotBeWritten) {
  Home home;
  create_older(home);
  give_to_ordinary_user(home);
  const auto refuses = [&](const std::filesystem::path& path, int mode, const std::string& why) {
    const auto before = std::filesystem::status(path).permissions();
    std::filesystem::permissions(path, std::filesystem::perms(mode));
    {
      const AsOrdinaryUser ordinary;
      EXPECT_SAYS(why_not_upgraded(home), why);
    }
    std::filesystem::permissions(path, before);
  };
  const std::string rule = "it must be a file that can be written, in a directory that can be";
  refuses(home.path, 0444, "attempt to write a readonly database (8): " + rule);
  // Who looked at it meanwhile left files beside it that cannot be written either.
  ASSERT_TRUE(std::filesystem::exists(home.path.string() + "-shm"));
  refuses(home.path, 0600, "attempt to write a readonly database (8): " + rule);
  for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(home.path.string() + suffix);
  refuses(home.scratch.path(), 0555, "attempt to write a readonly database (1544): " + rule);
  refuses(home.witness, 0444, "the witness cannot be used");
  const AsOrdinaryUser ordinary;
  EXPECT_TRUE(Ledger::check_upgrade(opened(home)));
  const auto done = Ledger::upgrade(opened(home));
  EXPECT_TRUE(done) << done.error().message;
}

TEST(Upgrade, InTheFileTheCheckNoticesANameThatIsTooLong) {
  Home home;
  create_older(home);
  const std::filesystem::path short_path = home.path;
  const auto move = [&](const std::filesystem::path& to) {
    std::filesystem::create_directories(to.parent_path());
    std::filesystem::rename(home.path, to);
    home.path = to;
  };
  move(home.scratch / std::string(200, 'p'));  // SQLite's journal gets the longest name
  EXPECT_SAYS(why_not_upgraded(home), "which is too long; give the ledger's file a shorter name");
  move(home.scratch / std::string(220, 'd') / std::string(220, 'e') / "patients.ledger");
  EXPECT_SAYS(why_not_upgraded(home), "which is too long; give the ledger's file a shorter name");
  move(short_path);
  EXPECT_TRUE(Ledger::upgrade(opened(home)));
}

/// The state of a ledger with one charge on a block, after `change`.
State state_after(Home& home, const std::function<void(Ledger&)>& change) {
  if (change) change(*home.open());
  return *home.open()->state();
}

TEST(Upgrade, MoreBudgetIsNoticedBeforeItIsCommitted) {
  NamespaceTerms terms = patients();
  terms.block_attribute = "year";
  terms.blocks = {"2024", "2025"};
  const auto fresh = [&](Home& home) {
    auto ledger = home.create(terms);
    EXPECT_TRUE(ask_and_store(*ledger, {.blocks = {"2024"}}, "42"));
  };
  Home home;
  fresh(home);
  const State before = state_after(home, {});
  EXPECT_TRUE(check_no_more_budget(before, before));
  // Less is none of its business.
  ASSERT_TRUE(ask_and_store(*home.open(), {.id = "2", .key = "another"}, "43"));
  EXPECT_TRUE(check_no_more_budget(before, state_after(home, {})));
  const auto refused = [&](const State& after, const std::string& what) {
    const auto checked = check_no_more_budget(before, after);
    ASSERT_FALSE(checked) << what;
    EXPECT_SAYS(checked.error().message, what);
  };
  refused(state_after(home,
                      [](Ledger& ledger) {
                        ASSERT_TRUE(ledger.top_up("patients", "ann", price("1"), "more"));
                      }),
          "the cap of analyst 'ann'");
  refused(state_after(home,
                      [](Ledger& ledger) {
                        ASSERT_TRUE(
                            ledger.top_up("patients", std::nullopt, price("0", "1e-7"), "more"));
                      }),
          "the cap of namespace 'patients'");
  Home other;  // where nothing was spent
  other.create(terms).reset();
  refused(state_after(other, {}), "what is spent of namespace 'patients'");
  ASSERT_TRUE(ask_and_store(*other.open(), {.blocks = {"2025"}}, "42"));
  refused(state_after(other, {}), "what is spent on a block of namespace");
  refused(
      state_after(other, [](Ledger& ledger) { ASSERT_TRUE(ledger.add_block("patients", "2026")); }),
      "the blocks of");
  refused(state_after(other,
                      [](Ledger& ledger) {
                        ASSERT_TRUE(ledger.add_namespace({.name = "clinics", .cap = price("1")}));
                      }),
          "the namespaces");
}

}  // namespace
}  // namespace discreet::ledger::upgrade_test
