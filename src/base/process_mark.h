// SPDX-License-Identifier: Apache-2.0
// Telling a process from the children that fork() and clone() make of it. What an open ledger, a
// series of sums or a stream of random bits holds may be used by one of them only. Process ids do
// not tell: the first process of every pid namespace has number 1. What tells is memory that the
// kernel zeroes in each child (MADV_WIPEONFORK, Linux 4.14).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace discreet {

/// Zeroed pages of at least `size` bytes, to be given back with munmap(). The kernel zeroes them
/// in every child that gets a copy of this memory, and leaves them out of core files.
/// Fails with: kNoEntropy, since what is kept in them are keys; also where a kernel (an emulation
/// of one) takes any advice and so says nothing by taking this.
Result<void*> map_pages_wiped_on_fork(std::size_t size);

/// The process in which it was made.
///
/// Law. In every process that came from this one by copying its memory after that, at any remove,
/// is_here() is false, and a mark made there is another. Proof. One page is mapped, before the
/// first mark exists, and holds the token of the process that runs. A child finds it zeroed, and
/// gives itself the next number of a counter that it inherited, which no mark has that it
/// inherited too.  QED
class ProcessMark {
 public:
  ProcessMark();

  /// Whether this is the process that made it; never where the kernel cannot wipe pages.
  bool is_here() const;

  friend auto operator<=>(const ProcessMark&, const ProcessMark&) = default;

 private:
  std::uint64_t token_;  // 0: not to be told
};

}  // namespace discreet
