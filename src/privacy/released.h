// SPDX-License-Identifier: Apache-2.0
// Released<T>: the only type that can be shown. It carries its price, its noise and its accuracy,
// so that every number can say what it cost and how wrong it may be. Audited<T>: what a mechanism
// yields on a chosen tape of coins; never an answer.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "privacy/receipt.h"

namespace discreet {

/// Pr[|answer - truth| > half_width] <= 1 - confidence, for each coordinate.
struct Accuracy {
  Rational half_width;
  Confidence confidence;
};

/// The price and the noise of an answer, and the id of the charge that paid for it.
struct Provenance {
  NoiseSpec noise;
  Cost cost;
  std::string receipt_id;
  std::optional<Accuracy> accuracy;
};

template <class T>
class Released {
 public:
  const T& value() const { return value_; }
  const Provenance& provenance() const { return provenance_; }

  /// Post-processing is free. The result's accuracy is for the caller to say.
  template <class F>
  auto map(F&& f, std::optional<Accuracy> accuracy = std::nullopt) const {
    using U = decltype(std::forward<F>(f)(value_));
    Provenance provenance = provenance_;
    provenance.accuracy = std::move(accuracy);
    return Released<U>(std::forward<F>(f)(value_), std::move(provenance));
  }

 private:
  friend class mechanism::Door;
  friend class mechanism::AboveThreshold;
  friend class mechanism::ClippedSums;
  friend class mechanism::PrefixStream;
  template <class U>
  friend class Released;

  Released(T value, Provenance provenance)
      : value_(std::move(value)), provenance_(std::move(provenance)) {}

  T value_;
  Provenance provenance_;
};

template <class T>
class Audited {
 public:
  const T& outcome() const { return outcome_; }

 private:
  friend class mechanism::Door;
  friend class mechanism::AboveThreshold;
  friend class mechanism::ClippedSums;
  friend class mechanism::PrefixStream;
  explicit Audited(T outcome) : outcome_(std::move(outcome)) {}
  T outcome_;
};

}  // namespace discreet
