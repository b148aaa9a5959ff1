// SPDX-License-Identifier: Apache-2.0
#include "ledger/no_more_budget.h"

#include <string>

namespace discreet::ledger {
namespace {

Error more(const std::string& what) {
  return {Code::kCorrupt, "the upgrade would change " + what +
                              "; nothing was changed. This is a mistake of the program: please "
                              "report it"};
}

bool is_at_most(const Price& a, const Price& b) {
  return a.amount <= b.amount && a.delta <= b.delta;
}

Result<void> check_account(const Account& before, const Account& after, std::size_t blocks,
                           const std::string& whose) {
  if (!is_at_most(after.cap(), before.cap())) return more("the cap of " + whose);
  if (!is_at_most(before.spent(), after.spent())) return more("what is spent of " + whose);
  for (std::size_t block = 0; block < blocks; ++block) {
    if (!is_at_most(before.spent_on_block(block), after.spent_on_block(block))) {
      return more("what is spent on a block of " + whose);
    }
  }
  return {};
}

Result<void> check_space(const std::string& name, const NamespaceState& before,
                         const NamespaceState& after) {
  const std::string whose = "namespace " + in_quotes(name);
  if (to_detail(before.terms) != to_detail(after.terms)) return more("the terms of " + whose);
  if (before.blocks != after.blocks) return more("the blocks of " + whose);
  DISCREET_TRY(check_account(before.total, after.total, before.blocks.size(), whose));
  if (before.analysts.size() != after.analysts.size()) return more("the analysts of " + whose);
  for (const auto& [analyst, account] : before.analysts) {
    const auto found = after.analysts.find(analyst);
    if (found == after.analysts.end()) return more("the analysts of " + whose);
    DISCREET_TRY(check_account(account, found->second, before.blocks.size(),
                               "analyst " + in_quotes(analyst) + " of " + whose));
  }
  return {};
}

}  // namespace

Result<void> check_no_more_budget(const State& before, const State& after) {
  if (before.namespaces().size() != after.namespaces().size()) return more("the namespaces");
  for (const auto& [name, space] : before.namespaces()) {
    const auto found = after.namespaces().find(name);
    if (found == after.namespaces().end()) return more("the namespaces");
    DISCREET_TRY(check_space(name, space, found->second));
  }
  const bool forgets = after.next() < before.next() || after.charges() < before.charges() ||
                       after.recoveries() < before.recoveries() ||
                       after.gives_one_answer() != before.gives_one_answer();
  if (forgets) return more("the history");
  return {};
}

}  // namespace discreet::ledger
