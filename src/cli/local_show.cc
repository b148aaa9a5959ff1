// SPDX-License-Identifier: Apache-2.0
// discreet local show: surveys, reports and memories as JSON.
#include <fcntl.h>

#include <memory>

#include "cli/local.h"
#include "local/client/memory.h"
#include "local/survey_text.h"

namespace discreet::cli {
namespace {

struct LocalShowArguments {
  Text file;
};

Result<int> run_local_show(const LocalShowArguments& a, const Streams& streams) {
  if (!a.file) return missing("FILE", "discreet local show smoking.survey");
  DISCREET_ASSIGN(const std::string bytes, read_whole_file(*a.file));
  std::string text;
  if (bytes.starts_with("DLS")) {
    DISCREET_ASSIGN(const local::Survey survey, local::parse_survey(bytes));
    text = to_json(survey);
  } else if (bytes.starts_with("DLR")) {
    for (std::string_view rest = bytes; !rest.empty();) {
      DISCREET_ASSIGN(const local::BatchFacts facts, local::take_any_batch(rest));
      text += to_json(facts);
    }
  } else if (bytes.starts_with("DLC")) {
    DISCREET_ASSIGN(const local::Ledger ledger, local::parse_ledger(bytes));
    text = "{\n  \"lifetime_budget\": " + local::nats(ledger.budget) +
           ",\n  \"spent\": " + local::nats(ledger.spent) +
           ",\n  \"left\": " + local::nats(ledger.budget - ledger.spent) +
           ",\n  \"surveys_answered\": " + std::to_string(ledger.surveys.size()) + "\n}\n";
  } else {
    return invalid_input("the file " + in_quotes(*a.file) +
                         " is no survey (DLS), no reports (DLR) and no memory (DLC)");
  }
  DISCREET_TRY(write_all(streams.out, text));
  return 0;
}

}  // namespace

void add_local_show(Program& program, CLI::App& local) {
  const auto a = std::make_shared<LocalShowArguments>();
  CLI::App& app = program.command(
      local, "show",
      {.summary = "show a survey, reports or a memory as JSON",
       .explanation = "What a file says about itself: a survey's mechanism and parameters, each\n"
                      "report's id and output, or what is left of a lifetime budget.\n",
       .closing = "Costs nothing.\n\n"
                  "Example:\n"
                  "  discreet local show smoking.survey"},
      [a](const Streams& streams) { return run_local_show(*a, streams); });
  add_text(app, "FILE", a->file, "the file", "");
}

}  // namespace discreet::cli
