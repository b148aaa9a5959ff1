// SPDX-License-Identifier: Apache-2.0
// The checker: recomputes from a proposed plan and the policy alone what the plan may reach, how
// far one unit can move every measurement, which noise that needs and what it costs. Only it makes
// a Checked, and only a Checked can be charged and run. A front end that lies, or is wrong, gets a
// refusal or a correctly priced answer, never a cheaper one.
//
// Theorem (checker.md). Let D, D' be neighbours under the namespace's relation. For a Checked with
// measurements m_1 .. m_k the engine's kept rows give vectors x_i(D), x_i(D') over the public keys
// within the sensitivity of mechanism i, so that releasing all of them costs the sum of the lines.
//
//   engine: E2  the kept rows of a unit are a function of that unit's own rows, the plan and
//               randomness that is independent of the data
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/joined_rows.h"
#include "plan/keys.h"
#include "plan/members.h"
#include "plan/noise.h"
#include "plan/pair_join.h"
#include "plan/plan.h"
#include "plan/shape.h"
#include "policy/policy.h"
#include "privacy/receipt.h"

namespace discreet::plan {

/// A step whose numbers are released together with the keys that are shown.
struct Threshold {
  std::size_t step;
  mechanism::ThresholdedGroups noise;  ///< that of the step, and a threshold
};

class Checked {
 public:
  /// What the engine runs: the question with its bounds filled in and, where units have blocks, a
  /// filter on their declared values.
  const Plan& plan() const { return plan_; }
  const policy::Policy& policy() const { return *policy_; }
  /// Its lines are in this order: the selection or the threshold, if there is one; the steps, but
  /// for the one that the threshold releases; the counts of those that have some.
  const Charge& charge() const { return charge_; }
  /// Which of the lines pays for a step.
  std::size_t line_of_step(std::size_t step) const;
  /// And for its counts. Requires: it has some.
  std::size_t line_of_counts(std::size_t step) const;
  /// The table of the source whose rows tell the unit, and the unit column's name: in that table,
  /// or, if its UnitPath has steps, in the last table of the path; kUnitField in a subquery. No
  /// column when a row is a unit.
  std::size_t unit_table() const { return unit_table_; }
  const std::string& unit_column() const { return unit_column_; }
  /// Rows have two owners: both sides are limited before they are joined, and nothing after.
  const std::optional<PairStability>& pair() const { return pair_; }
  /// Units are within larger ones, of each of which so many count.
  const std::optional<Members>& members() const { return members_; }
  /// How many joined rows a unit can cause, and what is cut so that it cannot cause more.
  const JoinedRows& joined_rows() const { return joined_rows_; }
  const std::vector<Shape>& key_shapes() const { return key_shapes_; }
  const ListedKeys& listed() const { return listed_; }
  /// Keys that are not listed are found by one of these two: by themselves, or with a step.
  const std::optional<mechanism::KeySelection>& selection() const { return selection_; }
  const std::optional<Threshold>& threshold() const { return threshold_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  friend class Checker;
  explicit Checked(Charge charge) : charge_(std::move(charge)) {}
  Plan plan_;
  const policy::Policy* policy_ = nullptr;
  Charge charge_;
  std::size_t unit_table_ = 0;
  std::string unit_column_;
  std::optional<PairStability> pair_;
  std::optional<Members> members_;
  JoinedRows joined_rows_;
  std::vector<Shape> key_shapes_;
  ListedKeys listed_;
  std::optional<mechanism::KeySelection> selection_;
  std::optional<Threshold> threshold_;
  std::vector<Step> steps_;
};

/// A question whose answer is kept rows, for a mechanism that sums them (Engine::rows): its
/// measurements are the columns, in order, and its charge is that mechanism's.
struct CheckedRows {
  Checked rows;
};

struct Training;
struct CheckedTraining;
struct Tabulation;
struct CheckedTabulation;
struct CheckedDaily;

class Checker {
 public:
  /// `policy` must outlive the result. `facts`: about public tables; without them the number of
  /// joined rows is not known (check_joined_rows() is the caller's to ask).
  /// Fails with: kRefused (undeclared, not allowed), kUnsupported, kInvalidInput; the text depends
  /// on the plan and the policy only; what `facts` says.
  static Result<Checked> check(Plan plan, const policy::Policy& policy, std::string request_id,
                               const Multiplicity& facts = {});

  /// The same for a question that learns (plan/training.h): sums of columns as measurements, no
  /// keys. The charge is the series'.
  static Result<CheckedTraining> check_training(Plan plan, const Training& training,
                                                const policy::Policy& policy,
                                                std::string request_id);

  /// The same for many tables that are measured together (plan/tabulation.h).
  static Result<CheckedTabulation> check_tabulation(Plan plan, Tabulation tabulation,
                                                    const policy::Policy& policy,
                                                    std::string request_id);

  /// The same for a count that is released every day (plan/daily.h): the charge is the whole
  /// stream's.
  static Result<CheckedDaily> check_daily(const policy::Daily& daily, const policy::Policy& policy,
                                          std::string request_id);
};

}  // namespace discreet::plan
