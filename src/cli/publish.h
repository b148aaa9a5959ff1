// SPDX-License-Identifier: Apache-2.0
// What the commands that publish share.
#pragma once

#include "cli/asking.h"
#include "cli/program.h"
#include "report/publication.h"

namespace discreet::cli {

/// The largest half width of a workload at every price.
struct WorkloadCurve {
  Text file, from, to, plot, delta;
  WorldArguments world;
  FormatArguments format;
};
Result<int> run_workload_curve(const WorkloadCurve& arguments, const Streams& streams);

void add_publish_daily(Program& program, CLI::App& publish);  // publish_daily.cc

}  // namespace discreet::cli
