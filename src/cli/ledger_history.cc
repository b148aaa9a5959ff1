// SPDX-License-Identifier: Apache-2.0
// discreet ledger history: every record, in order.
#include <algorithm>
#include <memory>

#include "cli/ledger.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

struct HistoryArguments {
  LedgerArguments where;
  Text last;
  FormatArguments format;
};

/// Long texts are for --format json.
std::string shortened(std::string text, bool people) {
  constexpr std::size_t kMost = 72;
  std::replace(text.begin(), text.end(), '\n', ';');
  if (!people || text.size() <= kMost) return text;
  return text.substr(0, kMost - 3) + "...";
}

Result<int> run_history(const HistoryArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  std::uint64_t last = 0;
  if (arguments.last) {
    DISCREET_ASSIGN(last, parse_count("last", *arguments.last, std::uint64_t{1} << 62));
  }
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kLook));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  const ledger::Sequence first = last > 0 && last < state.next() ? state.next() - last : 0;
  const bool people = format == report::Format::kTable;
  report::Table table({"record", "time", "kind", "namespace", "analyst", "amount", "delta",
                       "request", "about", "detail"});
  DISCREET_TRY(ledger->history([&](const ledger::Record& record) -> Result<void> {
    if (record.sequence < first) return {};
    const bool refers = record.kind == ledger::Kind::kAnswer || record.kind == ledger::Kind::kShare;
    table.add({Cell::number(std::to_string(record.sequence)),
               Cell::words(time_text(record.time_ms)),
               Cell::words(std::string(to_string(record.kind))), Cell::words(record.units),
               Cell::words(record.analyst), Cell::number(record.price.amount.to_string()),
               Cell::number(record.price.delta.to_string()), Cell::words(record.request_id),
               Cell::words(refers ? std::to_string(record.about) : ""),
               Cell::words(shortened(record.detail, people))});
    return {};
  }));
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  return 0;
}

}  // namespace

void add_ledger_history(Program& program, CLI::App& ledger) {
  const auto arguments = std::make_shared<HistoryArguments>();
  CLI::App& app = program.command(
      ledger, "history",
      {.summary = "every record: who was charged what, when, for what",
       .explanation = "Records are never changed or removed. Times are UTC and have no power over\n"
                      "budgets.\n",
       .closing = "Example:\n  discreet ledger history --last 20\n"
                  "  discreet ledger history --format json"},
      [arguments](const Streams& streams) { return run_history(*arguments, streams); });
  arguments->where.add_to(app);
  add_text(app, "--last", arguments->last, "only so many, the newest");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
