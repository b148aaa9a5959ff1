// SPDX-License-Identifier: Apache-2.0
// CountedDays: on how many days of a stream each unit was counted so far, sealed. It decides who is
// counted today and remembers it, so that what happens to the rows of earlier days does not matter.
//
//   DISCREET_ASSIGN(auto counted, CountedDays::from(kept, rule.days));
//   Sensitive<Int128> today = counted.count(rows, rule);
//   ... keep counted.sealed(encrypt) on disk, then release(today) ...
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mechanism/codes.h"
#include "mechanism/unit_rows.h"
#include "numeric/int128.h"
#include "privacy/sensitive.h"
#include "random/keyed_hash.h"

namespace discreet::mechanism {

/// Rule         A unit with n > 0 rows on today's date, counted on k < w days so far, counts today
///              with min(n, m) rows, and k becomes k + 1. Nobody else counts.
/// Neighbours   sequences of tables, one a day, that differ in one unit's rows: in any of them, in
///              any way.
/// Theorem      The day's counts of such sequences differ on at most w days, by at most m on each.
///              What became of rows of earlier days is never read.       Proof  counted_days.md
/// Memory       20 bytes a unit that was ever counted, sealed: a hash of 16, a count of 4.
/// Trust        A unit is known by its hash (UnitRows::names). Two units of one hash are one unit
///              for the rule (probability below n^2 / 2^129 for n units).
class CountedDays {
 public:
  /// Turns bytes into what nobody but the owner can read. Trusted not to keep what it sees.
  using Encrypt = std::function<Result<std::string>(std::string_view)>;

  /// Nobody was counted.
  CountedDays() : entries_(std::vector<Entry>()) {}
  /// What sealed() kept and the owner decrypted. Fails with: kCorrupt unless sealed() made it, for
  /// counts up to `days`.
  static Result<CountedDays> from(const Sensitive<std::string>& kept, std::int64_t days);
  /// For a stream whose counts were not kept: each unit was counted on every earlier day, from
  /// rule.first on, on which it has rows, if these are no more than rule.days, and else on
  /// rule.days. At least what it was in truth, if no row was ever taken away.
  static CountedDays presumed(const Sensitive<UnitRows>& rows, const DayRule& rule);

  /// How many rows count on rule.day; remembers whose. Requires: one column, with names.
  Sensitive<Int128> count(const Sensitive<UnitRows>& rows, const DayRule& rule);

  /// Encrypted.
  Result<std::string> sealed(const Encrypt& encrypt) const;

 private:
  struct Entry {
    random::Hash128 unit;
    std::uint32_t days = 0;
  };
  /// What was found in a unit's rows.
  struct Found {
    random::Hash128 unit;
    std::int64_t n = 0;
  };
  static constexpr std::size_t kBytes = 20;  // an entry's, as it is kept

  explicit CountedDays(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  /// For each unit that has some, what `number` makes of its days; in the order of units, each
  /// once.
  template <class Number>
  static std::vector<Found> found(const UnitRows& rows, Number number);

  Sensitive<std::vector<Entry>> entries_;  // in the order of units
};

}  // namespace discreet::mechanism
