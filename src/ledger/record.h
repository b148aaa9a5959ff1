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

#include <array>
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

/// The format of a ledger, whatever store it is in: what may stand in it and how. A file of SQLite
/// had formats 1 to 4, a schema of PostgreSQL had 5; from 6 on they count together.
inline constexpr int kLedgerFormat = 6;

/// The numbers are what is stored and hashed: never change one. Each has its row in kKindTable.
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
  kUpgraded = 13,    ///< from here on the ledger has a newer format; no balance changes
};

/// What is true of all records of a kind. chain.md has the same table; a test compares them.
struct KindFacts {
  Kind kind;
  std::string_view name;
  bool is_signed;  ///< only the owner may write it
  int since;       ///< the first format of a ledger in which it may occur
};
inline constexpr std::array kKindTable = {
    KindFacts{Kind::kCreated, "created", true, 1},
    KindFacts{Kind::kNamespace, "namespace", true, 1},
    KindFacts{Kind::kBlock, "block", true, 1},
    KindFacts{Kind::kAnalyst, "analyst", true, 1},
    KindFacts{Kind::kCharge, "charge", false, 1},
    KindFacts{Kind::kShare, "share", false, 1},
    KindFacts{Kind::kAnswer, "answer", false, 1},
    KindFacts{Kind::kTopUp, "top-up", true, 1},
    KindFacts{Kind::kWitness, "witness", true, 1},
    KindFacts{Kind::kRecovery, "recovery", true, 1},
    KindFacts{Kind::kClock, "clock", true, 1},
    KindFacts{Kind::kAlsoCharge, "also charge", false, 3},
    KindFacts{Kind::kAlsoShare, "also share", false, 3},
    KindFacts{Kind::kUpgraded, "upgraded", true, 6},
};

/// Whether this program knows the kind with this number. Records of other kinds are refused
/// wherever they are read: see unknown_kind().
constexpr bool is_known_kind(std::uint64_t number) { return number < kKindTable.size(); }

/// Requires: a known kind.
constexpr const KindFacts& facts_of(Kind kind) {
  return kKindTable[static_cast<std::size_t>(kind)];
}
constexpr std::string_view to_string(Kind kind) { return facts_of(kind).name; }
constexpr bool is_signed(Kind kind) { return facts_of(kind).is_signed; }

/// kUnsupported: a newer version of the program wrote record `sequence`.
Error unknown_kind(std::uint64_t sequence, std::uint64_t number);
/// kUnsupported: the ledger `name` has a newer format than this program knows.
Error newer_format(const std::string& name, const std::string& format);
/// kUnsupported: it has an older one, in which this program does not write.
Error older_format(const std::string& name, const std::string& format);

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
  Hash content{};         ///< of an answer's bytes; of a share: of those that it will be given,
                          ///< and zero if they were given at once
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
/// memory is kept. Fails with: kCorrupt unless write_record() made it; kUnsupported for a kind that
/// this program does not know.
Result<void> take_record(std::string_view& bytes, Record& record);

/// Names, each preceded by its length: "4:20224:2023". Sorted and without repetitions, so that a
/// set has one text.
std::string join_names(std::vector<std::string> names);
/// Fails with: kCorrupt unless join_names() made it.
Result<std::vector<std::string>> split_names(std::string_view text);

std::string_view bytes_of(const Hash& hash);

/// What was bought, in a number for those to whom a sequence would count everybody's records: 52
/// bits, which a double holds. The same for all who buy the same, so that what is stored with an
/// answer does not tell who did first.
std::uint64_t receipt_number(std::string_view question, std::string_view snapshot,
                             const Hash& plan);
inline std::uint64_t receipt_number(const Record& payment) {
  return receipt_number(payment.question, payment.snapshot, payment.plan);
}

}  // namespace discreet::ledger
