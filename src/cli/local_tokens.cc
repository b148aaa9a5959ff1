// SPDX-License-Identifier: Apache-2.0
// discreet local tokens: one for each person who may report.
#include <filesystem>
#include <memory>

#include "cli/arguments.h"
#include "cli/local.h"
#include "cli/output_file.h"
#include "local/tokens.h"

namespace discreet::cli {
namespace {

constexpr const char* kLocalTokensExample =
    "discreet local tokens --survey ward.survey --count 600 > to-hand-out";

struct TokensArguments {
  Text survey, count, list;
};

Result<int> run_tokens(const TokensArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const local::Survey survey, read_survey(arguments.survey, kLocalTokensExample));
  if (!arguments.count) return missing("--count", kLocalTokensExample);
  DISCREET_ASSIGN(const std::uint64_t count,
                  parse_count("count", *arguments.count, local::kTokensMax));
  const std::string list = arguments.list.value_or(*arguments.survey + ".tokens");
  std::error_code ignored;
  if (std::filesystem::exists(list, ignored)) {
    return Error{Code::kConflict, in_quotes(list) +
                                      " is there: its tokens would count no more; remove it, or "
                                      "name another with --list"};
  }
  DISCREET_ASSIGN(const std::vector<local::ReportId> tokens, local::make_tokens(count));
  DISCREET_TRY(write_file(list, local::TokenList::write(survey, tokens)));
  std::string text;
  for (const local::ReportId& token : tokens) text += local::token_text(token) + "\n";
  DISCREET_TRY(write_all(streams.out, text));
  say(streams.err, "note: " + std::to_string(count) + " tokens; the collector needs " +
                       in_quotes(list) + ", which lets nobody report\n");
  return 0;
}

}  // namespace

void add_local_tokens(Program& program, CLI::App& local) {
  const auto arguments = std::make_shared<TokensArguments>();
  CLI::App& app = program.command(
      local, "tokens",
      {.summary = "one-time tokens: a survey that counts a report for each, and no other",
       .explanation =
           "Prints tokens, one a line, to be handed out to one person each (discreet local report\n"
           "--token), and writes their hashes beside the survey, where collectors look for them.\n"
           "A collector that finds the list counts only reports with a token, each once. Whoever\n"
           "hands out tokens can tell whose report is whose; what protects the answer is that it\n"
           "was randomized at home.\n",
       .closing = std::string("Costs nothing.\n\nExample:\n  ") + kLocalTokensExample},
      [arguments](const Streams& streams) { return run_tokens(*arguments, streams); });
  add_text(app, "--survey", arguments->survey, "the survey", "FILE");
  add_text(app, "--count", arguments->count, "how many");
  add_text(app, "--list", arguments->list, "where the collector's list is written (SURVEY.tokens)",
           "FILE");
}

}  // namespace discreet::cli
