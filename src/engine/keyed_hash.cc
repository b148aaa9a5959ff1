// SPDX-License-Identifier: Apache-2.0
#include "engine/keyed_hash.h"

#include "random/system_bits.h"

namespace discreet::engine {

Result<Secret> Secret::fresh() {
  DISCREET_ASSIGN(random::SystemBits * bits, random::SystemBits::this_thread());
  Secret secret;
  for (std::uint64_t& word : secret.words) word = bits->take(64);
  if (!bits->healthy()) {
    return Error{Code::kNoEntropy, "the random source failed; nothing was read"};
  }
  return secret;
}

}  // namespace discreet::engine
