// SPDX-License-Identifier: Apache-2.0
// discreet ledger: the durable budget.
#include "cli/ledger.h"

#include <array>
#include <ctime>

#include "base/suggest.h"
#include "cli/policy_ledger.h"

namespace discreet::cli {

void LedgerArguments::add_to(CLI::App& app) {
  add_text(app, "--policy", policy, "what the owner declared (./policy.yaml)", "FILE");
  add_places_to(app);
}

void LedgerArguments::add_places_to(CLI::App& app) {
  add_text(app, "--ledger", ledger, "a file (beside the policy), or postgres://user@host/database",
           "PLACE");
  add_text(app, "--key", key, "the owner's key (in the state directory)", "FILE");
  add_text(app, "--witness", witness, "the witness (in the state directory)", "FILE");
}

std::string LedgerArguments::path() const { return ledger.value_or(ledger_beside(policy_path())); }

Result<std::unique_ptr<ledger::Ledger>> LedgerArguments::open(ledger::Access access) const {
  DISCREET_ASSIGN(auto opened, ledger::Ledger::open({.path = path(),
                                                     .key = key.value_or(""),
                                                     .witness = witness.value_or(""),
                                                     .access = access}));
  if (policy || !ledger) {
    DISCREET_TRY(check_is_its_ledger(named_ledger(policy_path()), opened->id()));
  }
  return opened;
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
