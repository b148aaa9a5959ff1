// SPDX-License-Identifier: Apache-2.0
// Runs the real program and sends it a signal just before a chosen one of its calls that change a
// file, or say something to a server: every moment at which a crash could leave something else
// behind.
#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/process_for_tests.h"

namespace discreet::cli {

struct Killed {
  bool killed = false;  ///< else it ended by itself before that call
  int calls = 0;        ///< that change files, so far
  Finished end = {};
};

/// True for calls after which a file, a name, or what a server keeps may be another.
inline bool changes_files(std::uint64_t call, const std::uint64_t* arguments) {
  switch (call) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ftruncate:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlinkat:
    case SYS_sendto:
#ifdef SYS_rename
    case SYS_rename:
    case SYS_unlink:
#endif
      return true;
    case SYS_openat:
      return (arguments[2] & O_CREAT) != 0;
    default:
      return false;
  }
}

/// `discreet words...`, which stands still before each such call while `at_change` is asked, with
/// the call's number (from 1), which signal to send; 0: none. After SIGKILL nothing is asked.
inline Killed discreet_signalled(const std::vector<std::string>& words,
                                 const std::function<int(int nth)>& at_change) {
  StreamFile in;
  StreamFile out;
  StreamFile err;
  std::vector<char*> argv{strdup(program_path().c_str())};
  for (const std::string& word : words) argv.push_back(strdup(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(in.fd(), 0);
    dup2(out.fd(), 1);
    dup2(err.fd(), 2);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    execv(argv[0], argv.data());
    _exit(127);
  }
  for (char* word : argv) free(word);
  Killed result;
  int status = 0;
  waitpid(child, &status, 0);
  const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  ptrace(PTRACE_SETOPTIONS, child, nullptr, options);
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  // All threads stop at their calls; the first process' end is the program's.
  for (;;) {
    const pid_t stopped = waitpid(-1, &status, __WALL);
    if (stopped < 0) break;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (stopped == child) break;
      continue;
    }
    int pass = 0;
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      __ptrace_syscall_info call{};
      const long known = ptrace(PTRACE_GET_SYSCALL_INFO, stopped, sizeof call, &call);
      if (known > 0 && call.op == PTRACE_SYSCALL_INFO_ENTRY && !result.killed &&
          changes_files(call.entry.nr, call.entry.args)) {
        const int send = at_change(++result.calls);
        if (send != 0) kill(child, send);
        result.killed = send == SIGKILL;
        if (result.killed) continue;
      }
    } else if (signal != SIGTRAP && signal != SIGSTOP) {
      pass = signal;
    }
    ptrace(PTRACE_SYSCALL, stopped, nullptr, pass);
  }
  result.end = {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.content(),
                err.content()};
  return result;
}

/// `discreet words...`, ended before the nth such call (from 1); 0: never.
inline Killed discreet_killed_at(const std::vector<std::string>& words, int nth) {
  return discreet_signalled(words, [&](int call) { return call == nth ? SIGKILL : 0; });
}

}  // namespace discreet::cli
