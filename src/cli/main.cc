// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

int main(int argc, char** argv) {
  discreet::cli::prepare_process();
  // argc is 0 when a caller passes no name at all.
  return discreet::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc}, {});
}
