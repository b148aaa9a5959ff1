// SPDX-License-Identifier: Apache-2.0
// discreet local report: one person's answer, paid from that person's own budget.
#include <memory>

#include "cli/local.h"
#include "local/client/bits.h"
#include "local/people.h"
#include "local/survey_text.h"
#include "local/tokens.h"

namespace discreet::cli {
namespace {

constexpr const char* kLocalReportExample =
    "discreet local report --survey smoking.survey --memory ~/.discreet-memory --answer yes";
constexpr std::size_t kAtOnce = 1 << 16;
constexpr std::size_t kReportInputMax = std::size_t{1} << 32;

struct LocalReportArguments {
  Text survey, memory, budget, answer, token;
  bool simulate = false;
  bool json = false;
};

Result<void> write_report(const LocalReportArguments& a, const std::string& batch,
                          const Streams& streams) {
  if (!a.json) return write_all(streams.out, batch);
  std::string_view bytes = batch;
  DISCREET_ASSIGN(const local::BatchFacts facts, local::take_any_batch(bytes));
  return write_all(streams.out, to_json(facts));
}

Result<int> simulate(const LocalReportArguments& a, const local::Survey& survey,
                     const Streams& streams) {
  DISCREET_ASSIGN(const std::string text, read_all(streams.in, kReportInputMax));
  std::vector<local::Answer> answers;
  std::size_t line = 0;
  for (const std::string& answer : lines_of(text)) {
    ++line;
    Result<local::Answer> read = read_answer(survey, answer);
    if (!read.has_value()) {
      return invalid_input("line " + std::to_string(line) + ": " + read.error().message);
    }
    answers.push_back(std::move(*read));
  }
  for (std::size_t at = 0; at < answers.size(); at += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, answers.size() - at);
    DISCREET_ASSIGN(const std::string batch,
                    local::simulate(survey, std::span(answers).subspan(at, count)));
    DISCREET_TRY(write_report(a, batch, streams));
  }
  say(streams.err, "note: " + std::to_string(answers.size()) +
                       " invented people answered once each; nobody's budget was kept\n");
  return 0;
}

Result<int> run_local_report(const LocalReportArguments& a, const Streams& streams) {
  DISCREET_ASSIGN(const local::Survey survey, read_survey(a.survey, kLocalReportExample));
  if (a.simulate) {
    if (a.answer || a.memory) {
      return invalid_input(
          "--simulate reads answers from standard input; leave out --answer and "
          "--memory");
    }
    return simulate(a, survey, streams);
  }
  if (!a.memory) return missing("--memory", kLocalReportExample);
  if (!a.answer) return missing("--answer", kLocalReportExample);
  std::optional<std::uint64_t> budget;
  if (a.budget) {
    DISCREET_ASSIGN(budget, local::parse_budget(*a.budget));
  }
  local::Token token;
  if (a.token) {
    DISCREET_ASSIGN(token, local::parse_token(*a.token));
  }
  DISCREET_ASSIGN(local::Memory memory, local::Memory::open(*a.memory, budget));
  DISCREET_ASSIGN(const local::Answered answered,
                  local::answer_at_home(survey, *a.answer, memory, token));
  DISCREET_TRY(write_report(a, answered.batch, streams));
  say(streams.err,
      answered.again ? "note: this survey was answered before: the same report again, at no cost\n"
                     : "note: it cost epsilon " + local::nats(answered.price) + "; " +
                           local::nats(memory.left()) + " of the lifetime budget is left\n");
  return 0;
}

}  // namespace

void add_local_report(Program& program, CLI::App& local) {
  const auto a = std::make_shared<LocalReportArguments>();
  CLI::App& app = program.command(
      local, "report",
      {.summary = "answer a survey at home, from your own lifetime budget",
       .explanation =
           "Checks the survey (its odds against its epsilon, in integers), takes its price from\n"
           "the lifetime budget in your memory file, randomizes the answer and writes the report\n"
           "to standard output. The memory is on disk before the report leaves. The same survey\n"
           "again gives the same report, for nothing; when the budget is spent it is spent: it\n"
           "does not come back the next day.\n",
       .closing = "Costs the survey's epsilon, once.\n\n"
                  "Example:\n"
                  "  discreet local report --survey s.survey --memory me --lifetime-budget 10 \\\n"
                  "    --answer yes > report"},
      [a](const Streams& streams) { return run_local_report(*a, streams); });
  add_text(app, "--survey", a->survey, "the survey", "FILE");
  add_text(app, "--memory", a->memory, "your memory; made when it is not there", "FILE");
  add_text(app, "--lifetime-budget", a->budget, "needed once, when the memory is made");
  add_text(app, "--answer", a->answer, "the true answer", "TEXT");
  add_text(app, "--token", a->token, "the token that you were given, where the survey has tokens");
  add_flag(app, "--simulate", a->simulate,
           "invented people: answers from standard input, one a line, no budget kept");
  add_flag(app, "--json", a->json, "for people to read");
}

}  // namespace discreet::cli
