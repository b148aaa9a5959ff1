// SPDX-License-Identifier: Apache-2.0
// A progress bar on a terminal; nothing at all elsewhere.
//
//   Progress progress(STDERR_FILENO, "enumerating");
//   for (...) progress.show(done, total);      // cheap: it draws at most a hundred times
#pragma once

#include <cstdint>
#include <string>

namespace discreet::report {

class Progress {
 public:
  /// Draws on `fd` if that is a terminal.
  Progress(int fd, std::string label);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears its line.
  ~Progress();

  void show(std::uint64_t done, std::uint64_t total);
  /// What is being done now; drawn with the next step.
  void relabel(std::string label);

 private:
  void draw();

  int fd_;
  bool terminal_;
  bool drawn_ = false;
  int percent_ = -1;  // of the last drawing; -1 asks for a new one
  std::string label_;
};

/// "[########------------]  40 %  label"
std::string progress_line(int percent, const std::string& label);

}  // namespace discreet::report
