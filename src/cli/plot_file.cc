// SPDX-License-Identifier: Apache-2.0
#include "cli/plot_file.h"

namespace discreet::cli {

Result<void> check_plot_name(const Text& path) {
  if (!path || path->ends_with(".png") || path->ends_with(".svg")) return {};
  return invalid_input("plot must end in .svg or .png; got " + in_quotes(*path));
}

Result<void> write_plot(const std::string& path, const report::Plot& plot) {
  DISCREET_TRY(check_plot_name(path));
  return write_file(path, path.ends_with(".png") ? plot_png(plot) : plot_svg(plot));
}

}  // namespace discreet::cli
