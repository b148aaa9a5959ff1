// SPDX-License-Identifier: Apache-2.0
// The complete list of code that may look at an un-noised value. Read this file to audit the
// system.
#pragma once

namespace discreet {

namespace mechanism {
class Door;  // release(mechanism, value, receipt): noise, then out        mechanism/door.h
class AboveThreshold;  // the one mechanism with a memory between questions
                       // mechanism/above_threshold.h
class ClippedSums;     // a fixed number of clipped sums with noise, one price
                       // mechanism/clipped_sums.h
class PrefixStream;    // a count every day under one price: its noise remembers
                       // mechanism/prefix_stream.h
class Verbs;  // clamp, sum, count: sealed in, sealed out                   mechanism/verbs.h
}  // namespace mechanism

/// The right to open a Sensitive. Neither conjurable with {} nor forgeable with std::bit_cast: both
/// constructors are private and user-provided, and the type is not trivially copyable.
class Unseal {
  Unseal() {}
  Unseal(const Unseal&) {}
  friend class mechanism::Door;
  friend class mechanism::AboveThreshold;
  friend class mechanism::ClippedSums;
  friend class mechanism::PrefixStream;
  friend class mechanism::Verbs;
};

}  // namespace discreet
