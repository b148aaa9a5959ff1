// SPDX-License-Identifier: Apache-2.0
#include "privacy/receipt.h"

#include <utility>

#include "base/check.h"

namespace discreet {

Receipt::Receipt(Receipt&& other) noexcept
    : noise_(std::move(other.noise_)),
      cost_(std::move(other.cost_)),
      id_(std::move(other.id_)),
      live_(std::exchange(other.live_, false)) {}

Result<void> Receipt::consume(const NoiseSpec& noise, const Cost& cost) {
  DISCREET_CHECK(std::exchange(live_, false));
  if (noise != noise_ || cost != cost_) {
    return Error{Code::kRefused,
                 "the receipt was paid for " + noise_.text + ", not for " + noise.text};
  }
  return {};
}

}  // namespace discreet
