// SPDX-License-Identifier: Apache-2.0
#include "mechanism/above_threshold.h"

#include <algorithm>
#include <mutex>

#include "base/process_mark.h"
#include "mechanism/calibration.h"
#include "mechanism/tails.h"
#include "mechanism/whole_sensitivity.h"
#include "random/laplace.h"

namespace discreet::mechanism {
namespace {

// Counts and thresholds within +-2^125 differ by less than 2^127: no overflow. Clamping moves two
// counts no further apart, so it keeps their sensitivity.
constexpr Int128 kLimit = Int128{1} << 125;

Error no_entropy() {
  return {Code::kNoEntropy, "the operating system's random source failed; nothing was released"};
}

}  // namespace

NoiseSpec AboveThreshold::noise(const Options& options) {
  return {"above-threshold(epsilon=" + options.epsilon.to_string() +
          ",sensitivity=" + options.sensitivity.to_string() +
          ",above_max=" + std::to_string(options.above_max) + ")"};
}

Result<AboveThreshold::Scales> AboveThreshold::split(const Options& options) {
  if (options.above_max == 0) {
    return invalid_input("above_max must be at least 1: how many yeses before it ends");
  }
  if (options.threshold < -kLimit || options.threshold > kLimit) {
    return invalid_input("the threshold must lie between -2^125 and 2^125");
  }
  DISCREET_ASSIGN(const Int128 delta, whole_sensitivity(options.sensitivity));
  // The threshold's noise gets 1/(1+r) of epsilon, the questions' the rest. Every r > 0 is private;
  // the variance of V - R is least at r = (2c)^(2/3) [Lyu-Su-Li 2017 §4.2].
  const Rational c{Integer(options.above_max)};
  Integer r;
  mpz_root(r.get_mpz_t(), (c * c * 4).numerator().get_mpz_t(), 3);
  const Rational share = Rational(r) + 1;
  const Rational threshold = Rational(to_integer(delta)) * share;
  DISCREET_ASSIGN(Scale first, laplace_scale(Sensitivity::trusted(threshold), options.epsilon));
  DISCREET_ASSIGN(Scale second, laplace_scale(Sensitivity::trusted(threshold * 2 * c / Rational(r)),
                                              options.epsilon));
  return Scales{std::move(first), std::move(second)};
}

template <random::BitSource B>
Int128 AboveThreshold::draw(const Scale& scale, B& bits) {
  return random::LaplaceFor<B>::shared(scale)->draw(bits);
}

Result<AboveThreshold> AboveThreshold::open(const Options& options, Receipt&& receipt) {
  DISCREET_ASSIGN(Scales scales, split(options));
  DISCREET_ASSIGN(random::SystemBits* const bits, random::SystemBits::for_release());
  Receipt paid = std::move(receipt);
  DISCREET_TRY(paid.consume(noise(options), cost(options)));
  Sensitive<Int128> r(draw(scales.threshold, *bits));
  if (!bits->healthy()) return no_entropy();
  return AboveThreshold(options, std::move(scales), std::move(paid), std::move(r));
}

struct AboveThreshold::Memory {
  explicit Memory(std::size_t yeses) : yeses_left(yeses) {}
  std::mutex mutex;
  std::size_t yeses_left;
  bool healthy = true;
  const ProcessMark process;
};

AboveThreshold::AboveThreshold(const Options& options, Scales scales, Receipt receipt,
                               Sensitive<Int128> r)
    : options_(options),
      scales_(std::move(scales)),
      receipt_(std::move(receipt)),
      r_(std::move(r)),
      memory_(new Memory(options.above_max), [](Memory* memory) { delete memory; }) {}

std::size_t AboveThreshold::yeses_left() const {
  DISCREET_CHECK(memory_ != nullptr);
  const std::lock_guard lock(memory_->mutex);
  return memory_->yeses_left;
}

Result<Released<bool>> AboveThreshold::ask(const Sensitive<Int128>& question, Recorder* recorder) {
  DISCREET_CHECK(memory_ != nullptr);
  // Before the lock: a child may have inherited it locked.
  if (!memory_->process.is_here()) {
    return Error{Code::kRefused,
                 "above-threshold was opened by another process; open and pay for one here"};
  }
  const std::lock_guard lock(memory_->mutex);
  if (!memory_->healthy) return no_entropy();
  if (memory_->yeses_left == 0) {
    return Error{Code::kBudget, "above-threshold has given the " +
                                    std::to_string(options_.above_max) +
                                    " yeses that were paid for; open and pay for another"};
  }
  DISCREET_ASSIGN(random::SystemBits* const bits, random::SystemBits::for_release());
  const Int128 v = draw(scales_.question, *bits);
  if (!bits->healthy()) {
    memory_->healthy = false;
    return no_entropy();
  }
  const Int128 q = question.reveal(Unseal());
  const bool above = is_above(q, v, options_.threshold, r_.reveal(Unseal()));
  if (above) --memory_->yeses_left;
  if (recorder != nullptr) {
    recorder->record({noise(options_), Sensitive(std::vector<Int128>{q}), above ? "yes" : "no"});
  }
  return Released<bool>(above, {noise(options_), cost(options_), receipt_.id(), std::nullopt});
}

bool AboveThreshold::is_above(Int128 q, Int128 v, Int128 threshold, Int128 r) {
  const Int128 ahead = std::clamp(q, -kLimit, kLimit) - threshold;
  Int128 sum = 0;
  if (__builtin_add_overflow(ahead, v, &sum)) return v > 0;  // beyond every r on that side
  return sum >= r;
}

Result<Integer> AboveThreshold::margin(const Options& options, std::size_t questions,
                                       const Confidence& confidence) {
  if (questions == 0) return invalid_input("say for how many questions: at least 1");
  DISCREET_ASSIGN(const Scales scales, split(options));
  // Half of what may fail goes to R, half to all V_i together: |V_i - R| <= the sum of the widths.
  const Rational half = (1 - confidence.value()) / 2;
  const auto width = [](const Scale& scale, const Rational& failure) {
    return laplace_half_width(scale, Confidence::trusted(1 - failure));
  };
  return Integer(width(scales.threshold, half) +
                 width(scales.question, half / Rational(Integer(questions))));
}

template <int kWidth>
Result<Audited<std::vector<bool>>> AboveThreshold::replay(
    const Options& options, const Sensitive<std::vector<Int128>>& questions,
    random::Tape<kWidth>& tape) {
  DISCREET_ASSIGN(const Scales scales, split(options));
  const Int128 r = draw(scales.threshold, tape);
  std::size_t left = options.above_max;
  std::vector<bool> answers;
  for (const Int128 q : questions.reveal(Unseal())) {
    if (left == 0) break;
    const bool above = is_above(q, draw(scales.question, tape), options.threshold, r);
    if (above) --left;
    answers.push_back(above);
  }
  return Audited<std::vector<bool>>(std::move(answers));
}

#define DISCREET_REPLAY(M, Source)                       \
  template Result<Audited<std::vector<bool>>> M::replay( \
      const Options&, const Sensitive<std::vector<Int128>>&, Source&);
DISCREET_ON_TAPES(DISCREET_REPLAY, AboveThreshold)
#undef DISCREET_REPLAY

}  // namespace discreet::mechanism
