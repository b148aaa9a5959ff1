// SPDX-License-Identifier: Apache-2.0
#include "random/entropy.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace discreet::random {
namespace {

// Signals that arrive faster than a read can finish must not hold a server for ever.
constexpr int kFruitlessReadsMax = 1000;

Error no_entropy(const std::string& why) {
  return {Code::kNoEntropy, "the operating system gave no random bytes (getrandom: " + why +
                                "); nothing was drawn. This needs Linux 3.17 or newer and, in a "
                                "sandbox, a rule that allows the getrandom system call"};
}

}  // namespace

ssize_t read_system(void* out, std::size_t size) { return getrandom(out, size, 0); }

Result<void> read_fully(RawSource source, std::span<std::uint8_t> out) {
  std::size_t done = 0;
  int fruitless = 0;
  while (done < out.size()) {
    const std::size_t wanted = out.size() - done;
    const ssize_t got = source(out.data() + done, wanted);
    const int reason = errno;
    if (got > 0 && static_cast<std::size_t>(got) <= wanted) {
      done += static_cast<std::size_t>(got);
      fruitless = 0;
      continue;
    }
    const bool again = got == 0 || (got == -1 && reason == EINTR);
    if (again && ++fruitless < kFruitlessReadsMax) continue;
    wipe(out.data(), out.size());
    if (got == -1) return no_entropy(std::strerror(reason));
    return no_entropy(got == 0 ? "no bytes" : "an impossible length");
  }
  return {};
}

void wipe(void* memory, std::size_t size) { explicit_bzero(memory, size); }

}  // namespace discreet::random
