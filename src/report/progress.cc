// SPDX-License-Identifier: Apache-2.0
#include "report/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace discreet::report {
namespace {

constexpr int kBarColumns = 20;
constexpr const char* kClearLine = "\r\033[K";

/// Whether a line can be drawn over again.
bool can_redraw(int fd) {
  const char* const kind = std::getenv("TERM");
  return isatty(fd) == 1 && kind != nullptr && *kind != 0 && std::string_view(kind) != "dumb";
}

}  // namespace

std::string progress_line(int percent, const std::string& label) {
  const int filled = percent * kBarColumns / 100;
  const std::string number = std::to_string(percent);
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kBarColumns - filled), '-') + "] " +
         std::string(3 - std::min<std::size_t>(3, number.size()), ' ') + number + " %  " + label;
}

Progress::Progress(int fd, std::string label)
    : fd_(fd), terminal_(can_redraw(fd)), label_(std::move(label)) {}

Progress::~Progress() {
  // A bar that cannot be drawn or cleared is no reason to stop the work: results are not looked at.
  if (drawn_) (void)!write(fd_, kClearLine, 4);
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  if (!terminal_) return;
  const int percent = total == 0 ? 0
                                 : static_cast<int>(static_cast<double>(std::min(done, total)) *
                                                    100 / static_cast<double>(total));
  if (percent == percent_) return;
  percent_ = percent;
  draw();
}

void Progress::relabel(std::string label) {
  label_ = std::move(label);
  percent_ = -1;
}

void Progress::draw() {
  const std::string text = kClearLine + progress_line(percent_, label_);
  (void)!write(fd_, text.data(), text.size());
  drawn_ = true;
}

}  // namespace discreet::report
