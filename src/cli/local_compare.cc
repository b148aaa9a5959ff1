// SPDX-License-Identifier: Apache-2.0
// discreet local compare: the price of trusting nobody, measured. The same yes/no data, the share
// of yes estimated from randomized reports and, by a trusted collector, from the count with Laplace
// noise.
#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/local.h"
#include "cli/local_plot.h"
#include "cli/own_values.h"
#include "cli/plot_file.h"
#include "local/design.h"
#include "local/frequencies.h"
#include "local/people.h"
#include "mechanism/laplace.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kLocalCompareExample =
    "discreet local compare --epsilon 1 --people 1e6 --plot price.svg";

struct CompareArguments {
  Text epsilon, people, share, trials, vary, plot;
  FormatArguments format;
};

struct ComparedPoint {
  double x = 0;
  double local = 0, local_theory = 0;
  double central = 0, central_theory = 0;
};

struct Setting {
  Epsilon epsilon;
  std::uint64_t people;
  std::uint64_t yes;
  std::uint64_t trials;
};

Result<double> local_error(const Setting& s) {
  DISCREET_ASSIGN(const local::Survey survey,
                  local::design_choices({.name = "compare",
                                         .epsilon = s.epsilon,
                                         .labels = {"no", "yes"},
                                         .mechanism = local::Mechanism::kResponse}));
  std::vector<local::Answer> answers(s.people);
  for (std::uint64_t i = 0; i < s.yes; ++i) answers[i].index = 1;
  const double truth = static_cast<double>(s.yes) / static_cast<double>(s.people);
  double squares = 0;
  for (std::uint64_t i = 0; i < s.trials; ++i) {
    DISCREET_ASSIGN(const std::string batch, local::simulate(survey, answers));
    local::Aggregate aggregate(survey);
    std::string_view bytes = batch;
    DISCREET_ASSIGN(const local::Batch taken, local::take_batch(survey, bytes));
    aggregate.add(taken);
    DISCREET_ASSIGN(const auto shares, local::estimate_shares(aggregate, 0.05));
    squares += (shares[1].share - truth) * (shares[1].share - truth);
  }
  return std::sqrt(squares / static_cast<double>(s.trials));
}

Result<double> central_error(const Setting& s) {
  DISCREET_ASSIGN(const auto laplace,
                  mechanism::Laplace::make(
                      {.sensitivity = Sensitivity::trusted(Rational(1)), .epsilon = s.epsilon}));
  double squares = 0;
  for (std::uint64_t i = 0; i < s.trials; ++i) {
    DISCREET_ASSIGN(const auto released,
                    OwnValues::release(laplace, static_cast<std::int64_t>(s.yes)));
    const double off = (static_cast<double>(released.value()) - static_cast<double>(s.yes)) /
                       static_cast<double>(s.people);
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(s.trials));
}

Result<ComparedPoint> measure(const Setting& s, double x) {
  const double e = std::exp(s.epsilon.value().to_double(Round::kDown));
  const double n = static_cast<double>(s.people);
  ComparedPoint point{.x = x};
  DISCREET_ASSIGN(point.local, local_error(s));
  DISCREET_ASSIGN(point.central, central_error(s));
  point.local_theory = std::sqrt(e) / ((e - 1) * std::sqrt(n));
  point.central_theory = std::sqrt(2 / e) / ((1 - 1 / e) * n);
  return point;
}

std::string digits(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

Result<std::vector<ComparedPoint>> compared_points(const CompareArguments& a, bool by_epsilon) {
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(a.epsilon, "--epsilon", kLocalCompareExample));
  DISCREET_ASSIGN(const std::uint64_t people,
                  parse_count("people", a.people.value_or("1000000"), 10'000'000));
  DISCREET_ASSIGN(const std::uint64_t trials,
                  parse_count("trials", a.trials.value_or("30"), 10'000));
  DISCREET_ASSIGN(const Rational share, parse_number("share", a.share.value_or("0.3")));
  if (share.sign() < 0 || share > Rational(1)) return invalid_input("share must lie in [0, 1]");
  const double part = share.to_double(Round::kDown);
  std::vector<ComparedPoint> points;
  const auto add = [&](const Epsilon& e, std::uint64_t n, double x) -> Result<void> {
    const auto yes = static_cast<std::uint64_t>(std::llround(part * static_cast<double>(n)));
    DISCREET_ASSIGN(const ComparedPoint point, measure({e, n, yes, trials}, x));
    points.push_back(point);
    return {};
  };
  if (by_epsilon) {
    for (int i = -3; i <= 3; ++i) {
      const Rational scaled = epsilon.value() * power_of_two(i);
      DISCREET_ASSIGN(const Epsilon e, Epsilon::of(scaled));
      DISCREET_TRY(add(e, people, scaled.to_double(Round::kDown)));
    }
  } else {
    std::uint64_t n = people;
    std::vector<std::uint64_t> counts;
    for (; n >= 100 && counts.size() < 8; n = n * 10 / 32) counts.push_back(n);
    for (auto it = counts.rbegin(); it != counts.rend(); ++it) {
      DISCREET_TRY(add(epsilon, *it, static_cast<double>(*it)));
    }
    if (points.empty()) return invalid_input("people must be at least 100");
  }
  return points;
}

ErrorChart chart_of(const std::vector<ComparedPoint>& points, bool by_epsilon) {
  ErrorChart chart{"The price of trusting nobody",
                   by_epsilon ? "epsilon" : "people n",
                   "error of the share (root mean square)",
                   {}};
  ErrorLine local{"", true, {}};
  ErrorLine local_theory{"local: about 1/(eps sqrt n)", false, {}};
  ErrorLine central{"", true, {}};
  ErrorLine central_theory{"central: about 1.4/(eps n)", false, {}};
  for (const ComparedPoint& p : points) {
    local.points.emplace_back(p.x, p.local);
    local_theory.points.emplace_back(p.x, p.local_theory);
    if (p.central > 0) central.points.emplace_back(p.x, p.central);
    central_theory.points.emplace_back(p.x, p.central_theory);
  }
  chart.lines = {local_theory, local, central_theory};
  if (!central.points.empty()) chart.lines.push_back(central);
  return chart;
}

Result<int> run_compare(const CompareArguments& a, const Streams& streams) {
  const std::string vary = a.vary.value_or("people");
  if (vary != "people" && vary != "epsilon") {
    return invalid_input("vary must be people or epsilon; got " + in_quotes(vary));
  }
  DISCREET_TRY(check_plot_name(a.plot));
  DISCREET_ASSIGN(const report::Format format, a.format.parse());
  const bool by_epsilon = vary == "epsilon";
  DISCREET_ASSIGN(const std::vector<ComparedPoint> points, compared_points(a, by_epsilon));
  report::Table table(
      {vary, "local_error", "local_theorem", "central_error", "central_theorem", "local/central"});
  for (const ComparedPoint& p : points) {
    table.add({Cell::number(digits(p.x)), Cell::number(digits(p.local)),
               Cell::number(digits(p.local_theory)), Cell::number(digits(p.central)),
               Cell::number(digits(p.central_theory)),
               Cell::number(digits(p.local_theory / p.central_theory))});
  }
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  if (a.plot) DISCREET_TRY(write_chart(*a.plot, chart_of(points, by_epsilon)));
  return 0;
}

}  // namespace

void add_local_compare(Program& program, CLI::App& local) {
  const auto a = std::make_shared<CompareArguments>();
  CLI::App& app = program.command(
      local, "compare",
      {.summary = "the price of trusting nobody: local against central error",
       .explanation =
           "Asks invented people the same yes/no question in two ways: each randomizes at home\n"
           "(randomized response), or a trusted collector adds Laplace noise to the count. Prints\n"
           "the root mean square error of both beside the theorems' values, sqrt(e^eps)/(e^eps-1)\n"
           "/ sqrt(n), about 1/(eps sqrt n), and about sqrt(2)/(eps n). --plot draws them.\n",
       .closing = "Costs nothing: the people are invented.\n\n"
                  "Example:\n"
                  "  discreet local compare --epsilon 1 --people 1e6 --plot price.svg"},
      [a](const Streams& streams) { return run_compare(*a, streams); });
  add_text(app, "--epsilon", a->epsilon, "of both; in the middle when it varies");
  add_text(app, "--people", a->people, "how many, at most (1000000)");
  add_text(app, "--share", a->share, "of yes (0.3)");
  add_text(app, "--trials", a->trials, "repetitions of each point (30)");
  add_text(app, "--vary", a->vary, "people (default) or epsilon", "WHAT");
  add_text(app, "--plot", a->plot, "draw it: .svg or .png", "FILE");
  a->format.add_to(app);
}

}  // namespace discreet::cli
