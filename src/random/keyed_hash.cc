// SPDX-License-Identifier: Apache-2.0
#include "random/keyed_hash.h"

#include "random/system_bits.h"

namespace discreet::random {

Result<Secret> Secret::fresh() {
  DISCREET_ASSIGN(SystemBits * bits, SystemBits::this_thread());
  Secret secret;
  for (std::uint64_t& word : secret.words) word = bits->take(64);
  if (!bits->healthy()) {
    return Error{Code::kNoEntropy, "the random source failed; nothing was read"};
  }
  return secret;
}

}  // namespace discreet::random
