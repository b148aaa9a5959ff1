// SPDX-License-Identifier: Apache-2.0
// discreet account group: the cost for several people at once.
#include <memory>

#include "accounting/composition.h"
#include "cli/account.h"
#include "cli/account_people.h"
#include "cli/account_question.h"

namespace discreet::cli {
namespace {

constexpr const char* kAccountGroupExample =
    "discreet account group --people 4 --gaussian 100x1000 --delta 1e-6";

struct GroupArguments {
  Text people, rho;
  UsesArguments uses;
  QuestionArguments question;
  FormatArguments format;
};

Result<report::Sheet> group_of_rho(const GroupArguments& arguments, std::uint64_t people) {
  if (arguments.uses.given()) {
    return invalid_input("--rho stands for everything; leave out the mechanisms, or --rho");
  }
  DISCREET_ASSIGN(const Rho rho, Rho::parse(*arguments.rho));
  const accounting::Zcdp all = *accounting::group(accounting::Zcdp{rho.value(), 0}, people);
  report::Sheet sheet;
  add_both(sheet, "rho", all.rho.to_string());
  add_both(sheet, "theorem", "group privacy of zCDP [BS16 Prop. 1.9]", false);
  if (!arguments.question.delta) return sheet;
  DISCREET_ASSIGN(const Delta delta, Delta::parse(*arguments.question.delta));
  if (delta.value().sign() == 0) return invalid_input("rho needs a delta above 0, such as 1e-6");
  const double epsilon = accounting::zcdp_epsilon(all, delta.value());
  sheet.line("epsilon_upper", upper_text(epsilon, kPeopleDigits))
      .field("epsilon_upper", report::Cell::number(upper_text(epsilon, kProgramDigits)));
  add_both(sheet, "delta", delta.to_string());
  return sheet;
}

Result<report::Sheet> group_of_uses(const GroupArguments& arguments, std::uint64_t people) {
  DISCREET_ASSIGN(const auto uses, arguments.uses.parse(kAccountGroupExample));
  DISCREET_ASSIGN(Question question, arguments.question.parse(kAccountGroupExample));
  question.people = people;
  return answer_sheet(uses, question);
}

Result<int> run_group(const GroupArguments& arguments, const Streams& streams) {
  if (!arguments.people) return missing("--people", kAccountGroupExample);
  DISCREET_ASSIGN(const std::uint64_t people, parse_count("people", *arguments.people, kPeopleMax));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(report::Sheet sheet, arguments.rho ? group_of_rho(arguments, people)
                                                     : group_of_uses(arguments, people));
  add_both(sheet, "people", std::to_string(people));
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_group(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<GroupArguments>();
  CLI::App& app = program.command(
      account, "group",
      {.summary = "the cost for several people at once, such as a family",
       .explanation =
           "A guarantee for one person says less about k of them together: epsilon and the\n"
           "Gaussian's mu grow k times, rho grows k^2 times, and delta grows by\n"
           "(e^(k epsilon) - 1)/(e^epsilon - 1). The parameters are those for one person. For\n"
           "mechanisms on samples the rule for (epsilon, delta) is applied to all together.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n"
                  "  discreet account group --people 4 --epsilon 0.5 --delta 0\n"
                  "    epsilon_upper  2\n"
                  "    epsilon_lower  0.4999999\n"
                  "    theorem        basic composition [DRV10]\n"
                  "    delta          0\n"
                  "    uses           1: generic(epsilon=0.5,delta=0) x 1\n"
                  "    people         4\n"
                  "  discreet account group --people 4 --rho 0.1 --delta 1e-6"},
      [arguments](const Streams& streams) { return run_group(*arguments, streams); });
  add_text(app, "--people", arguments->people, "how many");
  add_text(app, "--rho", arguments->rho, "zCDP in place of mechanisms");
  arguments->uses.add_to(app);
  arguments->question.add_to(app);
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
