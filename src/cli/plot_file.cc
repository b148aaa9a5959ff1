// SPDX-License-Identifier: Apache-2.0
#include "cli/plot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/streams.h"

namespace discreet::cli {

Result<void> write_file(const std::string& path, const std::string& bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return Error{Code::kStorage, "the file " + in_quotes(path) + ": " + std::strerror(errno)};
  }
  const Result<void> written = write_all(fd, bytes);
  if (close(fd) != 0 || !written) {
    return Error{Code::kStorage, "the file " + in_quotes(path) + " could not be written"};
  }
  return {};
}

Result<void> check_plot_name(const Text& path) {
  if (!path || path->ends_with(".png") || path->ends_with(".svg")) return {};
  return invalid_input("plot must end in .svg or .png; got " + in_quotes(*path));
}

Result<void> write_plot(const std::string& path, const report::Plot& plot) {
  DISCREET_TRY(check_plot_name(path));
  return write_file(path, path.ends_with(".png") ? plot_png(plot) : plot_svg(plot));
}

}  // namespace discreet::cli
