// SPDX-License-Identifier: Apache-2.0
#include "session/rank_interval.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/check.h"

namespace discreet::session {
namespace {

constexpr double kUp = 1 + 1e-9;  // more than all roundings here together

}  // namespace

std::vector<std::int64_t> cuts_around(const std::vector<std::int64_t>& values, std::int64_t low,
                                      std::int64_t high) {
  // In unsigned numbers of steps from low: what lies outside is below 0 or above the width.
  const auto width = static_cast<Int128>(high) - low;
  std::vector<std::int64_t> cuts;
  for (const std::int64_t value : values) {
    const auto add = [&](Int128 cut) {
      if (cut > 0 && cut <= width) cuts.push_back(static_cast<std::int64_t>(cut + low));
    };
    const Int128 at = static_cast<Int128>(value) - low;
    for (Int128 away = 1; away <= width; away *= 2) {
      add(at + away);      // x <= value + away - 1 on its left
      add(at + 1 - away);  // x >= value + 1 - away on its right
    }
  }
  std::ranges::sort(cuts);
  const auto rest = std::ranges::unique(cuts);
  cuts.erase(rest.begin(), rest.end());
  return cuts;
}

RankIntervals::RankIntervals(const plan::Noise& noise, const Rational& fraction, double beta)
    : fraction_(fraction.to_double(Round::kDown)), log_(std::log(2 / beta)) {
  const auto* const gaussian = std::get_if<mechanism::GaussianVector>(&noise);
  gaussian_ = gaussian != nullptr;
  scale_ = gaussian_
               ? std::sqrt(gaussian->sigma_squared().value().to_double(Round::kUp))
               : std::get<mechanism::LaplaceVector>(noise).scale().value().to_double(Round::kUp);
}

double RankIntervals::margin(std::size_t j, std::size_t m) {
  const auto [found, fresh] = known_.try_emplace({j, m}, 0.0);
  if (!fresh) return found->second;
  const double left = static_cast<double>(j);
  const double right = static_cast<double>(m);
  const double a = 1 - fraction_;
  const double b = fraction_;
  const double squares = left * a * a + right * b * b;
  if (gaussian_) {
    found->second = kUp * scale_ * std::sqrt(2 * log_ * squares);
    return found->second;
  }
  // (ln(2/beta) + sum of ln E e^{t a_i Z}) / t for the best t of a ladder; every t is right.
  const double end = 1 / std::max(left > 0 ? a : 0, right > 0 ? b : 0);
  double best = std::numeric_limits<double>::infinity();
  constexpr int kRungs = 64;
  for (int i = 1; i < kRungs; ++i) {
    const double t = end * i / kRungs;
    const double bound =
        (log_ - left * std::log1p(-t * t * a * a) - right * std::log1p(-t * t * b * b)) / t;
    best = std::min(best, bound);
  }
  found->second = kUp * scale_ * best;
  return found->second;
}

RankInterval RankIntervals::of(const std::vector<std::int64_t>& cuts,
                               const std::vector<std::int64_t>& counts) {
  DISCREET_CHECK(counts.size() == cuts.size() + 1);
  double all = 0;
  for (const std::int64_t count : counts) all += static_cast<double>(count);
  // excess[j]: noisy (rows below cut j) - f (all rows).
  std::vector<double> excess;
  double below = 0;
  for (std::size_t j = 0; j < cuts.size(); ++j) {
    below += static_cast<double>(counts[j]);
    excess.push_back(below - fraction_ * all);
  }
  const auto margin_at = [&](std::size_t j) { return margin(j + 1, cuts.size() - j); };
  RankInterval out;
  for (std::size_t j = cuts.size(); j-- > 0 && excess[j] > margin_at(j);) out.high = cuts[j] - 1;
  for (std::size_t j = 0; j < cuts.size() && excess[j] < -margin_at(j); ++j) out.low = cuts[j];
  return out;
}

}  // namespace discreet::session
