// SPDX-License-Identifier: Apache-2.0
// discreet local: surveys in which nobody is trusted with the true answers.
#include "cli/local.h"

#include "cli/local_collect.h"
#include "cli/program.h"
#include "cli/response_arguments.h"

namespace discreet::cli {

void add_local(Program& program) {
  CLI::App& local = program.group(
      "local",
      {.summary = "surveys in which nobody is trusted with the true answers",
       .explanation =
           "A survey says what is asked and how answers are randomized (survey). Each person\n"
           "randomizes at home, from a lifetime budget of their own (report), and sends the "
           "report;\n"
           "whoever collects the reports (collect) estimates shares, means, quantiles or frequent\n"
           "strings from them (estimate). The price of that trust is accuracy (compare): a "
           "million\n"
           "people at epsilon 1 give a share to 0.00294, with 95 % confidence. For plain bits in "
           "a\n"
           "file there are respond and estimate --epsilon.\n",
       .closing =
           "Example:\n"
           "  discreet local survey --name smoking --epsilon 1 --labels no,yes --out s.survey\n"
           "  discreet local report --survey s.survey --memory me --lifetime-budget 10 \\\n"
           "    --answer yes > report\n"
           "  discreet local estimate --survey s.survey report"});
  add_local_survey(program, local);
  add_local_tokens(program, local);
  add_local_report(program, local);
  add_local_collect(program, local);
  add_estimate(program, local);
  add_respond(program, local);
  add_local_show(program, local);
  add_local_compare(program, local);
}

}  // namespace discreet::cli
