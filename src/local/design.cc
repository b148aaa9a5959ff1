// SPDX-License-Identifier: Apache-2.0
#include "local/design.h"

#include <algorithm>
#include <cmath>

#include "local/client/field.h"
#include "local/numbers.h"
#include "local/support.h"

namespace discreet::local {
namespace {

// n times the variance of all shares together, when they are equal.
double total_variance(const Parameters& p) {
  const double k = static_cast<double>(p.domain);
  return k * support_of(p).variance(1 / k);
}

Parameters with(Mechanism mechanism, std::uint64_t epsilon, std::uint64_t domain) {
  return {
      .mechanism = mechanism, .epsilon = epsilon, .odds = odds_below(epsilon), .domain = domain};
}

// The best of several settings, by variance; those that do not pass the check do not count.
std::optional<Parameters> best_of(const std::vector<Parameters>& settings) {
  std::optional<Parameters> best;
  for (const Parameters& p : settings) {
    if (!check(p).has_value()) continue;
    if (!best || total_variance(p) < total_variance(*best)) best = p;
  }
  return best;
}

std::vector<Parameters> settings(Mechanism mechanism, std::uint64_t epsilon, std::uint64_t k) {
  const Parameters plain = with(mechanism, epsilon, k);
  const double ideal = std::exp(static_cast<double>(epsilon) * 1e-9) + 1;
  std::vector<Parameters> all;
  const auto width = [&](std::uint64_t w, std::uint64_t depth = 0) {
    all.push_back(plain);
    all.back().width = w;
    all.back().depth = depth;
  };
  switch (mechanism) {
    case Mechanism::kHash:
      for (int step = -1; step <= 1; ++step) {
        width(static_cast<std::uint64_t>(std::clamp(std::round(ideal) + step, 2.0, 65536.0)));
      }
      return all;
    case Mechanism::kSubset:
      for (int step = -1; step <= 1; ++step) {
        const double d = std::round(static_cast<double>(k) / ideal) + step;
        width(static_cast<std::uint64_t>(std::clamp(d, 1.0, static_cast<double>(k - 1))));
      }
      return all;
    case Mechanism::kProjective:
      for (std::uint64_t q = 2; q <= kFieldMax; ++q) {
        if (!is_field_order(q)) continue;
        std::uint64_t t = 2;
        while (projective_points(q, t) < k) ++t;
        width(q, t);
      }
      return all;
    default:
      return {plain};
  }
}

constexpr Mechanism kForChoices[] = {Mechanism::kResponse, Mechanism::kProjective,
                                     Mechanism::kHadamard, Mechanism::kHash,
                                     Mechanism::kSubset,   Mechanism::kUnary};

// Bytes on the wire; local hashing also makes the collector hash every choice for every report.
std::uint64_t burden(const Candidate& c) {
  return c.bytes + (c.parameters.mechanism == Mechanism::kHash ? c.parameters.domain / 256 : 0);
}

Result<std::uint64_t> number_of_choices(const ChoicesDesign& design) {
  if (design.labels.empty() && design.choices < 2) {
    return invalid_input("a survey needs at least two choices");
  }
  if (!design.labels.empty() && design.choices != 0 && design.choices != design.labels.size()) {
    return invalid_input("the number of choices is not the number of labels");
  }
  for (std::size_t i = 0; i < design.labels.size(); ++i) {
    if (std::count(design.labels.begin(), design.labels.end(), design.labels[i]) > 1) {
      return invalid_input("the label " + in_quotes(design.labels[i]) + " stands twice");
    }
  }
  return design.labels.empty() ? design.choices : design.labels.size();
}

Result<Survey> checked(Survey survey) {
  DISCREET_TRY(check(survey));
  return survey;
}

}  // namespace

Result<std::uint64_t> nano_epsilon(const Epsilon& epsilon) {
  const Integer nano = (epsilon.value() * Rational(1'000'000'000)).floor();
  if (nano < Integer(static_cast<unsigned long>(kEpsilonMin)) ||
      nano > Integer(static_cast<unsigned long>(kEpsilonMax))) {
    return invalid_input("a local survey's epsilon must lie between 0.001 and 20; got " +
                         in_quotes(epsilon.to_string()));
  }
  return nano.get_ui();
}

std::vector<Candidate> candidates(const ChoicesDesign& design) {
  std::vector<Candidate> all;
  const Result<std::uint64_t> nano = nano_epsilon(design.epsilon);
  const Result<std::uint64_t> k = number_of_choices(design);
  if (!nano.has_value() || !k.has_value()) return all;
  for (const Mechanism mechanism : kForChoices) {
    // The variance of sums of hashed shares has no good bound (support.h), so not for numbers.
    if (mechanism == Mechanism::kHash && design.range) continue;
    const auto best = best_of(settings(mechanism, *nano, *k));
    if (best) all.push_back({*best, total_variance(*best), payload_size(*best)});
  }
  return all;
}

Result<Survey> design_choices(const ChoicesDesign& design) {
  DISCREET_ASSIGN(const std::uint64_t nano, nano_epsilon(design.epsilon));
  DISCREET_ASSIGN(const std::uint64_t k, number_of_choices(design));
  Survey survey;
  survey.name = design.name;
  survey.labels = design.labels;
  if (design.range) {
    survey.answers = Answers::kNumbers;
    survey.low = design.range->first;
    survey.high = design.range->second;
  }
  if (design.mechanism) {
    if (*design.mechanism > Mechanism::kProjective) {
      return invalid_input("mechanism " + std::string(name_of(*design.mechanism)) +
                           " is not for choices");
    }
    const auto best = best_of(settings(*design.mechanism, nano, k));
    if (!best) {
      return invalid_input("mechanism " + std::string(name_of(*design.mechanism)) + " cannot ask " +
                           std::to_string(k) + " choices at this epsilon");
    }
    survey.parameters = *best;
    return checked(std::move(survey));
  }
  const std::vector<Candidate> all = candidates(design);
  const Candidate* chosen = nullptr;
  double least = HUGE_VAL;
  for (const Candidate& c : all) {
    if (c.bytes <= design.bytes_max) least = std::min(least, c.variance);
  }
  for (const Candidate& c : all) {
    if (c.bytes > design.bytes_max || c.variance > 1.01 * least) continue;
    if (chosen == nullptr || burden(c) < burden(*chosen)) chosen = &c;
  }
  if (chosen == nullptr) {
    return invalid_input("no mechanism fits into " + std::to_string(design.bytes_max) +
                         " bytes a report");
  }
  survey.parameters = chosen->parameters;
  return checked(std::move(survey));
}

Result<Survey> design_biased_response(const std::string& name, const Rational& bias) {
  const Rational half = Rational::ratio(1, 2);
  if (bias.sign() <= 0 || bias >= half) {
    return invalid_input("the bias must lie strictly between 0 and 1/2, such as 1/4; got " +
                         in_quotes(bias.to_string()));
  }
  const Integer odds = ((half + bias) / (half - bias) * power_of_two(32)).floor();
  const Integer most(static_cast<unsigned long>(odds_below(kEpsilonMax)));
  const std::uint64_t cost = odds > most || odds <= Integer(static_cast<unsigned long>(kUnit))
                                 ? 0
                                 : cost_of_odds(odds.get_ui());
  if (cost < kEpsilonMin) {
    return invalid_input("the bias must cost between 0.001 and 20; got " +
                         in_quotes(bias.to_string()));
  }
  return checked({.parameters = {.mechanism = Mechanism::kResponse,
                                 .epsilon = cost,
                                 .odds = odds.get_ui(),
                                 .domain = 2},
                  .name = name,
                  .labels = {"no", "yes"}});
}

Result<Survey> design_number(const NumberDesign& design) {
  DISCREET_ASSIGN(const std::uint64_t nano, nano_epsilon(design.epsilon));
  const double epsilon = static_cast<double>(nano) * 1e-9;
  Survey survey;
  survey.answers = Answers::kNumbers;
  survey.name = design.name;
  survey.low = design.low;
  survey.high = design.high;
  if (survey.low >= survey.high) return invalid_input("the range must have low below high");
  const auto laplace = [&] {
    const std::uint64_t levels = epsilon <= 2 ? 64 : 256;
    const auto bound =
        static_cast<std::uint64_t>(std::ceil(28 * static_cast<double>(levels) / epsilon));
    return Parameters{.mechanism = Mechanism::kLaplace,
                      .epsilon = nano,
                      .odds = odds_below(nano / levels),
                      .domain = levels,
                      .width = bound};
  };
  const auto piecewise = [&] {
    Parameters p = with(Mechanism::kPiecewise, nano, 1 << 16);
    const double cells = static_cast<double>(p.domain) / (std::exp(epsilon / 2) + 1);
    p.width = static_cast<std::uint64_t>(std::max(1.0, std::round(cells)));
    return p;
  };
  if (design.mechanism && *design.mechanism != Mechanism::kLaplace &&
      *design.mechanism != Mechanism::kPiecewise) {
    return invalid_input("for numbers the mechanism is laplace or piecewise (or ask for bins)");
  }
  if (design.mechanism) {
    survey.parameters = *design.mechanism == Mechanism::kLaplace ? laplace() : piecewise();
    return checked(std::move(survey));
  }
  survey.parameters = piecewise();
  if (!check(survey).has_value() ||
      number_spread(laplace()).most < number_spread(piecewise()).most) {
    survey.parameters = laplace();
  }
  return checked(std::move(survey));
}

Result<Survey> design_bloom(const BloomDesign& design) {
  DISCREET_ASSIGN(const std::uint64_t nano, nano_epsilon(design.epsilon));
  if (design.hashes < 1 || design.hashes > 16) return invalid_input("hashes must be 1 to 16");
  return checked({.parameters = {.mechanism = Mechanism::kBloom,
                                 .epsilon = nano,
                                 .odds = odds_below(nano / (2 * design.hashes)),
                                 .domain = design.bits,
                                 .width = design.hashes,
                                 .depth = design.cohorts,
                                 .quiet = design.quiet,
                                 .loud = design.loud,
                                 .round = design.round},
                  .answers = Answers::kStrings,
                  .name = design.name,
                  .labels = {}});
}

Result<Survey> design_tree(const TreeDesign& design) {
  DISCREET_ASSIGN(const std::uint64_t nano, nano_epsilon(design.epsilon));
  Parameters p = with(Mechanism::kTree, nano, design.buckets);
  p.width = design.length;
  p.depth = design.cohorts;
  return checked({.parameters = p,
                  .answers = Answers::kStrings,
                  .name = design.name,
                  .labels = {design.alphabet}});
}

}  // namespace discreet::local
