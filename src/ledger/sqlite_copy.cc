// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "ledger/sqlite_schema.h"

namespace discreet::ledger {
namespace {

/// SQLite neither syncs what VACUUM INTO writes nor asks for narrow permissions: both are done
/// here.
Result<void> write_copy(const SqliteOptions& options, const std::filesystem::path& into) {
  {
    DISCREET_TRY(OpenFile::open(into, O_RDWR | O_CREAT | O_EXCL, 0600));
  }
  {
    // A connection of its own sees what is committed, whatever the caller's transaction has
    // changed.
    DISCREET_ASSIGN(Connection source, Connection::open(options.path, SQLITE_OPEN_READONLY,
                                                        options.vfs, options.busy_ms));
    DISCREET_ASSIGN(const Statement vacuum, source.prepare("VACUUM INTO ?"));
    Rows rows = source.rows(vacuum);
    rows.bind_text(into.native());
    DISCREET_TRY(rows.run());
  }
  DISCREET_ASSIGN(const OpenFile written, OpenFile::open(into, O_RDWR));
  return written.sync();
}

/// Its format, how much it holds, and where the history ends.
Result<std::string> extent_of(Connection& connection) {
  DISCREET_ASSIGN(const int format, format_of(connection));
  DISCREET_ASSIGN(const std::string contents,
                  connection.text("SELECT (SELECT count(*) FROM records) || ' records, ' || "
                                  "(SELECT count(*) FROM answers) || ' answers, ' || (SELECT "
                                  "hex(hash) FROM records ORDER BY sequence DESC LIMIT 1)"));
  return std::to_string(format) + ": " + contents;
}

/// Where a file system cannot do that, what was free a moment ago is taken to be free.
int rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int status = renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  const bool is_unknown = status != 0 && (errno == EINVAL || errno == ENOSYS);
  return is_unknown ? std::rename(from.c_str(), to.c_str()) : status;
}

Result<void> give_name(const CopyPlace& place) {
  const int status = place.is_free ? rename_to_free(place.partial, place.copy)
                                   : std::rename(place.partial.c_str(), place.copy.c_str());
  if (status == 0) return sync_directory_of(place.copy);
  if (errno == EEXIST) return name_is_taken(place);
  return Error{Code::kStorage, "the copy " + path_in_quotes(place.copy) + " could not be named"};
}

bool can_write(const std::filesystem::path& path, int how) {
  return faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0;
}

}  // namespace

CopyPlace CopyPlace::beside(const std::filesystem::path& file, int format,
                            const std::string& ledger_id) {
  const std::string copy = file.string() + ".format-" + std::to_string(format);
  return {.copy = copy, .partial = copy + "." + ledger_id + ".partial"};
}

Error name_is_taken(const CopyPlace& place) {
  return {Code::kConflict, "the upgrade keeps a copy as " + path_in_quotes(place.copy) +
                               ", but something else has that name; move it away"};
}

Result<void> check_names(const CopyPlace& place) {
  constexpr std::size_t kSqlitePathMax = 512;
  const std::string longest = std::filesystem::absolute(place.partial).string() + "-journal";
  struct stat facts{};
  const bool is_too_long = longest.size() > kSqlitePathMax ||
                           (lstat(longest.c_str(), &facts) != 0 && errno == ENAMETOOLONG);
  if (is_too_long) {
    return Error{Code::kStorage, "the upgrade makes its copy under the name " +
                                     path_in_quotes(place.partial) +
                                     ", which is too long; give the ledger's file a shorter name, "
                                     "or its directory a shorter path"};
  }
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    const std::string beside = place.copy.string() + suffix;
    if (lstat(beside.c_str(), &facts) != 0 && errno == ENOENT) continue;
    return Error{Code::kConflict, "the upgrade keeps a copy as " + path_in_quotes(place.copy) +
                                      ", but there is a file " + path_in_quotes(beside) +
                                      ", which SQLite would take for a part of it; move it away"};
  }
  return {};
}

Result<void> check_can_write(const Connection& connection, const SqliteOptions& options) {
  const std::filesystem::path file = std::filesystem::absolute(behind_links(options.path));
  if (!can_write(file.parent_path(), W_OK | X_OK)) {
    return connection.explain(SQLITE_READONLY_DIRECTORY);
  }
  // SQLite gives the files beside it the permissions that it had when they were made.
  for (const char* suffix : {"", "-wal", "-shm"}) {
    if (can_write(file.string() + suffix, W_OK)) continue;
    if (errno != ENOENT) return connection.explain(SQLITE_READONLY);
  }
  return {};
}

Result<void> check_copy(const SqliteOptions& options, const CopyPlace& place) {
  DISCREET_TRY(check_names(place));
  SqliteOptions kept = options;
  kept.path = place.copy;
  DISCREET_ASSIGN(Connection source, Connection::open(options.path, SQLITE_OPEN_READONLY,
                                                      options.vfs, options.busy_ms));
  DISCREET_ASSIGN(Connection copy,
                  Connection::open(kept.path, SQLITE_OPEN_READONLY, options.vfs, options.busy_ms));
  DISCREET_TRY(check_file(copy, kept));
  DISCREET_ASSIGN(const std::string expected, extent_of(source));
  DISCREET_ASSIGN(const std::string found, extent_of(copy));
  if (found == expected) return {};
  return Error{Code::kCorrupt, "the copy " + path_in_quotes(place.copy) +
                                   " does not hold what the ledger does; move it and what is "
                                   "beside it away and try again"};
}

Result<void> copy_file(const SqliteOptions& options, const CopyPlace& place) {
  remove_store(place.partial);  // of a try that was interrupted
  Result<void> done = write_copy(options, place.partial);
  if (done) done = give_name(place);
  if (!done) {
    remove_store(place.partial);
    return done;
  }
  done = check_copy(options, place);
  if (!done) (void)std::remove(place.copy.c_str());  // ours, and not what it should be
  return done;
}

}  // namespace discreet::ledger
