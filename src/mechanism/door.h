// SPDX-License-Identifier: Apache-2.0
// The door: where a sealed value, a paid receipt and random bits meet, and a Released comes out. It
// is the only way for the mechanisms of mechanisms.h. Three others release many answers under one
// receipt, by the same rules: AboveThreshold, ClippedSums and PrefixStream.
//
//   DISCREET_ASSIGN(auto answer, Door::release(laplace, std::move(count), std::move(receipt)));
//
// K2  A value leaves Sensitive only here and in the other friends of privacy/unseal.h.
// K3  No Released without a consumed Receipt for exactly this mechanism and price.
// K8  When entropy fails, nothing comes out; the charge stays.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mechanism/mechanisms.h"
#include "privacy/receipt.h"
#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"
#include "random/bit_source.h"
#include "random/santha_vazirani.h"
#include "random/system_bits.h"
#include "random/tape.h"

namespace discreet::mechanism {

struct ReleaseOptions {
  Confidence confidence = default_confidence();
  Recorder* recorder = nullptr;
};

/// The bits that a mechanism draws from: the system's, unless it names its own source.
template <class M>
struct SourceOf {
  using type = random::SystemBits;
};
template <class M>
  requires requires { typename M::Source; }
struct SourceOf<M> {
  using type = typename M::Source;
};

/// How far apart two recorded inputs are, for comparing with a declared sensitivity.
struct Distances {
  Integer l0;  ///< coordinates that differ
  Integer l1;
  Integer linf;
  Integer l2_squared;
};

// A listed mechanism M provides
//
//   Input, Output                    what goes in and what comes out
//   NoiseSpec noise() const          its text, with every parameter that privacy depends on
//   Cost cost() const                what one use costs
//   std::optional<Accuracy> accuracy(const Confidence&) const
//   static std::vector<Int128> coordinates(const Input&)     the input, for recordings
//   static std::string describe(const Output&)               the output, for recordings
//
// may name the Source of its bits (random/santha_vazirani.h), and has, in private with Door as a
// friend,
//
//   template <random::BitSource B> Output draw(const Input&, B&) const      (draws.h)
//
// Only `draw` sees the value. noise(), cost() and accuracy() are functions of public parameters.
class Door {
 public:
  /// Fails with: kNoEntropy; kRefused when the receipt is for something else.
  template <Listed M>
  static Result<Released<typename M::Output>> release(const M& mechanism,
                                                      Sensitive<typename M::Input> value,
                                                      Receipt&& receipt,
                                                      const ReleaseOptions& options = {}) {
    using Source = typename SourceOf<M>::type;
    DISCREET_ASSIGN(Source* const bits, Source::for_release());
    Receipt paid = std::move(receipt);
    DISCREET_TRY(paid.consume(mechanism.noise(), mechanism.cost()));
    typename M::Output output = mechanism.draw(value.reveal(Unseal()), *bits);
    if (!bits->healthy()) {
      return Error{Code::kNoEntropy,
                   "the operating system's random source failed; nothing was released"};
    }
    if (options.recorder != nullptr) {
      options.recorder->record({mechanism.noise(),
                                Sensitive(M::coordinates(value.reveal(Unseal()))),
                                M::describe(output)});
    }
    return Released<typename M::Output>(
        std::move(output),
        {mechanism.noise(), mechanism.cost(), paid.id(), mechanism.accuracy(options.confidence)});
  }

  /// The same mechanism on a chosen tape: what comes out is for the audit, and nothing can show it
  /// as an answer.
  template <Listed M, int kWidth>
  static Audited<typename M::Output> replay(const M& mechanism,
                                            const Sensitive<typename M::Input>& value,
                                            random::Tape<kWidth>& tape) {
    return Audited<typename M::Output>(mechanism.draw(value.reveal(Unseal()), tape));
  }

  /// The distances between two recorded inputs, which stay sealed; nothing when they have different
  /// lengths, which no declared sensitivity covers. For the audit, as replay is.
  static Audited<std::optional<Distances>> distance(const Sensitive<std::vector<Int128>>& a,
                                                    const Sensitive<std::vector<Int128>>& b);
};

}  // namespace discreet::mechanism
