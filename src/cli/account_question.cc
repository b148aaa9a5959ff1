// SPDX-License-Identifier: Apache-2.0
#include "cli/account_question.h"

#include <cmath>

#include "accounting/outward.h"
#include "cli/account_file.h"
#include "cli/account_kinds.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr std::size_t kUsesShown = 3;

std::string bound_text(double bound, int digits, Round direction) {
  if (std::isinf(bound)) return "inf";
  if (bound == 0) return "0";
  return accounting::exactly(bound).to_decimal(digits, direction);
}

}  // namespace

UsesArguments::UsesArguments() : texts(account_kinds().size()) {}

void UsesArguments::add_to(CLI::App& app) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Kind& kind = account_kinds()[i];
    add_texts(app, std::string(kind.option), texts[i], std::string(kind.help),
              std::string(kind.form) + "[xCOUNT]");
  }
  add_texts(app, "--file", files, "a list of uses, .json or .yaml", "FILE");
}

bool UsesArguments::given() const {
  bool any = !files.empty();
  for (const auto& kind : texts) any = any || !kind.empty();
  return any;
}

Result<std::vector<accounting::Use>> UsesArguments::parse(const std::string& example) const {
  if (!given()) {
    return invalid_input("no mechanism is named; for example: " + example);
  }
  std::vector<accounting::Use> uses;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const std::string& text : texts[i]) {
      DISCREET_ASSIGN(accounting::Use use, parse_use(account_kinds()[i], text));
      uses.push_back(std::move(use));
    }
  }
  for (const std::string& path : files) {
    DISCREET_ASSIGN(const auto more, read_uses_file(path));
    uses.insert(uses.end(), more.begin(), more.end());
  }
  DISCREET_TRY(accounting::check(uses));
  return uses;
}

void add_notion(CLI::App& app, Text& notion) {
  add_text(app, "--notion", notion,
           "best (default), gaussian, loss, zcdp, renyi, basic or advanced", "NAME");
}

Result<accounting::Notion> notion_of(const Text& text) {
  return accounting::parse_notion(text.value_or("best"));
}

void QuestionArguments::add_to(CLI::App& app) {
  add_text(app, "--delta", delta, "ask for epsilon at this delta, such as 1e-6");
  add_text(app, "--at-epsilon", at_epsilon, "or ask for delta at this epsilon");
  add_notion(app, notion);
}

Result<Question> QuestionArguments::parse(const std::string& example) const {
  Question question;
  DISCREET_ASSIGN(question.notion, notion_of(notion));
  if (delta && at_epsilon) {
    return invalid_input(
        "--delta asks for epsilon and --at-epsilon asks for delta; give one of them");
  }
  if (at_epsilon) {
    DISCREET_ASSIGN(Rational epsilon, parse_number("at-epsilon", *at_epsilon));
    if (epsilon.sign() < 0 || epsilon > power_of_two(40)) {
      return invalid_input("at-epsilon must be a number from 0 to 2^40; got " +
                           in_quotes(*at_epsilon));
    }
    question.epsilon = std::move(epsilon);
    return question;
  }
  DISCREET_ASSIGN(question.delta, required<Delta>(delta, "--delta", example));
  return question;
}

Result<Neighbours> neighbours_of(const Text& text) {
  if (!text || *text == "add-remove") return Neighbours::kAddRemove;
  if (*text == "replace-one") return Neighbours::kReplaceOne;
  return invalid_input("neighbours must be add-remove or replace-one; got " + in_quotes(*text));
}

std::string upper_text(double upper, int digits) { return bound_text(upper, digits, Round::kUp); }
std::string lower_text(double lower, int digits) { return bound_text(lower, digits, Round::kDown); }

void add_both(report::Sheet& sheet, const std::string& name, const std::string& text,
              bool is_number) {
  sheet.line(name, text).field(name, is_number ? Cell::number(text) : Cell::words(text));
}

void add_bounds(report::Sheet& sheet, const std::string& what, const accounting::Bounds& bounds) {
  sheet.line(what + "_upper", upper_text(bounds.upper, kPeopleDigits))
      .line(what + "_lower", lower_text(bounds.lower, kPeopleDigits))
      .field(what + "_upper", Cell::number(upper_text(bounds.upper, kProgramDigits)))
      .field(what + "_lower", Cell::number(lower_text(bounds.lower, kProgramDigits)));
  add_both(sheet, "theorem", bounds.theorem, false);
}

void add_bounds(report::Sheet& sheet, const Question& question, const accounting::Bounds& bounds) {
  add_bounds(sheet, question.delta ? "epsilon" : "delta", bounds);
  if (question.delta) {
    add_both(sheet, "delta", question.delta->to_string());
  } else {
    add_both(sheet, "epsilon", question.epsilon->to_string());
  }
}

void add_uses(report::Sheet& sheet, const std::vector<accounting::Use>& uses) {
  std::uint64_t total = 0;
  std::string shown;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    total += uses[i].count;
    if (i < kUsesShown) shown += (i == 0 ? "" : ", ") + accounting::to_string(uses[i]);
  }
  if (uses.size() > kUsesShown) {
    shown += " and " + std::to_string(uses.size() - kUsesShown) + " more";
  }
  sheet.line("uses", std::to_string(total) + ": " + shown);
  sheet.field("uses", Cell::number(std::to_string(total)));
}

}  // namespace discreet::cli
