// SPDX-License-Identifier: Apache-2.0
// From an error that one can live with to an epsilon. Where that takes a number that is not public,
// a pilot is bought: the same question at a price that is fixed beforehand. What follows from its
// answer is computed from released values, so no price tells anything that was not paid for.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "ledger/seal.h"
#include "plan/accuracy.h"
#include "plan/grid.h"
#include "plan/noise.h"
#include "session/question_text.h"
#include "session/session.h"

namespace discreet::session {
namespace {

using plan::power_of_ten;

/// Prices of earlier answers that are tried.
constexpr std::size_t kPricesMax = 300;

/// What an earlier answer says about the size of things.
struct Learnt {
  Supposed supposed;
  double about = 0;  ///< the end of the value's interval that lies nearer to 0
};

double number_in(const std::string& text) {
  const auto number = Rational::parse(text);
  return number ? number->to_double(Round::kDown) : 0;
}

double nearer_to_zero(const AnswerCell& cell) {
  if (!cell.low || !cell.high) return 0;
  const double low = number_in(*cell.low);
  const double high = number_in(*cell.high);
  if (low <= 0 && high >= 0) return 0;
  return std::min(std::abs(low), std::abs(high));
}

/// The row in the middle, by the size of its value.
Result<Learnt> learnt_from(const AnswerSheet& sheet, std::size_t column) {
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    if (sheet.rows[r][column].value) order.push_back(r);
  }
  if (order.empty()) {
    return invalid_input(
        "the pilot found nothing that an error could be relative to; give --epsilon, or a larger "
        "--pilot");
  }
  const auto size = [&](std::size_t r) {
    return std::abs(number_in(*sheet.rows[r][column].value));
  };
  std::ranges::sort(order, {}, size);
  const std::size_t middle = order[order.size() / 2];
  Learnt learnt;
  for (const std::string& text : sheet.released[middle]) {
    learnt.supposed.push_back(number_in(text));
  }
  learnt.about = nearer_to_zero(sheet.rows[middle][column]);
  return learnt;
}

/// Everything that an error is solved from, but the epsilon.
struct Unpriced {
  sql::Query query;
  std::size_t output = 0;
  ErrorKind kind = ErrorKind::kNoise;

  bool needs_about(const WantedError& wanted) const { return wanted.relative && !wanted.about; }
  bool needs_values(const WantedError& wanted) const {
    return kind == ErrorKind::kValues && !wanted.rows;
  }
};

Result<Unpriced> unpriced(const Request& request, const policy::Policy& policy) {
  sql::Options options = request.options;
  options.epsilon = Epsilon::trusted(1);  // until the error has told how much it takes
  DISCREET_ASSIGN(sql::Query query, sql::bind(request.sql, options, policy));
  DISCREET_ASSIGN(const std::size_t output, first_value(query));
  const ErrorKind kind = error_kind(query.outputs[output].post);
  Unpriced out{std::move(query), output, kind};
  if (kind == ErrorKind::kRanks && out.needs_about(*request.error)) {
    return invalid_input(
        "the error of a quantile is one of ranks, that is of rows; say --error 100, or with "
        "--about N of how many rows it is a part");
  }
  return out;
}

/// The least epsilon at which the first value's interval is as narrow as wanted.
Result<Epsilon> solve(const Unpriced& question, const WantedError& wanted,
                      const std::optional<Learnt>& learnt, const policy::Policy& policy,
                      const Confidence& confidence) {
  const Rational part =
      wanted.relative && wanted.about ? wanted.half_width * wanted.about->abs() : wanted.half_width;
  double target = part.to_double(Round::kUp);
  if (wanted.relative && !wanted.about) target *= learnt->about;
  if (!(target > 0)) return invalid_input("the error to reach must be above 0");
  const sql::Output& output = question.query.outputs[question.output];
  return plan::least_epsilon(question.query.plan, policy, [&](const plan::Checked& checked) {
    Supposed supposed = learnt ? learnt->supposed : Supposed{};
    if (wanted.rows) supposed = suppose_rows(checked, wanted.rows->to_double(Round::kDown));
    return foreseen_half_width(output, checked, supposed, confidence) <= target;
  });
}

}  // namespace

Result<std::optional<Epsilon>> Session::earlier_epsilon(sql::Query query, const Request& request) {
  DISCREET_ASSIGN(const plan::Checked checked,
                  plan::Checker::check(query.plan, policy_, "earlier"));
  const std::string& units = checked.charge().units().name;
  std::map<std::string, Rational> prices;
  std::set<std::string> keys;
  struct Payment {
    ledger::Amount price;
    std::string question;
  };
  std::map<ledger::Sequence, Payment> payments;  // this analyst's
  DISCREET_TRY(ledger_.history([&](const ledger::Record& record) {
    using ledger::Kind;
    // Only what this analyst paid for: another's answer would tell for nothing.
    if (request.shown_before && record.sequence >= *request.shown_before) return Result<void>{};
    if (record.units != units || record.analyst != request.analyst ||
        record.snapshot != policy_.snapshot || prices.size() >= kPricesMax) {
      return Result<void>{};
    }
    const bool is_share = record.kind == Kind::kShare;
    const bool is_charge = record.kind == Kind::kCharge;
    if (is_share || is_charge) {
      payments.insert_or_assign(record.sequence, Payment{record.price.amount, record.question});
    }
    // What failed after it was paid has nothing to give: asking again costs again.
    const bool is_given = is_share && record.content == Hash{};  // at once
    const bool gives = record.kind == Kind::kAnswer || (is_charge && record.about != 0);
    if (!is_given && !gives) return Result<void>{};
    const auto paid = payments.find(is_given ? record.sequence : record.about);
    if (paid != payments.end()) {
      prices.emplace(paid->second.price.to_string(), paid->second.price.value());
      keys.insert(paid->second.question);
    }
    return Result<void>{};
  }));
  DISCREET_ASSIGN(const ledger::State state, ledger_.state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const space, state.find(units));
  const bool is_rho = space->terms.notion == ledger::Notion::kZcdp;
  const Rational dearest =
      checked.members() ? Rational::ratio(std::max(plan::kMovesOfAMember, checked.members()->most),
                                          plan::kMovesOfAMember)
                        : Rational(1);
  std::optional<Epsilon> best;
  for (const auto& [text, price] : prices) {
    if (price.sign() <= 0) continue;
    // What was offered: the price of the dearest namespace, of which this one's is a part.
    const Rational epsilon = (is_rho ? plan::root_below(price * Rational(2)) : price) * dearest;
    // The lines of a charge are rounded down, so that what was asked for may be a little more.
    const Rational above = Rational((epsilon * power_of_ten(9)).ceil()) * power_of_ten(-9);
    for (const Rational& candidate : {epsilon, above}) {
      DISCREET_ASSIGN(query.plan.epsilon, Epsilon::of(candidate));
      const QuestionKeys stored = question_keys(query, request.confidence);
      const auto is_there = [&](const std::string& key) { return keys.contains(key); };
      if (!is_there(stored.key) && std::ranges::none_of(stored.older, is_there)) continue;
      if (!best || best->value() < candidate) best = query.plan.epsilon;
    }
  }
  return best;
}

Result<Session::Settled> Session::settle(const Request& request, const engine::OwnerLog& log,
                                         bool may_buy) {
  Settled settled{request, {}, false};
  if (!request.error) return settled;
  const WantedError& wanted = *request.error;
  if (request.options.epsilon) return invalid_input("give --epsilon or --error, not both");
  DISCREET_ASSIGN(const Unpriced question, unpriced(request, policy_));
  settled.request.error.reset();
  std::optional<Learnt> learnt;
  std::optional<Epsilon> asked_before;
  if (question.needs_about(wanted) || question.needs_values(wanted)) {
    Request pilot = settled.request;
    DISCREET_ASSIGN(std::optional<Epsilon> earlier, earlier_epsilon(question.query, request));
    // What was too vague then stays so: whoever offers more for a pilot gets a better one.
    if (earlier && earlier->value() < wanted.pilot.value()) earlier.reset();
    pilot.options.epsilon = earlier.value_or(wanted.pilot);
    if (!pilot.request_id.empty()) pilot.request_id += " (pilot)";
    const std::string price = "epsilon " + pilot.options.epsilon->to_string();
    if (!may_buy) {
      settled.request = std::move(pilot);
      settled.is_pilot = true;
      settled.notes.push_back(
          earlier ? "an earlier answer, for " + price + ", tells what the error means; the " +
                        "question's price follows from it"
                  : "this is the pilot, which is bought first for " + price +
                        "; the question's price follows from its answer (--about N and --rows N "
                        "save it)");
      return settled;
    }
    DISCREET_ASSIGN(const Answered answered, ask_settled(pilot, log));
    asked_before = pilot.options.epsilon;
    DISCREET_ASSIGN(learnt, learnt_from(answered.sheet, question.output));
    settled.notes.push_back((answered.repeated ? "the error was solved from the stored answer for "
                                               : "the error was solved from a pilot, bought for ") +
                            price);
    if (question.needs_about(wanted) && learnt->about <= 0) {
      return invalid_input("the pilot, for " + price +
                           ", could not tell the value from 0, so nothing can be relative to it; "
                           "give a larger --pilot, --about N, or --epsilon");
    }
  }
  DISCREET_ASSIGN(settled.request.options.epsilon,
                  solve(question, wanted, learnt, policy_, request.confidence));
  // What the pilot cost may be enough already: its answer is there.
  if (asked_before && asked_before->value() >= settled.request.options.epsilon->value()) {
    settled.request.options.epsilon = asked_before;
    settled.notes.push_back("and that answer is accurate enough");
  }
  return settled;
}

}  // namespace discreet::session
