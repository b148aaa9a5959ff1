// SPDX-License-Identifier: Apache-2.0
// Reading the operating system's random bytes, every result checked.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace discreet::random {

/// A source of raw bytes with the contract of read(2): puts up to `size` bytes at `out` and returns
/// their number, or returns -1 and sets errno. It is always an argument, never kept: SystemBits
/// passes read_system, tests pass sources that fail, stop short or are stuck.
using RawSource = ssize_t (*)(void* out, std::size_t size);

/// getrandom(2): the kernel's generator; blocks until it was seeded after boot.
ssize_t read_system(void* out, std::size_t size);

/// Fills all of `out`. A short read is continued, an interrupted one repeated.
/// Fails with: kNoEntropy; then `out` is wiped.
Result<void> read_fully(RawSource source, std::span<std::uint8_t> out);

/// Overwrites memory in a way that the optimiser must keep.
void wipe(void* memory, std::size_t size);

}  // namespace discreet::random
