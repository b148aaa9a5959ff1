// SPDX-License-Identifier: Apache-2.0
#include "local/client/bits.h"

#include "local/client/odds.h"
#include "local/client/survey.h"
#if defined(__wasm__)
#include <cerrno>
#include <cstdlib>
#endif

namespace discreet::local {

#if defined(__wasm__)

// page.mjs: the browser's crypto, which fills at most 65,536 bytes a call; the stream asks for
// less.
extern "C" __attribute__((import_module("page"), import_name("random_bytes"))) int
discreet_browser_bytes(void* out, int size);

namespace {

ssize_t read_browser(void* out, std::size_t size) {
  const int got = discreet_browser_bytes(out, static_cast<int>(size));
  if (got < 0) errno = EIO;
  return got;
}

}  // namespace

Result<void> ClientBits::key() {
  if (stream_.keyed) return {};
  return random::refill(stream_, read_browser);
}

void ClientBits::refill() {
  if (random::refill(stream_, read_browser).has_value()) return;
  healthy_ = false;
  if (stream_.remaining == 0) std::abort();
}

Result<ClientBits*> client_bits() {
  static ClientBits bits;
  DISCREET_TRY(bits.key());
  return &bits;
}

#else

Result<ClientBits*> client_bits() { return random::SystemBits::for_release(); }

#endif

Result<std::uint64_t> parse_budget(std::string_view text) {
  const Result<std::int64_t> millionths = parse_millionths(text);
  if (!millionths.has_value() || *millionths <= 0 || *millionths > 1'000'000'000) {
    return invalid_input("the lifetime budget must be a number above 0 and at most 1000; got " +
                         in_quotes(text));
  }
  return static_cast<std::uint64_t>(*millionths) * (kNano / 1'000'000);
}

}  // namespace discreet::local
