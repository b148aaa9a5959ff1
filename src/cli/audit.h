// SPDX-License-Identifier: Apache-2.0
// The commands of `discreet audit`, one a file.
#pragma once

#include "cli/program.h"

namespace discreet::cli {

void add_audit_exact(Program& program, CLI::App& group);       // audit.cc
void add_audit_randomness(Program& program, CLI::App& group);  // audit_randomness.cc
void add_audit_world(Program& program, CLI::App& group);       // audit_world.cc
void add_audit_report(Program& program, CLI::App& group);      // audit_report.cc
void add_audit_learn(Program& program, CLI::App& group);       // audit_learn.cc

}  // namespace discreet::cli
