// SPDX-License-Identifier: Apache-2.0
#include "audit/statistical.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <tuple>

#include "audit/attack/scene.h"
#include "mechanism/exponential.h"
#include "mechanism/gaussian.h"
#include "mechanism/laplace.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/permute_and_flip.h"
#include "mechanism/randomized_response.h"
#include "mechanism/sv_laplace.h"

namespace discreet::audit {
namespace {

using Output = std::vector<double>;
using Draw = std::function<Output(bool neighbour, SeededBits&)>;

/// A mechanism under test; `loud` plants the fault: its noise is for 5/4 of what it claims, or for
/// 3/2 where there is no shape between.
struct Target {
  std::string_view name;
  double claimed;
  double delta;
  Draw (*make)(bool loud);
};

Epsilon epsilon_of(bool loud) { return Epsilon::trusted(loud ? Rational::ratio(5, 4) : 1); }
const Sensitivity kDrawOne = Sensitivity::trusted(1);

Draw laplace_draw(bool loud) {
  const auto m = mechanism::Laplace::make({.sensitivity = kDrawOne, .epsilon = epsilon_of(loud)});
  return [m = m.value()](bool b, SeededBits& coins) {
    return Output{static_cast<double>(answer(m, b ? 1 : 0, coins))};
  };
}

Draw laplace_vector_draw(bool loud) {
  const auto m = mechanism::LaplaceVector::make(
      {.sensitivity = Sensitivity::trusted(2), .epsilon = epsilon_of(loud)});
  return [m = m.value()](bool b, SeededBits& coins) {
    const auto x =
        answer(m, b ? std::vector<std::int64_t>{1, 0, 1} : std::vector<std::int64_t>(3), coins);
    return Output(x.begin(), x.end());
  };
}

/// rho 1/2 at sensitivity 1: sigma 1, and the exact delta at epsilon 1 is Pr[Z <= -1] - e Pr[Z <=
/// -2] = 0.14135.
Draw gaussian_draw(bool loud) {
  const auto m = mechanism::Gaussian::make(
      {.sensitivity_squared = L2Squared::trusted(1),
       .rho = Rho::trusted(loud ? Rational::ratio(25, 32) : Rational::ratio(1, 2))});
  return [m = m.value()](bool b, SeededBits& coins) {
    return Output{static_cast<double>(answer(m, b ? 1 : 0, coins))};
  };
}

Draw response_draw(bool loud) {
  const auto m = mechanism::RandomizedResponse::make({.epsilon = epsilon_of(loud)});
  return [m = m.value()](bool b, SeededBits& coins) {
    return Output{answer(m, b, coins) ? 1.0 : 0.0};
  };
}

Draw flip(bool loud) {
  const auto m = mechanism::PermuteAndFlip::make(
      {.epsilon = epsilon_of(loud), .sensitivity = kDrawOne, .candidates = 4});
  return [m = m.value()](bool b, SeededBits& coins) {
    const auto chosen =
        answer(m, b ? std::vector<std::int64_t>{0, 1, 1, 1} : std::vector<std::int64_t>{1, 0, 0, 0},
               coins);
    return Output{static_cast<double>(chosen)};
  };
}

/// On fair coins: period 3 for two halvings costs 4/3 ln 2, the fault's period of 1 for each costs
/// 2 ln 2.
constexpr double kRobust = 0.9249;
Draw robust_draw(bool loud) {
  const auto m =
      mechanism::SvLaplace::make({.sensitivity = kDrawOne,
                                  .epsilon = Epsilon::trusted(loud ? Rational::ratio(7, 5) : 1),
                                  .gamma = 0,
                                  .low = 0,
                                  .high = 4});
  const Rational fair = m.value().fair_epsilon();
  DISCREET_CHECK(loud ? fair > Rational::ratio(13, 10) : fair <= Rational::ratio(9249, 10000));
  return [m = m.value()](bool b, SeededBits& coins) {
    return Output{static_cast<double>(answer(m, b ? 2 : 1, coins))};
  };
}

constexpr Target kTargets[] = {
    {"laplace", 1, 0, laplace_draw},        {"laplace-vector", 1, 0, laplace_vector_draw},
    {"gaussian", 1, 0.1414, gaussian_draw}, {"randomized-response", 1, 0, response_draw},
    {"permute-and-flip", 1, 0, flip},       {"sv-laplace", kRobust, 0, robust_draw},
};

struct Samples {
  std::vector<Output> d;      // from D
  std::vector<Output> other;  // from D'
};

/// In blocks with seeds of their own, so that the result does not depend on the number of threads.
Samples draw_all(const Draw& draw, const StatisticalOptions& options, std::uint64_t seed) {
  constexpr std::uint64_t kBlock = 4096;
  Samples out{std::vector<Output>(options.samples), std::vector<Output>(options.samples)};
  const std::uint64_t blocks = (options.samples + kBlock - 1) / kBlock;
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    for (std::uint64_t block = next++; block < blocks; block = next++) {
      if (options.stopped && options.stopped()) return;
      SeededBits coins(seed * 0x9e3779b97f4a7c15 + block);
      const std::uint64_t end = std::min(options.samples, (block + 1) * kBlock);
      for (std::uint64_t i = block * kBlock; i < end; ++i) {
        out.d[i] = draw(false, coins);
        out.other[i] = draw(true, coins);
      }
    }
  };
  const unsigned wanted = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                              : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < wanted; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return out;
}

/// ln((p - delta) / p') for S, with both ends against us; 0 if it says nothing.
double bound(std::uint64_t in_d, std::uint64_t in_other, std::uint64_t samples, double delta,
             double confidence) {
  // Each end is one-sided with half of what may fail: together they hold with the confidence.
  const double p = clopper_pearson(in_d, samples, confidence).low - delta;
  const double q = clopper_pearson(in_other, samples, confidence).high;
  return p > q && q > 0 ? std::log(p / q) : 0;
}

/// From a score that is high where D is likelier: the threshold is chosen on the first half, the
/// bound is taken on the second.
double bound_of_score(const Samples& samples, const std::function<double(const Output&)>& score,
                      double delta, double confidence) {
  const std::size_t half = samples.d.size() / 2;
  std::vector<std::pair<double, bool>> first;
  for (std::size_t i = 0; i < half; ++i) {
    first.emplace_back(-score(samples.d[i]), true);
    first.emplace_back(-score(samples.other[i]), false);
  }
  std::sort(first.begin(), first.end());
  double best = -1;
  double threshold = 0;
  double d = 0;
  double other = 0;
  const auto n = static_cast<double>(half);
  for (std::size_t i = 0; i < first.size(); ++i) {
    (first[i].second ? d : other) += 1;
    if (i + 1 < first.size() && first[i + 1].first == first[i].first) continue;
    // The bound that these counts would roughly give.
    const double p = d / n - 3.3 * std::sqrt(std::max(d, 1.0)) / n - delta;
    const double q = other / n + 3.3 * std::sqrt(other + 3) / n;
    if (p > 0 && std::log(p / q) > best) {
      best = std::log(p / q);
      threshold = first[i].first;
    }
  }
  if (best <= 0) return 0;
  std::uint64_t in_d = 0;
  std::uint64_t in_other = 0;
  for (std::size_t i = half; i < samples.d.size(); ++i) {
    in_d += -score(samples.d[i]) <= threshold ? 1 : 0;
    in_other += -score(samples.other[i]) <= threshold ? 1 : 0;
  }
  return bound(in_d, in_other, samples.d.size() - half, delta, confidence);
}

/// The smoothed ratio of the first half's counts.
double histogram_bound(const Samples& samples, double delta, double confidence) {
  std::map<Output, std::pair<double, double>> counts;
  const std::size_t half = samples.d.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    ++counts[samples.d[i]].first;
    ++counts[samples.other[i]].second;
  }
  return bound_of_score(
      samples,
      [&](const Output& output) {
        const auto at = counts.find(output);
        if (at == counts.end()) return 0.0;
        return std::log((at->second.first + 2) / (at->second.second + 2));
      },
      delta, confidence);
}

/// Logistic regression on the outputs, squashed so that far tails do not drown the rest.
double classifier_bound(const Samples& samples, double delta, double confidence) {
  const std::size_t dims = samples.d.front().size();
  const auto features = [&](const Output& output) {
    std::vector<double> x;
    for (const double v : output) {
      x.push_back(std::tanh(v / 4));
      x.push_back(std::tanh(v));
    }
    x.push_back(1);
    return x;
  };
  std::vector<double> weights(2 * dims + 1);
  const std::size_t some = std::min<std::size_t>(samples.d.size() / 2, 20000);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> gradient(weights.size());
    for (std::size_t i = 0; i < some; ++i) {
      for (const bool from_d : {true, false}) {
        const std::vector<double> x = features(from_d ? samples.d[i] : samples.other[i]);
        double at = 0;
        for (std::size_t k = 0; k < x.size(); ++k) at += weights[k] * x[k];
        const double miss = (from_d ? 1 : 0) - 1 / (1 + std::exp(-at));
        for (std::size_t k = 0; k < x.size(); ++k) gradient[k] += miss * x[k];
      }
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] += 2 * gradient[k] / static_cast<double>(some);
    }
  }
  return bound_of_score(
      samples,
      [&](const Output& output) {
        const std::vector<double> x = features(output);
        double at = 0;
        for (std::size_t k = 0; k < x.size(); ++k) at += weights[k] * x[k];
        return at;
      },
      delta, confidence);
}

/// Both directions matter; this looks at the one in which D is likelier, and at its mirror.
std::pair<double, double> bounds_of(Samples samples, double delta, double confidence) {
  double histogram = histogram_bound(samples, delta, confidence);
  double classifier = classifier_bound(samples, delta, confidence);
  std::swap(samples.d, samples.other);
  histogram = std::max(histogram, histogram_bound(samples, delta, confidence));
  classifier = std::max(classifier, classifier_bound(samples, delta, confidence));
  return {histogram, classifier};
}

}  // namespace

std::vector<std::string> statistical_names() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) names.emplace_back(target.name);
  return names;
}

Result<StatisticalRow> run_statistical(std::string_view name, const StatisticalOptions& options) {
  if (options.samples < 1000) {
    return invalid_input("a statistical audit needs at least 1000 samples; got " +
                         std::to_string(options.samples));
  }
  std::string known;
  for (const Target& target : kTargets) {
    known += (known.empty() ? "" : ", ") + std::string(target.name);
    if (target.name != name) continue;
    StatisticalRow row{.mechanism = std::string(name),
                       .claimed = target.claimed,
                       .delta = target.delta,
                       .samples = options.samples};
    // Four bounds are taken, two ways each: the confidence holds for all of them together.
    const double each = 1 - (1 - options.confidence) / 4;
    const int steps = 1 + options.power_runs;
    const auto stopped = [&](int done) {
      if (options.progress) options.progress(1000 * done / steps);
      row.partial = row.partial || (options.stopped && options.stopped());
      return row.partial;
    };
    const Samples samples = draw_all(target.make(false), options, options.seed);
    if (stopped(0)) return row;
    std::tie(row.histogram, row.classifier) = bounds_of(samples, target.delta, each);
    row.refuted = std::max(row.histogram, row.classifier) > target.claimed;
    for (int i = 0; i < options.power_runs && !stopped(1 + i); ++i) {
      const Samples loud =
          draw_all(target.make(true), options, options.seed + 1000 + static_cast<std::uint64_t>(i));
      if (stopped(1 + i)) break;
      const auto [histogram, classifier] = bounds_of(loud, target.delta, each);
      row.caught += std::max(histogram, classifier) > target.claimed ? 1 : 0;
      ++row.power_runs;
    }
    return row;
  }
  return Error{Code::kNotFound,
               "no statistical audit is called " + in_quotes(name) + "; known: " + known};
}

}  // namespace discreet::audit
