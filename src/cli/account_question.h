// SPDX-License-Identifier: Apache-2.0
// What the commands of `discreet account` share: which uses, which question about them, and how the
// answer is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accounting/account.h"
#include "cli/arguments.h"
#include "privacy/cost.h"
#include "report/table.h"

namespace discreet::cli {

/// The options that name mechanisms, and --file. Each may be repeated.
struct UsesArguments {
  std::vector<std::vector<std::string>> texts;  ///< for each kind, in the order of account_kinds()
  std::vector<std::string> files;

  UsesArguments();
  void add_to(CLI::App& app);
  bool given() const;
  /// Fails with: kInvalidInput; kNotFound for a file.
  Result<std::vector<accounting::Use>> parse(const std::string& example) const;
};

/// Epsilon at a delta, or delta at an epsilon; by which notion; for how many people.
struct Question {
  std::optional<Delta> delta;
  std::optional<Rational> epsilon;
  accounting::Notion notion = accounting::Notion::kBest;
  std::uint64_t people = 1;
};

/// --delta, --at-epsilon, --notion.
struct QuestionArguments {
  Text delta, at_epsilon, notion;

  void add_to(CLI::App& app);
  /// Fails with: kInvalidInput, also unless exactly one of delta and epsilon is given.
  Result<Question> parse(const std::string& example) const;
};

Result<accounting::Notion> notion_of(const Text& text);
void add_notion(CLI::App& app, Text& notion);

/// --neighbours: a replaced person is two people, one removed and one added.
Result<Neighbours> neighbours_of(const Text& text);

/// "1.367572": rounded away from the truth, so that what is shown is still a bound; "inf".
std::string upper_text(double upper, int digits);
std::string lower_text(double lower, int digits);
inline constexpr int kPeopleDigits = 7;    // in tables
inline constexpr int kProgramDigits = 12;  // in csv, json and markdown

/// epsilon_upper and epsilon_lower (or delta_..., as `what` says), with the theorem.
void add_bounds(report::Sheet& sheet, const std::string& what, const accounting::Bounds& bounds);

/// The same with what was asked for.
void add_bounds(report::Sheet& sheet, const Question& question, const accounting::Bounds& bounds);

/// How many uses, and which.
void add_uses(report::Sheet& sheet, const std::vector<accounting::Use>& uses);

/// A line for people and a field for programs.
void add_both(report::Sheet& sheet, const std::string& name, const std::string& text,
              bool is_number = true);

}  // namespace discreet::cli
