// SPDX-License-Identifier: Apache-2.0
// discreet account shuffle: reports whose senders are forgotten.
#include <memory>

#include "accounting/shuffle.h"
#include "cli/account.h"
#include "cli/account_question.h"

namespace discreet::cli {
namespace {

constexpr const char* kAccountShuffleExample =
    "discreet account shuffle --epsilon0 1 --n 100000 --delta 1e-6";

struct ShuffleArguments {
  Text epsilon0, people, delta, at_epsilon, mechanism;
  FormatArguments format;
};

Result<bool> is_response(const Text& mechanism) {
  if (!mechanism || *mechanism == "any") return false;
  if (*mechanism == "randomized-response") return true;
  return invalid_input("mechanism must be any or randomized-response; got " +
                       in_quotes(*mechanism));
}

Result<int> run_shuffle(const ShuffleArguments& arguments, const Streams& streams) {
  if (!arguments.people) return missing("--n", kAccountShuffleExample);
  if (!arguments.epsilon0) return missing("--epsilon0", kAccountShuffleExample);
  const auto parsed = Epsilon::parse(*arguments.epsilon0);
  if (!parsed) return invalid_input("--epsilon0: " + parsed.error().message);
  const Epsilon& epsilon0 = *parsed;
  DISCREET_ASSIGN(const std::uint64_t people, parse_count("n", *arguments.people, 1'000'000'000));
  const accounting::Shuffle shuffle{people, epsilon0.value()};
  DISCREET_TRY(accounting::check(shuffle));
  DISCREET_ASSIGN(const bool response, is_response(arguments.mechanism));
  DISCREET_ASSIGN(
      const Question question,
      QuestionArguments({arguments.delta, arguments.at_epsilon, {}}).parse(kAccountShuffleExample));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  report::Sheet sheet;
  if (question.delta) {
    const Rational& delta = question.delta->value();
    if (delta.sign() == 0) {
      return invalid_input("delta must be above 0: at delta 0 shuffling does not help");
    }
    add_bounds(sheet, "epsilon",
               response ? accounting::shuffled_response_epsilon(shuffle, delta)
                        : accounting::shuffled_epsilon(shuffle, delta));
    const std::string closed =
        upper_text(accounting::shuffled_epsilon_closed(shuffle, delta), kPeopleDigits);
    add_both(sheet, "closed_form", closed);
    add_both(sheet, "delta", question.delta->to_string());
  } else {
    add_bounds(sheet, "delta",
               response ? accounting::shuffled_response_delta(shuffle, *question.epsilon)
                        : accounting::shuffled_delta(shuffle, *question.epsilon));
    add_both(sheet, "epsilon", question.epsilon->to_string());
  }
  add_both(sheet, "epsilon0", epsilon0.to_string());
  add_both(sheet, "n", std::to_string(people));
  add_both(sheet, "neighbours", to_string(Neighbours::kReplaceOne), false);
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_shuffle(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  CLI::App& app = program.command(
      account, "shuffle",
      {.summary = "how much privacy grows when reports are shuffled",
       .explanation =
           "n people randomize at home, each epsilon0-DP, and a shuffler forgets who sent what.\n"
           "The more people, the better each one hides among the others' reports. The bound is\n"
           "that of Feldman, McMillan and Talwar 2021, computed and not read off the formula,\n"
           "which is shown too (closed_form). The lower bound says that no better guarantee\n"
           "follows from this theorem; for randomized response it is about the mechanism itself.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n"
                  "  discreet account shuffle --epsilon0 1 --n 100000 --delta 1e-6"},
      [arguments](const Streams& streams) { return run_shuffle(*arguments, streams); });
  add_text(app, "--epsilon0", arguments->epsilon0, "of each person's report");
  add_text(app, "--n,--people", arguments->people, "how many people report");
  add_text(app, "--delta", arguments->delta, "ask for epsilon at this delta, such as 1e-6");
  add_text(app, "--at-epsilon", arguments->at_epsilon, "or ask for delta at this epsilon");
  add_text(app, "--mechanism", arguments->mechanism, "any (default) or randomized-response",
           "NAME");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
