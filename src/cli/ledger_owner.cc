// SPDX-License-Identifier: Apache-2.0
// discreet ledger analyst, block, top-up, recover, clock: records that only the owner writes.
#include <functional>
#include <memory>
#include <utility>

#include "cli/ledger.h"
#include "session/ledger_terms.h"

namespace discreet::cli {
namespace {

struct OwnerArguments {
  LedgerArguments where;
  Text units, analyst, value, reason;
  CapArguments cap;
};

Result<std::string> reason_of(const OwnerArguments& arguments, const char* example) {
  if (!arguments.reason || arguments.reason->empty()) return missing("--reason", example);
  return *arguments.reason;
}

/// --epsilon or --rho, with --delta, in the namespace's notion.
Result<accounting::Price> price_of(const CapArguments& cap, const ledger::NamespaceTerms& terms,
                                   const char* example) {
  if (cap.epsilon && cap.rho) return invalid_input("give --epsilon or --rho, not both");
  if (!cap.epsilon && !cap.rho) return missing("--epsilon", example);
  const bool is_rho = cap.rho.has_value();
  DISCREET_ASSIGN(const Rational amount,
                  parse_number(is_rho ? "rho" : "epsilon", is_rho ? *cap.rho : *cap.epsilon));
  DISCREET_ASSIGN(const Rational delta, parse_number("delta", cap.delta.value_or("0")));
  return session::cap_of(terms.notion, amount, is_rho, delta, terms.conversion_delta.value());
}

constexpr const char* kAnalystExample = "discreet ledger analyst --analyst bob --epsilon 1";
constexpr const char* kBlockExample = "discreet ledger block --value 2027";
constexpr const char* kTopUpExample =
    "discreet ledger top-up --epsilon 1 --reason 'board decision of 3 May'";
constexpr const char* kRecoverExample =
    "discreet ledger recover --reason 'disk lost; restored the copy of Monday'";
constexpr const char* kClockExample = "discreet ledger clock --reason 'battery of the clock died'";

Result<std::string> run_analyst(const OwnerArguments& arguments) {
  if (!arguments.analyst) return missing("--analyst", kAnalystExample);
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kUse));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  DISCREET_ASSIGN(const std::string units, namespace_of(state, arguments.units));
  const ledger::NamespaceTerms& terms = state.namespaces().at(units).terms;
  DISCREET_ASSIGN(const accounting::Price cap, price_of(arguments.cap, terms, kAnalystExample));
  DISCREET_TRY(ledger->add_analyst(units, {*arguments.analyst, cap}));
  return "analyst " + *arguments.analyst + " of " + units + ", cap " + to_text(terms.notion, cap) +
         "\n";
}

Result<std::string> run_block(const OwnerArguments& arguments) {
  if (!arguments.value) return missing("--value", kBlockExample);
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kUse));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  DISCREET_ASSIGN(const std::string units, namespace_of(state, arguments.units));
  DISCREET_TRY(ledger->add_block(units, *arguments.value));
  return "block " + state.namespaces().at(units).terms.block_attribute + " = " + *arguments.value +
         " of " + units + "\n";
}

Result<std::string> run_top_up(const OwnerArguments& arguments) {
  DISCREET_ASSIGN(const std::string reason, reason_of(arguments, kTopUpExample));
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kUse));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  DISCREET_ASSIGN(const std::string units, namespace_of(state, arguments.units));
  const ledger::NamespaceTerms& terms = state.namespaces().at(units).terms;
  DISCREET_ASSIGN(const accounting::Price more, price_of(arguments.cap, terms, kTopUpExample));
  DISCREET_TRY(ledger->top_up(units, arguments.analyst, more, reason));
  return "the cap of " + arguments.analyst.value_or("all together") + " in " + units +
         " is raised by " + to_text(terms.notion, more) +
         ": signed, permanent and visible in the history\n";
}

Result<std::string> run_recover(const OwnerArguments& arguments) {
  DISCREET_ASSIGN(const std::string reason, reason_of(arguments, kRecoverExample));
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kRepair));
  DISCREET_TRY(ledger->recover(reason));
  return std::string(
      "the ledger is open again; everything counts as spent, because nobody knows what the lost\n"
      "records charged. A top-up gives budget back, signed and visible.\n");
}

Result<std::string> run_clock(const OwnerArguments& arguments) {
  DISCREET_ASSIGN(const std::string reason, reason_of(arguments, kClockExample));
  // Also in an older format: an upgrade needs a clock that is accepted.
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kRepair));
  DISCREET_TRY(ledger->accept_clock(reason));
  return std::string("the clock is accepted; budgets never depend on it\n");
}

using OwnerRun = Result<std::string> (*)(const OwnerArguments&);

CLI::App& add_owner_command(Program& program, CLI::App& ledger, const std::string& name,
                            const Lesson& lesson, OwnerRun run,
                            const std::shared_ptr<OwnerArguments>& arguments) {
  CLI::App& app = program.command(ledger, name, lesson,
                                  [arguments, run](const Streams& streams) -> Result<int> {
                                    DISCREET_ASSIGN(const std::string text, run(*arguments));
                                    DISCREET_TRY(write_all(streams.out, text));
                                    return 0;
                                  });
  arguments->where.add_to(app);
  return app;
}

std::string example(const char* text) { return std::string("Example:\n  ") + text; }

}  // namespace

void add_ledger_owner(Program& program, CLI::App& ledger) {
  const auto analyst = std::make_shared<OwnerArguments>();
  CLI::App& analyst_app = add_owner_command(
      program, ledger, "analyst",
      {.summary = "a further analyst, with a cap of their own",
       .explanation = "The cap bounds what this analyst learns alone; the namespace's total\n"
                      "bounds all of them together, whatever their caps add up to.\n",
       .closing = example(kAnalystExample)},
      run_analyst, analyst);
  add_text(analyst_app, "--namespace", analyst->units, "of which namespace (the only one)", "NAME");
  add_text(analyst_app, "--analyst", analyst->analyst, "their name", "NAME");
  analyst->cap.add_to(analyst_app);

  const auto block = std::make_shared<OwnerArguments>();
  CLI::App& block_app = add_owner_command(
      program, ledger, "block",
      {.summary = "declare a further value of the block attribute: new people, new budget",
       .explanation = "A unit is in one block for ever. Questions about one block charge only\n"
                      "it; questions about all charge every block.\n",
       .closing = example(kBlockExample)},
      run_block, block);
  add_text(block_app, "--namespace", block->units, "of which namespace (the only one)", "NAME");
  add_text(block_app, "--value", block->value, "the new value", "VALUE");

  const auto top_up = std::make_shared<OwnerArguments>();
  CLI::App& top_up_app = add_owner_command(
      program, ledger, "top-up",
      {.summary = "raise a cap, as a signed and permanent record with a reason",
       .explanation =
           "There is no refill and no reset. Raising a cap weakens the promise that was made\n"
           "to everybody in the data, so it needs the owner's key and a reason, and it stays\n"
           "in the history for ever.\n",
       .closing = example(kTopUpExample)},
      run_top_up, top_up);
  add_text(top_up_app, "--namespace", top_up->units, "of which namespace (the only one)", "NAME");
  add_text(top_up_app, "--analyst", top_up->analyst, "this analyst's cap, not the total", "NAME");
  top_up->cap.add_to(top_up_app);
  add_text(top_up_app, "--reason", top_up->reason, "why", "TEXT");

  const auto recover = std::make_shared<OwnerArguments>();
  CLI::App& recover_app = add_owner_command(
      program, ledger, "recover",
      {.summary = "go on with an older copy after a loss: everything counts as spent",
       .explanation =
           "For a ledger whose witness has seen more records than the file holds (a restored\n"
           "backup), or is lost while no receipt was printed. What the lost records charged\n"
           "cannot be known, so all of it is spent.\n"
           "First look for the newest copy; this is the last resort.\n",
       .closing = example(kRecoverExample)},
      run_recover, recover);
  add_text(recover_app, "--reason", recover->reason, "why", "TEXT");

  const auto clock = std::make_shared<OwnerArguments>();
  CLI::App& clock_app = add_owner_command(
      program, ledger, "clock",
      {.summary = "go on although the clock was set back",
       .explanation = "Records never go back in time. When the machine's clock is far behind\n"
                      "the last record, set it right; if the record was wrong, say so here.\n",
       .closing = example(kClockExample)},
      run_clock, clock);
  add_text(clock_app, "--reason", clock->reason, "why", "TEXT");
}

}  // namespace discreet::cli
