// SPDX-License-Identifier: Apache-2.0
// What the noise commands have in common: their options, and how one noisy number is shown.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/payer.h"
#include "cli/streams.h"
#include "numeric/int128.h"
#include "privacy/released.h"
#include "report/format.h"

namespace discreet::cli {

struct NoiseArguments {
  Text value, sensitivity, epsilon, delta, rho, confidence, step, lower, upper, count;
  PayerArguments payer;
  FormatArguments format;
};

struct NoiseRequest {
  Rational value;
  Sensitivity sensitivity;
  Confidence confidence;
  report::Format format;
  std::uint64_t count;  ///< 0 unless --count was given
  std::shared_ptr<Payer> payer;

  /// Fails with: kInvalidInput; `example` shows what a missing option looks like.
  static Result<NoiseRequest> read(const NoiseArguments& arguments, const char* example);
};

/// An answer ready to be shown.
struct NoisyNumber {
  Rational answer;
  Rational low;
  Rational high;
  Rational expected_error;      ///< at least E|answer - value|
  std::optional<Rational> raw;  ///< before truncation, where there was one
};

Rational rational(Int128 n);

/// `value` as an integer of at most `most` in size.
Result<Int128> whole(const std::string& name, const Rational& value, Int128 most);

/// Stores, if it was charged, and writes the answer with its interval, its expected error and its
/// price.
Result<int> show(const Streams& streams, const NoiseRequest& request, const NoisyNumber& number,
                 const Provenance& provenance);

}  // namespace discreet::cli
