// SPDX-License-Identifier: Apache-2.0
#include "cli/account_people.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/composition.h"
#include "accounting/outward.h"
#include "accounting/root.h"

namespace discreet::cli {
namespace {

using accounting::Bounds;
using accounting::EpsilonDelta;
using accounting::Mechanism;
using accounting::Use;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNear = 1e-3;  // relative; the rule itself is further from the truth than that

struct ForPeople {
  std::uint64_t k;

  Rational times() const { return Rational(to_integer(static_cast<Int128>(k))); }

  std::optional<Mechanism> operator()(const accounting::Gaussian& m) const {
    return accounting::Gaussian{m.noise_multiplier / times()};
  }
  std::optional<Mechanism> operator()(const accounting::DiscreteGaussian& m) const {
    return accounting::DiscreteGaussian{m.noise_multiplier / times()};
  }
  std::optional<Mechanism> operator()(const accounting::Laplace& m) const {
    return accounting::Laplace{m.epsilon * times()};
  }
  std::optional<Mechanism> operator()(const accounting::DiscreteLaplace& m) const {
    const std::uint64_t steps = m.steps * k;
    if (steps > std::numeric_limits<std::uint32_t>::max()) return {};
    return accounting::DiscreteLaplace{m.epsilon * times(), static_cast<std::uint32_t>(steps)};
  }
  std::optional<Mechanism> operator()(const accounting::Generic& m) const {
    const EpsilonDelta all = accounting::group(EpsilonDelta{m.epsilon, m.delta}, k);
    return accounting::Generic{all.epsilon, all.delta};
  }
  std::optional<Mechanism> operator()(const accounting::Exponential& m) const {
    return accounting::Exponential{m.epsilon * times()};
  }
  std::optional<Mechanism> operator()(const accounting::PermuteAndFlip& m) const {
    return accounting::PermuteAndFlip{m.epsilon * times()};
  }
  std::optional<Mechanism> operator()(const accounting::SubsampledGaussian&) const { return {}; }
  std::optional<Mechanism> operator()(const accounting::SubsampledLaplace&) const { return {}; }
};

/// Whether k people can really move the answer k times as far, and no more is lost.
bool is_shifted_noise(const Use& use) {
  return std::holds_alternative<accounting::Gaussian>(use.mechanism) ||
         std::holds_alternative<accounting::Laplace>(use.mechanism) ||
         std::holds_alternative<accounting::DiscreteLaplace>(use.mechanism);
}

Bounds ask_one(const std::vector<Use>& uses, const Question& question) {
  return question.delta ? accounting::epsilon_of(uses, *question.delta, question.notion)
                        : accounting::delta_of(uses, *question.epsilon, question.notion);
}

/// The group rule for the list as a whole.
class GroupRule {
 public:
  GroupRule(const std::vector<Use>& uses, const Question& question)
      : uses_(uses), notion_(question.notion), k_(question.people) {}

  /// A delta for all, given one person's epsilon.
  double delta(const Rational& epsilon_one) const {
    const double one = accounting::delta_of(uses_, epsilon_one, notion_).upper;
    return accounting::group(EpsilonDelta{epsilon_one, accounting::exactly(one)}, k_)
        .delta.to_double(Round::kUp);
  }

  /// An epsilon for all: k times an epsilon of one person whose delta, grown, is small enough. The
  /// search is a heuristic; what it returns has been checked.
  double epsilon(const Delta& wanted) const {
    const double pure =
        accounting::epsilon_of(uses_, Delta::trusted(0), notion_).upper * static_cast<double>(k_);
    const double limit = wanted.value().to_double(Round::kDown);
    const double start = accounting::epsilon_of(uses_, wanted, notion_).upper;
    if (!(limit > 0) || std::isinf(start)) return grown(pure);
    const auto meets = [&](double one) { return delta(accounting::exactly(one)) <= limit; };
    double low = std::max(start, 1e-9);
    double high = low;
    while (!meets(high)) {
      low = high;
      high *= 2;
      if (high > 0x1p40) return grown(pure);
    }
    if (high > low) {
      const double guess = accounting::falling_root(low, high, kNear, [&](double one) {
        return std::log(std::max(delta(accounting::exactly(one)), 1e-300) / limit);
      });
      for (double part = kNear; part < 1; part *= 4) {
        if (guess * (1 + part) >= high) break;
        if (!meets(guess * (1 + part))) continue;
        high = guess * (1 + part);
        break;
      }
    }
    return std::min(grown(pure), grown(high * static_cast<double>(k_)));
  }

 private:
  /// Never below the product that was rounded.
  static double grown(double x) { return std::isinf(x) ? x : std::nextafter(x, kInfinity); }

  const std::vector<Use>& uses_;
  accounting::Notion notion_;
  std::uint64_t k_;
};

Bounds ask_group(const std::vector<Use>& uses, const Question& question) {
  const Bounds one = ask_one(uses, question);
  if (const auto many = uses_for_people(uses, question.people)) {
    Bounds all = ask_one(*many, question);
    if (!std::all_of(uses.begin(), uses.end(), is_shifted_noise)) all.lower = one.lower;
    all.lower = std::min(all.lower, all.upper);
    return all;
  }
  const GroupRule rule(uses, question);
  Bounds all{one.lower, kInfinity, "group privacy [Vad17] of " + one.theorem};
  if (question.delta) {
    all.upper = rule.epsilon(*question.delta);
  } else {
    const Rational people(to_integer(static_cast<Int128>(question.people)));
    all.upper = std::min(1.0, rule.delta(*question.epsilon / people));
  }
  return all;
}

}  // namespace

std::optional<std::vector<Use>> uses_for_people(const std::vector<Use>& uses, std::uint64_t k) {
  std::vector<Use> out;
  for (const Use& use : uses) {
    std::optional<Mechanism> mechanism = std::visit(ForPeople{k}, use.mechanism);
    if (!mechanism) return {};
    out.push_back({std::move(*mechanism), use.count});
  }
  if (!accounting::check(out)) return {};
  return out;
}

Result<Bounds> ask(const std::vector<Use>& uses, const Question& question) {
  Bounds bounds = question.people == 1 ? ask_one(uses, question) : ask_group(uses, question);
  const double nothing = question.delta ? kInfinity : 1;
  if (question.notion != accounting::Notion::kBest && bounds.upper >= nothing &&
      bounds.theorem.starts_with("no")) {
    return invalid_input("the notion " + accounting::to_string(question.notion) +
                         " gives no bound here; choose another, or --notion best");
  }
  return bounds;
}

Result<report::Sheet> answer_sheet(const std::vector<accounting::Use>& uses,
                                   const Question& question) {
  DISCREET_ASSIGN(const accounting::Bounds bounds, ask(uses, question));
  report::Sheet sheet;
  add_bounds(sheet, question, bounds);
  add_uses(sheet, uses);
  return sheet;
}

}  // namespace discreet::cli
