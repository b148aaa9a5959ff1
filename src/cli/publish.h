// SPDX-License-Identifier: Apache-2.0
// Publications as words, pages and pictures.
#pragma once

#include "cli/asking.h"
#include "cli/program.h"
#include "publish/sheets.h"
#include "report/html.h"

namespace discreet::cli {

/// What will be measured, at which price, and how far off every cell will be.
std::string design_text(const publish::Workload& workload, const publish::Foreseen& foreseen);

/// The page: prices, what is not protected, error bars, tiles, who is hidden by the noise, and what
/// whole numbers did to the values.
report::Exhibit publication_page(const publish::Workload& workload,
                                 const publish::Publication& publication,
                                 const std::vector<publish::Sheet>& sheets);

/// The largest half width of a workload at every price.
struct WorkloadCurve {
  Text file, from, to, plot, delta;
  WorldArguments world;
  FormatArguments format;
};
Result<int> run_workload_curve(const WorkloadCurve& arguments, const Streams& streams);

void add_publish_daily(Program& program, CLI::App& publish);  // publish_daily.cc

}  // namespace discreet::cli
