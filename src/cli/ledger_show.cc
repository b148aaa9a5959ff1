// SPDX-License-Identifier: Apache-2.0
// discreet ledger show: accounts, and how well they are guarded.
#include <memory>

#include "cli/ledger.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;
using report::Table;

struct LedgerShowArguments {
  LedgerArguments where;
  FormatArguments format;
};

void add_account(Table& table, const ledger::NamespaceState& units, const std::string& who,
                 const ledger::Account& account) {
  const ledger::Price spent = account.spent();
  const ledger::Price left = account.left();
  table.add({Cell::words(units.terms.name), Cell::words(who),
             Cell::words(std::string(amount_name(units.terms.notion))),
             Cell::number(text_of(account.cap().amount)), Cell::number(text_of(spent.amount)),
             Cell::number(text_of(left.amount)), Cell::number(text_of(account.cap().delta)),
             Cell::number(text_of(spent.delta))});
}

std::string window_text(const ledger::LedgerTerms& terms) {
  std::string text = "synced every " + std::to_string(terms.witness_every) + " charge" +
                     (terms.witness_every == 1 ? "" : "s");
  if (terms.witness_ms > 0) text += " or " + std::to_string(terms.witness_ms) + " ms";
  return text + "; a rollback could hide at most " + std::to_string(terms.witness_every - 1);
}

Result<int> run_ledger_show(const LedgerShowArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kLook));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  Table table(
      {"namespace", "account", "notion", "cap", "spent", "left", "delta_cap", "delta_spent"});
  std::string blocks;
  for (const auto& [name, units] : state.namespaces()) {
    add_account(table, units, "all together", units.total);
    for (const auto& [analyst, account] : units.analysts) {
      add_account(table, units, analyst, account);
    }
    for (std::size_t b = 0; b < units.blocks.size(); ++b) {
      blocks += "  " + name + ", " + units.terms.block_attribute + " = " + units.blocks[b] +
                ": spent " + text_of(units.total.spent_on_block(b).amount) + "\n";
    }
  }
  std::string text = table.render(format);
  if (format == report::Format::kTable) {
    if (!blocks.empty()) text += "\nblocks\n" + blocks;
    text +=
        "\nThe totals hold even if all analysts share what they learn. An analyst's own cap\n"
        "bounds what that analyst learns alone: it assumes that analysts do not share.\n";
    text += "\nledger   " + ledger->id() + ", " + std::to_string(state.next()) +
            " records, chain " +
            ledger::to_hex({reinterpret_cast<const char*>(state.hash().data()), 8}) + "\n";
    text +=
        "witness  " + ledger->witness_path().string() + ": " + window_text(ledger->terms()) + "\n";
    if (ledger->witness_fault()) text += "WITNESS  " + ledger->witness_fault()->message + "\n";
  }
  DISCREET_TRY(write_all(streams.out, text));
  return 0;
}

}  // namespace

void add_ledger_show(Program& program, CLI::App& ledger) {
  const auto arguments = std::make_shared<LedgerShowArguments>();
  CLI::App& app = program.command(
      ledger, "show",
      {.summary = "all accounts: caps, what is spent, what is left",
       .explanation = "Amounts are exact multiples of 10^-18. Looking costs nothing and needs no\n"
                      "key: what is spent depends on the questions, never on data.\n",
       .closing = "Example:\n  discreet ledger show\n  discreet ledger show --format csv"},
      [arguments](const Streams& streams) { return run_ledger_show(*arguments, streams); });
  arguments->where.add_to(app);
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
