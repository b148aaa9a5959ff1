// SPDX-License-Identifier: Apache-2.0
// The ledger beside a reference that keeps a list of everything and recomputes every balance from
// it: random histories of two handles on one file, which are closed and opened at random.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::model_test {
namespace {

using namespace fixture;
using fixture::Ask;

/// Prices are multiples of 1/100, kept as whole numbers here.
struct Reference {
  struct Paid {
    std::string analyst;
    std::int64_t amount;
    std::set<std::string> blocks;
    bool from_total;
  };
  struct Request {
    std::string key;
    std::string snapshot;
    std::int64_t amount;
    std::set<std::string> blocks;
    friend auto operator<=>(const Request&, const Request&) = default;
  };

  Neighbours neighbours = Neighbours::kAddRemove;
  std::map<std::string, std::int64_t> caps;  // "" is the total
  std::set<std::string> blocks;
  std::map<std::string, std::int64_t> floors;  // what a recovery counted as spent
  std::vector<Paid> paid;
  std::map<std::pair<std::string, std::string>, Request> requests;  // by analyst and id
  // Another price or other blocks are another question.
  std::map<Request, std::string> answers;
  std::set<std::pair<std::string, Request>> payers;

  std::int64_t spent(const std::string& who) const {
    std::int64_t common = floors.contains(who) ? floors.at(who) : 0;
    std::map<std::string, std::int64_t> extra;
    for (const Paid& one : paid) {
      if (who.empty() ? !one.from_total : one.analyst != who) continue;
      if (one.blocks.empty()) common += one.amount;
      for (const std::string& block : one.blocks) extra[block] += one.amount;
    }
    std::int64_t worst = 0;
    for (const auto& [a, of_a] : extra) {
      worst = std::max(worst, of_a);
      for (const auto& [b, of_b] : extra) {
        if (neighbours == Neighbours::kReplaceOne && a != b) worst = std::max(worst, of_a + of_b);
      }
    }
    return common + worst;
  }

  bool fits(const Paid& next) const {
    Reference after = *this;
    after.paid.push_back(next);
    return after.spent(next.analyst) <= caps.at(next.analyst) &&
           (!next.from_total || after.spent("") <= caps.at(""));
  }

  /// A code, the stored answer, or nothing: it was charged.
  struct Reply {
    std::optional<Code> error;
    std::optional<std::string> answer;
  };
  Reply ask(const std::string& analyst, const std::string& id, const Request& request) {
    if (!caps.contains(analyst) || analyst.empty()) return {Code::kNotFound, {}};
    for (const std::string& block : request.blocks) {
      if (!blocks.contains(block)) return {Code::kNotFound, {}};
    }
    const auto earlier = requests.find({analyst, id});
    if (earlier != requests.end() && earlier->second != request) return {Code::kConflict, {}};
    const auto answer = answers.find(request);
    if (payers.contains({analyst, request})) return {{}, answer->second};
    const Paid next{analyst, request.amount, request.blocks, answer == answers.end()};
    if (!fits(next)) return {Code::kBudget, {}};
    paid.push_back(next);
    requests[{analyst, id}] = request;
    if (answer == answers.end()) return {};
    payers.insert({analyst, request});
    return {{}, answer->second};
  }
  std::string store(const std::string& analyst, const Request& request, const std::string& bytes) {
    payers.insert({analyst, request});
    return answers.emplace(request, bytes).first->second;
  }
  void recover() {
    for (const auto& [who, cap] : caps) floors[who] = cap;
    paid.clear();
  }
};

std::string hundredths(std::int64_t n) { return std::to_string(n) + "/100"; }
Price cents(std::int64_t n) { return price(hundredths(n).c_str()); }

class Machine {
 public:
  Machine(Neighbours neighbours, bool index_misleads) {
    home_.index_misleads = index_misleads;
    reference_.neighbours = neighbours;
    reference_.caps = {{"", 60}, {"ann", 40}, {"bob", 25}};
    reference_.blocks = {"a", "b", "c"};
    handles_[0] = home_.create({.name = "patients",
                                .neighbours = neighbours,
                                .cap = cents(60),
                                .block_attribute = "year",
                                .blocks = {"a", "b", "c"},
                                .analysts = {{"ann", cents(40)}, {"bob", cents(25)}}});
    handles_[1] = home_.open();
  }

  void step() {
    home_.now_ms += *rc::gen::inRange(0, 3);
    switch (
        *rc::gen::weightedElement<int>({{12, 0}, {8, 1}, {2, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}})) {
      case 0:
        return ask();
      case 1:
        return store();
      case 2:
        return reopen();
      case 3:
        return top_up();
      case 4:
        return add_block();
      case 5:
        return add_analyst();
      default:
        if (*rc::gen::inRange(0, 6) == 0) recover();
    }
  }

  void compare() {
    for (auto& handle : handles_) {
      const State state = *handle->state();
      const NamespaceState& space = **state.find("patients");
      RC_ASSERT(space.total.spent() == cents(reference_.spent("")));
      RC_ASSERT(space.total.cap() == cents(reference_.caps.at("")));
      for (const auto& [who, cap] : reference_.caps) {
        if (who.empty()) continue;
        const Account& account = **space.analyst(who);
        RC_ASSERT(account.spent() == cents(reference_.spent(who)));
        RC_ASSERT(account.cap() == cents(cap));
      }
    }
  }

  void verify() {
    handles_[1].reset();
    RC_ASSERT(handles_[0]->verify().has_value());
  }

 private:
  struct Pending {
    Paid paid;
    std::string analyst;
    Reference::Request request;
  };

  Ledger& any() { return *handles_[static_cast<std::size_t>(*rc::gen::inRange(0, 2))]; }

  void ask() {
    Reference::Request request;
    const std::string analyst = *rc::gen::element<std::string>("ann", "bob", "cid", "nobody");
    const std::string id = *rc::gen::element<std::string>("1", "2", "3", "4", "5", "6", "7", "8");
    request.key = *rc::gen::element<std::string>("p", "q", "r", "s", "t");
    request.snapshot = *rc::gen::element<std::string>("old", "new");
    request.amount = *rc::gen::inRange<std::int64_t>(1, 12);
    for (const char* block : {"a", "b", "c", "d"}) {
      if (*rc::gen::inRange(0, 5) == 0) request.blocks.insert(block);
    }
    // A key mostly stands for one price, as it should.
    const auto asked = keys_.emplace(std::pair(request.key, request.snapshot), request).first;
    if (*rc::gen::inRange(0, 6) != 0) request = asked->second;
    // Often the same again, as clients do.
    const auto known = reference_.requests.find({analyst, id});
    if (known != reference_.requests.end() && *rc::gen::inRange(0, 2) == 0) request = known->second;

    const fixture::Ask what{.analyst = analyst,
                            .id = id,
                            .key = request.key,
                            .snapshot = request.snapshot,
                            .lines = {line(hundredths(request.amount).c_str())},
                            .blocks = {request.blocks.begin(), request.blocks.end()},
                            .neighbours = reference_.neighbours};
    Ledger& ledger = any();
    const auto quotes = ledger.owner_quote(what.charge(), what.question());
    const Reference before = reference_;
    const Reference::Reply expected = reference_.ask(analyst, id, request);
    auto outcome = fixture::ask(ledger, what);
    RC_ASSERT(outcome.has_value() == !expected.error.has_value());
    if (!outcome) {
      RC_ASSERT(outcome.error().code == *expected.error);
      RC_ASSERT(quotes.has_value() == (*expected.error == Code::kBudget));
      if (quotes) RC_ASSERT(!quotes->fits);
      return;
    }
    RC_ASSERT(quotes->fits);
    const Quote& quote = quotes->analysts;
    const bool is_free = before.paid.size() == reference_.paid.size();
    RC_ASSERT(quote.fits);
    RC_ASSERT(quote.repeat == is_free);
    RC_ASSERT((quote.pays == Price()) == is_free);
    RC_ASSERT((quotes->total_pays == Price()) == expected.answer.has_value());
    if (Paid* paid = std::get_if<Paid>(&*outcome)) {
      RC_ASSERT(!expected.answer.has_value());
      pending_.push_back({std::move(*paid), analyst, request});
    } else {
      RC_ASSERT(std::get<Answer>(*outcome).bytes() == expected.answer);
    }
  }

  void store() {
    if (pending_.empty()) return;
    const auto at = pending_.begin() + *rc::gen::inRange<std::ptrdiff_t>(
                                           0, static_cast<std::ptrdiff_t>(pending_.size()));
    Pending one = std::move(*at);
    std::vector<Pending> rest;
    for (auto it = pending_.begin(); it != pending_.end(); ++it) {
      if (it != at) rest.push_back(std::move(*it));
    }
    pending_.swap(rest);
    const std::string drawn = "drawn " + std::to_string(++draws_);
    const bool had_it = reference_.payers.contains({one.analyst, one.request});
    const std::string expected = reference_.store(one.analyst, one.request, drawn);
    const auto answer = any().store(std::move(one.paid), drawn);
    RC_ASSERT(answer.has_value());
    RC_ASSERT(answer->bytes() == expected);
    RC_ASSERT(answer->repeated() == had_it);
  }

  void reopen() {
    auto& handle = handles_[static_cast<std::size_t>(*rc::gen::inRange(0, 2))];
    handle.reset();
    handle = home_.open();
    RC_ASSERT(handle != nullptr);
  }

  void top_up() {
    const std::string who = *rc::gen::element<std::string>("", "ann", "bob");
    const std::int64_t more = *rc::gen::inRange<std::int64_t>(1, 20);
    const auto analyst = who.empty() ? std::nullopt : std::optional<std::string>(who);
    RC_ASSERT(any().top_up("patients", analyst, cents(more), "why not").has_value());
    reference_.caps[who] += more;
  }

  void add_block() {
    const bool is_new = reference_.blocks.insert("d").second;
    RC_ASSERT(any().add_block("patients", "d").has_value() == is_new);
  }

  void add_analyst() {
    const bool is_new = reference_.caps.emplace("cid", 30).second;
    RC_ASSERT(any().add_analyst("patients", {"cid", cents(30)}).has_value() == is_new);
  }

  void recover() {
    RC_ASSERT(any().recover("a drill").has_value());
    reference_.recover();
  }

  Home home_;
  Reference reference_;
  std::unique_ptr<Ledger> handles_[2];
  std::vector<Pending> pending_;
  std::map<std::pair<std::string, std::string>, Reference::Request> keys_;
  int draws_ = 0;
};

RC_GTEST_PROP(Model, TheLedgerIsItsReferenceOverRandomHistories, ()) {
  Machine machine(*rc::gen::element(Neighbours::kAddRemove, Neighbours::kReplaceOne),
                  *rc::gen::arbitrary<bool>());
  const int steps = *rc::gen::inRange(1, 80);
  for (int i = 0; i < steps; ++i) {
    machine.step();
    if (i % 8 == 0) machine.compare();
  }
  machine.compare();
  machine.verify();
}

}  // namespace
}  // namespace discreet::ledger::model_test
