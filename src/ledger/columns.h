// SPDX-License-Identifier: Apache-2.0
// A record as the columns of the table in a SQLite file.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ledger/record.h"

// In the order in which read_record() takes them.
#define DISCREET_COLUMNS                                                                 \
  "sequence, time_ms, kind, writer, units, analyst, blocks, amount, delta, request_id, " \
  "question, snapshot, plan, about, content, detail, signature, hash"

namespace discreet::ledger {

/// No bytes stand for a hash of zeros: most records have no plan or no content.
inline std::string_view short_bytes(const Hash& hash) {
  const bool is_zero = std::all_of(hash.begin(), hash.end(), [](auto byte) { return byte == 0; });
  return is_zero ? std::string_view() : bytes_of(hash);
}

inline bool read_hash(std::string_view bytes, Hash& hash) {
  hash.fill(0);
  if (!bytes.empty() && bytes.size() != hash.size()) return false;
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return true;
}

inline bool read_amount(std::string_view digits, Amount& amount) {
  Int128 units = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || __builtin_mul_overflow(units, 10, &units) ||
        __builtin_add_overflow(units, c - '0', &units)) {
      return false;
    }
  }
  auto read = Amount::from_units(units);
  if (!read) return false;
  amount = *read;
  return !digits.empty();
}

/// `Row` gives number(column) and bytes(column). Strings are assigned, so that their memory is
/// kept.
template <class Row>
Result<void> read_record(const Row& rows, Record& record) {
  record.sequence = static_cast<Sequence>(rows.number(0));
  record.time_ms = rows.number(1);
  const std::int64_t kind = rows.number(2);
  record.writer = static_cast<std::uint64_t>(rows.number(3));
  record.units = rows.bytes(4);
  record.analyst = rows.bytes(5);
  record.blocks = rows.bytes(6);
  record.request_id = rows.bytes(9);
  record.question = rows.bytes(10);
  record.snapshot = rows.bytes(11);
  record.about = static_cast<Sequence>(rows.number(13));
  record.detail = rows.bytes(15);
  record.signature = rows.bytes(16);
  if (kind >= 0 && !is_known_kind(static_cast<std::uint64_t>(kind))) {
    return unknown_kind(record.sequence, static_cast<std::uint64_t>(kind));
  }
  const bool is_readable =
      kind >= 0 && read_amount(rows.bytes(7), record.price.amount) &&
      read_amount(rows.bytes(8), record.price.delta) && read_hash(rows.bytes(12), record.plan) &&
      read_hash(rows.bytes(14), record.content) && read_hash(rows.bytes(17), record.hash);
  if (!is_readable) {
    return Error{Code::kCorrupt, "record " + std::to_string(record.sequence) +
                                     " was changed: a field of it cannot be read"};
  }
  record.kind = static_cast<Kind>(kind);
  return {};
}

}  // namespace discreet::ledger
