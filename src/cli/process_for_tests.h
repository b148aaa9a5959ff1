// SPDX-License-Identifier: Apache-2.0
// Runs the real program, which lies beside the test program, as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace discreet::cli {

struct Finished {
  int status = -1;  ///< the exit status; 128 + the signal if one ended it
  std::string out;
  std::string err;
};

inline std::string program_path() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "discreet").string();
}

/// A file without a name, for a stream of the child. Nothing can fill up and block.
class StreamFile {
 public:
  explicit StreamFile(const std::string& content = "") : file_(std::tmpfile()) {
    std::fwrite(content.data(), 1, content.size(), file_);
    std::rewind(file_);
  }
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;
  ~StreamFile() { std::fclose(file_); }

  int fd() const { return fileno(file_); }
  std::string content() {
    std::rewind(file_);
    std::string out;
    char buffer[1 << 16];
    while (const std::size_t n = std::fread(buffer, 1, sizeof(buffer), file_))
      out.append(buffer, n);
    return out;
  }

 private:
  std::FILE* file_;
};

inline Finished run_process(const std::vector<std::string>& command, const std::string& input) {
  StreamFile in(input);
  StreamFile out;
  StreamFile err;
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(strdup(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(in.fd(), 0);
    dup2(out.fd(), 1);
    dup2(err.fd(), 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (char* word : argv) free(word);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.content(),
          err.content()};
}

/// `discreet words...` with `input` on standard input.
inline Finished discreet(const std::vector<std::string>& words, const std::string& input = "") {
  std::vector<std::string> command = {program_path()};
  command.insert(command.end(), words.begin(), words.end());
  return run_process(command, input);
}

/// A bash command in which $D is the program.
inline Finished shell(const std::string& command) {
  return run_process({"/bin/bash", "-c", "D='" + program_path() + "'; " + command}, "");
}

}  // namespace discreet::cli
