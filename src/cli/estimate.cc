// SPDX-License-Identifier: Apache-2.0
// discreet local estimate: the share of ones, from randomized replies.
#include "local/estimate.h"

#include <algorithm>
#include <memory>

#include "cli/local.h"
#include "cli/own_values.h"
#include "cli/price.h"
#include "cli/program.h"
#include "cli/response_arguments.h"
#include "local/bit_lines.h"
#include "report/number.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;
using report::fixed;
using report::Toward;

struct EstimateArguments {
  ResponseArguments response;
  SurveyEstimate survey;
  Text confidence;
  FormatArguments format;
};

Result<local::Replies> count_replies(int fd) {
  DISCREET_ASSIGN(const local::BitLines lines, read_bits(fd));
  const auto ones = std::count(lines.bits().begin(), lines.bits().end(), std::uint8_t{1});
  return local::Replies{.ones = static_cast<std::uint64_t>(ones), .count = lines.bits().size()};
}

report::Sheet sheet_of(const local::Estimate& estimate, const local::Replies& replies,
                       const Confidence& confidence) {
  // As many decimals as make three digits of the half width; each end rounded outward.
  const int decimals = report::decimals_for(estimate.half_width, 3);
  const std::string share = fixed(estimate.share, decimals, Toward::kNearest);
  const std::string low = fixed(estimate.low, decimals, Toward::kDown);
  const std::string high = fixed(estimate.high, decimals, Toward::kUp);
  const std::string half_width = fixed(estimate.half_width, decimals, Toward::kUp);
  report::Sheet sheet;
  sheet.line("share", share)
      .line("interval", low + " to " + high + ", with " + percent(confidence) + " confidence")
      .line("half width", half_width)
      .line("replies", std::to_string(replies.count) + ", of which " +
                           std::to_string(replies.ones) + " are ones")
      .line("price", std::string("nothing: the replies are private already; ") + kNoBudget);
  sheet.field("share", Cell::number(share))
      .field("share_low", Cell::number(low))
      .field("share_high", Cell::number(high))
      .field("half_width", Cell::number(half_width))
      .field("confidence", Cell::number(confidence.to_string()))
      .field("replies", Cell::number(std::to_string(replies.count)))
      .field("ones", Cell::number(std::to_string(replies.ones)))
      .field("budget", Cell::words(kNoBudget));
  return sheet;
}

Result<int> run_estimate(const EstimateArguments& arguments, const Streams& streams) {
  if (arguments.survey.survey) {
    if (arguments.response.given()) {
      return invalid_input("a survey says how it was randomized; leave out --epsilon and --bias");
    }
    return run_survey_estimate(arguments.survey, arguments.confidence, arguments.format, streams);
  }
  if (!arguments.survey.files.empty()) {
    return invalid_input("files of reports need --survey; bits are read from standard input");
  }
  DISCREET_ASSIGN(const local::ResponseRule rule, arguments.response.rule(kEstimateExample));
  DISCREET_ASSIGN(const Confidence confidence, confidence_of(arguments.confidence));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const local::Replies replies, count_replies(streams.in));
  DISCREET_ASSIGN(const local::Estimate estimate, local::estimate_share(rule, replies, confidence));
  DISCREET_TRY(write_all(streams.out, sheet_of(estimate, replies, confidence).render(format)));
  return 0;
}

}  // namespace

void add_estimate(Program& program, CLI::App& local) {
  const auto arguments = std::make_shared<EstimateArguments>();
  CLI::App& app = program.command(
      local, "estimate",
      {.summary = "estimate from randomized reports, with intervals",
       .explanation =
           "With --survey: shares of choices, a mean, quantiles or strings, from files of reports\n"
           "(each id counts once), with intervals for each and for all at once. Without: the "
           "share\n"
           "of ones among 0/1 or yes/no lines on standard input.\n\n"
           "Undoes the coins on average: with r the share of ones among the replies, the estimate\n"
           "(1+e^epsilon)/(e^epsilon-1) * (r - 1/(1+e^epsilon)) is right on average, and off by\n"
           "more than the half width with probability at most 1 - confidence. It may lie outside\n"
           "0 to 1; pulling it back would bias it. Give the parameter that the replies were made\n"
           "with.\n",
       .closing = "Costs nothing: the replies are private already.\n\n"
                  "Example (a million people, epsilon 1):\n"
                  "  discreet local estimate --epsilon 1 < replies\n"
                  "    share       0.29952\n"
                  "    interval    0.29658 to 0.30246, with 95 % confidence\n"
                  "    half width  0.00294\n"
                  "    replies     1000000, of which 407356 are ones\n"
                  "    price       nothing: the replies are private already; charged to no budget"},
      [arguments](const Streams& streams) { return run_estimate(*arguments, streams); });
  arguments->survey.add_to(app);
  arguments->response.add_to(app);
  add_text(app, "--confidence", arguments->confidence, "of the interval (0.95)");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
