// SPDX-License-Identifier: Apache-2.0
// A question that is answered every day under one price (the policy's `daily:`): how many rows
// there were up to that day.
//
// What is kept, in a folder: NAME.released, the question and each day's date and number, signed by
// the owner's key (daily_state.h); NAME.noise, the correlated noise, and NAME.counted, on how many
// days each unit was counted, both encrypted under that key; and, beside the key, a witness of how
// many days were released. No count of any day is kept.
//
// A step releases the next day, once it is over by the clock (in UTC). Today's noise is drawn and
// durable before the data are read; then who was counted is durable as NAME.counted.next; then the
// answer, which names those counts by their hash, and its witness; then the counts take their
// place; then the answer is shown. Whatever dies in between is done again with the same noise, from
// the counts that the last answer names, and of no day are there two answers. An older state than
// its witness, files that do not fit together, a day out of order, a question that is not the one
// that was registered: refused.
//
// Rows that come late, or go. A day's number is for the rows that are there at its step, of units
// that were counted on fewer than days_per_unit days so far. What becomes of a day's rows after its
// step changes nothing (mechanism/counted_days.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "engine/engine.h"
#include "ledger/ledger.h"
#include "mechanism/counted_days.h"
#include "plan/daily.h"
#include "publish/daily_state.h"

namespace discreet::publish {

/// A day's row of an answer.
struct DailyRow {
  std::string day;
  double count = 0;  ///< that day's
  double count_deviation = 0;
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
  DailyStream(const policy::Policy& policy, ledger::Ledger& ledger, std::filesystem::path folder,
              Clock clock = system_time_ms)
      : policy_(policy), ledger_(ledger), folder_(std::move(folder)), clock_(std::move(clock)) {}

  /// Charges the whole stream and makes its state; what was registered before is left alone.
  /// Returns whether it was new. Fails with: kNotFound (no such question); kRefused when it was
  /// registered otherwise; kBudget; kConflict when it was paid for and its state is gone; kStorage.
  Result<bool> register_question(const std::string& name, const std::string& analyst);

  /// Releases the next day, which `day` must name if it is given.
  /// Fails with: kInvalidInput for a day that is missing, was released before or is not over;
  /// kRefused when the policy's question is not the registered one; kBudget after the last; kCorrupt
  /// for a state that was rolled back or does not fit together; kUnsupported for a newer format;
  /// kEngine, kStorage: also for a clock that is before the end of the last released day.
  Result<DailyRow> step(const std::string& name, const std::optional<std::string>& day,
                        engine::Engine& engine, const engine::OwnerLog& log);

  /// All days so far. Fails with: kNotFound, kRefused, kCorrupt, kUnsupported, kStorage.
  Result<std::vector<DailyRow>> rows(const std::string& name) const;
  Result<DailyState> state(const std::string& name) const;
  Result<plan::CheckedDaily> checked(const std::string& name) const;

 private:
  struct Files;
  Files files_of(const std::string& name) const;
  /// For one at a time.
  Result<OpenFile> locked(const Files& files) const;
  /// Only of a question that is registered.
  Result<void> check_registered(const Files& files, const std::string& name) const;
  /// With the lock. A state of an older format gets the dates that the policy says.
  Result<DailyState> load(const Files& files, const plan::CheckedDaily& checked) const;
  /// What the ledger knows of the charge that a state names.
  struct Paid {
    Hash plan{};
    bool is_answered = false;
  };
  Result<Paid> paid_by(const DailyState& state) const;
  /// That an older state was charged for just this question, as far as the ledger knows it.
  Result<void> check_charge(const DailyState& state, const plan::CheckedDaily& checked) const;
  Result<void> check_day(const DailyState& state, const plan::CheckedDaily& checked,
                         const std::optional<std::string>& day) const;
  Result<void> check_is_over(const DailyState& state, const plan::CheckedDaily& checked) const;
  Result<void> save(const Files& files, const DailyState& state) const;
  Result<void> save_witness(const Files& files, const DailyState& state) const;
  /// The counts that the state names, in their place; an older state's are presumed from rows.
  Result<std::optional<mechanism::CountedDays>> counted(const Files& files, const DailyState& state,
                                                        const plan::CheckedDaily& checked) const;
  /// The counts of the state's next day, beside those that it names. The state names them then.
  Result<void> keep_counted(const Files& files, const mechanism::CountedDays& counted,
                            DailyState& state) const;
  Result<void> finish_registration(const Files& files) const;
  /// Under which units are known from day to day.
  Result<random::Secret> names_of(const DailyState& state) const;
  Result<ledger::OwnerKey> key() const;

  const policy::Policy& policy_;
  ledger::Ledger& ledger_;
  std::filesystem::path folder_;
  Clock clock_;
};

/// Of a stream, one row a released day.
std::vector<DailyRow> daily_rows(const plan::CheckedDaily& checked, const DailyState& state);
DailyComparison compare_daily(const plan::CheckedDaily& checked);

}  // namespace discreet::publish
