// SPDX-License-Identifier: Apache-2.0
// A record: one line of a ledger's history. The history is the only truth; every balance is a fold
// of it (ledger/state.h). Records are appended, never changed, and each is bound to all before it:
//
//   hash_0 = SHA-256(title | zeros      | fields of record 0)
//   hash_i = SHA-256(title | hash_{i-1} | fields of record i)
//
// with a constant title, and every field of variable length preceded by its length, so that no two histories have the
// same bytes (ledger/chain.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/filter.h"
#include "privacy/receipt.h"

namespace discreet::ledger {

using accounting::Amount;
using accounting::Price;
using Sequence = std::uint64_t;

/// The numbers are what is stored and hashed: never change one.
enum class Kind {
  kCreated = 0,    ///< the first: the ledger's id, its public key, how often the witness is synced
  kNamespace = 1,  ///< a namespace of units: its notion, its neighbours, its caps
  kBlock = 2,      ///< one declared value of the namespace's block attribute
  kAnalyst = 3,    ///< an analyst and their caps
  kCharge = 4,     ///< a price, paid by the total and by an analyst
  kShare = 5,      ///< a stored answer shown to another analyst: their own cap pays, not the total
  kAnswer = 6,     ///< the answer to a charge is stored; names its hash
  kTopUp = 7,      ///< the owner raises a cap, with a reason
  kWitness = 8,    ///< the owner replaced a lost witness, with a reason
  kRecovery = 9,   ///< the owner reopened after a rollback: everything counts as spent
  kClock = 10,     ///< the owner accepts a clock that went back, with a reason
  kAlsoCharge = 11,  ///< right behind a charge: a further namespace pays for it as well
  kAlsoShare = 12,   ///< the same behind a share
};
inline constexpr int kKinds = 13;

std::string_view to_string(Kind kind);

/// Whether only the owner may write it: such a record is signed.
constexpr bool is_signed(Kind kind) {
  return kind != Kind::kCharge && kind != Kind::kShare && kind != Kind::kAnswer &&
         kind != Kind::kAlsoCharge && kind != Kind::kAlsoShare;
}

/// Fields that a kind does not use stay empty.
struct Record {
  Sequence sequence = 0;     ///< 0, 1, 2, ...
  std::int64_t time_ms = 0;  ///< never decreases along the history, but at a kClock
  Kind kind = Kind::kCreated;
  std::uint64_t writer = 0;  ///< drawn when the ledger was opened: no two copies go on alike
  std::string units;         ///< the namespace
  std::string analyst;
  std::string blocks;  ///< join_names(); empty: all of them. For a kBlock: the one value
  Price price;         ///< what is charged, or a cap, or what a cap is raised by
  std::string request_id;
  std::string question;  ///< the canonical key, opaque bytes
  std::string snapshot;  ///< the label, opaque bytes
  Hash plan{};
  Sequence about = 0;     ///< the charge that an answer or a share belongs to; the payment that a
                          ///< further namespace joins
  Hash content{};         ///< of an answer's bytes
  std::string detail;     ///< what people read: noise, reason; the terms, for the first two kinds
  std::string signature;  ///< Ed25519 over `hash`, for records that only the owner may write
  Hash hash{};

  friend bool operator==(const Record&, const Record&) = default;
};

/// The hash of `record` after a record with hash `previous` (zero bytes before the first).
/// Everything but `signature` and `hash` enters it.
Hash chain(const Hash& previous, const Record& record);

/// Puts a record behind `bytes`: what chain() hashes of it but for `previous`, the signature, the
/// hash. For a store that keeps records as bytes.
void write_record(std::string& bytes, const Record& record);
/// Takes the record that `bytes` begin with away from them. Strings are assigned, so that their
/// memory is kept. Fails with: kCorrupt unless write_record() made it.
Result<void> take_record(std::string_view& bytes, Record& record);

/// Names, each preceded by its length: "4:20224:2023". Sorted and without repetitions, so that a
/// set has one text.
std::string join_names(std::vector<std::string> names);
/// Fails with: kCorrupt unless join_names() made it.
Result<std::vector<std::string>> split_names(std::string_view text);

std::string_view bytes_of(const Hash& hash);

}  // namespace discreet::ledger
