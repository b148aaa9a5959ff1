// SPDX-License-Identifier: Apache-2.0
// Where the client's random bits come from: the system's source; in a browser, the same stream of
// random/ keyed by the browser's crypto.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#if defined(__wasm__)
#include "random/stream.h"
#else
#include "random/system_bits.h"
#endif

namespace discreet::local {

#if defined(__wasm__)
class ClientBits {
 public:
  static constexpr int kWordBits = 64;
  std::uint64_t take(int k) {
    if (k == 64) return stream_.take_word([this](random::Stream&) { refill(); });
    return stream_.take_narrow(k, [this](random::Stream&) { refill(); });
  }
  bool healthy() const { return healthy_; }
  /// Keys the stream if it has no key yet. Fails with: kNoEntropy.
  Result<void> key();

 private:
  void refill();
  random::Stream stream_{};
  bool healthy_ = true;
};
#else
using ClientBits = random::SystemBits;
#endif

/// Fails with: kNoEntropy.
Result<ClientBits*> client_bits();

/// A lifetime budget such as "10" or "2.5", in 10^-9. Fails with: kInvalidInput unless it is above
/// 0 and at most 1000.
Result<std::uint64_t> parse_budget(std::string_view text);

}  // namespace discreet::local
