// SPDX-License-Identifier: Apache-2.0
#include "random/stream.h"

namespace discreet::random {
namespace {

Error sick() {
  return {Code::kNoEntropy,
          "the operating system's random source repeats itself (health tests of NIST SP 800-90B), "
          "so nothing is drawn from it; restart the machine, and replace its random number "
          "generator if this comes again"};
}

// Reads and tests kBytes bytes and adds them to the key, 32 at a time, by exclusive-or: the key is
// uniform if it was, or if any 32 of the bytes are, given the others.
template <std::size_t kBytes>
Result<void> add_to_key(Stream& stream, RawSource source) {
  static_assert(kBytes % sizeof(CipherKey) == 0);
  std::uint8_t raw[kBytes];
  DISCREET_TRY(read_fully(source, raw));
  const bool good = stream.health.feed(raw) && stream.health.started();
  if (good) {
    CipherKey& key = stream.block.key;
    for (std::size_t i = 0; i < kBytes; ++i) key[i % key.size()] ^= raw[i];
  }
  wipe(raw, sizeof raw);
  if (!good) return sick();
  return {};
}

// The start-up test wants 1024 samples; all of them go into the key.
Result<void> read_first_key(Stream& stream, RawSource source) {
  DISCREET_TRY(add_to_key<HealthTests::kStartupSamples>(stream, source));
  stream.keyed = true;
  return {};
}

void run_cipher(Stream& stream) {
  CipherKey key = stream.block.key;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(&stream.block);
  key_stream(fastest_cipher(), key, {bytes, sizeof stream.block});
  wipe(&key, sizeof key);
  stream.remaining = Stream::kWords;
  ++stream.refills;
}

}  // namespace

Result<void> refill(Stream& stream, RawSource source) {
  DISCREET_CHECK(stream.remaining == 0);
  Result<void> read;
  if (!stream.keyed) {
    DISCREET_TRY(read_first_key(stream, source));
  } else if (stream.refills % Stream::kRefillsPerKeyRead == 0) {
    read = add_to_key<sizeof(CipherKey)>(stream, source);
  }
  run_cipher(stream);
  return read;
}

Result<void> freshen(Stream& stream, RawSource source) {
  if (!stream.keyed) return refill(stream, source);
  stream.dropped += 64 * std::uint64_t{stream.remaining} + stream.reservoir_bits;
  stream.remaining = 0;
  stream.reservoir = 0;
  stream.reservoir_bits = 0;
  Result<void> read = add_to_key<sizeof(CipherKey)>(stream, source);
  run_cipher(stream);
  return read;
}

}  // namespace discreet::random
