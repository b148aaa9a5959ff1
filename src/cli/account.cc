// SPDX-License-Identifier: Apache-2.0
// discreet account: what many answers cost together.
#include "cli/account.h"

namespace discreet::cli {

void add_account(Program& program) {
  CLI::App& account = program.group(
      "account",
      {.summary = "what many answers cost together, with certified bounds",
       .explanation =
           "Each answer about the same people costs some privacy, and costs add up. How they add\n"
           "up is a theorem, and there are several; these commands take the one that says least\n"
           "and name it. Every cost is shown between two bounds: the truth is at most ..._upper,\n"
           "which is the guarantee, and at least ..._lower, below which no analysis can go.\n"
           "Digits are rounded outward.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example (a thousand Gaussians with noise 100 times the sensitivity):\n"
                  "  discreet account compose --gaussian 100x1000 --delta 1e-6\n"
                  "  discreet account dp-sgd --sampling-probability 0.01 --noise-multiplier 1 \\\n"
                  "    --steps 10000 --delta 1e-6"});
  add_account_compose(program, account);
  add_account_dp_sgd(program, account);
  add_account_calibrate(program, account);
  add_account_convert(program, account);
  add_account_group(program, account);
  add_account_parallel(program, account);
  add_account_shuffle(program, account);
  add_account_curve(program, account);
}

}  // namespace discreet::cli
