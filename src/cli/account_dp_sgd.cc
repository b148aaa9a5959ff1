// SPDX-License-Identifier: Apache-2.0
// discreet account dp-sgd: the cost of training by noisy gradients on samples.
#include <memory>

#include "cli/account.h"
#include "cli/account_people.h"
#include "cli/account_question.h"

namespace discreet::cli {
namespace {

constexpr const char* kAccountDpSgdExample =
    "discreet account dp-sgd --sampling-probability 0.01 --noise-multiplier 1 --steps 10000 "
    "--delta 1e-6";

struct DpSgdArguments {
  Text sampling_probability, noise_multiplier, steps;
  QuestionArguments question;
  FormatArguments format;
};

Result<accounting::Use> dp_sgd_use(const DpSgdArguments& arguments) {
  if (!arguments.sampling_probability)
    return missing("--sampling-probability", kAccountDpSgdExample);
  if (!arguments.noise_multiplier) return missing("--noise-multiplier", kAccountDpSgdExample);
  if (!arguments.steps) return missing("--steps", kAccountDpSgdExample);
  DISCREET_ASSIGN(const Rational q,
                  parse_number("sampling-probability", *arguments.sampling_probability));
  DISCREET_ASSIGN(const Rational sigma,
                  parse_number("noise-multiplier", *arguments.noise_multiplier));
  DISCREET_ASSIGN(const std::uint64_t steps,
                  parse_count("steps", *arguments.steps, accounting::kCountMax));
  const accounting::Use use{accounting::SubsampledGaussian{sigma, q}, steps};
  DISCREET_TRY(accounting::check({use}));
  return use;
}

Result<int> run_dp_sgd(const DpSgdArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const accounting::Use use, dp_sgd_use(arguments));
  DISCREET_ASSIGN(const Question question, arguments.question.parse(kAccountDpSgdExample));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const accounting::Bounds bounds, ask({use}, question));
  const auto& step = std::get<accounting::SubsampledGaussian>(use.mechanism);
  report::Sheet sheet;
  add_bounds(sheet, question, bounds);
  add_both(sheet, "steps", std::to_string(use.count));
  add_both(sheet, "sampling_probability", step.q.to_string());
  add_both(sheet, "noise_multiplier", step.noise_multiplier.to_string());
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_dp_sgd(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<DpSgdArguments>();
  CLI::App& app = program.command(
      account, "dp-sgd",
      {.summary = "the cost of training with noisy gradients (DP-SGD)",
       .explanation =
           "In each step every example joins the batch with the sampling probability, on its own\n"
           "(Poisson sampling; shuffled batches of a fixed size are something else and are not\n"
           "covered). Its gradient is clipped to a length C, and the sum gets Gaussian noise of\n"
           "noise-multiplier times C. Neighbours differ by one example added or removed.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example (100 epochs of batches of a hundredth):\n"
                  "  discreet account dp-sgd --sampling-probability 0.01 --noise-multiplier 1 \\\n"
                  "    --steps 10000 --delta 1e-6"},
      [arguments](const Streams& streams) { return run_dp_sgd(*arguments, streams); });
  add_text(app, "--sampling-probability", arguments->sampling_probability,
           "with which an example joins a batch, from 0 to 1");
  add_text(app, "--noise-multiplier", arguments->noise_multiplier,
           "the noise's standard deviation over the clipping length");
  add_text(app, "--steps,--num-compositions", arguments->steps, "how many batches");
  arguments->question.add_to(app);
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
