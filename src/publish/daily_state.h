// SPDX-License-Identifier: Apache-2.0
// What is kept of a daily question in the clear: the question, and each day with its number. It is
// signed by the owner's key, so nobody else can change it.
//
// Format 1 carries no number, and has noise, unit and numbers alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/seal.h"
#include "plan/daily.h"

namespace discreet::publish {

inline constexpr int kDailyFormat = 2;

struct DailyState {
  /// A day that was released, and its number in units of 1/unit rows.
  struct Day {
    std::string day;
    std::int64_t number = 0;
    friend bool operator==(const Day&, const Day&) = default;
  };

  int format = kDailyFormat;
  std::string name;
  std::string receipt;
  std::string noise;  ///< the terms that were charged
  std::int64_t unit = 1;
  bool event_level = false;
  std::string plan;  ///< the charge's hash, in hex
  std::vector<plan::QuestionField> question;
  std::vector<Day> released;  ///< format 1: without their dates
  std::string counted;        ///< the hash of the sealed counts of units; event-level: none
  friend bool operator==(const DailyState&, const DailyState&) = default;
};

/// Of format kDailyFormat. Requires: all dates are there.
std::string to_text(const DailyState& state);
/// Of this format or an older one. Fails with: kCorrupt; kUnsupported for a newer one.
Result<DailyState> read_state(const std::string& text);

/// "2026-01-05"
std::string day_text(std::int64_t days_since_1970);

/// That the question is the one that the state is of. Fails with: kRefused, naming each field that
/// differs and what it was.
Result<void> check_same_question(const DailyState& state, const plan::CheckedDaily& checked);

/// A text with its signature, for `what` alone.
std::string sign_text(const ledger::OwnerKey& key, const std::string& what,
                      const std::string& body);
/// Fails with: kCorrupt.
Result<std::string> signed_body(const ledger::OwnerKey& key, const std::string& what,
                                const std::string& text);

/// What is said of a state that cannot be used.
Error unusable(const std::string& what);

}  // namespace discreet::publish
