// SPDX-License-Identifier: Apache-2.0
// --plot FILE.svg or FILE.png.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/output_file.h"
#include "report/plot.h"

namespace discreet::cli {

/// Fails with: kInvalidInput unless the name, if there is one, ends in .svg or .png.
Result<void> check_plot_name(const Text& path);

/// Fails with: kStorage; kInvalidInput for another ending.
Result<void> write_plot(const std::string& path, const report::Plot& plot);

}  // namespace discreet::cli
