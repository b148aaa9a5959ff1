// SPDX-License-Identifier: Apache-2.0
// Shuffled randomized responses, for whatever the others hold.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "accounting/binomial.h"
#include "accounting/outward.h"
#include "accounting/root.h"
#include "accounting/shuffle.h"
#include "accounting/shuffle_report.h"

namespace discreet::accounting {
namespace {

constexpr const char* kExact = "shuffled randomized responses, exact";
// For more people the clones' bound stands in.
constexpr std::uint64_t kPeopleMax = 2'000'000;
// How far above what some neighbours show the bound is tried first: of epsilon, and of delta. For
// few people every case can be looked at.
constexpr std::uint64_t kFew = 1000;
constexpr double kFewPart = 1e-6;
constexpr double kEpsilonPart = 1e-4;
constexpr double kDeltaPart = 2e-3;
// Neighbours that tell more than those looked at before, and blocks, before a try is given up.
constexpr int kTriesMax = 12;
constexpr int kBlocksMax = 40'000;
constexpr double kResponseSums = 0x1p-30;  // covers the rounding of 10^6 sums of positive numbers

/// The number of ones among others of whom `ones` hold a one and `zeros` a zero.
class Crowd {
 public:
  Crowd(std::uint64_t ones, std::uint64_t zeros, double odds_of_one, double odds_of_zero)
      : ones_(ones, odds_of_one), zeros_(zeros, odds_of_zero), size_(ones + zeros) {
    const auto variance = [](std::uint64_t n, double odds) {
      return std::isinf(odds) ? 0 : static_cast<double>(n) * odds / ((1 + odds) * (1 + odds));
    };
    const auto mean = [](std::uint64_t n, double odds) {
      return static_cast<double>(n) * (std::isinf(odds) ? 1 : odds / (1 + odds));
    };
    mean_ = mean(ones, odds_of_one) + mean(zeros, odds_of_zero);
    variance_ = variance(ones, odds_of_one) + variance(zeros, odds_of_zero);
    outside_ = ones_.outside() + zeros_.outside();
  }

  /// Pr[X = x].
  MassBracket at(std::int64_t x) const {
    MassBracket sum;
    const std::int64_t end = std::min(ones_.last(), x - zeros_.first());
    for (std::int64_t j = std::max(ones_.first(), x - zeros_.last()); j <= end; ++j) {
      const MassBracket a = ones_.at(j);
      const MassBracket b = zeros_.at(x - j);
      sum.low += a.low * b.low;
      sum.high += a.high * b.high;
    }
    return {sum.low * (1 - kResponseSums), sum.high * (1 + kResponseSums) + outside_};
  }
  /// Pr[X >= x].
  MassBracket from(std::int64_t x) const {
    MassBracket sum;
    for (std::int64_t j = ones_.first(); j <= ones_.last(); ++j) {
      const MassBracket a = ones_.at(j);
      const MassBracket b = zeros_.from(x - j);
      sum.low += a.low * b.low;
      sum.high += a.high * b.high;
    }
    return {sum.low * (1 - kResponseSums),
            std::min(1.0, sum.high * (1 + kResponseSums) + outside_)};
  }

  /// The threshold of the best event, right to within one.
  std::int64_t threshold(double kappa) const {
    const auto clamped = [&](double t) {
      return static_cast<std::int64_t>(std::clamp(t, 0.0, static_cast<double>(size_ + 1)));
    };
    // ln of Pr[t-1]/Pr[t] grows by about 1/variance a step.
    const double target = std::log(kappa);
    std::int64_t t = clamped(std::floor(mean_ + variance_ * target) + 1);
    for (int i = 0; i < 60; ++i) {
      const double here = at(t).low;
      const double before = at(t - 1).low;
      double step = 0;
      if (here > 0 && before > 0) {
        step = std::trunc((target - std::log(before / here)) * std::max(variance_, 1.0));
      } else if (here > 0) {
        step = 1;
      } else if (static_cast<double>(t) > mean_ && before == 0) {
        step = -std::max(1.0, std::floor(0.2 * (static_cast<double>(t) - mean_)));
      }
      const std::int64_t next = clamped(static_cast<double>(t) + step);
      if (next == t) break;
      t = next;
    }
    for (int i = 0; i < 200 && t <= static_cast<std::int64_t>(size_); ++i, ++t) {
      if (at(t - 1).low > kappa * at(t).low) break;
    }
    for (int i = 0; i < 200 && t > 0; ++i, --t) {
      if (!(at(t - 2).low > kappa * at(t - 1).low)) break;
    }
    return t;
  }

 private:
  Binomial ones_;
  Binomial zeros_;
  std::uint64_t size_;
  double mean_ = 0;
  double variance_ = 0;
  double outside_ = 0;
};

/// What the shuffled responses of all show, as a function of what the others hold.
class Responses {
 public:
  Responses(const Shuffle& shuffle, const Rational& epsilon)
      : others_(shuffle.people - 1),
        report_(shuffle.epsilon0, epsilon),
        odds_of_one_(up(exp(accounting::at(shuffle.epsilon0)))),
        odds_of_zero_(up(exp(accounting::at(-shuffle.epsilon0)))) {}

  /// The delta when the others' reports that count are those of `ones` ones and `zeros` zeros.
  MassBracket delta(std::uint64_t ones, std::uint64_t zeros) const {
    const Crowd crowd(ones, zeros, odds_of_one_, odds_of_zero_);
    const std::int64_t t = crowd.threshold(report_.kappa());
    MassBracket best;
    MassBracket tail = crowd.from(t + 1);
    for (std::int64_t i = t + 1; i >= t - 1; --i) {
      const MassBracket mass = crowd.at(i - 1);
      const MassBracket one = report_.at_threshold(mass, tail);
      best.low = std::max(best.low, one.low);
      best.high = std::max(best.high, one.high);
      tail = {tail.low + mass.low, tail.high + mass.high};
    }
    return best;
  }

  /// What some neighbours show: all others alike, or nearly, or mixed, or with as many zeros as
  /// `more` says.
  double shown(const std::vector<std::uint64_t>& more) const {
    double best = 0;
    for (const std::uint64_t zeros : more) best = std::max(best, delta(others_ - zeros, zeros).low);
    for (const std::uint64_t zeros :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, others_ / 64,
          others_ / 16, others_ / 4, others_ / 2, others_}) {
      if (zeros <= others_) best = std::max(best, delta(others_ - zeros, zeros).low);
    }
    return best;
  }

  /// Whether, whatever the others hold, delta is at most `most`; if not, how many zeros of theirs
  /// told. With between m1 and m2 ones among
  /// the others, the reports of m2 - m1 of them are given away: if what is left hides enough, so do
  /// all; else the block is halved.
  struct Verdict {
    bool below;
    std::optional<std::uint64_t> zeros;
  };
  Verdict all_below(double most) const {
    struct Block {
      std::uint64_t first;
      std::uint64_t last;
    };
    std::vector<Block> open = {{0, others_}};
    for (int looked_at = 0; !open.empty(); ++looked_at) {
      if (looked_at > kBlocksMax) return {false, std::nullopt};
      const Block block = open.back();
      open.pop_back();
      if (delta(block.first, others_ - block.last).high <= most) continue;
      if (block.first == block.last) return {false, others_ - block.first};
      const std::uint64_t middle = block.first + (block.last - block.first) / 2;
      open.push_back({block.first, middle});
      open.push_back(
          {middle + 1, block.last});  // the likely worst, mostly ones, is looked at first
    }
    return {true, std::nullopt};
  }

 private:
  std::uint64_t others_;
  Report report_;
  double odds_of_one_;
  double odds_of_zero_;
};

}  // namespace

Bounds shuffled_response_delta(const Shuffle& shuffle, const Rational& epsilon) {
  if (epsilon >= shuffle.epsilon0) return {0, 0, kExact};
  const Responses responses(shuffle, epsilon);
  Bounds out = clones_of_responses_delta(shuffle, epsilon);
  std::vector<std::uint64_t> worst;
  out.lower = responses.shown(worst);
  if (shuffle.people <= kPeopleMax) {
    int tries = 0;
    for (double part = shuffle.people <= kFew ? kFewPart : kDeltaPart; part < 0.3;) {
      const double most = std::max(out.lower * (1 + part), 1e-40);
      if (most >= out.upper) break;
      const Responses::Verdict verdict = responses.all_below(most);
      if (verdict.below) {
        out.upper = most;
        out.theorem = kExact;
        break;
      }
      if (verdict.zeros && ++tries <= kTriesMax) {
        worst.push_back(*verdict.zeros);
        out.lower = responses.shown(worst);
      } else {
        part *= 4;
      }
    }
  }
  out.lower = std::min(out.lower, out.upper);
  return out;
}

Bounds shuffled_response_epsilon(const Shuffle& shuffle, const Rational& delta) {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const double wanted_low = delta.to_double(Round::kDown);
  const double wanted_high = delta.to_double(Round::kUp);
  const double all = shuffle.epsilon0.to_double(Round::kUp);
  std::vector<std::uint64_t> worst;
  const auto shown = [&](double epsilon) {
    const Rational exact = exactly(epsilon);
    return exact >= shuffle.epsilon0 ? 0 : Responses(shuffle, exact).shown(worst);
  };
  const auto root_from = [&](double low) {
    return falling_root(low, all, 1e-7, [&](double epsilon) {
      return std::log(std::max(shown(epsilon), 1e-300) / wanted_low);
    });
  };
  const auto below = [&](double epsilon) -> Responses::Verdict {
    const Rational exact = exactly(epsilon);
    if (exact >= shuffle.epsilon0) return {true, std::nullopt};
    return Responses(shuffle, exact).all_below(wanted_low);
  };
  double root = root_from(0);
  Bounds out{0, all, kExact};
  bool found = shuffle.people > kPeopleMax;
  if (found) out = clones_of_responses_epsilon(shuffle, delta);
  int tries = 0;
  for (double part = shuffle.people <= kFew ? kFewPart : kEpsilonPart; !found;) {
    const double tried = std::min(root * (1 + part), all);
    const Responses::Verdict verdict = below(tried);
    found = verdict.below;
    if (found) {
      out.upper = tried;
    } else if (verdict.zeros && ++tries <= kTriesMax) {
      worst.push_back(*verdict.zeros);
      root = root_from(root);
    } else if (part < 0.3 && root > 0) {
      part *= 4;
    } else {
      out = clones_of_responses_epsilon(shuffle, delta);
      found = true;
    }
  }
  out.lower = std::min(root, out.upper);
  for (double part = 1e-7; out.lower > 0 && shown(out.lower) < wanted_high; part *= 4)
    out.lower = part < 1 ? out.lower * (1 - part) : 0;
  return out;
}

Bounds shuffled_response_delta_at(const Shuffle& shuffle, std::uint64_t ones,
                                  const Rational& epsilon) {
  DISCREET_CHECK(shuffle.people <= 100'000 && ones < shuffle.people);
  const std::uint64_t zeros = shuffle.people - 1 - ones;
  const Binomial from_ones(ones, up(exp(at(shuffle.epsilon0))));
  const Binomial from_zeros(zeros, up(exp(at(-shuffle.epsilon0))));
  // The others' number of ones.
  const std::int64_t first = from_ones.first() + from_zeros.first();
  std::vector<MassBracket> others(
      static_cast<std::size_t>(from_ones.last() + from_zeros.last() - first + 1));
  for (std::int64_t i = from_ones.first(); i <= from_ones.last(); ++i) {
    const MassBracket a = from_ones.at(i);
    for (std::int64_t j = from_zeros.first(); j <= from_zeros.last(); ++j) {
      const MassBracket b = from_zeros.at(j);
      MassBracket& sum = others[static_cast<std::size_t>(i + j - first)];
      sum.low += a.low * b.low;
      sum.high += a.high * b.high;
    }
  }
  const Interval e0 = exp(at(shuffle.epsilon0));
  const Interval keep = e0 / (e0 + at(1));
  const Interval flip = at(1) / (e0 + at(1));
  const Interval factor = exp(at(epsilon));
  const MassBracket weights[2] = {{down(keep), up(keep)}, {down(flip), up(flip)}};
  const double more = 1 + 0x1p-30;  // up to 10^5 sums of rounded products, many times over
  Bounds out{0, 0, "shuffled randomized responses, exact"};
  for (const int own : {0, 1}) {  // the person's bit under P is `own`; x = others + report
    const double outside = from_ones.outside() + from_zeros.outside();
    double low = 0;
    double high = outside;
    for (std::size_t x = 0; x <= others.size(); ++x) {
      const MassBracket with = x > 0 ? others[x - 1] : MassBracket{};             // the report is 1
      const MassBracket without = x < others.size() ? others[x] : MassBracket{};  // the report is 0
      const MassBracket& one = weights[own == 1 ? 0 : 1];
      const MassBracket& zero = weights[own == 1 ? 1 : 0];
      const MassBracket p{(one.low * with.low + zero.low * without.low) / more,
                          (one.high * with.high + zero.high * without.high) * more};
      const MassBracket q{(zero.low * with.low + one.low * without.low) / more,
                          (zero.high * with.high + one.high * without.high) * more};
      high += std::max(0.0, p.high - down(factor) * q.low);
      low += std::max(0.0, p.low - up(factor) * q.high);
    }
    // What lies outside may carry mass of Q too.
    out.lower = std::max(out.lower, low / more - up(factor) * outside);
    out.upper = std::max(out.upper, std::min(1.0, high * more));
  }
  out.lower = std::max(0.0, out.lower);
  return out;
}

}  // namespace discreet::accounting
