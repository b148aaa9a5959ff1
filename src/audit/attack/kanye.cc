// SPDX-License-Identifier: Apache-2.0
// Kanye's house: one very rich household moves into one of many ZIP codes; a thief looks at mean
// incomes before and after.
#include <algorithm>
#include <cmath>

#include "audit/attack/scene.h"
#include "mechanism/laplace_vector.h"

namespace discreet::audit {
namespace {

// Incomes in dollars. ACS S1902, ZCTA 82414 (Cody, Wyoming): 6,898 households, mean 79,083.
constexpr std::int64_t kCodyHouseholds = 6898;
constexpr double kCodyMean = 79083;
constexpr std::int64_t kRich = 60'000'000;
constexpr std::int64_t kCap = 500'000;  ///< a household's income counts up to here

struct Zip {
  std::int64_t households;
  std::int64_t sum;      ///< exact
  std::int64_t clamped;  ///< each household's income up to kCap
};

/// Lognormal incomes about a mean that differs from ZIP to ZIP.
std::vector<Zip> make_zips(int m, SeededBits& coins) {
  std::vector<Zip> zips;
  for (int j = 0; j < m; ++j) {
    const bool cody = j == 0;
    const std::int64_t households =
        cody ? kCodyHouseholds
             : static_cast<std::int64_t>(std::exp(std::log(900.0) + 1.1 * coins.normal())) + 40;
    const double mean = cody ? kCodyMean : 45000 + 60000 * coins.unit();
    const double sigma = 0.75;
    const double mu = std::log(mean) - sigma * sigma / 2;
    Zip zip{households, 0, 0};
    for (std::int64_t i = 0; i < households; ++i) {
      const auto income = static_cast<std::int64_t>(std::exp(mu + sigma * coins.normal()));
      zip.sum += income;
      zip.clamped += std::min(income, kCap);
    }
    if (cody) {  // the published mean, to the dollar
      zip.clamped += std::llround(kCodyMean * static_cast<double>(households)) - zip.sum;
      zip.sum = std::llround(kCodyMean * static_cast<double>(households));
    }
    zips.push_back(zip);
  }
  return zips;
}

std::size_t best(const std::vector<double>& scores) {
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

}  // namespace

Result<AttackRun> attack_kanye(const AttackOptions& options) {
  const int m = options.size > 0 ? options.size : 400;
  if (m < 10) {
    return invalid_input("kanye needs at least 10 ZIP codes (--size); got " + std::to_string(m));
  }
  if (m > 20000) return invalid_input("at most 20000 ZIP codes; got " + std::to_string(m));
  const int trials = options.trials > 0 ? options.trials : 300;
  SeededBits coins(options.seed);
  const std::vector<Zip> zips = make_zips(m, coins);
  AttackRun run;
  run.exhibit.title = "Kanye's house: one household among " + std::to_string(m) + " ZIP codes";
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {
           "Mean household income by ZIP code, made to look like Wyoming and its neighbours; "
           "ZCTA 82414 (Cody) has the published 6,898 households and mean 79,083. A household "
           "with an income of 60 million moves into one of them, chosen at random. The thief "
           "knows all data of the year before, exactly, and ranks the ZIP codes by the change.",
           "Through the kernel: counts and sums of incomes clamped to 500,000 dollars (a "
           "declared, public bound), epsilon/2 each, one Laplace vector each, all ZIP codes "
           "at once. The thief computes the exact likelihood of every ZIP code."}});
  // Exact means, before and after.
  std::uint64_t exact_right = 0;
  std::vector<std::pair<double, std::size_t>> example;
  for (int t = 0; t < trials; ++t) {
    const std::size_t house = coins.below(static_cast<std::uint64_t>(m));
    std::vector<double> change;
    for (std::size_t j = 0; j < zips.size(); ++j) {
      const auto n = static_cast<double>(zips[j].households);
      const double before = static_cast<double>(zips[j].sum) / n;
      const double after =
          j == house ? (static_cast<double>(zips[j].sum + kRich)) / (n + 1) : before;
      change.push_back(after - before);
    }
    exact_right += best(change) == house ? 1 : 0;
    if (t == 0) {
      for (std::size_t j = 0; j < change.size(); ++j) example.emplace_back(-change[j], j);
      std::sort(example.begin(), example.end());
    }
  }
  report::Section ranked{.heading = "Exact means, ranked by change (one run)",
                         .columns = {"rank", "ZIP", "mean before", "mean moves by"}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Zip& zip = zips[example[i].second];
    ranked.rows.push_back(
        {report::Cell::number(std::to_string(i + 1)),
         report::Cell::words(example[i].second == 0
                                 ? "82414 (Cody)"
                                 : "made up " + std::to_string(example[i].second)),
         report::Cell::number(std::to_string(zip.sum / zip.households)),
         report::Cell::number(shown(-example[i].first, 6))});
  }
  run.exhibit.sections.push_back(std::move(ranked));
  run.measured.push_back(measured("exact means", exact_right, static_cast<std::uint64_t>(trials)));
  run.measured.back().chance = 1.0 / m;

  report::ChartCurve reached{.name = "thief, through discreet", .points = {}};
  report::ChartCurve limit{.name = "limit by theorem", .points = {}, .bound = true};
  std::vector<Rational> epsilons;
  for (const char* text : {"0.01", "0.03", "0.1", "0.3", "1", "2", "3", "5", "7", "10"}) {
    epsilons.push_back(Rational::parse(text).value());
  }
  int done = 0;
  for (const Rational& value : epsilons) {
    DISCREET_ASSIGN(const Epsilon half, Epsilon::of(value * Rational::ratio(1, 2)));
    DISCREET_ASSIGN(
        const auto counts,
        mechanism::LaplaceVector::make({.sensitivity = Sensitivity::trusted(1), .epsilon = half}));
    DISCREET_ASSIGN(const auto sums,
                    mechanism::LaplaceVector::make(
                        {.sensitivity = Sensitivity::trusted(Rational(kCap)), .epsilon = half}));
    const double e = half.value().to_double(Round::kDown);
    std::uint64_t right = 0;
    for (int t = 0; t < trials; ++t) {
      const std::size_t house = coins.below(static_cast<std::uint64_t>(m));
      std::vector<std::int64_t> n, s;
      for (std::size_t j = 0; j < zips.size(); ++j) {
        n.push_back(zips[j].households + (j == house ? 1 : 0));
        s.push_back(zips[j].clamped + (j == house ? kCap : 0));
      }
      n = answer(counts, std::move(n), coins);
      s = answer(sums, std::move(s), coins);
      // log Pr[released | house in j] - log Pr[released | nowhere], up to a constant.
      std::vector<double> score;
      for (std::size_t j = 0; j < zips.size(); ++j) {
        const auto dn = static_cast<double>(n[j] - zips[j].households);
        const auto ds = static_cast<double>(s[j] - zips[j].clamped);
        const auto cap = static_cast<double>(kCap);
        score.push_back(e * (std::abs(dn) - std::abs(dn - 1)) +
                        e / cap * (std::abs(ds) - std::abs(ds - cap)) + 1e-9 * coins.unit());
      }
      right += best(score) == house ? 1 : 0;
    }
    Measured one = measured("discreet, epsilon " + value.to_string(), right,
                            static_cast<std::uint64_t>(trials));
    one.ours = true;
    one.chance = 1.0 / m;
    one.limit = guess_limit(Rational(2) * value, m - 1);
    const double x = value.to_double(Round::kDown);
    reached.points.emplace_back(x, std::max(one.success, 0.5 / trials));
    limit.points.emplace_back(x, one.limit);
    run.measured.push_back(std::move(one));
    ++done;
    if (options.progress) {
      options.progress(1000 * done / static_cast<int>(epsilons.size()));
    }
    if (options.stopped && options.stopped()) {
      run.exhibit.partial = true;
      break;
    }
  }
  run.exhibit.sections.push_back(
      {.heading = "The thief's success",
       .words =
           {"At epsilon 10 the limit is near 1 and the attack may succeed: epsilon is a promise "
            "only while it is small."},
       .chart = report::Chart{.title = "the thief finds the house",
                              .x_label = "epsilon",
                              .y_label = "probability",
                              .x_log = true,
                              .y_log = true,
                              .curves = {reached, limit}}});
  conclude(run,
           "Moving the house from one ZIP code to another is two changes of one household: the "
           "likelihoods of any two ZIP codes differ by at most e^(2 epsilon). Among m equally "
           "likely ones the thief is right with probability at most e^(2 epsilon) / (e^(2 "
           "epsilon) + m - 1).");
  return run;
}

}  // namespace discreet::audit
