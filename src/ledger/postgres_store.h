// SPDX-License-Identifier: Apache-2.0
// A store in a PostgreSQL database, for ledgers that several machines share: the schema
// discreet_ledger (postgres_schema.h); one ledger to a database. Everything is kept as bytes, so
// that no encoding and no collation has a say.
//
//   S1  A writer holds one advisory lock from begin to commit and reads after it has it, each
//       statement on what is committed then: PostgreSQL shows a commit before it lets go of its
//       locks. Should somebody write without the lock, the primary key lets one of two that go
//       on from the same record commit, and the other gets no receipt.
//   S2  synchronous_commit is on; a server that says fsync=off or full_page_writes=off is refused.
//       A failover to a replica that lags is a rollback: a witness that has seen a lost record
//       finds it (L6); another machine's may not have seen one.
//   S3  Transactions; readers have one snapshot (repeatable read).
//   S4  COMMIT counts only when the server answers COMMIT: to a transaction that it has given up it
//       answers ROLLBACK, without an error. A writer that sleeps in its transaction for longer than
//       sleep_ms (a stopped process, a machine that hangs) is thrown out by the server, so that
//       others go on; when it comes back its commit fails, and it gets no receipt.
//
//   S5  One statement, or with the bytes of answers one pipeline, that is a transaction of its own:
//       it takes the lock if nobody has it and else inserts nothing; the primary key refuses it
//       when somebody has appended (ledger.md). A writer that sleeps or dies does so outside of it.
//
// A connection that was lost between transactions is made anew: what was not begun is not in doubt,
// and the ledger checks that the history goes on from the record that it knew.
#pragma once

#include <memory>
#include <string>

#include "ledger/sqlite_store.h"

namespace discreet::ledger {

struct PostgresOptions {
  std::string url = {};  ///< postgres://user@host:port/database
  StoreMode mode = StoreMode::kWrite;
  int busy_ms = 60'000;
  int sleep_ms = 10'000;  ///< how long a writer may be silent in its transaction
};

/// Fails with: kConflict (kCreate: it holds a ledger); kNotFound (it holds none); kStorage (also a
/// server that forgets, or only reads); kUnsupported (a newer format; kWrite: an older one).
Result<std::unique_ptr<Store>> open_postgres_store(const PostgresOptions& options);

}  // namespace discreet::ledger
