// SPDX-License-Identifier: Apache-2.0
// Where records and answers are kept. The rules of the budget are above this interface, so that
// another database can take SQLite's place (ledger/sqlite_store.h).
//
// Contract, on which the ledger's promises rest:
//   S1  A write transaction excludes every other one, of any process, from begin to commit.
//   S2  What commit() reported as done survives a crash of the process and of the machine.
//   S3  A transaction is seen whole or not at all.
//   S4  After a failed commit the store refuses everything until it is opened again.
//   S5  An optimistic transaction is committed only if, under S1's exclusion, nobody has appended
//       behind the record that it assumed to be the last; else nothing of it is written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "ledger/record.h"

namespace discreet::ledger {

/// How long a transaction that reads waits for other processes: only what maintains a database
/// locks out readers.
inline constexpr int kReadBusyMs = 5'000;

/// One thread at a time. Every call can fail with kStorage (locked for too long, read only, full,
/// failed) and kCorrupt (the database says that its file is damaged).
class Store {
 public:
  using Visit = std::function<Result<void>(const Record&)>;

  virtual ~Store() = default;

  virtual Result<void> begin_write() = 0;
  /// One unchanging view; may run beside a writer.
  virtual Result<void> begin_read() = 0;
  virtual Result<void> commit() = 0;
  /// Ends a transaction without keeping anything; never fails.
  virtual void rollback() = 0;

  /// An optimistic transaction (Kung and Robinson): nothing is asked of the database before its
  /// commit, which takes one journey. It assumes that `last` is the hash of the last record. It
  /// reads what it wrote itself and, by sequence, the charges that this store committed lately;
  /// every other read fails with kUnsupported. False: not now, or never with this store; use
  /// begin_write().
  virtual bool begin_optimistic(const Hash& /*last*/) { return false; }
  /// S5. False: there is another last record, and nothing was written. Fails as commit() does.
  /// With `looked`, the last record of an earlier transaction, it also looks whether somebody has
  /// changed what only appending may change: all records behind that one are there, and the last is
  /// as assumed. That takes the database longer. `meanwhile` is called while it works.
  virtual Result<bool> commit_if_valid(std::optional<Sequence> /*looked*/,
                                       const std::function<void()>& /*meanwhile*/ = {}) {
    return Error{Code::kUnsupported, "this store has no optimistic transactions"};
  }

  // Within a transaction:
  /// Requires: it is the next behind the last record.
  virtual Result<void> append(Record record) = 0;
  /// The bytes of an answer. Requires: its record was appended; a charge has one answer at most.
  virtual Result<void> put_answer(const Record& answer, const std::string& bytes) = 0;
  /// Calls `visit` with the records from `first` on in order, until it returns an error.
  virtual Result<void> records_from(Sequence first, const Visit& visit) = 0;
  virtual Result<std::optional<Record>> record(Sequence sequence) = 0;
  /// The bytes of the answer to a charge, if there is one.
  virtual Result<std::optional<std::string>> answer_bytes(Sequence charge) = 0;
  /// The format of what is stored (record.h), as this transaction sees it.
  virtual Result<int> format() = 0;

  // An upgrade, within one transaction of a store that was opened for it (StoreMode::kAnyFormat).
  /// The database's own check of what it keeps, beyond what records and answers show.
  /// Fails with: kCorrupt.
  virtual Result<void> check_sound() = 0;
  /// Where keep_copy() would put it; changes nothing, and may be called in a transaction that
  /// reads. Fails with: kConflict when something else is there; kStorage when the upgrade could not
  /// write there, or not to the ledger.
  virtual Result<std::string> place_of_copy(const std::string& ledger_id) = 0;
  /// Keeps a copy of everything that was committed and returns its place. It is durable at the
  /// latest when this transaction is. What an interrupted upgrade left there is replaced. Requires:
  /// nothing was written in this transaction. Fails with: kConflict when something else is there;
  /// kCorrupt when the copy does not hold what the ledger does.
  virtual Result<std::string> keep_copy(const std::string& ledger_id) = 0;
  /// Changes tables and version to kLedgerFormat; records and answers stay as they are.
  virtual Result<void> convert() = 0;
};

}  // namespace discreet::ledger
