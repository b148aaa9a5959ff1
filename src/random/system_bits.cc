// SPDX-License-Identifier: Apache-2.0
#include "random/system_bits.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace discreet::random {
namespace {

Error no_pages(const char* call) {
  return {Code::kNoEntropy,
          std::string("no memory that the kernel wipes in child processes (") + call + ": " +
              std::strerror(errno) +
              "), so parent and child could share random bits; nothing was drawn. This needs Linux "
              "4.14 or newer, not an emulation of it"};
}

// A kernel that takes any advice (some emulators do) would take this one too.
bool takes_nonsense(void* pages) { return madvise(pages, sizeof(Stream), -1) == 0; }

Result<Stream*> map_stream() {
  void* const pages =
      mmap(nullptr, sizeof(Stream), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return no_pages("mmap");
  if (takes_nonsense(pages) || madvise(pages, sizeof(Stream), MADV_WIPEONFORK) != 0 ||
      madvise(pages, sizeof(Stream), MADV_DONTDUMP) != 0) {
    Error error = no_pages("madvise");
    munmap(pages, sizeof(Stream));
    return error;
  }
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

void SystemBits::refill() {
  const Result<void> read = random::refill(*stream_, read_system);
  if (read.has_value()) return;
  if (!failure_.has_value()) failure_ = read.error();
  if (stream_->remaining == 0) no_key_after_fork(read.error());
}

}  // namespace discreet::random
