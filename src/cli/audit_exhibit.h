// SPDX-License-Identifier: Apache-2.0
// Showing an exhibit: on the terminal, as JSON, and with --out as a folder with a web page that
// needs nothing else and every chart as SVG and PNG.
#pragma once

#include "cli/arguments.h"
#include "cli/streams.h"
#include "report/html.h"

namespace discreet::cli {

struct ExhibitArguments {
  Text out;
  bool json = false;

  void add_to(CLI::App& app);
};

/// Writes report.html, report.json, chart1.svg, chart1.png, ... into --out if given, and the text
/// or JSON to standard output. Fails with: kStorage.
Result<void> show_exhibit(const report::Exhibit& exhibit, const ExhibitArguments& arguments,
                          const Streams& streams);

/// Writes all of `bytes`. Fails with: kStorage.
Result<void> write_new_file(const std::string& path, const std::string& bytes);

}  // namespace discreet::cli
