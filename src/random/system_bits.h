// SPDX-License-Identifier: Apache-2.0
// SystemBits: the product's only source of random bits. Operating-system entropy, health-tested,
// keys a stream cipher (AES-256-CTR where the processor has it, else ChaCha20); every refill
// replaces the key with the first bytes of its own output (key erasure), so a later break-in tells
// nothing about earlier noise; fresh entropy is mixed in before each release and every mebibyte.
//
// R1  No output before a successful, health-tested read of the OS source.
// R2  When a later read fails or looks sick, healthy() turns false for good. Bits still come (the
//     cipher has a key), so samplers terminate; the door then releases nothing.
// R3  After fork(), even by a raw system call, parent and child share no bits: the state lives in
//     pages that the kernel wipes in the child (MADV_WIPEONFORK), and wiped state keys itself anew.
//     When that fails inside a draw there is no key to go on with: the process ends with the exit
//     status of kNoEntropy rather than hand out known bits.
// R4  One per thread; there is no setter, no seed and no global that could be swapped.
//
// R7  for_release(): copies of one state (clones of a virtual machine, which no process can see)
//     share no bits from the next release on.
//
// Not for signal handlers. Neither GMP nor OpenSSL is needed: the local client compiles this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "random/stream.h"

namespace discreet::random {

class SystemBits {
 public:
  static constexpr int kWordBits = 64;

  /// This thread's source, keyed on first use.
  /// Fails with: kNoEntropy, for good, when the OS source cannot be read or fails its health tests,
  /// or when the kernel cannot keep the state apart from a child's.
  static Result<SystemBits*> this_thread();

  /// The same for the noise of one release: 32 fresh bytes of the OS source are mixed in, and words
  /// that were made without them are dropped.
  /// Fails with: kNoEntropy, for good.
  static Result<SystemBits*> for_release();

  SystemBits(const SystemBits&) = delete;
  SystemBits& operator=(const SystemBits&) = delete;
  ~SystemBits();

  /// k fresh bits, 1 <= k <= 64. A narrow take uses up a reservoir of 64 bits before it reads the
  /// next word.
  std::uint64_t take(int k) {
    if (k == 64) [[likely]] {
      return stream_->take_word([this](Stream&) { refill(); });
    }
    return stream_->take_narrow(k, [this](Stream&) { refill(); });
  }

  /// At least 1 and at most `max` fresh words, max >= 1, good until the next call of any member.
  /// Do not keep them across a fork: the child's are wiped.
  std::span<const std::uint64_t> take_words(std::size_t max) {
    return stream_->take_words(max, [this](Stream&) { refill(); });
  }

  bool healthy() const { return !failure_.has_value(); }

  /// Bits handed out so far in this thread of this process, for the entropy meter.
  std::uint64_t bits_taken() const { return stream_->bits_taken(); }

 private:
  SystemBits();
  void refill();

  Stream* stream_ = nullptr;      // in pages of its own; null only when failure_ says why
  std::optional<Error> failure_;  // the first; outside the wiped pages, so a child inherits it
};

}  // namespace discreet::random
