// SPDX-License-Identifier: Apache-2.0
#include "audit/attack/scene.h"

#include <algorithm>
#include <cmath>

namespace discreet::audit {
namespace {

struct Named {
  std::string_view name;
  std::string_view summary;
  Result<AttackRun> (*run)(const AttackOptions&);
};

constexpr Named kAttacks[] = {
    {"weld", "link a hospital table without names to a voter roll", attack_weld},
    {"kanye", "find a rich household in means by ZIP code", attack_kanye},
    {"average", "ask the same thing many times", attack_average},
    {"difference", "ask for everyone, then for everyone but one", attack_difference},
    {"reconstruct", "recover secret bits from sums over random subsets", attack_reconstruct},
    {"membership", "was this person in the study, or in the training data?", attack_membership},
    {"floating-point", "read the secret off the low bits of the noise", attack_floating_point},
    {"timing", "read the noise off the clock", attack_timing},
};

/// Pr[Bin(n, p) >= k], by summing the smaller side.
double chance_of_at_least(std::uint64_t k, std::uint64_t n, double p) {
  if (k == 0) return 1;
  const auto term = [&](std::uint64_t i) {
    const auto x = static_cast<double>(i);
    const auto m = static_cast<double>(n);
    return std::exp(std::lgamma(m + 1) - std::lgamma(x + 1) - std::lgamma(m - x + 1) +
                    x * std::log(p) + (m - x) * std::log1p(-p));
  };
  double sum = 0;
  if (static_cast<double>(k) > p * static_cast<double>(n)) {
    for (std::uint64_t i = k; i <= n; ++i) {
      const double t = term(i);
      sum += t;
      if (t < sum * 1e-17) break;
    }
    return sum;
  }
  for (std::uint64_t i = k; i-- > 0;) {
    const double t = term(i);
    sum += t;
    if (t < sum * 1e-17) break;
  }
  return 1 - sum;
}

/// The p at which `holds` turns from false to true.
template <class Holds>
double turn(const Holds& holds) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Result<std::uint64_t> fresh_seed() {
  DISCREET_ASSIGN(SeededBits fresh, SeededBits::fresh());
  return fresh.take(32);
}

std::vector<std::string> attack_names() {
  std::vector<std::string> names;
  for (const Named& attack : kAttacks) names.emplace_back(attack.name);
  return names;
}

std::string attack_summary(std::string_view name) {
  for (const Named& attack : kAttacks) {
    if (attack.name == name) return std::string(attack.summary);
  }
  return "";
}

Result<AttackRun> run_attack(std::string_view name, const AttackOptions& options) {
  for (const Named& attack : kAttacks) {
    if (attack.name == name) return attack.run(options);
  }
  std::string known;
  for (const Named& attack : kAttacks) {
    known += (known.empty() ? "" : ", ") + std::string(attack.name);
  }
  return Error{Code::kNotFound, "no attack is called " + in_quotes(name) + "; known: " + known};
}

Proportion clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0) return {};
  const double tail = (1 - confidence) / 2;
  Proportion out;
  out.low = successes == 0
                ? 0
                : turn([&](double p) { return chance_of_at_least(successes, trials, p) > tail; });
  out.high = successes == trials ? 1 : turn([&](double p) {
    return 1 - chance_of_at_least(successes + 1, trials, p) <= tail;
  });
  return out;
}

double guess_limit(const Rational& epsilon, int others) {
  return std::min(1.0, 1 / (1 + others * std::exp(-epsilon.to_double(Round::kUp))) * (1 + 1e-12));
}

Measured measured(std::string target, std::uint64_t successes, std::uint64_t trials) {
  const Proportion range = clopper_pearson(successes, trials);
  return {.target = std::move(target),
          .success = trials == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(trials),
          .low = range.low,
          .high = range.high,
          .surely = clopper_pearson(successes, trials, 1 - 1e-9).low};
}

namespace {

/// Where an attack has no chart of its own: what the table says, drawn.
report::Chart chart_of(const std::vector<Measured>& all) {
  report::ChartCurve right{.name = "attacker is right", .points = {}};
  report::ChartCurve chance{.name = "by chance", .points = {}};
  report::ChartCurve limit{.name = "limit by theorem", .points = {}, .bound = true};
  double line = 0;
  for (const Measured& one : all) {
    line += 1;
    right.points.emplace_back(line, one.success);
    chance.points.emplace_back(line, one.chance);
    if (one.limit < 1) limit.points.emplace_back(line, one.limit);
  }
  return {.title = "the attacker is right, line by line",
          .x_label = "line of the table",
          .y_label = "probability",
          .apart = true,
          .curves = {right, chance, limit}};
}

}  // namespace

Result<mechanism::Laplace> noise_of(const Rational& epsilon) {
  DISCREET_ASSIGN(const Epsilon checked, Epsilon::of(epsilon));
  return mechanism::Laplace::make({.sensitivity = Sensitivity::trusted(1), .epsilon = checked});
}

void conclude(AttackRun& run, const std::string& theorem) {
  report::Section section{.heading = "What the attacker reached",
                          .words = {theorem},
                          .columns = {"released", "attacker is right", "99 % interval", "by chance",
                                      "limit by theorem", "verdict"}};
  run.ok = !run.exhibit.partial;
  for (const Measured& one : run.measured) {
    run.ok = run.ok && one.ok();
    const char* const verdict = one.ours           ? (one.ok() ? "stands" : "BROKEN")
                                : one.is_broken()  ? "broken, as expected"
                                : one.must_succeed ? "NOT BROKEN"
                                                   : "not broken by this";
    section.rows.push_back({report::Cell::words(one.target),
                            report::Cell::number(percent(one.success)),
                            report::Cell::words(percent(one.low) + " to " + percent(one.high)),
                            report::Cell::number(percent(one.chance)),
                            report::Cell::words(one.limit >= 1 ? "none" : percent(one.limit)),
                            report::Cell::words(verdict)});
  }
  const bool drawn = std::any_of(run.exhibit.sections.begin(), run.exhibit.sections.end(),
                                 [](const report::Section& one) { return one.chart.has_value(); });
  if (!drawn) section.chart = chart_of(run.measured);
  run.exhibit.sections.push_back(std::move(section));
}

std::string shown(double x, int digits) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, x);
  return buffer;
}

std::string percent(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.1f %%", 100 * x);
  return buffer;
}

}  // namespace discreet::audit
