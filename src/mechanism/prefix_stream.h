// SPDX-License-Identifier: Apache-2.0
// PrefixStream: a count that is released every day, with noise that is correlated from day to day
// so that all running sums are good, under one price for all days.
//
//   DISCREET_ASSIGN(auto terms, PrefixStream::Terms::make({.days = 365, .days_per_unit = 7,
//                                                          .reach = 1, .rho = rho}));
//   DISCREET_ASSIGN(auto stream, PrefixStream::open(terms, std::move(receipt)));
//   DISCREET_TRY(stream.prepare());                    // today's noise, before the data are read
//   ... keep stream.sealed(encrypt) on disk ...
//   DISCREET_ASSIGN(auto today, stream.release(std::move(count)));
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process_mark.h"
#include "mechanism/gaussian_noise.h"
#include "mechanism/saturation.h"
#include "mechanism/toeplitz.h"
#include "privacy/receipt.h"
#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"
#include "random/tape.h"

namespace discreet::mechanism {

/// Mechanism    o_t = Q c(x_t) + W_t, W_t = z_t - floor(sum over s < t of c_{t-s} W_s / Q), z_t
///              discrete Gaussian of sigma^2 = m^2 N(w) / (2 rho), C of toeplitz.h; c clamps to
///              +-2^44.
/// Domain       T integers, one after the other, each perhaps chosen by who saw the earlier o.
/// Neighbours   streams that differ on at most w days, by at most m on each.
/// Measure      zCDP.
/// Theorem      all days together: rho-zCDP. No epsilon is claimed.    Proof  prefix_table.md §2
/// Privacy map  (w, m) -> m^2 N(w) / (2 sigma^2), exactly.
/// Accuracy     publish/ has the variance of running sums.
/// Randomness   OS entropy only.
/// Memory       the noise of earlier days (8 bytes each), sealed; no count of any day.
/// Threads      one caller at a time; refused in a forked child.
/// Fails with   kBudget after the last day; kNoEntropy, for good, also in the event (probability
///              below e^-1000) that noise would leave 61 bits; kRefused in a forked child.
/// Trust        proved, given that what is kept is neither rolled back nor used twice: who holds
///              the state (publish/daily.h) sees to it.
/// Checked by   tables_test (the bijection on many tapes, exact lengths, resuming), audit exact
///              prefix-stream (all tapes of two days).
class PrefixStream {
 public:
  struct Options {
    std::int64_t days = 1;           ///< T
    std::int64_t days_per_unit = 1;  ///< w
    std::int64_t reach = 1;          ///< m
    Rho rho;
    int unit_bits = Toeplitz::kUnitBits;
  };

  class Terms : public GaussianNoise {
   public:
    /// Fails with: kInvalidInput when a number is out of range.
    static Result<Terms> make(const Options& options);
    NoiseSpec noise() const;
    const Toeplitz& mixing() const { return mixing_; }
    const Options& options() const { return options_; }

   private:
    Terms(GaussianNoise noise, Options options, Toeplitz mixing)
        : GaussianNoise(std::move(noise)),
          options_(std::move(options)),
          mixing_(std::move(mixing)) {}
    Options options_;
    Toeplitz mixing_;
  };

  /// Turns bytes into what nobody but the owner can read. Trusted not to keep what it sees.
  using Encrypt = std::function<Result<std::string>(std::string_view)>;

  /// Fails with: kRefused when the receipt is for something else.
  static Result<PrefixStream> open(const Terms& terms, Receipt&& receipt);
  /// Goes on from what sealed() kept and the owner decrypted, `released` days later.
  /// Fails with: kCorrupt unless it holds the noise of `released` days, or of one more.
  static Result<PrefixStream> resume(const Terms& terms, std::string receipt_id,
                                     std::int64_t released, const Sensitive<std::string>& kept);

  /// Draws today's noise, unless it is drawn. True when there is something new to keep.
  Result<bool> prepare();
  /// The noise of all days so far, encrypted.
  Result<std::string> sealed(const Encrypt& encrypt) const;
  /// Today's answer, in units of 1/mixing().unit(). Requires: prepare().
  Result<Released<std::int64_t>> release(Sensitive<Int128> count, Recorder* recorder = nullptr);

  const Terms& terms() const { return terms_; }
  std::int64_t released() const { return released_; }
  const std::string& receipt_id() const { return receipt_id_; }

  /// All days of a stream on a chosen tape, for the audit.
  template <int kWidth>
  static Audited<std::vector<std::int64_t>> replay(const Terms& terms,
                                                   const Sensitive<std::vector<std::int64_t>>& x,
                                                   random::Tape<kWidth>& tape);

 private:
  PrefixStream(Terms terms, std::string receipt_id);

  Result<void> check_process() const;
  /// W_t from the earlier ones and z_t.
  static Int128 next_noise(const Terms& terms, const std::vector<std::int64_t>& noise, Int128 z);
  /// Q c(x) + w
  static std::int64_t answer(const Terms& terms, Int128 count, std::int64_t w);

  Terms terms_;
  std::string receipt_id_;
  ProcessMark process_;
  std::int64_t released_ = 0;
  bool healthy_ = true;
  Sensitive<std::vector<std::int64_t>> noise_;  // W
};

}  // namespace discreet::mechanism
