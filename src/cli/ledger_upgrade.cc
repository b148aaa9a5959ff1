// SPDX-License-Identifier: Apache-2.0
// discreet ledger upgrade: a ledger of an older format becomes one that this program writes.
#include <memory>

#include "base/version.h"
#include "cli/ledger.h"
#include "ledger/store_place.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

struct UpgradeArguments {
  LedgerArguments where;
  bool check = false;
  FormatArguments format;
};

/// "it would be" or "it was".
std::string outcome_text(const ledger::Upgraded& upgraded, bool check) {
  const std::string to = std::to_string(upgraded.to);
  if (!upgraded.is_needed()) return "nothing to do: the ledger has format " + to;
  const std::string steps = "from format " + std::to_string(upgraded.from) + " to " + to;
  return check ? "would be upgraded " + steps + "; nothing was changed" : "upgraded " + steps;
}

void add_steps(report::Sheet& sheet, const ledger::Upgraded& upgraded, bool check) {
  const ledger::Verified& verified = upgraded.verified;
  sheet.line("history", "whole: " + std::to_string(verified.records) + " records, " +
                            std::to_string(verified.answers) + " answers, " +
                            std::to_string(verified.signatures) + " signatures checked");
  sheet.line("copy", upgraded.copy + (check ? " would hold" : " holds") +
                         " the ledger as it was; to the witness it is an old one");
  sheet.line("record", std::to_string(upgraded.record) + (check ? " would say" : " says") +
                           " so, signed; every balance stays as it is");
}

Result<int> run_upgrade(const UpgradeArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  const ledger::Opened opened = {.path = arguments.where.path(),
                                 .key = arguments.where.key.value_or(""),
                                 .witness = arguments.where.witness.value_or("")};
  report::Progress progress(streams.err, "verifying");
  const auto show = [&](std::uint64_t done) { progress.show(done, 0); };
  DISCREET_ASSIGN(const ledger::Upgraded upgraded, arguments.check
                                                       ? ledger::Ledger::check_upgrade(opened, show)
                                                       : ledger::Ledger::upgrade(opened, show));
  report::Sheet sheet;
  sheet.line("ledger", ledger::shown(opened.path))
      .field("ledger", Cell::words(ledger::shown(opened.path)));
  sheet.line("upgrade", outcome_text(upgraded, arguments.check))
      .field("from", Cell::number(std::to_string(upgraded.from)))
      .field("to", Cell::number(std::to_string(upgraded.to)))
      .field("changed", Cell::words(upgraded.is_needed() && !arguments.check ? "yes" : "no"));
  if (upgraded.is_needed()) {
    add_steps(sheet, upgraded, arguments.check);
    sheet.field("copy", Cell::words(upgraded.copy))
        .field("record", Cell::number(std::to_string(upgraded.record)));
  }
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_ledger_upgrade(Program& program, CLI::App& ledger) {
  const auto arguments = std::make_shared<UpgradeArguments>();
  CLI::App& app = program.command(
      ledger, "upgrade",
      {.summary = "convert a ledger of an older version of discreet",
       .explanation =
           "Checks the whole history, keeps a copy of the ledger as it was, and converts it in\n"
           "one transaction with a signed record. Balances and stored answers stay as they are:\n"
           "what was bought stays bought. Needs the owner's key and a sound witness. If it is\n"
           "interrupted, run it again. Stop older programs first: they cannot use the ledger\n"
           "afterwards.\n",
       .closing = "Example:\n  discreet ledger upgrade --check\n  discreet ledger upgrade"},
      [arguments](const Streams& streams) { return run_upgrade(*arguments, streams); });
  arguments->where.add_to(app);
  add_flag(app, "--check", arguments->check, "check everything and change nothing");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
