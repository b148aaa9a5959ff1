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

/// max over S of p(S) / (q(S) + u'). The best S takes outcomes in falling order of p/q, up to some
/// point: adding o helps exactly when p(o)/q(o) exceeds the ratio reached so far.
Rational best_ratio(std::vector<OutcomePair> pairs, const Rational& unresolved) {
  std::sort(pairs.begin(), pairs.end(),
            [](const OutcomePair& x, const OutcomePair& y) { return x.p * y.q > y.p * x.q; });
  Rational best = 0;
  Rational above = 0;
  Rational below = unresolved;
  for (const OutcomePair& pair : pairs) {
    above = above + pair.p;
    below = below + pair.q;
    if (below > 0) best = std::max(best, above / below);
  }
  return best;
}

/// An outcome that one side reaches and the other, completely walked, cannot.
bool impossible_beyond(const std::vector<OutcomePair>& pairs, const Rational& unresolved) {
  return unresolved == kZero &&
         std::any_of(pairs.begin(), pairs.end(),
                     [](const OutcomePair& pair) { return pair.p > 0 && pair.q == kZero; });
}

/// Stands for infinity: no mechanism may cost as much (Epsilon ends at 2^40).
Rational boundless() { return power_of_two(41); }

Loss one_way_epsilon(const Distribution& a, const Distribution& b) {
  const std::vector<OutcomePair> pairs = paired(a, b);
  if (impossible_beyond(pairs, b.unresolved)) return {boundless(), std::nullopt};
  Loss loss{kZero, std::nullopt};
  const Rational ratio = best_ratio(pairs, b.unresolved);
  if (ratio > 0) loss.low = std::max(kZero, log(wide(ratio)).low());
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

Rational power(const Rational& x, int n) {
  Rational result = 1;
  for (int i = 0; i < n; ++i) result = result * x;
  return result;
}

Rational one_way_renyi(const Distribution& a, const Distribution& b, int order) {
  const std::vector<OutcomePair> pairs = paired(a, b);
  if (impossible_beyond(pairs, b.unresolved)) return boundless();
  Rational sum = 0;
  for (const OutcomePair& pair : pairs) {
    const Rational most = pair.q + b.unresolved;
    if (most > 0) sum = sum + power(pair.p, order) / power(most, order - 1);
  }
  if (sum == kZero) return kZero;
  return std::max(kZero, log(wide(sum)).low() / Rational(order - 1));
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

void judge_epsilon(const Cost& claimed, const Distribution& a, const Distribution& b,
                   Verdict& verdict) {
  const Rational& epsilon = claimed.epsilon->value();
  const DeltaBracket delta = measure_delta(a, b, epsilon);
  verdict.delta = shown(delta.low, Round::kDown) + " to " + shown(delta.high, Round::kUp);
  verdict.measured = "delta " + verdict.delta;
  verdict.certified = delta.low;
  if (claimed.delta.value() == kZero) {
    const Loss loss = measure_epsilon(a, b);
    verdict.measured = "epsilon " + shown(loss);
    verdict.certified = loss.low;
    if (loss.low > epsilon) {
      broken(verdict, "epsilon is at least " + shown(loss.low, Round::kDown));
      return;
    }
  }
  if (delta.low > claimed.delta.value()) {
    broken(verdict, "delta is at least " + shown(delta.low, Round::kDown));
  }
}

/// [Bun-Steinke 2016, Prop. 1.3, and its section 8 for delta > 0]: delta-approximate rho-zCDP
/// implies (epsilon, delta + e^-((epsilon - rho)^2 / 4 rho)) for every epsilon >= rho.
void judge_conversion(const Cost& claimed, const Distribution& a, const Distribution& b,
                      Verdict& verdict) {
  const Rational& rho = claimed.rho->value();
  for (const int t : {1, 2, 4, 8, 16}) {  // the conversion adds about e^-t
    const Rational gap = sqrt(wide(Rational(4 * t) * rho)).high();
    const Rational epsilon = rho + gap;
    const Rational allowed =
        claimed.delta.value() + exp(wide(Rational(-1) * gap * gap / (Rational(4) * rho))).high();
    const DeltaBracket delta = measure_delta(a, b, epsilon);
    if (delta.low > allowed) {
      broken(verdict, "delta at epsilon " + epsilon.to_decimal(3, Round::kUp) + " is at least " +
                          shown(delta.low, Round::kDown));
      return;
    }
  }
}

void judge_rho(const Cost& claimed, const Distribution& a, const Distribution& b,
               Verdict& verdict) {
  const Rational& rho = claimed.rho->value();
  judge_conversion(claimed, a, b, verdict);
  if (claimed.delta.value() != kZero) {
    if (!claimed.epsilon) {
      const DeltaBracket delta = measure_delta(a, b, rho);
      verdict.measured = "delta at epsilon = rho " + shown(delta.low, Round::kDown) + " to " +
                         shown(delta.high, Round::kUp);
      verdict.certified = delta.low;
    }
    return;
  }
  Rational low = 0;
  for (const int order : {2, 3}) {
    low = std::max(low, measure_renyi(a, b, order) / Rational(order));
  }
  if (!claimed.epsilon) {
    verdict.measured = "rho at least " + shown(low, Round::kDown);
    verdict.certified = low;
  }
  if (low > rho) broken(verdict, "rho is at least " + shown(low, Round::kDown));
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

Loss measure_epsilon(const Distribution& a, const Distribution& b) {
  return larger(one_way_epsilon(a, b), one_way_epsilon(b, a));
}

DeltaBracket measure_delta(const Distribution& a, const Distribution& b, const Rational& epsilon) {
  const DeltaBracket there = one_way_delta(a, b, epsilon);
  const DeltaBracket back = one_way_delta(b, a, epsilon);
  return {std::max(there.low, back.low), std::max(there.high, back.high)};
}

Rational measure_renyi(const Distribution& a, const Distribution& b, int order) {
  DISCREET_CHECK(order >= 2);
  return std::max(one_way_renyi(a, b, order), one_way_renyi(b, a, order));
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
  Verdict verdict{
      .ok = true, .violated = false, .text = "holds", .measured = "", .delta = "-", .certified = 0};
  if (claimed.epsilon) judge_epsilon(claimed, a, b, verdict);
  if (claimed.rho) judge_rho(claimed, a, b, verdict);
  judge_fit(a, b, verdict);
  judge_coverage(a, b, verdict);
  return verdict;
}

Verdict judge_equality(const Distribution& a, const Distribution& b) {
  Verdict verdict{
      .ok = true, .violated = false, .text = "holds", .measured = "", .delta = "-", .certified = 0};
  const DeltaBracket distance = measure_delta(a, b, kZero);
  verdict.measured =
      "distance " + shown(distance.low, Round::kDown) + " to " + shown(distance.high, Round::kUp);
  verdict.certified = distance.low;
  if (distance.low > 0)
    broken(verdict, "the two differ by at least " + shown(distance.low, Round::kDown));
  judge_fit(a, b, verdict);
  judge_coverage(a, b, verdict);
  return verdict;
}

}  // namespace discreet::audit
