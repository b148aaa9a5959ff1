// SPDX-License-Identifier: Apache-2.0
#include "ledger/state.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"

namespace discreet::ledger {
namespace {

Error corrupt(const Record& record, const std::string& what) {
  return {Code::kCorrupt, "record " + std::to_string(record.sequence) + " (" +
                              std::string(to_string(record.kind)) + ") " + what};
}

template <class Map>
std::vector<std::string> names_in(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

/// "no analyst "bob" in namespace "patients"; there are ann, press".
Error not_found(const std::string& what, std::string_view name,
                const std::vector<std::string>& known, const std::string& fix) {
  constexpr std::size_t kShown = 20;
  std::string text = "no " + what + " " + in_quotes(name) + did_you_mean(name, known);
  if (known.empty()) return {Code::kNotFound, text + "; " + fix};
  text += "; known: ";
  for (std::size_t i = 0; i < known.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + known[i];
  }
  if (known.size() > kShown) text += " and " + std::to_string(known.size() - kShown) + " more";
  return {Code::kNotFound, text};
}

}  // namespace

Result<const Account*> NamespaceState::analyst(std::string_view name) const {
  const auto found = analysts.find(name);
  if (found != analysts.end()) return &found->second;
  return not_found("analyst", name, names_in(analysts),
                   "the owner adds one with `discreet ledger analyst`");
}

Result<std::vector<std::size_t>> NamespaceState::numbers_of(
    const std::vector<std::string>& names) const {
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    const auto found = block_numbers.find(name);
    if (found == block_numbers.end()) {
      return not_found("block", name, blocks, "this namespace declares none");
    }
    numbers.push_back(found->second);
  }
  return numbers;
}

Result<const NamespaceState*> State::find(std::string_view units) const {
  const auto found = namespaces_.find(units);
  if (found != namespaces_.end()) return &found->second;
  return not_found("namespace", units, names_in(namespaces_),
                   "the owner adds one with `discreet ledger namespace`");
}

NamespaceState* State::find_mutable(std::string_view units) {
  const auto found = namespaces_.find(units);
  return found == namespaces_.end() ? nullptr : &found->second;
}

void State::Before::note(NamespaceState& space) {
  if (!is_on || std::ranges::find(spaces, &space, &Space::space) != spaces.end()) return;
  spaces.push_back({&space, space.charges, space.shares, space.answers});
}

void State::Before::note(Account& account) {
  using Noted = std::pair<Account*, Account>;
  if (!is_on || std::ranges::find(accounts, &account, &Noted::first) != accounts.end()) return;
  accounts.emplace_back(&account, account);
}

void State::try_payments() {
  before_.is_on = true;
  before_.front = front_;
}

void State::keep() {
  before_.is_on = false;
  before_.spaces.clear();
  before_.accounts.clear();
}

void State::undo() {
  for (const auto& [account, as_it_was] : before_.accounts) *account = as_it_was;
  for (const Before::Space& was : before_.spaces) {
    was.space->charges = was.charges;
    was.space->shares = was.shares;
    was.space->answers = was.answers;
  }
  front_ = before_.front;
  keep();
}

Result<void> State::apply(const Record& record) {
  if (const auto number = static_cast<std::uint64_t>(record.kind); !is_known_kind(number)) {
    return unknown_kind(record.sequence, number);
  }
  if (before_.is_on && is_signed(record.kind)) {
    return corrupt(record, "is no payment, in a transaction that may have to be undone");
  }
  DISCREET_TRY(check_chain(record));
  DISCREET_TRY(check_order(record));
  DISCREET_TRY(check_signature(record));
  return accept(record);
}

Result<void> State::extend(Record& record) {
  DISCREET_CHECK(!is_signed(record.kind));
  record.sequence = next();
  record.hash = chain(front_.hash, record);
  DISCREET_TRY(check_order(record));
  return accept(record);
}

Result<void> State::accept(const Record& record) {
  DISCREET_TRY(fold(record));
  ++front_.size;
  front_.hash = record.hash;
  note_joinable(record);
  front_.time_ms = record.time_ms;
  return {};
}

void State::note_joinable(const Record& record) {
  const bool joins = record.kind == Kind::kAlsoCharge || record.kind == Kind::kAlsoShare;
  if (joins) return;  // several namespaces may join one payment
  const bool pays = record.kind == Kind::kCharge || record.kind == Kind::kShare;
  front_.joinable = pays ? std::optional(record.sequence) : std::nullopt;
  front_.joinable_kind = record.kind;
}

Result<void> State::check_chain(const Record& record) const {
  if (record.sequence != front_.size) {
    return corrupt(record, "follows record " + std::to_string(front_.size - 1) +
                               ": records between them are missing");
  }
  if (chain(front_.hash, record) != record.hash) {
    return corrupt(record, "was changed, or the one before it: its hash does not fit");
  }
  return {};
}

Result<void> State::check_order(const Record& record) const {
  if ((front_.size == 0) != (record.kind == Kind::kCreated)) {
    return corrupt(record, front_.size == 0 ? "cannot be the first" : "must be the first");
  }
  if (front_.size > 0 && record.time_ms < front_.time_ms && record.kind != Kind::kClock) {
    return corrupt(record, "goes back in time");
  }
  return {};
}

Result<void> State::check_signature(const Record& record) const {
  if (!is_signed(record.kind)) return {};
  PublicKey owner = terms_.owner;
  if (front_.size == 0) {
    DISCREET_ASSIGN(const LedgerTerms terms, parse_created(record));
    owner = terms.owner;
  }
  if (!verify_signature(owner, bytes_of(record.hash), record.signature)) {
    return corrupt(record, "does not bear the owner's signature");
  }
  return {};
}

Result<void> State::fold(const Record& record) {
  switch (record.kind) {
    case Kind::kCreated: {
      DISCREET_ASSIGN(terms_, parse_created(record));
      return {};
    }
    case Kind::kNamespace:
      return fold_namespace(record);
    case Kind::kBlock:
    case Kind::kAnalyst:
      return fold_member(record);
    case Kind::kCharge:
    case Kind::kShare:
    case Kind::kAnswer:
    case Kind::kAlsoCharge:
    case Kind::kAlsoShare:
      return fold_payment(record);
    case Kind::kTopUp:
      return fold_top_up(record);
    case Kind::kRecovery:
      for (auto& [name, space] : namespaces_) {
        space.total.exhaust();
        for (auto& [analyst, account] : space.analysts) account.exhaust();
      }
      ++recoveries_;
      return {};
    case Kind::kUpgraded:
      return fold_upgraded(record);
    case Kind::kWitness:
    case Kind::kClock:
      return {};
  }
  return unknown_kind(record.sequence, static_cast<std::uint64_t>(record.kind));
}

/// It says what the format is and touches no account.
Result<void> State::fold_upgraded(const Record& record) {
  DISCREET_ASSIGN(const UpgradeTerms terms, parse_upgraded(record));
  if (record.price != Price() || !record.units.empty() || !record.analyst.empty()) {
    return corrupt(record, "concerns an account, which an upgrade does not");
  }
  if (terms.from < upgraded_to_) return corrupt(record, "starts from an older format than it had");
  upgraded_to_ = terms.to;
  return {};
}

Result<void> State::fold_namespace(const Record& record) {
  DISCREET_ASSIGN(NamespaceTerms terms, parse_namespace(record));
  const bool bent = terms.gamma != 0;
  if (bent && front_.charges > 0) return corrupt(record, "assumes bent coins after a charge");
  const Account total(terms.cap, terms.neighbours);
  NamespaceState space{
      .terms = std::move(terms), .total = total, .analysts = {}, .blocks = {}, .block_numbers = {}};
  if (!namespaces_.emplace(record.units, std::move(space)).second) {
    return corrupt(record, "declares a namespace that exists");
  }
  gives_one_answer_ = gives_one_answer_ || bent;
  return {};
}

Result<void> State::fold_member(const Record& record) {
  NamespaceState* const space = find_mutable(record.units);
  if (space == nullptr) return corrupt(record, "names no namespace");
  if (record.kind == Kind::kBlock) {
    if (space->terms.block_attribute.empty() ||
        !space->block_numbers.emplace(record.blocks, space->blocks.size()).second) {
      return corrupt(record, "declares a block that cannot be");
    }
    space->blocks.push_back(record.blocks);
    return {};
  }
  if (!check_analyst_cap(space->terms.notion, record.price) ||
      !space->analysts.emplace(record.analyst, Account(record.price, space->terms.neighbours))
           .second) {
    return corrupt(record, "adds an analyst that cannot be");
  }
  return {};
}

Result<void> State::fold_payment(const Record& record) {
  NamespaceState* const space = find_mutable(record.units);
  if (space == nullptr) return corrupt(record, "names no namespace");
  const auto payer = space->analysts.find(record.analyst);
  if (payer == space->analysts.end()) return corrupt(record, "names no analyst");
  if (record.kind != Kind::kCharge && record.about >= record.sequence) {
    return corrupt(record, "belongs to a charge that comes later");
  }
  before_.note(*space);
  if (record.kind == Kind::kAnswer) {
    ++space->answers;
    return {};
  }
  const bool joins = record.kind == Kind::kAlsoCharge || record.kind == Kind::kAlsoShare;
  const bool is_charge = record.kind == Kind::kCharge || record.kind == Kind::kAlsoCharge;
  if (joins &&
      (front_.joinable != record.about || (front_.joinable_kind == Kind::kCharge) != is_charge)) {
    return corrupt(record, "does not stand behind the payment that it joins");
  }
  std::vector<std::size_t> numbers;
  if (!record.blocks.empty()) {
    const auto names = split_names(record.blocks);
    if (!names) return corrupt(record, "has blocks that cannot be read");
    auto found = space->numbers_of(*names);
    if (!found) return corrupt(record, "names no block");
    numbers = std::move(found).value();
  }
  if (record.kind == Kind::kCharge && gave_its_answer())
    return corrupt(record, "is a second charge on bent coins");
  Account& analyst = payer->second;
  if (!analyst.admits(record.price, numbers) ||
      (is_charge && !space->total.admits(record.price, numbers))) {
    return corrupt(record, "spends more than was left");
  }
  before_.note(analyst);
  if (is_charge) before_.note(space->total);
  analyst.add(record.price, numbers);
  if (is_charge) space->total.add(record.price, numbers);
  ++(is_charge ? space->charges : space->shares);
  if (!joins) ++front_.charges;  // one answer is bought
  return {};
}

Result<void> State::fold_top_up(const Record& record) {
  NamespaceState* const space = find_mutable(record.units);
  if (space == nullptr) return corrupt(record, "names no namespace");
  Account* account = &space->total;
  if (!record.analyst.empty()) {
    const auto found = space->analysts.find(record.analyst);
    if (found == space->analysts.end()) return corrupt(record, "names no analyst");
    account = &found->second;
  }
  if (!check_raise(*space, *account, record.price)) {
    return corrupt(record, "raises a cap beyond what a cap can be");
  }
  account->raise(record.price);
  return {};
}

bool is_reserved(const NamespaceState& space) {
  Price sum;
  for (const auto& [name, account] : space.analysts) {
    sum.amount = sum.amount.saturating_plus(account.owned().amount);
    sum.delta = sum.delta.saturating_plus(account.owned().delta);
  }
  const Price total = space.total.owned();
  return sum.amount <= total.amount && sum.delta <= total.delta;
}

Price Closing::largest(const NamespaceState& space) const {
  const auto found = declared.find(space.terms.name);
  if (found != declared.end()) return found->second;
  const auto quarter = [](const Amount& amount) {
    return Amount::from_units(amount.units() / 4).value();
  };
  return {quarter(space.total.cap().amount), quarter(space.total.cap().delta)};
}

Result<void> check_raise(const NamespaceState& space, const Account& account, const Price& more) {
  const Price cap{account.cap().amount.saturating_plus(more.amount),
                  account.cap().delta.saturating_plus(more.delta)};
  if (more == Price()) return invalid_input("a top-up must raise something");
  if (&account != &space.total) return check_analyst_cap(space.terms.notion, cap);
  NamespaceTerms terms = space.terms;
  terms.cap = cap;
  return check_terms(terms);
}

}  // namespace discreet::ledger
