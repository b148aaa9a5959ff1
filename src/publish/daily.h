// SPDX-License-Identifier: Apache-2.0
// A question that is answered every day under one price (the policy's `daily:`): how many rows
// there were up to that day.
//
// What is kept, in a folder: NAME.released, the released numbers, signed by the owner's key;
// NAME.noise, the correlated noise, encrypted under that key; and, beside the key, a witness of how
// many days were released. No count of any day is kept.
//
// A step: today's noise is drawn and durable before the data are read; the answer is durable, and
// witnessed, before it is shown. Whatever dies in between is done again with the same noise, and of
// no day are there two answers. An older state than its witness, files that do not fit together, a
// day out of order: refused.
//
// Late rows. A day's number is for the rows that were there at its step. A row that comes later
// never counts, and uses up one of its unit's days all the same. Rows must stay in the source: a
// unit whose earlier days vanish would be counted again (plan/daily.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/engine.h"
#include "ledger/ledger.h"
#include "plan/daily.h"

namespace discreet::publish {

/// Of the files that are kept. Format 1 carries no number.
inline constexpr int kDailyFormat = 1;

struct DailyState {
  std::string name;
  std::string receipt;
  std::string noise;  ///< the terms that were charged
  std::int64_t unit = 1;
  bool event_level = false;
  std::vector<std::int64_t> released;  ///< in units of 1/unit rows, one a day
};

/// A day's row of an answer.
struct DailyRow {
  std::string day;
  double count = 0;  ///< that day's
  double total = 0;  ///< up to it
  double total_deviation = 0;
};

/// How far off running totals are at the same price, in rows: at the last day.
struct DailyComparison {
  double ours = 0;
  double tree = 0;
  double anew = 0;  ///< a fresh count up to each day
};

class DailyStream {
 public:
  /// All must outlive it. `folder` holds the state.
  DailyStream(const policy::Policy& policy, ledger::Ledger& ledger, std::filesystem::path folder)
      : policy_(policy), ledger_(ledger), folder_(std::move(folder)) {}

  /// Charges the whole stream and makes its state; what was registered before is left alone.
  /// Returns whether it was new. Fails with: kNotFound (no such question); kBudget; kConflict when
  /// it was paid for and its state is gone; kStorage.
  Result<bool> register_question(const std::string& name, const std::string& analyst);

  /// Releases the next day, which `day` must name if it is given.
  /// Fails with: kInvalidInput for a day that is missing or was sent before; kBudget after the
  /// last; kCorrupt for a state that was rolled back or does not fit together; kEngine, kStorage.
  Result<DailyRow> step(const std::string& name, const std::optional<std::string>& day,
                        engine::Engine& engine, const engine::OwnerLog& log);

  /// All days so far.
  Result<std::vector<DailyRow>> rows(const std::string& name) const;
  Result<DailyState> state(const std::string& name) const;
  Result<plan::CheckedDaily> checked(const std::string& name) const;

 private:
  struct Files;
  Files files_of(const std::string& name) const;
  /// For one at a time.
  Result<OpenFile> locked(const Files& files) const;
  Result<DailyState> load(const Files& files, const plan::CheckedDaily& checked) const;
  Result<void> save(const Files& files, const DailyState& state) const;
  Result<void> finish_registration(const Files& files, const Charge& charge,
                                   const ledger::Question& question) const;
  Result<ledger::OwnerKey> key() const;

  const policy::Policy& policy_;
  ledger::Ledger& ledger_;
  std::filesystem::path folder_;
};

/// Of a stream, one row a released day.
std::vector<DailyRow> daily_rows(const plan::CheckedDaily& checked, const DailyState& state);
DailyComparison compare_daily(const plan::CheckedDaily& checked);
/// "2026-01-05"
std::string day_text(std::int64_t days_since_1970);

}  // namespace discreet::publish
