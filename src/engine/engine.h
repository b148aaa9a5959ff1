// SPDX-License-Identifier: Apache-2.0
// An engine reads rows, bounds every unit's contribution and brings back sealed integers. Rows stay
// inside its folder; nothing but Sensitive aggregates leaves it, and its own words go to the
// owner's log, never into an answer or an error.
//
// An engine is trusted (GUARANTEE). Its contract, compared bit for bit with the reference
// interpreter of the tests:
//   E1  Operations are total: on any data run() succeeds, or fails for a reason of the world.
//   E2  The kept rows of a unit are a function of that unit's own rows, the plan and a secret drawn
//       for this run; other units' rows do not matter.
//   E3  Integers only: the same kept rows give the same bits with any number of threads, in any
//       order.
//   E4  One snapshot, read only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "mechanism/groups.h"
#include "mechanism/unit_rows.h"
#include "plan/checker.h"
#include "privacy/sensitive.h"

namespace discreet::engine {

/// What only the owner may see: the engine's own words and how far it has come.
struct OwnerLog {
  std::function<void(const std::string&)> say;
  std::function<void(int percent)> progress;
  /// Called when a limit of time stops a question. The error that follows looks like any other.
  std::function<void()> out_of_time = {};
};

/// A log that remembers whether time ran out: a question that it stopped is not tried again at the
/// old price, since time depends on data (ledger.md, L11).
class TimedLog {
 public:
  explicit TimedLog(const OwnerLog& log) : log_(log) {
    log_.out_of_time = [this] { ran_out_ = true; };
  }
  TimedLog(const TimedLog&) = delete;
  TimedLog& operator=(const TimedLog&) = delete;
  const OwnerLog& log() const { return log_; }
  bool ran_out() const { return ran_out_; }

 private:
  OwnerLog log_;
  std::atomic<bool> ran_out_{false};
};

class Engine;

/// What must be right before a question is charged: its tables can be reached, and the random
/// source is healthy. A function of the world, never of a row.
/// Fails with: kEngine, with one text for whatever is wrong with the data's place; kNoEntropy;
/// kInterrupted.
Result<void> check_ready(Engine& engine, const plan::Checked& checked, const OwnerLog& log);

/// What every question says that was stopped (Engine::interrupt).
Error interrupted();

class Engine {
 public:
  virtual ~Engine() = default;

  /// Before anything is charged: whether this question can be run, as far as that can be told
  /// without running it. Fails with: kEngine, kUnsupported, kInvalidInput, kInterrupted; it depends
  /// on the tables and columns that the question names, and not on which rows it picks.
  virtual Result<void> ready(const plan::Checked& checked, const OwnerLog& log);

  /// Fails with: kEngine, kInterrupted; the text is the same for all data.
  virtual Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                                   const OwnerLog& log) = 0;

  /// The kept rows of a question that learns or tabulates: for each measurement its argument in
  /// steps above the low end of its range, kNoValue where there is none. Fails with: kUnsupported
  /// on engines that cannot; kEngine, kInterrupted.
  Result<Sensitive<mechanism::UnitRows>> rows(const plan::CheckedRows& question,
                                              const OwnerLog& log) {
    return read_rows(question, nullptr, log);
  }
  /// The same, with the units' hashes under `names`, which takes the place of the run's own secret:
  /// so a unit is known again in another run.
  Result<Sensitive<mechanism::UnitRows>> named_rows(const plan::CheckedRows& question,
                                                    const random::Secret& names,
                                                    const OwnerLog& log) {
    return read_rows(question, &names, log);
  }
  static constexpr std::int64_t kNoValue = std::numeric_limits<std::int64_t>::min();

  /// The text that run() would send, for `explain`. A function of the plan, the policy and the
  /// sources' schemas.
  virtual std::string explain(const plan::Checked& checked) const = 0;

  /// Makes a run() that is under way fail with kInterrupted, soon. From any thread.
  virtual void interrupt() = 0;

  /// The different values of a public table's column, for keys that are listed there, sorted.
  /// Fails with: kRefused for a table that is not public; kInvalidInput for an unknown column or
  /// more than `most` values; kEngine.
  virtual Result<std::vector<std::string>> public_values(const policy::Policy& policy,
                                                         const std::string& table,
                                                         const std::string& column,
                                                         std::size_t most, const OwnerLog& log) = 0;

  /// The most rows of a public table with the same values in all of these columns, none NULL;
  /// without columns: all its rows. How much a join with it multiplies (plan/joined_rows.h).
  /// Fails with: kRefused for a table that is not public; kInvalidInput for an unknown column;
  /// kEngine, kInterrupted.
  virtual Result<std::int64_t> multiplicity(const policy::Policy& policy, const std::string& table,
                                            const std::vector<std::string>& columns,
                                            const OwnerLog& log) = 0;

  /// For the owner alone: keys that the policy's paths lead to ("visits.id") and that hold a value
  /// twice. They are declared unique, and joins along them rest on it (plan/identity.h). Not for
  /// questions: what it says depends on rows.
  /// Fails with: kUnsupported on engines that cannot; kEngine, kInterrupted.
  virtual Result<std::vector<std::string>> repeated_keys(const policy::Policy& policy,
                                                         const OwnerLog& log);

 protected:
  /// rows() without `names`.
  virtual Result<Sensitive<mechanism::UnitRows>> read_rows(const plan::CheckedRows& question,
                                                           const random::Secret* names,
                                                           const OwnerLog& log);
  /// What public_values() refuses, in the same words on every engine.
  static Result<void> check_public(const policy::Policy& policy, const std::string& table);
  static Result<void> check_listed(std::size_t count, const std::string& table,
                                   const std::string& column, std::size_t most);
};

}  // namespace discreet::engine
