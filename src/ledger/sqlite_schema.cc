// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite_schema.h"

#include <fcntl.h>

#include <array>
#include <chrono>
#include <thread>

#include "base/files.h"

namespace discreet::ledger {
namespace {

constexpr std::int64_t kApplicationId = 0x64736c67;  // "dslg"

// Step i leads from format i to format i + 1. Steps are never edited, only added.
constexpr std::array<std::string_view, kLedgerFormat> kSteps = {
    R"(
CREATE TABLE records (
  sequence INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  writer INTEGER NOT NULL,
  units TEXT NOT NULL,
  analyst TEXT NOT NULL,
  blocks TEXT NOT NULL,
  amount TEXT NOT NULL,
  delta TEXT NOT NULL,
  request_id BLOB NOT NULL,
  question BLOB NOT NULL,
  snapshot BLOB NOT NULL,
  plan BLOB NOT NULL,
  about INTEGER NOT NULL,
  content BLOB NOT NULL,
  detail TEXT NOT NULL,
  signature BLOB NOT NULL,
  hash BLOB NOT NULL
);
CREATE TABLE answers (charge INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE INDEX requests ON records (units, analyst, request_id) WHERE kind IN (4, 5);
CREATE INDEX answered ON records (units, question, snapshot) WHERE kind = 6;
)",
    R"(
CREATE INDEX shared ON records (units, question, snapshot, analyst) WHERE kind = 5;
)",
    // Kinds 11 and 12 may occur, which older programs do not know; the tables are the same.
    "\n",
    // Records are looked up in memory (ledger/index.h), where an index costs a charge nothing.
    R"(
DROP INDEX requests;
DROP INDEX answered;
DROP INDEX shared;
)",
    // Format 5 is PostgreSQL's; no file has it.
    "\n",
    // Kind 13 may occur; the tables are the same.
    "\n"};

std::string named(const SqliteOptions& options) {
  return "the ledger " + path_in_quotes(options.path);
}

Result<std::int64_t> version_of(Connection& connection) {
  return connection.number("PRAGMA user_version");
}

Result<void> check_identity(Connection& connection, const SqliteOptions& options) {
  DISCREET_ASSIGN(const std::int64_t application, connection.number("PRAGMA application_id"));
  DISCREET_ASSIGN(const std::int64_t version, version_of(connection));
  DISCREET_ASSIGN(const std::int64_t tables,
                  connection.number("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && tables == 0) {
    return Error{Code::kCorrupt, named(options) +
                                     " is empty: its creation was cut short. Nothing was charged "
                                     "to it; remove the file and create it again"};
  }
  if (application != kApplicationId || version < 1) {
    return Error{Code::kCorrupt,
                 named(options) + " is a database of something else; name a ledger's file"};
  }
  if (version > kLedgerFormat) return newer_format(named(options), std::to_string(version));
  return {};
}

/// The steps that lead to this program's format, and its number.
std::string steps_from(std::int64_t version) {
  std::string script;
  for (std::int64_t step = version; step < kLedgerFormat; ++step) {
    script += kSteps[static_cast<std::size_t>(step)];
  }
  script += "PRAGMA application_id = " + std::to_string(kApplicationId) + ";";
  return script + "PRAGMA user_version = " + std::to_string(kLedgerFormat) + ";";
}

Result<void> make_tables(Connection& connection) {
  DISCREET_TRY(connection.run("BEGIN IMMEDIATE"));
  const Result<void> done = connection.run(steps_from(0) + "COMMIT");
  if (!done && !connection.is_idle()) (void)connection.run("ROLLBACK").has_value();
  return done;
}

Result<void> use_log(Connection& connection, const SqliteOptions& options) {
  DISCREET_ASSIGN(const std::string mode, connection.text("PRAGMA journal_mode = WAL"));
  if (mode != "wal") {
    return Error{Code::kStorage, named(options) +
                                     " cannot have a write-ahead log there: the file system must "
                                     "support locks and shared memory (a local disk does)"};
  }
  return connection.run("PRAGMA synchronous = FULL");
}

/// Makes sure of the log, copies it into the main file and empties it (S4, see sqlite_store.h).
/// SQLite does not wait for another process that does the same, so we do.
Result<void> empty_log(Connection& connection, const SqliteOptions& options) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  DISCREET_TRY(connection.run("BEGIN IMMEDIATE"));
  const Result<void> rewritten = connection.rewrite_log();
  DISCREET_TRY(connection.run("ROLLBACK"));
  if (!rewritten) return rewritten;
  const auto deadline = steady_clock::now() + milliseconds(options.busy_ms);
  for (;;) {
    DISCREET_ASSIGN(const std::int64_t is_busy,
                    connection.number("PRAGMA wal_checkpoint(TRUNCATE)"));
    if (is_busy == 0) return {};
    if (steady_clock::now() >= deadline) {
      return Error{Code::kStorage, named(options) +
                                       " is being read by another process for too long; try "
                                       "again when that has ended"};
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

Result<Connection> make_schema(const SqliteOptions& options) {
  DISCREET_TRY(sync_directory_of(options.path));
  DISCREET_ASSIGN(Connection connection,
                  Connection::open(options.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                   options.vfs, options.busy_ms));
  DISCREET_TRY(use_log(connection, options));
  DISCREET_TRY(make_tables(connection));
  return connection;
}

Result<Connection> create(const SqliteOptions& options) {
  {
    // Claims the name: of two processes that create it, one succeeds.
    auto claimed = OpenFile::open(options.path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!claimed && claimed.error().code == Code::kConflict) {
      return Error{Code::kConflict, named(options) + " exists already; a ledger is never replaced"};
    }
    if (!claimed) return claimed.error();
  }
  auto made = make_schema(options);
  if (!made) remove_store(options.path);  // ours, and empty
  return made;
}

Result<Connection> open_for_writing(const SqliteOptions& options) {
  DISCREET_ASSIGN(Connection connection, Connection::open(options.path, SQLITE_OPEN_READWRITE,
                                                          options.vfs, options.busy_ms));
  DISCREET_TRY(check_identity(connection, options));
  DISCREET_ASSIGN(const std::int64_t version, version_of(connection));
  if (options.mode == StoreMode::kWrite && version != kLedgerFormat) {
    return older_format(named(options), std::to_string(version));
  }
  DISCREET_TRY(use_log(connection, options));
  DISCREET_TRY(empty_log(connection, options));
  return connection;
}

std::string as_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '?' || c == '#' || byte < 0x21) {
      uri += std::string("%") + kDigits[byte >> 4U] + kDigits[byte & 15U];
    } else {
      uri += c;
    }
  }
  return uri;
}

}  // namespace

Result<Connection> open_alone(const SqliteOptions& options) {
  DISCREET_ASSIGN(Connection alone, Connection::open(as_uri(options.path) + "?immutable=1",
                                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                                     options.vfs, options.busy_ms));
  DISCREET_TRY(check_identity(alone, options));
  return alone;
}

namespace {

Result<Connection> open_for_reading(const SqliteOptions& options) {
  DISCREET_ASSIGN(Connection connection, Connection::open(options.path, SQLITE_OPEN_READONLY,
                                                          options.vfs, options.busy_ms));
  const Result<void> identity = check_identity(connection, options);
  if (identity) return connection;
  // SQLite wants to write beside the file even to read it. Where it cannot, and no log is there,
  // nobody writes: then the file alone is all there is.
  const std::string log = behind_links(options.path).string() + "-wal";
  if (identity.error().code != Code::kStorage || std::filesystem::exists(log)) {
    return identity.error();
  }
  return open_alone(options);
}

/// Those of the three that a file of a format has.
std::int64_t indexes_in(std::int64_t version) {
  if (version >= 4) return 0;
  return version == 1 ? 2 : 3;
}

}  // namespace

std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(path, ignored)) return path;
  const std::filesystem::path file = std::filesystem::canonical(path, ignored);
  return file.empty() ? path : file;
}

Result<void> check_file(Connection& connection, const SqliteOptions& options) {
  DISCREET_ASSIGN(const std::string said, connection.text("PRAGMA quick_check(1)"));
  if (said != "ok") {
    return Error{Code::kCorrupt,
                 named(options) + " is damaged (" + said + "); restore the newest copy of it"};
  }
  DISCREET_ASSIGN(const std::int64_t version, version_of(connection));
  DISCREET_ASSIGN(
      const std::int64_t indexes,
      connection.number("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name IN "
                        "('requests', 'answered', 'shared')"));
  if (indexes == indexes_in(version)) return {};
  return Error{Code::kCorrupt, named(options) + " does not have the tables of format " +
                                   std::to_string(version) +
                                   ", which it says it has: it is damaged; restore the newest "
                                   "copy of it"};
}

void remove_store(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(path.string() + suffix, ignored);
  }
}

Result<Connection> open_with_schema(const SqliteOptions& options) {
  if (options.mode == StoreMode::kCreate) return create(options);
  std::error_code ignored;
  const bool can_be_missing = options.vfs.empty();
  if (can_be_missing && !std::filesystem::exists(options.path, ignored)) {
    return Error{Code::kNotFound,
                 "there is no ledger " + path_in_quotes(options.path) +
                     "; create one with `discreet ledger init`, or name it with --ledger"};
  }
  return options.mode == StoreMode::kRead ? open_for_reading(options) : open_for_writing(options);
}

Result<int> format_of(Connection& connection) {
  DISCREET_ASSIGN(const std::int64_t version, version_of(connection));
  return static_cast<int>(version);
}

Result<void> convert_schema(Connection& connection) {
  DISCREET_ASSIGN(const std::int64_t version, version_of(connection));
  return connection.run(steps_from(version));
}

}  // namespace discreet::ledger
