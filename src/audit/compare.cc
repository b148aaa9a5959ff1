// SPDX-License-Identifier: Apache-2.0
#include "audit/compare.h"

#include <algorithm>
#include <set>

namespace discreet::audit {
namespace {

constexpr int kPrecision = 160;
constexpr int kResolvedFactor = 32;

const Rational kZero = 0;

Interval wide(const Rational& x) { return Interval::around(x, kPrecision); }

const Rational& mass(const Distribution& d, const std::string& outcome) {
  const auto found = d.outcomes.find(outcome);
  return found == d.outcomes.end() ? kZero : found->second.finished;
}

struct OutcomePair {
  Rational p;
  Rational q;
};

/// Finished masses of every outcome that either walk has seen.
std::vector<OutcomePair> paired(const Distribution& a, const Distribution& b) {
  std::set<std::string> names;
  for (const auto& [name, bracket] : a.outcomes) names.insert(name);
  for (const auto& [name, bracket] : b.outcomes) names.insert(name);
  std::vector<OutcomePair> pairs;
  for (const std::string& name : names) pairs.push_back({mass(a, name), mass(b, name)});
  return pairs;
}

bool resolved(const OutcomePair& pair, const Distribution& a, const Distribution& b) {
  return pair.p > 0 && pair.q > 0 && pair.p >= kResolvedFactor * a.unresolved &&
         pair.q >= kResolvedFactor * b.unresolved;
}

/// Outcomes taken together.
struct Together {
  Rational p = 0;
  Rational q = 0;
  std::size_t count = 0;
};

/// Sorts by falling p/q and finds the S with the largest (p(S) - delta) / (q(S) + u'): adding o to S
/// helps exactly when p(o)/q(o) exceeds what was reached, so it is the first few. With u' = 0 a set
/// that the other side cannot reach has an infinite ratio.
Together best_set(std::vector<OutcomePair>& pairs, const Rational& unresolved,
                  const Rational& delta) {
  std::sort(pairs.begin(), pairs.end(),
            [](const OutcomePair& x, const OutcomePair& y) { return x.p * y.q > y.p * x.q; });
  Together best;
  Together all;
  for (const OutcomePair& pair : pairs) {
    all = {all.p + pair.p, all.q + pair.q, all.count + 1};
    if (all.p <= delta) continue;
    if (best.count == 0 ||
        (all.p - delta) * (best.q + unresolved) > (best.p - delta) * (all.q + unresolved)) {
      best = all;
    }
  }
  return best;
}

/// Stands for infinity: no mechanism may cost as much (Epsilon ends at 2^40).
Rational boundless() { return power_of_two(41); }

Loss one_way_epsilon(const Distribution& a, const Distribution& b, const Rational& delta) {
  std::vector<OutcomePair> pairs = paired(a, b);
  const Together best = best_set(pairs, b.unresolved, delta);
  Loss loss{kZero, std::nullopt};
  if (best.count > 0) {
    const Rational below = best.q + b.unresolved;
    if (below == kZero) return {boundless(), std::nullopt};
    loss.low = std::max(kZero, log(wide((best.p - delta) / below)).low());
  }
  Rational worst = 0;
  for (const OutcomePair& pair : pairs) {
    if (resolved(pair, a, b)) worst = std::max(worst, (pair.p + a.unresolved) / pair.q);
  }
  if (worst > 0) loss.high = log(wide(worst)).high();
  return loss;
}

Loss larger(const Loss& x, const Loss& y) {
  Loss loss{std::max(x.low, y.low), std::nullopt};
  if (x.high && y.high) loss.high = std::max(*x.high, *y.high);
  if (loss.high && *loss.high < loss.low) loss.high.reset();
  return loss;
}

DeltaBracket one_way_delta(const Distribution& a, const Distribution& b, const Rational& epsilon) {
  const Interval factor = exp(wide(epsilon));
  Rational low = 0;
  Rational high = 0;
  for (const OutcomePair& pair : paired(a, b)) {
    const Interval excess = wide(pair.p) - factor * wide(pair.q);
    low = low + std::max(kZero, excess.low());
    high = high + std::max(kZero, excess.high());
  }
  low = low - (factor * wide(b.unresolved)).high();
  return {std::max(kZero, low), std::min(Rational(1), high + a.unresolved)};
}

/// p^order / q^(order - 1), order = 1 + quarters / 4, rounded down.
Rational renyi_term(const Rational& p, const Rational& q, int quarters) {
  Interval factor = wide(p) / wide(q);
  const bool is_whole = quarters % 4 == 0;
  if (!is_whole) factor = sqrt(sqrt(factor));
  Interval term = wide(p);
  for (int i = 0; i < (is_whole ? quarters / 4 : quarters); ++i) term = term * factor;
  return term.low();
}

Rational one_way_renyi(const Distribution& a, const Distribution& b, int quarters,
                       const Rational& delta) {
  std::vector<OutcomePair> pairs = paired(a, b);
  const Together best = best_set(pairs, b.unresolved, delta);
  if (best.count == 0) return kZero;
  const Rational below = best.q + b.unresolved;
  if (below == kZero) return boundless();
  Rational sum = renyi_term(best.p - delta, below, quarters);
  for (std::size_t i = best.count; i < pairs.size(); ++i) {
    if (pairs[i].p > 0) sum = sum + renyi_term(pairs[i].p, pairs[i].q, quarters);
  }
  const Rational low = log(wide(sum)).low() * Rational::ratio(4, quarters);
  return std::max(kZero, low + log(wide(1 - delta)).low());
}

std::string shown(const Rational& x, Round direction) {
  return x >= boundless() ? "infinite" : x.to_decimal(5, direction);
}

std::string shown(const Loss& loss) {
  return shown(loss.low, Round::kDown) + " to " +
         (loss.high ? shown(*loss.high, Round::kUp) : std::string("?"));
}

void broken(Verdict& verdict, const std::string& what) {
  verdict.text = verdict.ok ? "violated: " + what : verdict.text + "; " + what;
  verdict.ok = false;
  verdict.violated = true;
}

/// What is certain of the claim's parts, beside them.
void use_up(Verdict& verdict, const Rational& certified, const Rational& claimed) {
  if (claimed > 0) verdict.share = std::max(verdict.share.value_or(kZero), certified / claimed);
}

void judge_epsilon(const Cost& claimed, const Distribution& a, const Distribution& b,
                   Verdict& verdict) {
  const Rational& epsilon = claimed.epsilon->value();
  const Rational& allowed = claimed.delta.value();
  const DeltaBracket delta = measure_delta(a, b, epsilon);
  const Loss loss = measure_epsilon(a, b, allowed);
  verdict.delta = shown(delta.low, Round::kDown) + " to " + shown(delta.high, Round::kUp);
  verdict.measured = allowed == kZero ? "epsilon " + shown(loss)
                                      : "delta " + verdict.delta + ", epsilon at least " +
                                            shown(loss.low, Round::kDown);
  use_up(verdict, loss.low, epsilon);
  use_up(verdict, delta.low, allowed);
  if (allowed == kZero && loss.low > epsilon) {
    broken(verdict, "epsilon is at least " + shown(loss.low, Round::kDown));
  } else if (delta.low > allowed) {
    broken(verdict, "delta is at least " + shown(delta.low, Round::kDown));
  }
}

/// [Bun-Steinke 2016, Prop. 1.3, and its section 8 for delta > 0]: delta-approximate rho-zCDP
/// implies (epsilon, delta + e^-((epsilon - rho)^2 / 4 rho)) for every epsilon >= rho. So that much
/// delta, at least, goes with rho.
Rational delta_beside(const Rational& rho, const Distribution& a, const Distribution& b) {
  Rational most = 0;
  for (const int t : {1, 2, 4, 8, 16}) {  // the conversion adds about e^-t
    const Rational gap = sqrt(wide(Rational(4 * t) * rho)).high();
    const Rational added = exp(wide(Rational(-1) * gap * gap / (Rational(4) * rho))).high();
    most = std::max(most, measure_delta(a, b, rho + gap).low - added);
  }
  return most;
}

void judge_rho(const Cost& claimed, const Distribution& a, const Distribution& b,
               Verdict& verdict) {
  const Rational& rho = claimed.rho->value();
  const Rational& allowed = claimed.delta.value();
  const Rational delta = delta_beside(rho, a, b);
  Rational low = 0;
  for (const Rational& order : {Rational::ratio(5, 4), Rational::ratio(3, 2), Rational(2)}) {
    low = std::max(low, measure_renyi(a, b, order, allowed) / order);
  }
  if (!claimed.epsilon) {
    verdict.measured = "rho at least " + shown(low, Round::kDown);
    if (allowed > 0) verdict.measured += ", delta at least " + shown(delta, Round::kDown);
    use_up(verdict, low, rho);
    use_up(verdict, delta, allowed);
  }
  if (low > rho) broken(verdict, "rho is at least " + shown(low, Round::kDown));
  if (delta > allowed) {
    broken(verdict, "delta beside rho is at least " + shown(delta, Round::kDown));
  }
}

/// What contradicts nothing because little was walked does not hold.
void judge_coverage(const Distribution& a, const Distribution& b, Verdict& verdict) {
  const Rational& most = std::max(a.unresolved, b.unresolved);
  if (!verdict.ok || most <= kUnresolvedMax) return;
  verdict.ok = false;
  verdict.text = "unresolved: the walk left " + most.to_decimal(2, Round::kUp) + " of the tapes, " +
                 "more than " + kUnresolvedMax.to_string();
}

/// Says it once, about the side that is further out.
void judge_fit(const Distribution& a, const Distribution& b, Verdict& verdict) {
  const Fit first = measure_fit(a);
  const Fit second = measure_fit(b);
  const Fit& worse =
      first.worst.empty() || (!second.worst.empty() && first.distance_low < second.distance_low)
          ? second
          : first;
  if (worse.worst.empty()) return;
  broken(verdict, "not the theorem's distribution (outcome " + worse.worst +
                      ", distance at least " + shown(worse.distance_low, Round::kDown) + ")");
}

}  // namespace

Loss measure_epsilon(const Distribution& a, const Distribution& b, const Rational& delta) {
  return larger(one_way_epsilon(a, b, delta), one_way_epsilon(b, a, delta));
}

DeltaBracket measure_delta(const Distribution& a, const Distribution& b, const Rational& epsilon) {
  const DeltaBracket there = one_way_delta(a, b, epsilon);
  const DeltaBracket back = one_way_delta(b, a, epsilon);
  return {std::max(there.low, back.low), std::max(there.high, back.high)};
}

Rational measure_renyi(const Distribution& a, const Distribution& b, const Rational& order,
                       const Rational& delta) {
  const Rational quarters = 4 * (order - 1);
  DISCREET_CHECK(quarters > 0 && quarters.denominator() == 1);
  const int n = static_cast<int>(quarters.numerator().get_si());
  return std::max(one_way_renyi(a, b, n, delta), one_way_renyi(b, a, n, delta));
}

Fit measure_fit(const Distribution& d) {
  Fit fit{.known = false, .distance_low = 0, .worst = ""};
  Rational furthest = 0;
  for (const auto& [name, bracket] : d.outcomes) {
    if (!bracket.theorem) continue;
    fit.known = true;
    const Rational above = bracket.finished - bracket.theorem->high;
    const Rational below = bracket.theorem->low - (bracket.finished + d.unresolved);
    if (above > 0) fit.distance_low = fit.distance_low + above;
    const Rational out = std::max(above, below);
    if (out > furthest) {
      furthest = out;
      fit.worst = name;
    }
  }
  return fit;
}

Verdict judge(const Cost& claimed, const Distribution& a, const Distribution& b) {
  Verdict verdict{.ok = true, .violated = false, .text = "holds", .measured = "", .delta = "-"};
  if (claimed.epsilon) judge_epsilon(claimed, a, b, verdict);
  if (claimed.rho) judge_rho(claimed, a, b, verdict);
  judge_fit(a, b, verdict);
  judge_coverage(a, b, verdict);
  return verdict;
}

void use_another_epsilon(const Cost& claimed, const Rational& epsilon, Verdict& verdict) {
  use_up(verdict, epsilon, claimed.epsilon->value());
  if (epsilon > claimed.epsilon->value()) {
    broken(verdict, "epsilon is at least " + shown(epsilon, Round::kDown));
  }
}

Verdict judge_equality(const Distribution& a, const Distribution& b) {
  Verdict verdict{.ok = true, .violated = false, .text = "holds", .measured = "", .delta = "-"};
  const DeltaBracket distance = measure_delta(a, b, kZero);
  verdict.measured =
      "distance " + shown(distance.low, Round::kDown) + " to " + shown(distance.high, Round::kUp);
  if (distance.low > 0)
    broken(verdict, "the two differ by at least " + shown(distance.low, Round::kDown));
  judge_fit(a, b, verdict);
  judge_coverage(a, b, verdict);
  return verdict;
}

}  // namespace discreet::audit
