// SPDX-License-Identifier: Apache-2.0
#include "cli/payer.h"

#include <utility>

#include "base/check.h"
#include "cli/policy_ledger.h"
#include "policy/policy.h"

namespace discreet::cli {

void PayerArguments::add_to(CLI::App& app) {
  add_text(app, "--ledger", where.ledger, "charge this ledger (none)", "FILE");
  add_text(app, "--key", where.key, "the ledger's key (in the state directory)", "FILE");
  add_text(app, "--witness", where.witness, "its witness (in the state directory)", "FILE");
  add_text(app, "--namespace", units, "whose budget (the ledger's only one)", "NAME");
  add_text(app, "--analyst", analyst, "whose cap pays (owner)", "NAME");
  add_text(app, "--neighbours", neighbours,
           "what the sensitivity is for: add-remove (default) or replace-one", "RELATION");
  add_text(app, "--policy", policy, "take the relation of neighbours from this policy", "FILE");
}

namespace {

Result<Neighbours> relation_of(const PayerArguments& arguments, const std::string& units,
                               const std::string& ledger) {
  const std::string word = arguments.neighbours.value_or("add-remove");
  if (word != "add-remove" && word != "replace-one") {
    return invalid_input("neighbours must be add-remove or replace-one; got " + in_quotes(word));
  }
  const Neighbours said = word == "replace-one" ? Neighbours::kReplaceOne : Neighbours::kAddRemove;
  if (!arguments.policy) return said;
  DISCREET_ASSIGN(const policy::Policy policy, policy::load_policy(*arguments.policy));
  DISCREET_TRY(check_is_its_ledger(policy.ledger, ledger));
  const auto found = policy.units.find(units);
  if (found == policy.units.end()) {
    return Error{Code::kNotFound, "the policy has no units " + in_quotes(units)};
  }
  if (arguments.neighbours && said != found->second.neighbours) {
    return invalid_input("--neighbours and the policy differ; leave one of them out");
  }
  return found->second.neighbours;
}

}  // namespace

Result<std::shared_ptr<Payer>> Payer::open(const PayerArguments& arguments) {
  auto payer = std::make_shared<Payer>();
  if (!arguments.where.ledger) {
    if (arguments.analyst || arguments.units || arguments.where.key || arguments.where.witness ||
        arguments.neighbours || arguments.policy) {
      return invalid_input(
          "--analyst, --namespace, --key, --witness, --neighbours and --policy belong to a ledger; "
          "name it with --ledger");
    }
    return payer;
  }
  DISCREET_ASSIGN(payer->ledger_, arguments.where.open(ledger::Access::kUse));
  DISCREET_ASSIGN(const ledger::State state, payer->ledger_->state());
  DISCREET_ASSIGN(payer->units_.name, namespace_of(state, arguments.units));
  DISCREET_ASSIGN(payer->units_.neighbours,
                  relation_of(arguments, payer->units_.name, payer->ledger_->id()));
  const Neighbours kept = state.namespaces().at(payer->units_.name).terms.neighbours;
  if (payer->units_.neighbours != kept) {
    return Error{Code::kRefused,
                 "the ledger protects " + in_quotes(payer->units_.name) + " by " + to_string(kept) +
                     "; a sensitivity for that relation is said with --neighbours " +
                     (kept == Neighbours::kReplaceOne ? "replace-one" : "add-remove")};
  }
  payer->analyst_ = arguments.analyst.value_or("owner");
  return payer;
}

Result<Receipt> Payer::pay(const Charge& charge) {
  DISCREET_CHECK(pays() && !paid_.has_value() && charge.lines().size() == 1);
  // A value that is typed in has no canonical form: each is a question of its own.
  DISCREET_ASSIGN(ledger::Outcome outcome,
                  ledger_->charge(charge, {.analyst = analyst_,
                                           .key = "own value " + charge.request_id(),
                                           .snapshot = "own values"}));
  ledger::Paid* const paid = std::get_if<ledger::Paid>(&outcome);
  DISCREET_CHECK(paid != nullptr);
  paid_.emplace(std::move(*paid));
  return std::move(paid_->receipts.front());
}

Result<std::string> Payer::finish(std::string bytes) {
  if (!paid_) return bytes;
  DISCREET_ASSIGN(const ledger::Answer answer, ledger_->store(std::move(*paid_), std::move(bytes)));
  paid_.reset();
  return answer.bytes();
}

std::string Payer::text() const {
  return pays() ? "charged to " + analyst_ + " of " + units_.name : kNoBudget;
}

}  // namespace discreet::cli
