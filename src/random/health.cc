// SPDX-License-Identifier: Apache-2.0
#include "random/health.h"

namespace discreet::random {

bool HealthTests::feed(std::span<const std::uint8_t> samples) {
  for (const std::uint8_t sample : samples) feed_one(sample);
  return !failed_;
}

void HealthTests::feed_one(std::uint8_t sample) {
  if (samples_ < kStartupSamples) ++samples_;

  // Section 4.4.1. A run that goes on after the alarm needs no more counting: the alarm stays.
  run_ = run_ > 0 && sample == previous_ ? run_ + 1 : 1;
  previous_ = sample;
  if (run_ >= kRepetitionCutoff) failed_ = true;

  // Section 4.4.2. The sample that opens a window counts as the first occurrence of itself.
  if (window_left_ == 0) {
    window_left_ = kProportionWindow;
    reference_ = sample;
    matches_ = 0;
  }
  --window_left_;
  if (sample == reference_) ++matches_;
  if (matches_ >= kProportionCutoff) failed_ = true;
}

}  // namespace discreet::random
