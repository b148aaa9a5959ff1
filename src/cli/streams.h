// SPDX-License-Identifier: Apache-2.0
// Standard input and output as file descriptors: large blocks, every result checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace discreet::cli {

struct Streams {
  int in = 0;
  int out = 1;
  int err = 2;
};

/// Makes a write to a pipe that nobody reads, and one beyond the limit of file sizes, an error
/// instead of a signal, and fills in standard streams that are closed: a file opened later could otherwise take the number of one, and answers
/// would be written into it.
void prepare_process();

/// Fails with: kInterrupted when the reader of a pipe has gone; kStorage for all else.
Result<void> write_all(int fd, std::string_view text);

/// Whether it is write_all()'s kInterrupted, rather than a signal's.
bool is_reader_gone(const Error& error);

/// For what is said beside the answer. A message that cannot be written has no one to be told to.
void say(int fd, std::string_view text);

/// Reads a stream in pieces.
class Input {
 public:
  explicit Input(int fd) : fd_(fd), buffer_(kPieceBytes) {}

  /// The next piece, good until the next call; empty at the end.
  /// Fails with: kStorage.
  Result<std::string_view> next();

 private:
  static constexpr std::size_t kPieceBytes = 1 << 20;

  int fd_;
  std::vector<char> buffer_;
};

/// The whole stream.
/// Fails with: kStorage; kInvalidInput when it is longer than `bytes_max`.
Result<std::string> read_all(int fd, std::size_t bytes_max);

}  // namespace discreet::cli
