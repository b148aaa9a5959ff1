// SPDX-License-Identifier: Apache-2.0
// Two clinics that differ in one unit, and all that an analyst can see of a question but the noised
// numbers: it must be the same in both; and the noised numbers, on the same tape, differ by no more
// than was charged for (replay_for_tests.h).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "session/clinic_for_tests.h"
#include "session/replay_for_tests.h"

namespace discreet::session {

/// Everything about a record but when, by whom and with which noise it was written.
inline std::string seen_of(const ledger::Record& r) {
  std::string out(to_string(r.kind));
  const Hash& plan = r.plan;
  for (const std::string& part :
       {r.units, r.analyst, r.blocks, r.price.amount.to_string(), r.price.delta.to_string(),
        r.request_id, r.question, r.snapshot, std::string(plan.begin(), plan.end()),
        std::to_string(r.about), r.kind == ledger::Kind::kCreated ? "" : r.detail}) {
    out += "|" + std::to_string(part.size()) + ":" + part;
  }
  return out;
}

/// What is seen of an answer, but for its numbers. Which keys are found privately is noise too.
inline std::string seen_of(const Answered& answered, bool keys_are_found) {
  const AnswerSheet& sheet = answered.sheet;
  std::string out = answered.repeated ? "repeated\n" : "answered\n";
  for (const AnswerColumn& column : sheet.columns) {
    out += column.name + (column.is_key ? " key" : "") + (column.has_interval ? " +-" : "") + "\n";
  }
  for (const std::string& text :
       {answered.question, answered.analyst, std::to_string(answered.charge), sheet.units,
        sheet.neighbours, sheet.snapshot, sheet.confidence, sheet.epsilon, sheet.delta,
        sheet.notion}) {
    out += text + "\n";
  }
  for (const std::string& line : sheet.noise) out += line + "\n";
  for (const std::string& note : sheet.notes) {
    if (note != kNoteOfNoRows) out += note + "\n";  // which follows from the numbers
  }
  if (keys_are_found) return out;
  out += std::to_string(sheet.rows.size()) + " rows\n";
  for (const auto& row : sheet.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (sheet.columns[c].is_key) out += row[c].value.value_or("NULL") + "\n";
    }
  }
  return out;
}

inline std::string seen_of(const Explanation& e) {
  std::string out = e.units + e.neighbours + e.bounds + e.keys + e.price + e.left +
                    (e.repeat ? "r" : "-") + (e.fits ? "f" : "-") + e.sent;
  for (const ExplainedStep& step : e.steps) {
    out += step.measurement + step.noise + step.price + step.error;
  }
  for (const std::string& note : e.notes) out += note;
  return out;
}

/// Bob's visit, with one column set to something else: a row that breaks a naive engine.
inline std::string bobs_visit(const std::string& replaced) {
  return "INSERT INTO visits SELECT * REPLACE (9999 AS id, 1000 AS patient_id, 'Bob' AS name" +
         (replaced.empty() ? "" : ", " + replaced) + ") FROM visits WHERE id = 0";
}

class TwoClinics {
 public:
  /// `bob` adds one unit, and nothing else.
  explicit TwoClinics(const std::vector<std::string>& bob = {bobs_visit("")},
                      const std::string& bobs_line = {})
      : without(), with(bob, bobs_line) {}

  /// Asks both. What is seen must be the same; returns the error's code, or none when answered.
  std::optional<Code> ask(const std::string& sql, const char* epsilon = "1") {
    const std::string id = "request " + std::to_string(++asked_);
    const auto explained = without.session().explain(request(sql, epsilon, id));
    const auto explained_too = with.session().explain(request(sql, epsilon, id));
    EXPECT_EQ(explained.has_value(), explained_too.has_value()) << sql;
    if (explained && explained_too) {
      EXPECT_EQ(seen_of(*explained), seen_of(*explained_too)) << sql;
    }
    const std::size_t before = without.history().size();
    const auto a = without.ask(request(sql, epsilon, id));
    const auto b = with.ask(request(sql, epsilon, id));
    EXPECT_EQ(a.has_value(), b.has_value()) << sql;
    if (a.has_value() != b.has_value()) return Code::kBug;
    expect_same_history(sql);
    if (!a) {
      EXPECT_EQ(a.error().code, b.error().code) << sql;
      EXPECT_EQ(a.error().message, b.error().message) << sql;
      EXPECT_FALSE(explained.has_value() && a.error().code != Code::kBudget) << sql;
      EXPECT_EQ(without.history().size(), before) << sql;  // nothing was charged
      return a.error().code;
    }
    expect_same_tape(without, with, request(sql, epsilon, id));
    const bool found = explained && explained->keys.starts_with("found");
    EXPECT_EQ(seen_of(*a, found), seen_of(*b, found)) << sql;
    return std::nullopt;
  }

  void answered(const std::string& sql, const char* epsilon = "1") {
    EXPECT_EQ(ask(sql, epsilon), std::nullopt) << sql;
  }
  /// Refused before the data is touched: by the words alone.
  void refused(const std::string& sql) {
    const std::optional<Code> code = ask(sql);
    EXPECT_TRUE(code == Code::kInvalidInput || code == Code::kUnsupported ||
                code == Code::kRefused || code == Code::kNotFound)
        << sql << (code ? " was refused for another reason" : " was answered");
  }
  /// Bob moves what is measured by `most` at most: asked so loudly that there is no noise.
  void moved_by(const std::string& sql, double most) {
    answered(sql, kLoud);
    // The same question again is the stored answer.
    const double moved = with.measured(sql) - without.measured(sql);
    EXPECT_LE(std::abs(moved), most) << sql;
  }
  void expect_same_history(const std::string& sql) {
    const auto a = without.history();
    const auto b = with.history();
    ASSERT_EQ(a.size(), b.size()) << sql;
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(seen_of(a[i]), seen_of(b[i])) << sql;
  }

  Clinic without;
  Clinic with;

 private:
  int asked_ = 0;
};

}  // namespace discreet::session
