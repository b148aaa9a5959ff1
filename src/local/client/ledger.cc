// SPDX-License-Identifier: Apache-2.0
#include "local/client/ledger.h"

#include "local/client/survey.h"

namespace discreet::local {
namespace {

constexpr std::string_view kLedgerMagic = "DLC1";

Result<std::uint64_t> read_number(std::string_view& bytes) {
  Result<std::uint64_t> value = take_varint(bytes);
  if (!value.has_value()) return corrupt_memory("it ends early");
  return value;
}

Result<std::string> text(std::string_view& bytes) {
  DISCREET_ASSIGN(const std::uint64_t size, read_number(bytes));
  if (size > bytes.size()) return corrupt_memory("it ends early");
  std::string out(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return out;
}

Result<Kept> take_kept(std::string_view& bytes) {
  Kept kept;
  DISCREET_ASSIGN(kept.price, read_number(bytes));
  DISCREET_ASSIGN(kept.cohort, read_number(bytes));
  DISCREET_ASSIGN(kept.permanent, text(bytes));
  DISCREET_ASSIGN(const std::uint64_t records, read_number(bytes));
  for (std::uint64_t i = 0; i < records; ++i) {
    DISCREET_ASSIGN(const std::uint64_t round, read_number(bytes));
    DISCREET_ASSIGN(std::string record, text(bytes));
    if (!kept.records.emplace(round, std::move(record)).second) {
      return corrupt_memory("a round stands twice");
    }
  }
  return kept;
}

}  // namespace

Error corrupt_memory(const std::string& what) {
  return {Code::kCorrupt, "the memory file is not what was written (" + what +
                              "); nothing was answered. Restore it from a copy: a new file would "
                              "forget what was spent"};
}

std::string encode(const Ledger& ledger) {
  std::string out(kLedgerMagic);
  put_varint(out, ledger.budget);
  put_varint(out, ledger.spent);
  put_varint(out, ledger.surveys.size());
  for (const auto& [series, kept] : ledger.surveys) {
    put_varint(out, series);
    put_varint(out, kept.price);
    put_varint(out, kept.cohort);
    put_text(out, kept.permanent);
    put_varint(out, kept.records.size());
    for (const auto& [round, record] : kept.records) {
      put_varint(out, round);
      put_text(out, record);
    }
  }
  put_varint(out, hash_text(2, out));
  return out;
}

Result<Ledger> parse_ledger(std::string_view bytes) {
  const std::string_view whole = bytes;
  if (!bytes.starts_with(kLedgerMagic.substr(0, 3))) return corrupt_memory("it is no memory file");
  if (bytes.size() > 3 && bytes[3] != kLedgerMagic[3]) {
    return Error{Code::kUnsupported, "the memory file is of another version; this is version 1"};
  }
  if (!bytes.starts_with(kLedgerMagic)) return corrupt_memory("it ends early");
  bytes.remove_prefix(kLedgerMagic.size());
  Ledger ledger;
  DISCREET_ASSIGN(ledger.budget, read_number(bytes));
  DISCREET_ASSIGN(ledger.spent, read_number(bytes));
  DISCREET_ASSIGN(const std::uint64_t surveys, read_number(bytes));
  std::uint64_t prices = 0;
  for (std::uint64_t i = 0; i < surveys; ++i) {
    DISCREET_ASSIGN(const std::uint64_t series, read_number(bytes));
    DISCREET_ASSIGN(Kept kept, take_kept(bytes));
    if (kept.price > ledger.budget - prices) return corrupt_memory("sums");
    prices += kept.price;
    if (!ledger.surveys.emplace(series, std::move(kept)).second) {
      return corrupt_memory("a survey stands twice");
    }
  }
  const std::string_view body = whole.substr(0, whole.size() - bytes.size());
  DISCREET_ASSIGN(const std::uint64_t sealed, read_number(bytes));
  if (sealed != hash_text(2, body) || !bytes.empty()) return corrupt_memory("checksum");
  if (prices != ledger.spent || ledger.spent > ledger.budget) return corrupt_memory("sums");
  return ledger;
}

}  // namespace discreet::local
