// SPDX-License-Identifier: Apache-2.0
// discreet ledger: the durable budget.
#include "cli/ledger.h"

#include <array>
#include <ctime>

#include "accounting/zcdp.h"
#include "base/suggest.h"

namespace discreet::cli {

void LedgerArguments::add_to(CLI::App& app) {
  add_text(app, "--ledger", ledger,
           "the ledger: a file (./discreet.ledger) or postgres://user@host/database", "PLACE");
  add_text(app, "--key", key, "the owner's key (in the state directory)", "FILE");
  add_text(app, "--witness", witness, "the witness (in the state directory)", "FILE");
}

Result<std::unique_ptr<ledger::Ledger>> LedgerArguments::open(ledger::Access access) const {
  return ledger::Ledger::open(
      {.path = path(), .key = key.value_or(""), .witness = witness.value_or(""), .access = access});
}

Result<std::string> namespace_of(const ledger::State& state, const Text& name) {
  if (name) {
    DISCREET_TRY(state.find(*name));
    return *name;
  }
  std::vector<std::string> names;
  for (const auto& [known, unused] : state.namespaces()) names.push_back(known);
  if (names.size() == 1) return names.front();
  if (names.empty()) {
    return Error{Code::kNotFound,
                 "the ledger has no namespace yet; make one with discreet ledger namespace"};
  }
  return invalid_input("the ledger has several namespaces; name one with --namespace: " +
                       one_of(names));
}

void CapArguments::add_to(CLI::App& app) {
  add_text(app, "--epsilon", epsilon, "the cap on epsilon, for life");
  add_text(app, "--delta", delta, "the cap on delta (0), far below 1/people");
  add_text(app, "--rho", rho, "zcdp: the cap on rho, in place of --epsilon");
}

Result<accounting::Price> cap_of(ledger::Notion notion, const Rational& epsilon_or_rho, bool is_rho,
                                 const Rational& delta, const Rational& conversion_delta) {
  Rational amount = epsilon_or_rho;
  if (is_rho != (notion == ledger::Notion::kZcdp)) {
    if (is_rho) return invalid_input("--rho is for --notion zcdp; give --epsilon");
    if (epsilon_or_rho.sign() <= 0) {
      return invalid_input("epsilon must be a number greater than 0; got " +
                           in_quotes(epsilon_or_rho.to_string()));
    }
    if (conversion_delta.sign() <= 0 || conversion_delta >= Rational(1)) {
      return invalid_input(
          "zcdp turns epsilon into rho at a delta above 0 and below 1; give --delta, such as 1e-6, "
          "or the cap as --rho");
    }
    amount = accounting::zcdp_rho_for(epsilon_or_rho, conversion_delta);
  }
  DISCREET_ASSIGN(const accounting::Amount cap, accounting::Amount::down(amount));
  DISCREET_ASSIGN(const accounting::Amount cap_delta, accounting::Amount::down(delta));
  return accounting::Price{cap, cap_delta};
}

std::string text_of(const accounting::Amount& amount) {
  const std::string exact = amount.to_string();
  return exact.size() <= 14 ? exact : amount.value().to_decimal(6, Round::kDown);
}

std::string time_text(std::int64_t ms) {
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> buffer{};
  const std::size_t size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return {buffer.data(), size};
}

void add_ledger(Program& program) {
  CLI::App& ledger = program.group(
      "ledger",
      {.summary = "the privacy budget for life: make it, look at it, check it",
       .explanation =
           "A ledger holds one lifetime budget for each namespace of units (say, patients) and\n"
           "one under it for each analyst. Every charge is on disk before noise is drawn, every\n"
           "answer before it is sent. Nothing is refunded, nothing refills, and nothing can be\n"
           "taken back unnoticed: records form a chain of hashes, and a witness that is kept\n"
           "elsewhere knows how long the chain was.\n",
       .closing = "Example:\n"
                  "  discreet ledger init --namespace patients --epsilon 10 --analyst ann:2\n"
                  "  discreet noise laplace --value 42 --sensitivity 1 --epsilon 1/2 \\\n"
                  "    --ledger discreet.ledger --analyst ann\n"
                  "  discreet budget"});
  add_ledger_init(program, ledger);
  add_ledger_show(program, ledger);
  add_ledger_history(program, ledger);
  add_ledger_verify(program, ledger);
  add_ledger_owner(program, ledger);
  add_ledger_export(program, ledger);
  add_ledger_upgrade(program, ledger);
}

}  // namespace discreet::cli
