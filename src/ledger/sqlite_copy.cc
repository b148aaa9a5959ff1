// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite_copy.h"

#include <fcntl.h>

#include <cstdio>

#include "base/files.h"
#include "ledger/sqlite.h"

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

}  // namespace

Result<void> copy_file(const SqliteOptions& options, const std::filesystem::path& copy,
                       const std::string& ledger_id) {
  const std::filesystem::path partial = copy.string() + "." + ledger_id + ".partial";
  remove_store(partial);  // of a try that was interrupted
  if (const Result<void> written = write_copy(options, partial); !written) {
    remove_store(partial);
    return written;
  }
  if (std::rename(partial.c_str(), copy.c_str()) != 0) {
    remove_store(partial);
    return Error{Code::kStorage, "the copy " + in_quotes(copy.string()) + " could not be named"};
  }
  return sync_directory_of(copy);
}

}  // namespace discreet::ledger
