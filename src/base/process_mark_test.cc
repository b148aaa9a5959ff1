// SPDX-License-Identifier: Apache-2.0
#include "base/process_mark.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>
#include <thread>
#include <vector>

#include "base/children_for_tests.h"

namespace discreet::process_mark_test {
namespace {

TEST(ProcessMark, IsHereInNoChildWhateverItsNumber) {
  expect_children_refused([] {
    const ProcessMark mark;
    return [mark] { return !mark.is_here(); };
  });
}

TEST(ProcessMark, IsOneForAllThreadsAndAnotherInEachChild) {
  const ProcessMark mark;
  std::thread([&] {
    EXPECT_TRUE(mark.is_here());
    EXPECT_EQ(mark, ProcessMark());
  }).join();
  for (pid_t (*make_child)() : {library_fork, raw_fork, fork_into_pid_namespace}) {
    EXPECT_EQ(status_in_child(make_child,
                              [&] {
                                std::vector<ProcessMark> marks(8);
                                std::vector<std::thread> threads;
                                for (ProcessMark& each : marks) {
                                  threads.emplace_back([&each] { each = ProcessMark(); });
                                }
                                for (std::thread& thread : threads) thread.join();
                                std::set<ProcessMark> seen(marks.begin(), marks.end());
                                if (seen.size() != 1 || seen.contains(mark)) return 1;
                                return status_in_child(make_child, [&] {
                                  seen.insert(mark);
                                  return seen.contains(ProcessMark()) ? 2 : 0;
                                });
                              }),
              0);
  }
}

TEST(ProcessMark, IsNowhereWhereTheKernelCannotTell) {
  // In a child, before any mark was made there by this test's program: a fresh page is asked for.
  EXPECT_EQ(status_in_child(library_fork,
                            [] {
                              forbid(SYS_madvise, EINVAL, MADV_WIPEONFORK);
                              const auto pages = map_pages_wiped_on_fork(64);
                              return !pages && pages.error().code == Code::kNoEntropy ? 0 : 1;
                            }),
            0);
}

}  // namespace
}  // namespace discreet::process_mark_test
