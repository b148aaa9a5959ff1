// SPDX-License-Identifier: Apache-2.0
// Above-threshold (the sparse vector technique): answers any number of adaptively chosen questions
// "is this count above the threshold?" for one price, until it has said yes c times. It
// keeps the threshold's noise from question to question, so it is charged whole when it is opened.
//
//   DISCREET_ASSIGN(auto alarm, AboveThreshold::open(options, std::move(receipt)));
//   DISCREET_ASSIGN(Released<bool> answer, alarm.ask(count));
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "mechanism/door.h"
#include "random/bit_source.h"
#include "random/tape.h"

namespace discreet::mechanism {

/// Mechanism    draw R once; for question i draw V_i: yes iff q_i + V_i >= T + R; end after c yes.
///              R discrete Laplace of scale (1+r) Delta/epsilon, V_i of 2c (1+r) Delta/(r epsilon),
///              with r = floor((2c)^(2/3)), which about minimises the variance of V_i - R.
/// Domain       integers, clamped to +-2^125; T public, within +-2^125. Noise beyond 2^127
///              (probability below e^(-2^86)) is cut, which the proof leaves out: see CAVEATS.
/// Neighbours   |q_i - q_i'| <= Delta for every question, Delta a whole number; q_i may depend on
///              the earlier answers.
/// Measure      pure DP.
/// Theorem      all answers together are epsilon-DP, hence (epsilon^2/2)-zCDP.
/// Proof        above_threshold.md §2, for integer noise; R is *not* redrawn after a yes.
/// Privacy map  Delta -> Delta/scale(R) + 2c Delta/scale(V) = epsilon, exactly.
/// Accuracy     margin(): with the stated confidence the first k answers all are right for counts
///              that far from T.
/// Randomness   OS entropy only.
/// Threads      ask() may be called from several; yeses are counted under a lock. A child made by
///              fork() would hold a second copy of R and of the count, so it is refused.
/// Fails with   kBudget once c yeses are out (they are released facts); kNoEntropy, for good;
///              kRefused in a forked child.
/// Side channel the same work for every question, but for the sampler's refinement: see CAVEATS.
/// Source       [Dwork-Roth 2014 §3.6], [Lyu-Su-Li 2017 Alg. 7]; the broken variants that the
///              latter lists are avoided: V_i scales with c, and no noisy count is given away.
/// Trust        proved.
/// Checked by   above_threshold_test (all tapes of batches, both neighbours, planted mutants).
class AboveThreshold {
 public:
  struct Options {
    Epsilon epsilon;          ///< for all answers together
    Sensitivity sensitivity;  ///< of every question; a whole number
    Int128 threshold;         ///< public
    std::size_t above_max;    ///< c: it ends after so many yeses
  };

  /// What open() will ask a receipt for.
  static NoiseSpec noise(const Options& options);
  static Cost cost(const Options& options) { return pure_cost(options.epsilon); }

  /// Draws the secret noise of the threshold.
  /// Fails with: kInvalidInput for bad options; kNoEntropy; kRefused when the receipt is for
  /// something else.
  static Result<AboveThreshold> open(const Options& options, Receipt&& receipt);

  /// Every answer carries the receipt and the price of the whole series.
  /// Requires: not moved from.
  /// Fails with: kBudget when it has ended; kNoEntropy, and then on every later question; kRefused
  /// in another process than the one that opened it.
  Result<Released<bool>> ask(const Sensitive<Int128>& question, Recorder* recorder = nullptr);

  std::size_t yeses_left() const;

  /// An m such that, with the stated confidence, each of the first `questions` answers is yes only
  /// for counts of at least T - m, and no only for counts below T + m.
  static Result<Integer> margin(const Options& options, std::size_t questions,
                                const Confidence& confidence);

  /// The same mechanism on a chosen tape, for a batch of questions: the answers up to its end.
  template <int kWidth>
  static Result<Audited<std::vector<bool>>> replay(const Options& options,
                                                   const Sensitive<std::vector<Int128>>& questions,
                                                   random::Tape<kWidth>& tape);

 private:
  /// The two noises, checked and split.
  struct Scales {
    Scale threshold;
    Scale question;
  };
  static Result<Scales> split(const Options& options);

  template <random::BitSource B>
  static Int128 draw(const Scale& scale, B& bits);

  /// q + v >= T + r in exact integers.
  static bool is_above(Int128 q, Int128 v, Int128 threshold, Int128 r);

  AboveThreshold(const Options& options, Scales scales, Receipt receipt, Sensitive<Int128> r);

  Options options_;
  Scales scales_;
  Receipt receipt_;      // used up; kept for its id
  Sensitive<Int128> r_;  // as secret as any count
  struct Memory;         // what questions share; a moved-from object has none
  std::unique_ptr<Memory, void (*)(Memory*)> memory_;
};

}  // namespace discreet::mechanism
