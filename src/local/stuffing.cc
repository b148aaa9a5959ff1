// SPDX-License-Identifier: Apache-2.0
#include "local/stuffing.h"

#include <cstdio>

#include "local/aggregate.h"
#include "local/numbers.h"
#include "local/support.h"

namespace discreet::local {
namespace {

// Half of the false alarms, and a margin, are for what is left out as implausible (estimates.md).
constexpr double kEach = kFalseAlarm / 4;
constexpr double kMargin = 1e-9;

bool are_apart(const Bounds& bounds, double low, double high) {
  return bounds.high < low || bounds.low > high;
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string between(const Bounds& bounds, double scale, const char* unit) {
  return "between " + number_text(bounds.low * scale) + unit + " and " +
         number_text(bounds.high * scale) + unit;
}

void add_choices(const Aggregate& aggregate, double n, std::vector<Stuffing>& out) {
  const Parameters& parameters = aggregate.survey().parameters;
  const std::vector<std::string>& labels = aggregate.survey().labels;
  const Support support = support_of(parameters);
  const std::vector<double> counts = supports(aggregate);
  const auto k = static_cast<double>(counts.size());
  double sum = 0;
  for (std::size_t x = 0; x < counts.size(); ++x) {
    Bounds bounds = share_bounds(support, counts[x], n, kEach / k);
    bounds.low -= kMargin / (support.p - support.q);
    bounds.high += kMargin / (support.p - support.q);
    sum += (counts[x] / n - support.q) / (support.p - support.q);
    if (!are_apart(bounds, 0, 1)) continue;
    out.push_back({.kind = Stuffing::Kind::kShare,
                   .choice = x < labels.size() ? labels[x] : std::to_string(x),
                   .bounds = bounds});
  }
  const double half =
      half_width(n, {0, sum_variance(parameters, counts.size()), k / (support.p - support.q)},
                 kEach) +
      k * kMargin / (support.p - support.q);
  const Bounds bounds{sum - half, sum + half};
  if (are_apart(bounds, 1, 1)) out.push_back({.kind = Stuffing::Kind::kSum, .bounds = bounds});
}

}  // namespace

std::vector<Stuffing> find_stuffing(const Aggregate& aggregate,
                                    const std::optional<std::uint64_t>& most) {
  std::vector<Stuffing> out;
  const std::uint64_t reports = aggregate.tally().counted;
  if (most && reports > *most) {
    out.push_back({.kind = Stuffing::Kind::kReports, .reports = reports, .most = *most});
  }
  if (reports == 0) return out;
  const Survey& survey = aggregate.survey();
  const Mechanism mechanism = survey.parameters.mechanism;
  if (mechanism <= Mechanism::kProjective) {
    add_choices(aggregate, static_cast<double>(reports), out);
  } else if (mechanism == Mechanism::kLaplace || mechanism == Mechanism::kPiecewise) {
    const Result<MeanEstimate> mean = estimate_mean(aggregate, kEach);
    const double low = static_cast<double>(survey.low) * 1e-6;
    const double high = static_cast<double>(survey.high) * 1e-6;
    const double margin = (high - low) * kMargin;
    if (mean && are_apart(mean->bounds, low - margin, high + margin)) {
      out.push_back({.kind = Stuffing::Kind::kMean, .bounds = mean->bounds});
    }
  }
  return out;
}

std::string to_text(const Stuffing& found) {
  const std::string start = "impossible: stuffed. ";
  const std::string end =
      "; honest people's reports say so with a chance below 1e-9, so some of these were made up, "
      "and the estimate says nothing about people";
  switch (found.kind) {
    case Stuffing::Kind::kReports:
      return start + std::to_string(found.reports) + " reports were counted where at most " +
             std::to_string(found.most) +
             " could be sent, so the estimate says nothing about people";
    case Stuffing::Kind::kShare:
      return start + "The share of '" + found.choice + "' would be " +
             between(found.bounds, 100, " %") + end;
    case Stuffing::Kind::kSum:
      return start + "All shares together would be " + between(found.bounds, 100, " %") + end;
    case Stuffing::Kind::kMean:
      return start + "The mean would be " + between(found.bounds, 1, "") +
             ", outside of what could be answered" + end;
  }
  return start;
}

}  // namespace discreet::local
