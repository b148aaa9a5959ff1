// SPDX-License-Identifier: Apache-2.0
#include "base/process_mark.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

namespace discreet {
namespace {

using Token = std::atomic<std::uint64_t>;
static_assert(Token::is_always_lock_free);

Error no_pages(const char* call) {
  return {Code::kNoEntropy,
          std::string("no memory that the kernel wipes in child processes (") + call + ": " +
              std::strerror(errno) +
              "), so parent and child could share random bits; nothing was drawn. This needs Linux "
              "4.14 or newer, not an emulation of it"};
}

Token* map_token() {
  const Result<void*> page = map_pages_wiped_on_fork(sizeof(Token));
  return page.has_value() ? new (*page) Token(0) : nullptr;  // for as long as the process lives
}

/// 0 when it cannot be told.
std::uint64_t this_process() {
  static Token* const kept = map_token();
  static Token last = 0;  // in ordinary memory: a child counts on from where its parent was
  if (kept == nullptr) return 0;
  std::uint64_t here = kept->load();
  if (here != 0) return here;
  const std::uint64_t mine = ++last;
  return kept->compare_exchange_strong(here, mine) ? mine : here;  // another thread was first
}

}  // namespace

Result<void*> map_pages_wiped_on_fork(std::size_t size) {
  void* const pages =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return no_pages("mmap");
  const bool takes_nonsense = madvise(pages, size, -1) == 0;
  if (takes_nonsense || madvise(pages, size, MADV_WIPEONFORK) != 0 ||
      madvise(pages, size, MADV_DONTDUMP) != 0) {
    Error error = no_pages("madvise");
    munmap(pages, size);
    return error;
  }
  return pages;
}

ProcessMark::ProcessMark() : token_(this_process()) {}

bool ProcessMark::is_here() const { return token_ != 0 && token_ == this_process(); }

}  // namespace discreet
