// SPDX-License-Identifier: Apache-2.0
// A lesson: from a table of the policy to a model that is stored. The life of a question, as in
// session/: checked, charged whole and durably, then the rows, the rounds, the stored answer.
//
// A run that dies after its charge stays charged: the rounds' answers are gone with it. The same
// lesson, asked again, takes that charge over (ledger.md, L11), unless it failed after a round was
// drawn; a lesson in parts goes on from its checkpoint (parts.h). The same lesson under the same
// snapshot label gives the stored bytes, free.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "learn/features.h"
#include "learn/sums.h"
#include "ledger/ledger.h"
#include "plan/training.h"
#include "policy/policy.h"

namespace discreet::learn {

/// Named columns of a table with their declared domains: numbers by range and step, dates in days,
/// listed values and booleans as categories. Fails with: kNotFound (with the nearest name);
/// kRefused for a column that declares neither; kUnsupported for a timestamp.
Result<std::vector<Column>> columns_of(const policy::Policy& policy, const std::string& table,
                                       const std::vector<std::string>& names);

/// The table that is meant when none is named: the only one with units.
Result<std::string> table_of(const policy::Policy& policy, const std::string& named);

/// The rows of these columns as a plan: a category is its place in the list, a value that is not
/// listed the place after the last.
plan::Plan rows_plan(const policy::Policy& policy, const std::string& table,
                     const std::vector<std::string>& names);

struct Lesson {
  std::string table;
  std::vector<std::string> columns;
  std::string text;  ///< everything else that the model depends on, for the ledger's key
  plan::Training training;
  std::string analyst = "owner";
  std::string request_id = {};  ///< empty: one is made up
};

/// What a model says about its price.
struct Certificate {
  std::string units, neighbours, snapshot, epsilon, delta, noise, receipt;
};

struct Taught {
  std::string bytes;  ///< as stored
  bool repeated = false;
};

/// A lesson that was checked, and what the ledger knows it by.
struct CheckedLesson {
  plan::CheckedTraining training;
  ledger::Question question;
  /// `receipt` is the ledger's id of the charge.
  Certificate certificate(const Lesson& lesson, const policy::Policy& policy,
                          std::string receipt) const;
};
Result<CheckedLesson> check_lesson(const policy::Policy& policy, ledger::Ledger& ledger,
                                   const Lesson& lesson);

/// What must be right before a lesson is charged (engine::check_ready), unless nothing is charged.
Result<void> check_before_charge(ledger::Ledger& ledger, engine::Engine& engine,
                                 const CheckedLesson& checked, const engine::OwnerLog& log);
/// The rows that a lesson learns from. One that its time limit stops is not tried again at the old
/// price.
Result<Sensitive<mechanism::UnitRows>> rows_for(const ledger::Paid& paid, ledger::Ledger& ledger,
                                                engine::Engine& engine,
                                                const CheckedLesson& checked,
                                                const engine::OwnerLog& log);

/// Charges, reads the rows, lets `fit` make the bytes, stores them.
/// Fails with: what the checker, the ledger and the engine say; after the charge only the world
/// can fail.
Result<Taught> teach(
    const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine,
    const Lesson& lesson, const engine::OwnerLog& log,
    const std::function<Result<std::string>(Sums& sums, const Certificate& certificate)>& fit);

}  // namespace discreet::learn
