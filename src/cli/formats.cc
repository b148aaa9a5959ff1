// SPDX-License-Identifier: Apache-2.0
#include "cli/formats.h"

#include <algorithm>

#include "base/version.h"
#include "cli/arguments.h"
#include "learn/model.h"
#include "ledger/record.h"
#include "ledger/witness.h"
#include "local/client/report.h"
#include "local/client/survey.h"
#include "policy/policy.h"
#include "publish/daily.h"
#include "report/table.h"
#include "session/answer.h"

namespace discreet::cli {
namespace {

using report::Cell;

struct StoredFormat {
  const char* name;
  int version;
  const char* what;
};

constexpr StoredFormat kStoredFormats[] = {
    {"policy", policy::kPolicyFormat, "the file that declares whom to protect"},
    {"ledger", ledger::kLedgerFormat, "a SQLite file or a PostgreSQL schema"},
    {"stored answer", session::kAnswerFormat, "the JSON in a ledger"},
    {"witness", ledger::kWitnessFormat, "the witness file and printed receipts"},
    {"daily state", publish::kDailyFormat, "the folder of a daily question"},
    {"model", learn::kModelFormat, "what learn writes and predict reads"},
    {"report", local::kReportFormat, "what a client of local sends"},
    {"survey", local::kSurveyFormat, "what a client of local is asked"},
};

std::string formats_text(report::Format format) {
  report::Table table({"format", "version", "what"});
  for (const StoredFormat& one : kStoredFormats) {
    table.add(
        {Cell::words(one.name), Cell::number(std::to_string(one.version)), Cell::words(one.what)});
  }
  const bool people = format == report::Format::kTable;
  return (people ? std::string("discreet ") + kVersion + "\n\n" : "") + table.render(format);
}

}  // namespace

bool asks_for_formats(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  const bool is_option = !words.empty() && words.front().starts_with("-");
  return is_option && has("--version") && has("--formats");
}

Result<Action> formats_action(const std::vector<std::string>& words) {
  FormatArguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--version" || word == "--formats") continue;
    if (word == "--json") {
      arguments.json = true;
    } else if (word == "--format" && i + 1 < words.size()) {
      arguments.format = words[++i];
    } else {
      return invalid_input("unexpected word " + in_quotes(word) +
                           " beside --version --formats; only --format FORMAT or --json may "
                           "follow");
    }
  }
  DISCREET_ASSIGN(const report::Format format, arguments.parse());
  return Action([text = formats_text(format)](const Streams& streams) -> Result<int> {
    DISCREET_TRY(write_all(streams.out, text));
    return 0;
  });
}

}  // namespace discreet::cli
