// SPDX-License-Identifier: Apache-2.0
#include "random/system_bits.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/process_mark.h"

namespace discreet::random {
namespace {

Result<Stream*> map_stream() {
  DISCREET_ASSIGN(void* const pages, map_pages_wiped_on_fork(sizeof(Stream)));
  // Keeps the key out of swap. Limits on locked memory are often tiny, so this is a wish only.
  static_cast<void>(mlock(pages, sizeof(Stream)));
  return new (pages) Stream{};
}

[[noreturn]] void no_key_after_fork(const Error& error) {
  std::fprintf(stderr, "discreet: %s\n", error.message.c_str());
  std::_Exit(describe(Code::kNoEntropy).exit_status);
}

}  // namespace

SystemBits::SystemBits() {
  Result<Stream*> stream = map_stream();
  if (stream.has_value()) {
    stream_ = *stream;
  } else {
    failure_ = stream.error();
  }
}

SystemBits::~SystemBits() {
  if (stream_ == nullptr) return;
  wipe(stream_, sizeof(Stream));
  munmap(stream_, sizeof(Stream));
}

Result<SystemBits*> SystemBits::this_thread() {
  thread_local SystemBits bits;
  if (bits.healthy() && !bits.stream_->keyed) {
    Result<void> read = random::refill(*bits.stream_, read_system);
    if (!read.has_value()) bits.failure_ = read.error();
  }
  if (!bits.healthy()) return *bits.failure_;
  return &bits;
}

Result<SystemBits*> SystemBits::for_release() {
  DISCREET_ASSIGN(SystemBits* const bits, this_thread());
  Result<void> read = freshen(*bits->stream_, read_system);
  if (!read.has_value()) {
    bits->failure_ = read.error();
    return read.error();
  }
  return bits;
}

void SystemBits::refill() {
  const Result<void> read = random::refill(*stream_, read_system);
  if (read.has_value()) return;
  if (!failure_.has_value()) failure_ = read.error();
  if (stream_->remaining == 0) no_key_after_fork(read.error());
}

}  // namespace discreet::random
