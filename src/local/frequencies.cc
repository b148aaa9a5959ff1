// SPDX-License-Identifier: Apache-2.0
#include "local/frequencies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "local/aggregate.h"
#include "local/support.h"

namespace discreet::local {
namespace {

Result<double> reports_of(const Aggregate& aggregate) {
  if (aggregate.survey().parameters.mechanism > Mechanism::kProjective) {
    return invalid_input("this survey's answers are not choices");
  }
  if (aggregate.tally().counted == 0) {
    return invalid_input("there are no reports to estimate from");
  }
  return static_cast<double>(aggregate.tally().counted);
}

double unit(std::int64_t millionths) { return static_cast<double>(millionths) * 1e-6; }

/// Edge i of the survey's bins.
double edge(const Survey& survey, std::size_t i) {
  const double part = static_cast<double>(i) / static_cast<double>(survey.parameters.domain);
  return unit(survey.low) + part * (unit(survey.high) - unit(survey.low));
}

Result<void> need_bins(const Aggregate& aggregate) {
  if (aggregate.survey().answers == Answers::kNumbers) return {};
  return invalid_input("quantiles and means need a survey of numbers in bins");
}

/// Of a sum of estimates over `members` choices.
double sum_half_width(const Parameters& p, std::size_t members, double n, double beta) {
  const Support s = support_of(p);
  const Spread spread{0, sum_variance(p, members), static_cast<double>(members) / (s.p - s.q)};
  return half_width(n, spread, beta);
}

}  // namespace

Result<std::vector<ShareEstimate>> estimate_shares(const Aggregate& aggregate, double beta) {
  DISCREET_ASSIGN(const double n, reports_of(aggregate));
  const Support support = support_of(aggregate.survey().parameters);
  const std::vector<double> counts = supports(aggregate);
  const double each = beta / static_cast<double>(counts.size());
  std::vector<ShareEstimate> shares;
  for (std::size_t x = 0; x < counts.size(); ++x) {
    shares.push_back({x, (counts[x] / n - support.q) / (support.p - support.q),
                      share_bounds(support, counts[x], n, beta),
                      share_bounds(support, counts[x], n, each)});
  }
  return shares;
}

Result<std::vector<ShareEstimate>> estimate_cumulative(const Aggregate& aggregate, double beta) {
  DISCREET_ASSIGN(std::vector<ShareEstimate> shares, estimate_shares(aggregate, beta));
  const double n = static_cast<double>(aggregate.tally().counted);
  const Parameters& p = aggregate.survey().parameters;
  const std::size_t k = shares.size();
  const double each = beta / static_cast<double>(k);
  std::vector<double> first(k + 1);  // sums of the first shares
  for (std::size_t x = 0; x < k; ++x) first[x + 1] = first[x] + shares[x].share;
  for (std::size_t x = 0; x < k; ++x) {
    // The first x+1 and the last k-x-1 shares add up to one: the shorter sum errs less.
    const std::size_t rest = k - x - 1;
    const bool lower = x + 1 <= rest;
    const double value = lower ? first[x + 1] : 1 - (first[k] - first[x + 1]);
    const std::size_t members = lower ? x + 1 : rest;
    const double half = members == 0 ? 0 : sum_half_width(p, members, n, each);
    const Bounds bounds{value - half, value + half};
    shares[x] = {x, value, bounds, bounds};
  }
  return shares;
}

Result<std::vector<QuantileEstimate>> estimate_quantiles(const Aggregate& aggregate,
                                                         const std::vector<double>& levels,
                                                         double beta) {
  DISCREET_TRY(need_bins(aggregate));
  DISCREET_ASSIGN(const std::vector<ShareEstimate> below, estimate_cumulative(aggregate, beta));
  const Survey& survey = aggregate.survey();
  std::vector<QuantileEstimate> out;
  for (const double level : levels) {
    if (!(level > 0 && level < 1)) return invalid_input("a quantile's level lies between 0 and 1");
    // F(edge x+1) is the cumulative share x. The quantile is in the first bin where it reaches
    // level; it is surely above an edge where the upper bound stays below, surely below one where
    // the lower bound reaches it.
    std::size_t first = below.size() - 1;
    std::size_t low = 0;
    std::size_t high = below.size();
    double peak = -HUGE_VAL;  // sums of unbiased shares need not rise: take their running maximum
    bool found = false;
    for (std::size_t x = 0; x < below.size(); ++x) {
      peak = std::max(peak, below[x].share);
      if (!found && peak >= level) {
        first = x;
        found = true;
      }
      if (below[x].all_bounds.high < level) low = std::max(low, x + 1);
      if (below[x].all_bounds.low >= level) high = std::min(high, x + 1);
    }
    out.push_back({level, edge(survey, first + 1), {edge(survey, low), edge(survey, high)}});
  }
  return out;
}

Result<ShareEstimate> mean_of_bins(const Aggregate& aggregate, double beta) {
  DISCREET_TRY(need_bins(aggregate));
  DISCREET_ASSIGN(const std::vector<ShareEstimate> below, estimate_cumulative(aggregate, beta));
  // The mean of bin numbers is the sum of what lies above each edge: all bounds hold at once.
  const double k = static_cast<double>(below.size());
  double middle = 0;
  double low = 0;
  double high = 0;
  for (std::size_t x = 0; x + 1 < below.size(); ++x) {
    middle += 1 - below[x].share;
    low += std::clamp(1 - below[x].all_bounds.high, 0.0, 1.0);
    high += std::clamp(1 - below[x].all_bounds.low, 0.0, 1.0);
  }
  const Survey& survey = aggregate.survey();
  const double width = (unit(survey.high) - unit(survey.low)) / k;
  const auto value = [&](double bins) { return unit(survey.low) + width * (bins + 0.5); };
  // Half a bin on either side for where in its bin a number lies.
  const Bounds bounds{value(low) - width / 2, value(high) + width / 2};
  return ShareEstimate{0, value(middle), bounds, bounds};
}

Result<TopChoices> top_choices(const Aggregate& aggregate, std::size_t k, double beta) {
  DISCREET_ASSIGN(std::vector<ShareEstimate> all, estimate_shares(aggregate, beta));
  k = std::min(k, all.size());
  std::sort(all.begin(), all.end(), [](const ShareEstimate& a, const ShareEstimate& b) {
    return a.share != b.share ? a.share > b.share : a.choice < b.choice;
  });
  TopChoices top;
  for (std::size_t i = 0; i < k; ++i) {
    std::size_t above = 0;  // others that may be as frequent
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j != i && all[j].all_bounds.high >= all[i].all_bounds.low) ++above;
    }
    top.certain.push_back(above < k);
    top.choices.push_back(all[i]);
  }
  return top;
}

std::vector<double> nearest_distribution(const std::vector<double>& shares) {
  // The projection subtracts one number from all and cuts at 0; the largest shares fix the number.
  std::vector<double> sorted = shares;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double next = (sum - 1) / static_cast<double>(i + 1);
    if (sorted[i] > next) shift = next;
  }
  std::vector<double> out;
  for (const double share : shares) out.push_back(std::max(0.0, share - shift));
  return out;
}

}  // namespace discreet::local
