// SPDX-License-Identifier: Apache-2.0
// The continuous health tests of NIST SP 800-90B, section 4.4, on the raw bytes of the entropy
// source: they notice a source that broke, before its bytes become a key.
//
//   repetition count      the same byte kRepetitionCutoff times in a row
//   adaptive proportion   the first byte of a window of 512 occurs kProportionCutoff times in it
//
// The claim under test is H = 8 bits of entropy a byte, for that is what the kernel's generator
// promises; cut-offs are for alpha = 2^-40, the smallest that the standard allows, so that a
// healthy source does not stop a server. health_test computes the exact chances: a run begins at a
// given byte with 2^-40, a window of a healthy source fails with less than 2^-37.
//
// What they do not notice: bytes that look uniform and are known to somebody (a cloned virtual
// machine, a back door), a bias below about one byte value in 27, and any adversary who bends each
// bit a little in the light of the earlier ones (a Santha-Vazirani source): no test on the stream
// can.
#pragma once

#include <cstdint>
#include <span>

namespace discreet::random {

/// All bytes zero is the state before the first sample, as memory is after MADV_WIPEONFORK.
class HealthTests {
 public:
  static constexpr unsigned kBitsPerSample = 8;  // H
  static constexpr unsigned kAlphaLog2 = 40;     // alpha = 2^-40
  // C = 1 + ceil(-log2 alpha / H)
  static constexpr std::uint32_t kRepetitionCutoff =
      1 + (kAlphaLog2 + kBitsPerSample - 1) / kBitsPerSample;
  static constexpr std::uint32_t kProportionWindow = 512;
  // C = 1 + critbinom(512, 2^-8, 1 - 2^-40); the test computes it in exact rationals.
  static constexpr std::uint32_t kProportionCutoff = 19;
  static constexpr std::uint32_t kStartupSamples = 1024;

  /// Feeds the next bytes of the source. Returns !failed().
  bool feed(std::span<const std::uint8_t> samples);

  /// Whether some sample so far failed a test; stays so.
  bool failed() const { return failed_; }

  /// Whether the start-up test, the same tests on the first 1024 samples, was passed.
  bool started() const { return samples_ >= kStartupSamples && !failed_; }

 private:
  void feed_one(std::uint8_t sample);

  std::uint32_t samples_;      // stops counting at kStartupSamples
  std::uint32_t run_;          // how often `previous_` came in a row; 0 before the first sample
  std::uint32_t window_left_;  // samples still to come in this window; 0: the next opens a window
  std::uint32_t matches_;      // occurrences of `reference_` in the window, itself included
  std::uint8_t previous_;
  std::uint8_t reference_;
  bool failed_;
};

}  // namespace discreet::random
