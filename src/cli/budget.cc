// SPDX-License-Identifier: Apache-2.0
// discreet budget: what is left, and what it will still buy.
#include <algorithm>
#include <memory>

#include "accounting/zcdp.h"
#include "cli/ledger.h"
#include "cli/plot_file.h"
#include "cli/price.h"
#include "mechanism/gaussian.h"
#include "mechanism/laplace.h"
#include "report/gauge.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kBudgetExample = "discreet budget --error 10";

struct BudgetArguments {
  LedgerArguments where;
  Text units, analyst, error, confidence, plot;
  FormatArguments format;
};

/// The least price, on a ladder of steps of a part in 1,000, at which a count is within `error`.
Result<Rational> price_of_count(ledger::Notion notion, const Rational& error,
                                const Confidence& confidence) {
  const auto half_width = [&](const Rational& price) -> Result<Rational> {
    if (notion == ledger::Notion::kZcdp) {
      DISCREET_ASSIGN(const auto gaussian,
                      mechanism::Gaussian::make({L2Squared::trusted(1), Rho::trusted(price)}));
      return gaussian.accuracy(confidence)->half_width;
    }
    DISCREET_ASSIGN(const auto laplace,
                    mechanism::Laplace::make({Sensitivity::trusted(1), Epsilon::trusted(price)}));
    return laplace.accuracy(confidence)->half_width;
  };
  Rational low = power_of_two(-30);
  Rational high = power_of_two(10);
  while (high > low * Rational::ratio(1001, 1000)) {
    const Rational middle = round_to_bits((low + high) / 2, 44, Round::kUp);
    DISCREET_ASSIGN(const Rational width, half_width(middle));
    (width <= error ? high : low) = middle;
  }
  return high;
}

/// One row: an account, what is left of it, and how many counts that is.
struct Line {
  std::string units;
  std::string who;
  ledger::Notion notion;
  accounting::Price cap;
  accounting::Price left;
  Integer counts;
};

Result<std::vector<Line>> budget_lines(const ledger::State& state, const BudgetArguments& arguments,
                                       const Rational& error, const Confidence& confidence) {
  std::vector<Line> lines;
  for (const auto& [name, units] : state.namespaces()) {
    if (arguments.units && *arguments.units != name) continue;
    DISCREET_ASSIGN(const Rational each, price_of_count(units.terms.notion, error, confidence));
    const auto add = [&](const std::string& who, const ledger::Account& account) {
      // An analyst has no more than what is left for all together.
      ledger::Price left = account.left();
      left.amount = std::min(left.amount, units.total.left().amount);
      left.delta = std::min(left.delta, units.total.left().delta);
      lines.push_back({name, who, units.terms.notion, account.cap(), left,
                       (left.amount.value() / each).floor()});
    };
    if (!arguments.analyst) add("all together", units.total);
    for (const auto& [analyst, account] : units.analysts) {
      if (!arguments.analyst || *arguments.analyst == analyst) add(analyst, account);
    }
    if (arguments.analyst) DISCREET_TRY(units.analyst(*arguments.analyst));
  }
  return lines;
}

std::string in_words(const std::vector<Line>& lines, const Rational& error,
                     const Confidence& confidence) {
  std::string text;
  for (const Line& line : lines) {
    text += line.units + ", " + line.who + "\n  " +
            report::gauge(line.left.amount.value(), line.cap.amount.value()) + "\n  " +
            std::string(amount_name(line.notion)) + " " + text_of(line.left.amount) + " of " +
            text_of(line.cap.amount);
    if (line.cap.delta.value().sign() > 0) {
      text += ", delta " + text_of(line.left.delta) + " of " + text_of(line.cap.delta);
    }
    text += "; that is " + line.counts.get_str() + " more counts at ±" + error.to_string() +
            " with " + percent(confidence) + " confidence\n";
  }
  return text +
         "\nThe total holds even if analysts share what they learn; their own caps assume that "
         "they "
         "do not.\nThere is no refill: a budget is for life.\n";
}

/// What was spent over time, in the total of one namespace, as a part of its cap then.
Result<report::Plot> spending_of(ledger::Ledger& ledger, const std::string& units) {
  ledger::State state;
  report::Plot plot{.title = "spent of " + units,
                    .x_label = "hours since the namespace was made",
                    .y_label = "part of the cap",
                    .y_scale = report::YScale::kLinear,
                    .steps = true};
  std::int64_t start_ms = -1;
  const Result<void> read = ledger.history([&](const ledger::Record& record) -> Result<void> {
    DISCREET_TRY(state.apply(record));
    if (record.units != units) return {};
    if (start_ms < 0) start_ms = record.time_ms;
    const ledger::Account& total = state.namespaces().at(units).total;
    const Rational part = total.spent().amount.value() / total.cap().amount.value();
    plot.points.push_back(
        {static_cast<double>(record.time_ms - start_ms) / 3.6e6, 0, part.to_double(Round::kUp)});
    return {};
  });
  if (!read) return read.error();
  plot.points.push_back({plot.points.back().x, 0, plot.points.back().high});
  return plot;
}

Result<int> run_budget(const BudgetArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const Confidence confidence, confidence_of(arguments.confidence));
  DISCREET_ASSIGN(const Rational error, parse_number("error", arguments.error.value_or("10")));
  if (error < Rational(1) || error > power_of_two(30)) {
    return invalid_input("error must be a number from 1 to 2^30, such as 10; got " +
                         in_quotes(error.to_string()));
  }
  DISCREET_TRY(check_plot_name(arguments.plot));
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kLook));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  if (arguments.units) DISCREET_TRY(state.find(*arguments.units));
  if (arguments.plot) {
    DISCREET_ASSIGN(const std::string units, namespace_of(state, arguments.units));
    DISCREET_ASSIGN(const report::Plot plot, spending_of(*ledger, units));
    DISCREET_TRY(write_plot(*arguments.plot, plot));
  }
  DISCREET_ASSIGN(const std::vector<Line> lines, budget_lines(state, arguments, error, confidence));
  if (format == report::Format::kTable) {
    DISCREET_TRY(write_all(streams.out, in_words(lines, error, confidence)));
    return 0;
  }
  report::Table table({"namespace", "account", "notion", "cap", "left", "delta_cap", "delta_left",
                       "counts_left", "error", "confidence"});
  for (const Line& line : lines) {
    table.add({Cell::words(line.units), Cell::words(line.who),
               Cell::words(std::string(to_string(line.notion))),
               Cell::number(line.cap.amount.to_string()),
               Cell::number(line.left.amount.to_string()), Cell::number(line.cap.delta.to_string()),
               Cell::number(line.left.delta.to_string()), Cell::number(line.counts.get_str()),
               Cell::number(error.to_string()), Cell::number(confidence.to_string())});
  }
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  return 0;
}

}  // namespace

void add_budget(Program& program) {
  const auto arguments = std::make_shared<BudgetArguments>();
  CLI::App& app = program.command(
      program.root(), "budget",
      {.summary = "what is left of the privacy budget, and what it will still buy",
       .explanation = "A gauge for the total and for every analyst, and how many more counts of\n"
                      "people it pays for at a given error. Looking costs nothing.\n",
       .closing =
           std::string("Example:\n  ") + kBudgetExample + "\n  discreet budget --plot spent.svg"},
      [arguments](const Streams& streams) { return run_budget(*arguments, streams); });
  arguments->where.add_to(app);
  add_text(app, "--namespace", arguments->units, "only this one", "NAME");
  add_text(app, "--analyst", arguments->analyst, "only this one", "NAME");
  add_text(app, "--error", arguments->error, "counts within ± so many (10)");
  add_text(app, "--confidence", arguments->confidence, "of that error (0.95)");
  add_text(app, "--plot", arguments->plot, "draw spending over time, in FILE.svg or FILE.png",
           "FILE");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
