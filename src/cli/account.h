// SPDX-License-Identifier: Apache-2.0
// The commands of `discreet account`, one a file.
#pragma once

#include "cli/program.h"

namespace discreet::cli {

void add_account_compose(Program& program, CLI::App& account);    // account_compose.cc
void add_account_dp_sgd(Program& program, CLI::App& account);     // account_dp_sgd.cc
void add_account_calibrate(Program& program, CLI::App& account);  // account_calibrate.cc
void add_account_convert(Program& program, CLI::App& account);    // account_convert.cc
void add_account_group(Program& program, CLI::App& account);      // account_group.cc
void add_account_parallel(Program& program, CLI::App& account);   // account_parallel.cc
void add_account_shuffle(Program& program, CLI::App& account);    // account_shuffle.cc
void add_account_curve(Program& program, CLI::App& account);      // account_curve.cc

}  // namespace discreet::cli
