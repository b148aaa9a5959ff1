// SPDX-License-Identifier: Apache-2.0
// discreet account compose: the cost of a list of uses.
#include <memory>

#include "cli/account.h"
#include "cli/account_people.h"
#include "cli/account_question.h"

namespace discreet::cli {
namespace {

constexpr const char* kAccountComposeExample =
    "discreet account compose --gaussian 100x1000 --laplace-epsilon 0.01x500 --delta 1e-6";

struct ComposeArguments {
  UsesArguments uses;
  QuestionArguments question;
  Text neighbours;
  FormatArguments format;
};

Result<int> run_compose(const ComposeArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto uses, arguments.uses.parse(kAccountComposeExample));
  DISCREET_ASSIGN(Question question, arguments.question.parse(kAccountComposeExample));
  DISCREET_ASSIGN(const Neighbours neighbours, neighbours_of(arguments.neighbours));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  question.people = neighbours == Neighbours::kReplaceOne ? 2 : 1;
  DISCREET_ASSIGN(report::Sheet sheet, answer_sheet(uses, question));
  add_both(sheet, "neighbours", to_string(neighbours), false);
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_compose(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<ComposeArguments>();
  CLI::App& app = program.command(
      account, "compose",
      {.summary = "the cost of a list of mechanisms, each used so many times",
       .explanation =
           "Name mechanisms by what their privacy depends on, with xCOUNT for repeated use; each\n"
           "option may be given again. The mechanisms may be chosen adaptively, but the list must\n"
           "be fixed in advance: for prices that depend on answers use a budget. A file holds\n"
           "the same list, in JSON or YAML:\n"
           "  [{\"mechanism\": \"gaussian\", \"noise_multiplier\": 100, \"count\": 1000},\n"
           "   {\"mechanism\": \"laplace\", \"epsilon\": 0.01}]\n"
           "Its names are those of the options, its fields noise_multiplier, epsilon, delta,\n"
           "sampling_probability, sensitivity and count; laplace stands for --laplace-epsilon,\n"
           "pure for --epsilon.\n"
           "The parameters are meant for one person added or removed. With --neighbours\n"
           "replace-one the cost for one person replaced is shown: that is one removed and one\n"
           "added, two people.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n"
                  "  discreet account compose --gaussian 100x1000 --delta 1e-6\n"
                  "    epsilon_upper  1.367572\n"
                  "    epsilon_lower  1.367571\n"
                  "    theorem        Gaussian DP, exact [BW18, DRS22]\n"
                  "    delta          0.000001\n"
                  "    uses           1000: gaussian(sigma=100) x 1000\n"
                  "    neighbours     add or remove one\n"
                  "  discreet account compose --laplace-epsilon 0.01x500 --gaussian 100x500 \\\n"
                  "    --delta 1e-6 --json\n"
                  "  discreet account compose --file uses.yaml --at-epsilon 1"},
      [arguments](const Streams& streams) { return run_compose(*arguments, streams); });
  arguments->uses.add_to(app);
  arguments->question.add_to(app);
  add_text(app, "--neighbours", arguments->neighbours, "add-remove (default) or replace-one",
           "NAME");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
