// SPDX-License-Identifier: Apache-2.0
#include "server/api/in_flight.h"

namespace discreet::server::api {
namespace {

/// Everything about a question that its explanation tells, with lengths in between.
std::string likeness_of(const std::string& analyst, const session::Explanation& e) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text += std::to_string(part.size()) + ":" + part;
  };
  add(analyst);
  add(e.units);
  add(e.bounds);
  add(e.keys);
  add(e.price);
  add(e.sent);
  for (const session::ExplainedStep& step : e.steps) {
    add(step.measurement);
    add(step.noise);
  }
  return text;
}

}  // namespace

ledger::Price left_of(const ledger::Account& account, const ledger::Price& spent) {
  return {account.cap().amount.minus_or_zero(spent.amount),
          account.cap().delta.minus_or_zero(spent.delta)};
}

std::uint64_t InFlight::begin(const std::string& analyst, const session::Explanation& explained,
                              const ledger::Price& price, const ledger::State& state) {
  const std::lock_guard lock(mutex_);
  Analyst& own = analysts_[analyst];
  if (own.in_flight++ == 0) {
    own.shown.records = state.next();
    for (const auto& [name, units] : state.namespaces()) {
      const auto found = units.analysts.find(analyst);
      if (found != units.analysts.end()) own.shown.spent[name] = found->second.spent();
    }
  }
  ledger::Price& spent = own.shown.spent[explained.units];
  spent.amount = spent.amount.saturating_plus(price.amount);
  spent.delta = spent.delta.saturating_plus(price.delta);
  const std::string likeness = likeness_of(analyst, explained);
  ++likenesses_[likeness];
  questions_[next_] = {analyst, likeness};
  return next_++;
}

void InFlight::end(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = questions_.find(number);
  if (found == questions_.end()) return;
  const auto likeness = likenesses_.find(found->second.likeness);
  if (--likeness->second == 0) likenesses_.erase(likeness);
  const auto own = analysts_.find(found->second.analyst);
  if (--own->second.in_flight == 0) analysts_.erase(own);
  questions_.erase(found);
}

bool InFlight::has_like(const std::string& analyst, const session::Explanation& explained) const {
  const std::string likeness = likeness_of(analyst, explained);
  const std::lock_guard lock(mutex_);
  return likenesses_.contains(likeness);
}

std::optional<InFlight::Shown> InFlight::shown(const std::string& analyst) const {
  const std::lock_guard lock(mutex_);
  const auto found = analysts_.find(analyst);
  if (found == analysts_.end()) return std::nullopt;
  return found->second.shown;
}

}  // namespace discreet::server::api
