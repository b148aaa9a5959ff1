// SPDX-License-Identifier: Apache-2.0
#include "random/santha_vazirani.h"

#include <vector>

namespace discreet::random {
namespace {

Error sick() {
  return {Code::kNoEntropy,
          "the operating system's random bytes fail the health tests of SP 800-90B; nothing was "
          "drawn. Restart the machine, and do not trust it before its generator is repaired"};
}

}  // namespace

Result<RawBits*> RawBits::this_thread() {
  thread_local RawBits bits(read_system);
  DISCREET_TRY(bits.begin());
  return &bits;
}

Result<void> RawBits::begin() {
  forget();
  if (!failure_) {
    std::vector<std::uint8_t> samples(health_.started() ? kTestedBefore
                                                        : HealthTests::kStartupSamples);
    const Result<void> read = read_fully(source_, samples);
    if (!read) {
      failure_ = read.error();
    } else if (!health_.feed(samples)) {
      failure_ = sick();
    }
    wipe(samples.data(), samples.size());
  }
  if (failure_) return *failure_;
  return {};
}

std::uint64_t RawBits::take(int k) {
  DISCREET_CHECK(k >= 1 && k <= 64);
  std::uint64_t out = 0;
  for (int i = 0; i < k; ++i) out = out << 1 | take_one();
  return out;
}

unsigned RawBits::take_one() {
  if (left_ == 0) refill();
  const std::uint32_t at = static_cast<std::uint32_t>(kBlockBytes) * 8 - left_;
  --left_;
  ++taken_;
  return block_[at / 8] >> (7 - at % 8) & 1U;
}

void RawBits::refill() {
  left_ = kBlockBytes * 8;
  if (!failure_) {
    const Result<void> read = read_fully(source_, block_);
    if (!read) failure_ = read.error();
  }
  if (failure_) {
    for (std::uint8_t& byte : block_) byte = 0x55;  // V4: both kinds of bits, so that decoding ends
  }
}

void RawBits::forget() {
  wipe(block_, sizeof(block_));
  left_ = 0;
}

}  // namespace discreet::random
