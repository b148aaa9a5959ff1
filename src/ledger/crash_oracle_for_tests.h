// SPDX-License-Identifier: Apache-2.0
// The world outside a ledger: it remembers every answer that was sent and every receipt that was
// drawn on, and does not crash. After a recovery it says in words what is wrong, if anything:
//   O1  what was sent is stored, with the same bytes, and was charged
//   O2  no balance is above the true one: at least what was drawn on counts as spent, and no cap is
//       higher than the owner made it
//   O3  nothing is charged that nobody asked for
//   O4  the chain and all signatures hold
//   O5  the ledger goes on: a retry, a new question
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ledger/ledger.h"
#include "privacy/charge_for_tests.h"

namespace discreet::ledger {

/// Prices are whole tenths of epsilon here. What a question costs and which block it names follow
/// from its key, as they do in the product.
struct Ask {
  std::string id;
  std::string analyst;
  int key = 0;

  std::int64_t tenths() const { return 1 + key % 3; }
  std::vector<std::string> blocks() const {
    return key % 4 == 3 ? std::vector<std::string>{key % 8 == 3 ? "old" : "new"}
                        : std::vector<std::string>();
  }
  Question question() const { return {analyst, "count " + std::to_string(key), "monday"}; }
  Charge charge() const {
    const Epsilon epsilon = Epsilon::trusted(Rational::ratio(tenths(), 10));
    return ChargeForTests::make(
        {"patients", Neighbours::kAddRemove, blocks(), "enrolled"},
        {{NoiseSpec{"noise " + std::to_string(tenths())}, pure_cost(epsilon)}},
        sha256(std::to_string(key)), id);
  }
};

inline Price tenths_of_epsilon(std::int64_t tenths) {
  return accounting::Filter::price(Rational::ratio(tenths, 10)).value();
}

constexpr std::int64_t kTotalCap = 40;
inline const std::map<std::string, std::int64_t>& analyst_caps() {
  static const std::map<std::string, std::int64_t> caps = {{"ann", 20}, {"bob", 15}, {"eve", 6}};
  return caps;
}

inline NamespaceTerms patients() {
  NamespaceTerms terms;
  terms.name = "patients";
  terms.cap = tenths_of_epsilon(kTotalCap);
  terms.block_attribute = "enrolled";
  terms.blocks = {"old", "new"};
  for (const auto& [name, cap] : analyst_caps()) {
    terms.analysts.push_back({name, tenths_of_epsilon(cap)});
  }
  return terms;
}

/// What one account spent at least or at most, in tenths.
class Tally {
 public:
  void add(const Ask& ask) {
    if (ask.blocks().empty()) common_ += ask.tenths();
    for (const std::string& block : ask.blocks()) extra_[block] += ask.tenths();
  }
  /// Under add or remove one: the block that lost most.
  Rational bound() const {
    std::int64_t most = 0;
    for (const auto& [block, extra] : extra_) most = std::max(most, extra);
    return Rational::ratio(common_ + most, 10);
  }

 private:
  std::int64_t common_ = 0;
  std::map<std::string, std::int64_t> extra_;
};

class Oracle {
 public:
  struct Sent {
    Ask ask;
    std::string bytes;
  };

  Oracle() : caps_(analyst_caps()) { caps_[""] = kTotalCap; }
  /// Several threads ask, and what they hear is noted in another order than it happened.
  void allow_races() { races_ = true; }

  // "" is the account of all.
  /// The ledger gave no clear answer, or none at all.
  void may_have_charged(const Ask& ask) {
    at_most_[""].add(ask);
    at_most_[ask.analyst].add(ask);
  }
  void drew(const Ask& ask) {
    drawn_.insert({ask.analyst, ask.key});
    may_have_charged(ask);
    at_least_[""].add(ask);
    at_least_[ask.analyst].add(ask);
  }
  void sent(const Ask& ask, std::string bytes) {
    paid_.insert({ask.analyst, ask.key});
    sent_.push_back({ask, std::move(bytes)});
  }
  /// A stored answer came back: free for whoever paid before, else the analyst's own cap pays.
  void repeated(const Ask& ask, std::string bytes) {
    const std::pair<std::string, int> question{ask.analyst, ask.key};
    if (races_) {  // in which order threads paid is not known: it may have cost, or not
      at_most_[ask.analyst].add(ask);
      return sent(ask, std::move(bytes));
    }
    if (!paid_.contains(question)) at_most_[ask.analyst].add(ask);
    // Whoever drew may have had the answer stored without hearing of it, and then it was free.
    if (!paid_.contains(question) && !drawn_.contains(question)) at_least_[ask.analyst].add(ask);
    sent(ask, std::move(bytes));
  }
  void topping_up(const std::string& analyst, std::int64_t tenths) { caps_[analyst] += tenths; }

  const std::vector<Sent>& all_sent() const { return sent_; }

  /// Asks the recovered ledger; changes it only as repeats do. Returns what is wrong.
  std::vector<std::string> complaints(Ledger& ledger) {
    std::vector<std::string> wrong;
    const auto say = [&wrong](const std::string& what) { wrong.push_back(what); };
    if (const auto verified = ledger.verify(); !verified) {
      say("the history does not verify: " + verified.error().message);
    }
    check_balances(ledger, say);
    std::map<int, std::string> bytes_of;
    for (const Sent& sent : sent_) {
      const auto outcome = ledger.charge(sent.ask.charge(), sent.ask.question());
      const std::string what = sent.ask.analyst + "'s answer " + sent.ask.id + " was sent";
      if (!outcome) {
        say(what + ", now: " + outcome.error().message);
      } else if (const auto* answer = std::get_if<Answer>(&outcome.value())) {
        if (answer->bytes() != sent.bytes) say(what + " with other bytes");
      } else {
        say(what + " and is not stored");
        may_have_charged(sent.ask);
      }
      const auto [first, is_new] = bytes_of.try_emplace(sent.ask.key, sent.bytes);
      if (!is_new && first->second != sent.bytes) say("two answers to one question were sent");
    }
    check_balances(ledger, say);  // repeats were free
    return wrong;
  }

 private:
  bool races_ = false;
  template <class Say>
  void check_balances(Ledger& ledger, const Say& say) {
    const auto state = ledger.state();
    if (!state) return say("there is no state: " + state.error().message);
    const auto found = state->find("patients");
    if (!found) return say("the namespace is gone");
    check_account("the total", "", found.value()->total, say);
    for (const auto& [name, account] : found.value()->analysts) {
      if (caps_.contains(name)) check_account(name + "'s account", name, account, say);
    }
  }
  template <class Say>
  void check_account(const std::string& what, const std::string& name, const Account& account,
                     const Say& say) {
    const Rational spent = account.spent().amount.value();
    if (spent < at_least_[name].bound()) {
      say(what + " was drawn on and is not charged: " + spent.to_string() + " of " +
          at_least_[name].bound().to_string());
    }
    if (spent > at_most_[name].bound()) say(what + " paid for what nobody asked");
    if (account.cap().amount.value() > Rational::ratio(caps_[name], 10)) {
      say(what + " has a balance above the true one: the cap is " +
          account.cap().amount.to_string());
    }
  }

  std::vector<Sent> sent_;
  std::set<std::pair<std::string, int>> paid_;
  std::set<std::pair<std::string, int>> drawn_;
  std::map<std::string, Tally> at_least_;
  std::map<std::string, Tally> at_most_;
  std::map<std::string, std::int64_t> caps_;
};

}  // namespace discreet::ledger
