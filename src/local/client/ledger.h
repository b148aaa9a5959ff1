// SPDX-License-Identifier: Apache-2.0
// A person's memory as bytes: the budget for life, what was spent of it, and every report ever
// made.
//
//   "DLC1"  budget  spent  entries ..  checksum       varints; texts with a length
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace discreet::local {

/// What is kept about one survey (or, for bloom, about one series).
struct Kept {
  std::uint64_t price = 0;                       ///< all that it has cost, in 10^-9
  std::uint64_t cohort = 0;                      ///< bloom
  std::string permanent;                         ///< bloom: the permanent bits of the first answer
  std::map<std::uint64_t, std::string> records;  ///< round -> id and payload

  friend bool operator==(const Kept&, const Kept&) = default;
};

/// The contents of the file.
struct Ledger {
  std::uint64_t budget = 0;
  std::uint64_t spent = 0;
  std::map<std::uint64_t, Kept> surveys;  ///< by series

  friend bool operator==(const Ledger&, const Ledger&) = default;
};

/// "the memory file is not what was written (why)", with the advice to restore it.
Error corrupt_memory(const std::string& why);

std::string encode(const Ledger& ledger);
/// Fails with: kCorrupt; kUnsupported for another version.
Result<Ledger> parse_ledger(std::string_view bytes);

}  // namespace discreet::local
