// SPDX-License-Identifier: Apache-2.0
// discreet local: surveys in which nobody is trusted with the true answers.
#include "cli/program.h"
#include "cli/response_arguments.h"

namespace discreet::cli {

void add_local(Program& program) {
  CLI::App& local = program.group(
      "local",
      {.summary = "surveys in which nobody is trusted with the true answers",
       .explanation =
           "Each person randomizes at home (respond) and sends the reply; whoever collects the\n"
           "replies estimates the share of ones among the true bits (estimate). The price of that\n"
           "trust is accuracy: a million people at epsilon 1 give the share to 0.00294, with 95 %\n"
           "confidence.\n",
       .closing = "Example:\n"
                  "  discreet local respond --epsilon 1 < bits > replies\n"
                  "  discreet local estimate --epsilon 1 < replies"});
  add_respond(program, local);
  add_estimate(program, local);
}

}  // namespace discreet::cli
