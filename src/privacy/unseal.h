// SPDX-License-Identifier: Apache-2.0
// The complete list of classes that may open a Sensitive. Read this file to audit what sees a value
// before its noise. Two steps away: Door hands the value to the mechanisms of
// mechanism/mechanisms.h, and engines compute values from rows before they seal them
// (engine/engine.h).
#pragma once

namespace discreet {

namespace mechanism {
class Door;            // door.h             release(mechanism, value, receipt): noise, then out
class AboveThreshold;  // above_threshold.h  yes or no to many questions under one price
class ClippedSums;     // clipped_sums.h     a fixed number of clipped sums under one price
class CountedDays;     // counted_days.h     who was counted on how many days: sealed in, sealed out
class PrefixStream;    // prefix_stream.h    a count every day under one price
class Verbs;           // verbs.h            clamp, sum, count, group: sealed in, sealed out
}  // namespace mechanism

/// The right to open a Sensitive. Neither conjurable with {} nor forgeable with std::bit_cast: both
/// constructors are private and user-provided, and the type is not trivially copyable.
class Unseal {
  Unseal() {}
  Unseal(const Unseal&) {}
  friend class mechanism::Door;
  friend class mechanism::AboveThreshold;
  friend class mechanism::ClippedSums;
  friend class mechanism::CountedDays;
  friend class mechanism::PrefixStream;
  friend class mechanism::Verbs;
};

}  // namespace discreet
