// SPDX-License-Identifier: Apache-2.0
// discreet local collect adds itself under `local`.
#pragma once

#include "cli/program.h"

namespace discreet::cli {

void add_local_collect(Program& program, CLI::App& local);

}  // namespace discreet::cli
