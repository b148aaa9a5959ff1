// SPDX-License-Identifier: Apache-2.0
#include "mechanism/clipped_sums.h"

#include <algorithm>

#include "mechanism/calibration.h"
#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "mechanism/tails.h"
#include "random/coin.h"
#include "random/laplace.h"
#include "random/rounded_gaussian.h"

namespace discreet::mechanism {
namespace {

/// The shares scaled to add up to 1.
Result<std::vector<Rational>> whole_shares(const std::vector<Rational>& shares) {
  Rational sum = 0;
  for (const Rational& share : shares) {
    if (share <= 0) return invalid_input("every round needs a share of the budget above 0");
    sum = sum + share;
  }
  if (shares.empty()) return invalid_input("clipped sums need at least one round");
  std::vector<Rational> out;
  for (const Rational& share : shares) out.push_back(share / sum);
  return out;
}

Result<void> check_limit(std::int64_t limit) {
  if (limit >= 1 && limit <= kClippingLimitMax) return {};
  return invalid_input("a clipping limit must lie between 1 and 2^24 steps; got " +
                       std::to_string(limit));
}

std::int64_t distance_of(std::int64_t limit, Neighbours neighbours) {
  return neighbours == Neighbours::kReplaceOne ? 2 * limit : limit;
}

/// Gaussian variances for a share are rounded to the ledger's grid on the side of more noise, so
/// that the sampler's tables and the text stay short.
Rational rounded_up(const Rational& x) { return Rational((x * 1024).ceil()) / 1024; }

}  // namespace

Result<ClippedSums::Terms> ClippedSums::Terms::pure(const Epsilon& epsilon,
                                                    const Options& options) {
  DISCREET_TRY(check_limit(options.limit));
  DISCREET_ASSIGN(const std::vector<Rational> shares, whole_shares(options.shares));
  Terms terms;
  terms.norm_ = ClippingNorm::kL1;
  terms.limit_ = options.limit;
  terms.distance_ = distance_of(options.limit, options.neighbours);
  terms.rounds_ = shares.size();
  for (const Rational& share : shares) {
    DISCREET_ASSIGN(const Epsilon part, Epsilon::of(epsilon.value() * share));
    DISCREET_ASSIGN(const Scale scale,
                    laplace_scale(Sensitivity::trusted(Rational(Integer(terms.distance_))), part));
    terms.parameters_.push_back(scale.value());
  }
  terms.cost_ = pure_cost(epsilon);
  return terms;
}

Result<ClippedSums::Terms> ClippedSums::Terms::gaussian(const Epsilon& epsilon, const Delta& delta,
                                                        const Options& options) {
  DISCREET_TRY(check_limit(options.limit));
  DISCREET_ASSIGN(const std::vector<Rational> shares, whole_shares(options.shares));
  DISCREET_ASSIGN(
      const Variance one,
      analytic_gaussian_variance(
          {.sensitivity = Sensitivity::trusted(1), .epsilon = epsilon, .delta = delta}));
  Terms terms;
  terms.norm_ = ClippingNorm::kL2;
  terms.limit_ = options.limit;
  terms.distance_ = distance_of(options.limit, options.neighbours);
  terms.rounds_ = shares.size();
  const Rational squared = Rational(Integer(terms.distance_)) * Rational(Integer(terms.distance_));
  for (const Rational& share : shares) {
    DISCREET_ASSIGN(const Variance variance,
                    Variance::of(rounded_up(one.value() * squared / share)));
    terms.parameters_.push_back(variance.value());
  }
  terms.cost_ = {.epsilon = epsilon, .rho = Rho::trusted(1 / (one.value() * 2)), .delta = delta};
  return terms;
}

Result<ClippedSums::Terms> ClippedSums::Terms::sampled(const Sampled& sampled) {
  DISCREET_TRY(check_limit(sampled.limit));
  if (sampled.threshold == 0 || sampled.rounds == 0 || sampled.noise_multiplier <= 0) {
    return invalid_input(
        "sampled sums need a sampling chance above 0, at least one round, and noise");
  }
  if (sampled.parts == 0 || sampled.parts > sampled.rounds) {
    return invalid_input("a series has at least one part, and at most one for each round");
  }
  Terms terms;
  terms.parts_ = sampled.parts;
  terms.norm_ = ClippingNorm::kL2;
  terms.limit_ = sampled.limit;
  terms.distance_ = sampled.limit;
  terms.rounds_ = sampled.rounds;
  const Rational deviation = sampled.noise_multiplier * Rational(Integer(sampled.limit));
  DISCREET_ASSIGN(const Variance variance, Variance::of(rounded_up(deviation * deviation)));
  terms.parameters_.push_back(variance.value());
  terms.threshold_ = sampled.threshold;
  terms.cost_ = sampled.price;
  return terms;
}

NoiseSpec ClippedSums::Terms::noise() const {
  std::string text =
      std::string("clipped-sums(norm=") + (norm_ == ClippingNorm::kL1 ? "l1" : "l2") +
      ",limit=" + std::to_string(limit_) + ",sensitivity=" + std::to_string(distance_) +
      ",rounds=" + std::to_string(rounds_);
  text += norm_ == ClippingNorm::kL1 ? ",scales=" : ",variances=";
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    text += (i == 0 ? "" : ":") + parameters_[i].to_string();
  }
  if (threshold_) text += ",sampling=" + std::to_string(*threshold_) + "/2^64";
  if (parts_ > 1) text += ",parts=" + std::to_string(parts_);
  return {text + ")"};
}

std::uint64_t ClippedSums::Terms::first_round(std::uint64_t part) const {
  DISCREET_CHECK(part >= 1 && part <= parts_ + 1);
  const std::uint64_t before = part - 1;  // the first parts have one round more, if any have
  return before * (rounds_ / parts_) + std::min(before, rounds_ % parts_);
}

Rational ClippedSums::Terms::sampling() const {
  if (!threshold_) return 1;
  return Rational(Integer(*threshold_)) / power_of_two(64);
}

const Rational& ClippedSums::Terms::parameter(std::uint64_t round) const {
  // A series that was moved away has none.
  DISCREET_CHECK(round < rounds_ && (parameters_.size() == 1 || round < parameters_.size()));
  return parameters_.size() == 1 ? parameters_.front() : parameters_[round];
}

Real ClippedSums::Terms::variance(std::uint64_t round) const {
  if (norm_ == ClippingNorm::kL1) return laplace_variance(Scale::trusted(parameter(round)));
  return real(rounded_gaussian_variance_bound(Variance::trusted(parameter(round))));
}

ClippedSums::ClippedSums(const Terms& terms, Receipt receipt, std::uint64_t round,
                         std::uint64_t end)
    : terms_(terms), receipt_(std::move(receipt)), round_(round), end_(end) {}

Result<ClippedSums> ClippedSums::open(const Terms& terms, Receipt&& receipt) {
  Receipt paid = std::move(receipt);
  if (terms.parts() > 1) {
    return Error{Code::kRefused, "a series in parts is opened part by part"};
  }
  DISCREET_TRY(paid.consume(terms.noise(), terms.cost()));
  return ClippedSums(terms, std::move(paid), 0, terms.rounds());
}

Result<ClippedSums> ClippedSums::open_part(const Terms& terms, std::uint64_t part,
                                           Receipt&& receipt) {
  Receipt paid = std::move(receipt);
  if (terms.parts() == 1 || part < 1 || part > terms.parts()) {
    return Error{Code::kRefused, "the series has no such part"};
  }
  DISCREET_TRY(paid.consume({terms.noise().text + "#" + std::to_string(part)}, terms.cost()));
  return ClippedSums(terms, std::move(paid), terms.first_round(part), terms.first_round(part + 1));
}

template <class F, random::BitSource B>
std::vector<std::int64_t> ClippedSums::sum_of(const Terms& terms, const UnitRows& rows,
                                              std::size_t width, const F& f, B& bits) {
  std::vector<std::uint8_t> joins;
  if (terms.threshold_) {
    const random::DyadicCoin coin(*terms.threshold_);
    joins.resize(rows.ends.size());
    for (std::uint8_t& join : joins) join = coin.flip(bits) ? 1 : 0;
  }
  return clipped_sum(rows, joins, {width, terms.norm_, terms.limit_}, f);
}

template <random::BitSource B>
std::vector<std::int64_t> ClippedSums::with_noise(const Terms& terms, std::uint64_t round,
                                                  const std::vector<std::int64_t>& sum, B& bits) {
  std::vector<std::int64_t> out(sum.size());
  const Rational& parameter = terms.parameter(round);
  if (terms.norm_ == ClippingNorm::kL1) {
    fill(out, *random::LaplaceFor<B>::shared(Scale::trusted(parameter)), bits);
  } else {
    fill(out, *random::RoundedGaussianFor<B>::shared(Variance::trusted(parameter)), bits);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = add_noise_to_entry(sum[i], out[i]);
  return out;
}

template <class F>
Result<Released<std::vector<std::int64_t>>> ClippedSums::take(const Sensitive<UnitRows>& rows,
                                                              std::size_t width, const F& f,
                                                              Recorder* recorder) {
  if (!process_.is_here()) {
    return Error{Code::kRefused,
                 "these sums were opened by another process; open and pay for them here"};
  }
  if (rounds_left() == 0) {
    return Error{Code::kBudget, "the " + std::to_string(terms_.rounds()) +
                                    " sums that were paid for are used up; pay for others"};
  }
  DISCREET_ASSIGN(random::SystemBits* const bits, random::SystemBits::for_release());
  const std::uint64_t round = round_++;  // spent, whatever happens next
  std::vector<std::int64_t> sum = sum_of(terms_, rows.reveal(Unseal()), width, f, *bits);
  std::vector<std::int64_t> out = with_noise(terms_, round, sum, *bits);
  healthy_ = healthy_ && bits->healthy();
  if (!healthy_) {
    return Error{Code::kNoEntropy,
                 "the operating system's random source failed; nothing was released"};
  }
  if (recorder != nullptr) {
    recorder->record({{terms_.norm_ == ClippingNorm::kL1
                           ? "clipped-sum-l1(sensitivity=" + std::to_string(terms_.distance_) + ")"
                           : "clipped-sum-l2(sensitivity_squared=" +
                                 to_string(Int128{terms_.distance_} * terms_.distance_) + ")"},
                      Sensitive(std::vector<Int128>(sum.begin(), sum.end())),
                      describe_entries(out)});
  }
  wipe(sum);
  return Released<std::vector<std::int64_t>>(
      std::move(out), {terms_.noise(), terms_.cost(), receipt_.id(), std::nullopt});
}

Result<Released<std::vector<std::int64_t>>> ClippedSums::next(const Sensitive<UnitRows>& rows,
                                                              std::size_t width,
                                                              const RowFunction& f,
                                                              Recorder* recorder) {
  return take(rows, width, f, recorder);
}

Result<Released<std::vector<std::int64_t>>> ClippedSums::next(const Sensitive<UnitRows>& rows,
                                                              std::size_t width,
                                                              const SparseRowFunction& f,
                                                              Recorder* recorder) {
  return take(rows, width, f, recorder);
}

template <int kWidth>
Audited<std::vector<std::int64_t>> ClippedSums::replay(const Terms& terms, std::uint64_t round,
                                                       const Sensitive<UnitRows>& rows,
                                                       std::size_t width, const RowFunction& f,
                                                       random::Tape<kWidth>& tape) {
  const std::vector<std::int64_t> sum = sum_of(terms, rows.reveal(Unseal()), width, f, tape);
  return Audited<std::vector<std::int64_t>>(with_noise(terms, round, sum, tape));
}

#define DISCREET_REPLAY(M, Source)                                                               \
  template Audited<std::vector<std::int64_t>> M::replay(const Terms&, std::uint64_t,             \
                                                        const Sensitive<UnitRows>&, std::size_t, \
                                                        const RowFunction&, Source&);
DISCREET_ON_TAPES(DISCREET_REPLAY, ClippedSums)
#undef DISCREET_REPLAY

}  // namespace discreet::mechanism
