// SPDX-License-Identifier: Apache-2.0
// The fault layer against SQLite alone: a database that syncs loses nothing that it acknowledged,
// one that does not is caught, and a failed sync is as treacherous as on Linux.
#include <gtest/gtest.h>

#include "ledger/fault_disk_for_tests.h"
#include "ledger/fault_vfs_for_tests.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::ledger::fault_disk_test {
namespace {

constexpr Survival kSurvivals[] = {Survival::kNothing, Survival::kEverything, Survival::kSomeWrites,
                                   Survival::kSomeSectors};

class Database {
 public:
  Database(const std::filesystem::path& file, const FaultVfs& vfs, const std::string& synchronous) {
    is_open_ = sqlite3_open_v2(file.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                               vfs.name().c_str()) == SQLITE_OK &&
               run("PRAGMA journal_mode=WAL") && run("PRAGMA synchronous=" + synchronous) &&
               run("PRAGMA wal_autocheckpoint=4") &&
               run("CREATE TABLE IF NOT EXISTS t(x INTEGER PRIMARY KEY, y BLOB)");
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(db_); }

  bool is_open() const { return is_open_; }
  bool insert(int row) {
    return run("INSERT INTO t VALUES(" + std::to_string(row) + ", zeroblob(900))");
  }
  std::string ask(const std::string& sql) {
    std::string answer;
    sqlite3_exec(
        db_, sql.c_str(),
        [](void* out, int, char** values, char**) {
          *static_cast<std::string*>(out) = values[0];
          return 0;
        },
        &answer, nullptr);
    return answer;
  }

 private:
  bool run(const std::string& sql) {
    return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  sqlite3* db_ = nullptr;
  bool is_open_ = false;
};

struct Inserted {
  int acknowledged = 0;
  bool has_struck = false;
};

constexpr int kRows = 8;

Inserted insert_rows(const std::filesystem::path& file, FaultDisk& disk,
                     const std::string& synchronous, int first = 0) {
  const FaultVfs vfs(disk);
  Database database(file, vfs, synchronous);
  Inserted run;
  for (int i = first; database.is_open() && i < first + kRows; ++i) {
    if (!database.insert(i)) break;
    run.acknowledged = i + 1;
  }
  run.has_struck = disk.has_struck();
  return run;
}

// Crashes at every operation; returns how often acknowledged rows were gone or the file was broken.
int losses(const std::string& synchronous, bool ignores_syncs, int* points) {
  int lost = 0;
  for (const Survival survival : kSurvivals) {
    for (std::uint64_t at = 1;; ++at) {
      const Scratch scratch(Scratch::Place::kMemory);
      FaultDisk disk(at * 7 + static_cast<std::uint64_t>(survival));
      if (ignores_syncs) disk.ignore_syncs();
      disk.plan({Fault::kCrash, at});
      const Inserted run = insert_rows(scratch / "db", disk, synchronous);
      if (!run.has_struck) break;
      disk.power_cut(survival);
      ++*points;
      const FaultVfs vfs(disk);
      Database database(scratch / "db", vfs, "FULL");
      const std::string count = database.ask("SELECT count(*) FROM t");
      const bool is_whole = database.is_open() && database.ask("PRAGMA integrity_check") == "ok";
      const int rows = count.empty() ? 0 : std::stoi(count);
      EXPECT_LE(rows, run.acknowledged + 1);
      lost += is_whole && rows >= run.acknowledged ? 0 : 1;
    }
  }
  return lost;
}

TEST(FaultDisk, ADatabaseThatSyncsEveryCommitLosesNothing) {
  int points = 0;
  EXPECT_EQ(losses("FULL", false, &points), 0);
  EXPECT_GT(points, 200);
}

TEST(FaultDisk, OneThatDoesNotIsCaught) {
  int points = 0;
  EXPECT_GT(losses("NORMAL", false, &points), 0);
  EXPECT_GT(losses("FULL", true, &points), 0);
}

// After a failed sync the process is killed and started again, adds rows, and the power goes off
// with no further fault. The restarted database finds the failed transaction whole in the cache,
// builds on it, and the pages under it are not on disk: rows that were acknowledged are gone.
// Whoever uses SQLite after a failed sync must first write the log anew.
TEST(FaultDisk, AFailedSyncLosesLaterRowsOfAnUnwaryDatabase) {
  int lost = 0;
  for (std::uint64_t at = 1; at < 80; ++at) {
    const Scratch scratch(Scratch::Place::kMemory);
    FaultDisk disk(at);
    ASSERT_EQ(insert_rows(scratch / "db", disk, "FULL").acknowledged, kRows);
    const FaultVfs vfs(disk);
    {
      Database database(scratch / "db", vfs, "FULL");
      disk.plan({Fault::kSyncError, at});
      for (int row = kRows; row < 2 * kRows && database.insert(row);) ++row;
      if (!disk.has_struck()) break;
      disk.kill();
    }
    disk.restart();
    int added = 0;
    {
      Database database(scratch / "db", vfs, "FULL");
      while (added < 2 && database.insert(2 * kRows + added)) ++added;
      disk.kill();
    }
    disk.power_cut(Survival::kNothing);
    Database database(scratch / "db", vfs, "FULL");
    const bool is_whole =
        database.is_open() && database.ask("PRAGMA integrity_check") == "ok" &&
        database.ask("SELECT count(*) FROM t WHERE x >= 16") == std::to_string(added);
    lost += is_whole ? 0 : 1;
  }
  EXPECT_GT(lost, 0);
}

TEST(FaultDisk, AFullDiskFailsAWriteUntilThereIsSpaceAndLosesNothing) {
  for (std::uint64_t at = 1; at < 40; ++at) {
    for (const Fault fault : {Fault::kFull, Fault::kWriteError}) {
      const Scratch scratch(Scratch::Place::kMemory);
      FaultDisk disk(at);
      disk.plan({fault, at});
      const Inserted run = insert_rows(scratch / "db", disk, "FULL");
      EXPECT_TRUE(run.has_struck);
      disk.plan({});
      const FaultVfs vfs(disk);
      Database database(scratch / "db", vfs, "FULL");
      ASSERT_TRUE(database.is_open());
      EXPECT_EQ(database.ask("PRAGMA integrity_check"), "ok");
      EXPECT_GE(std::stoi(database.ask("SELECT count(*) FROM t")), run.acknowledged);
    }
  }
}

}  // namespace
}  // namespace discreet::ledger::fault_disk_test
