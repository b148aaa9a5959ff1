// SPDX-License-Identifier: Apache-2.0
// --plot FILE.svg or FILE.png.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/output_file.h"
#include "report/plot.h"

namespace discreet::cli {

/// Fails with: kInvalidInput unless the name, if there is one, ends in .svg or .png.
Result<void> check_plot_name(const Text& path);

/// The nth of several pictures: age.svg, age.2.svg, age.3.svg, ...
std::string plot_name(const std::string& path, std::size_t n);

/// The names among `others`, and those in the folder, that a further picture would have.
std::vector<std::string> further_plots(const std::string& path,
                                       const std::vector<std::string>& others);

/// Fails with: kStorage; kInvalidInput for another ending.
Result<void> write_plot(const std::string& path, const report::Plot& plot);

}  // namespace discreet::cli
