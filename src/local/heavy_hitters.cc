// SPDX-License-Identifier: Apache-2.0
#include "local/heavy_hitters.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "local/aggregate.h"
#include "local/client/randomizer.h"
#include "local/support.h"

namespace discreet::local {
namespace {

// A share, and what it was estimated from.
struct Estimated {
  double share = 0;
  double people = 0;
  double cohorts = 0;
};

// Shares of prefixes at one level.
class Level {
 public:
  Level(const Parameters& p, const std::vector<std::uint64_t>& cells, std::uint64_t level)
      : p_(p), level_(level) {
    const std::size_t size = p.domain;
    for (std::uint64_t cohort = 0; cohort < p.depth; ++cohort) {
      const auto first =
          cells.begin() + static_cast<std::ptrdiff_t>((level * p.depth + cohort) * size);
      std::vector<double> counts(first, first + static_cast<std::ptrdiff_t>(size));
      hadamard_transform(counts);
      people_ += counts[0];
      sums_.push_back(std::move(counts));
    }
    const double weight = static_cast<double>(p.odds) / static_cast<double>(kUnit);
    gain_ = (weight + 1) / (weight - 1);
  }

  double people() const { return people_; }

  /// From the cohorts in which the prefix does not share its row with another of `heavy`.
  Estimated share(const std::string& prefix, const std::vector<std::string>& heavy = {}) const {
    double sum = 0;
    Estimated from;
    for (std::uint64_t cohort = 0; cohort < p_.depth; ++cohort) {
      const std::uint64_t row = tree_row(p_, level_, cohort, prefix);
      const bool alone = std::none_of(heavy.begin(), heavy.end(), [&](const std::string& other) {
        return other != prefix && tree_row(p_, level_, cohort, other) == row;
      });
      if (!alone) continue;
      sum += sums_[cohort][row];
      from.people += sums_[cohort][0];
      from.cohorts += 1;
    }
    if (from.people == 0) return from;
    // Others fall into the same row with chance 1/(K-1): taken off on average.
    const double chance = 1 / (static_cast<double>(p_.domain) - 1);
    from.share = (gain_ * sum / from.people - chance) / (1 - chance);
    return from;
  }

  /// By how much a share can be off, with probability beta: coins, and strings below the threshold
  /// that fall into the same row (their squared shares add up to at most the largest of them).
  /// Fewer cohorts, hence fewer people: wider; without any, everything is possible.
  double half(double beta, double people, double cohorts) const {
    if (people == 0) return HUGE_VAL;
    const double chance = 1 / (static_cast<double>(p_.domain) - 1);
    const double noise = half_width(people, {0, gain_ * gain_, 2 * gain_}, beta / 2);
    const double small = std::min(1.0, 2 * noise);
    const double log_odds = std::log(4 / beta);
    const double collisions =
        log_odds * small / (3 * cohorts) + std::sqrt(2 * log_odds * chance * small / cohorts);
    return (noise + collisions) / (1 - chance);
  }

 private:
  const Parameters& p_;
  std::uint64_t level_;
  double people_ = 0;
  double gain_ = 0;
  std::vector<std::vector<double>> sums_;
};

std::vector<std::string> extensions(const std::vector<std::string>& kept,
                                    const std::string& alphabet) {
  std::vector<std::string> out;
  for (const std::string& prefix : kept) {
    if (!prefix.empty() && prefix.back() == '\0') {
      out.push_back(prefix);  // ended: it stays what it is
      continue;
    }
    out.push_back(prefix + '\0');
    for (const char c : alphabet) out.push_back(prefix + c);
  }
  return out;
}

}  // namespace

Result<HeavyHitters> heavy_hitters(const Aggregate& aggregate, double beta, std::size_t keep_max) {
  const Survey& survey = aggregate.survey();
  const Parameters& p = survey.parameters;
  if (p.mechanism != Mechanism::kTree) return invalid_input("this survey is not a tree survey");
  const std::vector<std::uint64_t> cells = aggregate.cells();
  HeavyHitters found;
  std::vector<std::string> kept = {""};
  for (std::uint64_t level = 0; level < p.width; ++level) {
    const Level here(p, cells, level);
    if (here.people() == 0) {
      return invalid_input("there are no reports for prefixes of " + std::to_string(level + 1) +
                           " characters; collect more");
    }
    const std::vector<std::string> tested = extensions(kept, survey.labels[0]);
    found.tested.push_back(tested.size());
    const double each = beta / static_cast<double>(p.width) /
                        static_cast<double>(std::max<std::size_t>(1, tested.size()));
    const double least = here.half(each, here.people(), static_cast<double>(p.depth));
    std::vector<std::string> heavy;
    for (const std::string& prefix : tested) {
      if (here.share(prefix).share > least) heavy.push_back(prefix);
    }
    struct Sure {
      double share = 0;
      double half = 0;
      std::string prefix;
    };
    std::vector<Sure> sure;
    for (const std::string& prefix : heavy) {
      const Estimated e = here.share(prefix, heavy);
      const double half = here.half(each, e.people, e.cohorts);
      if (e.share > half) sure.push_back({e.share, half, prefix});
    }
    std::sort(sure.begin(), sure.end(), [](const Sure& a, const Sure& b) {
      return std::tie(a.share, a.prefix) > std::tie(b.share, b.prefix);
    });
    if (sure.size() > keep_max) sure.resize(keep_max);
    kept.clear();
    for (const auto& [share, half, prefix] : sure) {
      kept.push_back(prefix);
      if (level + 1 < p.width) continue;
      const bool ended = prefix.back() == '\0';
      found.strings.push_back({ended ? prefix.substr(0, prefix.size() - 1) : prefix,
                               !ended,
                               share,
                               {share - half, share + half}});
    }
    found.threshold = least;
  }
  return found;
}

}  // namespace discreet::local
