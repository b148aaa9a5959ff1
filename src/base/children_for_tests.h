// SPDX-License-Identifier: Apache-2.0
// Child processes of tests: made in each way that copies memory, and with system calls refused.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>

namespace discreet {

inline pid_t library_fork() { return fork(); }

/// Behind the C library's back: no handler that was registered with it runs.
inline pid_t raw_fork() { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

/// The first process of a pid namespace of its own: number 1, as its parent if that was made so.
inline pid_t fork_into_pid_namespace() {
  const int own = CLONE_NEWPID | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
  return static_cast<pid_t>(syscall(SYS_clone, own | SIGCHLD, 0, 0, 0, 0));
}

/// What `run` returns in a child (0 to 255), or -1 when it did not get that far.
inline int status_in_child(pid_t (*make_child)(), const std::function<int()>& run) {
  const pid_t child = make_child();
  if (child == 0) _exit(run());
  EXPECT_GT(child, 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Whether every child of the process that `make` ran in is refused what it made: `make` makes
/// something, and gives a function that says whether it is refused to whoever runs it. Tried with
/// each way to make a child, also by and as a process with number 1.
inline void expect_children_refused(const std::function<std::function<bool()>()>& make) {
  const auto refused_in = [&](pid_t (*make_child)()) {
    const std::function<bool()> is_refused = make();
    if (is_refused()) return 2;  // at home
    return status_in_child(make_child, [&] { return is_refused() ? 0 : 1; });
  };
  EXPECT_EQ(refused_in(library_fork), 0);
  EXPECT_EQ(refused_in(raw_fork), 0);
  EXPECT_EQ(
      status_in_child(fork_into_pid_namespace,
                      [&] { return getpid() == 1 ? refused_in(fork_into_pid_namespace) : 3; }),
      0);
}

/// From here on this thread and those that it starts get `error` from one system call, or from
/// those uses of it whose third argument is `third`.
inline void forbid(long call, int error, int third = -1) {
  const auto number = static_cast<std::uint32_t>(call);
  const auto refuse = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  const bool any = third < 0;
  std::array<sock_filter, 6> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(third), 0,
               static_cast<std::uint8_t>(any ? 0 : 1)),
      BPF_STMT(BPF_RET | BPF_K, refuse),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter = {program.size(), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::perror("seccomp");
    _exit(99);
  }
}

}  // namespace discreet
