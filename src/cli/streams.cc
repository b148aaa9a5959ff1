// SPDX-License-Identifier: Apache-2.0
#include "cli/streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace discreet::cli {
namespace {

constexpr const char* kReaderGone = "the reader of the output has gone";

Error storage(const std::string& what, int error) {
  return {Code::kStorage, what + ": " + std::strerror(error)};
}

}  // namespace

void prepare_process() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, like a full disk
  // Opened the wrong way round, so that reading or writing a closed stream still fails. open()
  // takes the lowest free number, which is the closed one.
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
  }
}

Result<void> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) return Error{Code::kInterrupted, kReaderGone};
      return storage("the output could not be written; make room, or send it elsewhere", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

bool is_reader_gone(const Error& error) {
  return error.code == Code::kInterrupted && error.message == kReaderGone;
}

void say(int fd, std::string_view text) { (void)write_all(fd, text).has_value(); }

Result<std::string_view> Input::next() {
  while (true) {
    const ssize_t n = read(fd_, buffer_.data(), buffer_.size());
    if (n >= 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(n));
    if (errno != EINTR) {
      return storage("standard input could not be read; give a file or a pipe", errno);
    }
  }
}

Result<std::string> read_all(int fd, std::size_t bytes_max) {
  Input input(fd);
  std::string out;
  while (true) {
    DISCREET_ASSIGN(const std::string_view piece, input.next());
    if (piece.empty()) return out;
    if (out.size() + piece.size() > bytes_max) {
      return invalid_input("the input is longer than " + std::to_string(bytes_max >> 20) +
                           " MiB; give fewer lines");
    }
    out += piece;
  }
}

}  // namespace discreet::cli
