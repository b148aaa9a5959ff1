// SPDX-License-Identifier: Apache-2.0
// discreet account curve: delta at many epsilons, as a table or a picture.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "accounting/outward.h"
#include "cli/account.h"
#include "cli/account_people.h"
#include "cli/account_question.h"
#include "cli/plot_file.h"
#include "report/plot.h"
#include "report/progress.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kAccountCurveExample =
    "discreet account curve --gaussian 100x1000 --plot curve.svg";
constexpr std::uint64_t kPointsMax = 1000;

struct CurveArguments {
  UsesArguments uses;
  Text from, to, points, notion, plot;
  FormatArguments format;
};

struct Point {
  Rational epsilon;
  accounting::Bounds delta;
};

struct Range {
  Rational from;
  Rational to;
  std::uint64_t points;
};

Result<Rational> end_of(const std::string& name, const std::string& text) {
  DISCREET_ASSIGN(Rational value, parse_number(name, text));
  if (value.sign() < 0 || value > power_of_two(40)) {
    return invalid_input(name + " must be a number from 0 to 2^40; got " + in_quotes(text));
  }
  return value;
}

/// Where nothing else is said, up to the epsilon at which delta is about 1e-10.
Rational default_end(const std::vector<accounting::Use>& uses, const Rational& from,
                     accounting::Notion notion) {
  const Delta small = Delta::trusted(Rational::ratio(1, Integer("10000000000")));
  const double end = accounting::epsilon_of(uses, small, notion).upper;
  const Rational least = from + Rational(1);
  if (!std::isfinite(end) || end <= from.to_double(Round::kUp)) return least;
  // Two digits are enough, and read well.
  return Rational::parse(accounting::exactly(end).to_decimal(2, Round::kUp)).value();
}

Result<Range> range_of(const CurveArguments& arguments, const std::vector<accounting::Use>& uses,
                       accounting::Notion notion) {
  DISCREET_ASSIGN(Rational from, end_of("from", arguments.from.value_or("0")));
  DISCREET_ASSIGN(const std::uint64_t points,
                  parse_count("points", arguments.points.value_or("21"), kPointsMax));
  Rational to;
  if (arguments.to) {
    DISCREET_ASSIGN(to, end_of("to", *arguments.to));
  } else {
    to = default_end(uses, from, notion);
  }
  if (to <= from)
    return invalid_input("to must be greater than from; got " + in_quotes(to.to_string()));
  if (points < 2) return invalid_input("points must be a whole number from 2 to 1000; got '1'");
  return Range{std::move(from), std::move(to), points};
}

/// What is asked is what is shown: a number that can be written with few digits.
Rational written(const Rational& epsilon) {
  const std::string exact = epsilon.to_string();
  if (exact.size() <= kProgramDigits && exact.find('/') == std::string::npos) return epsilon;
  const auto rounded = Rational::parse(epsilon.to_decimal(kPeopleDigits, Round::kDown));
  return rounded ? *rounded : epsilon;
}

Result<std::vector<Point>> points_of(const std::vector<accounting::Use>& uses, const Range& range,
                                     accounting::Notion notion, int err) {
  std::vector<Point> points;
  report::Progress progress(err, "delta at every epsilon");
  const Rational last(to_integer(static_cast<Int128>(range.points - 1)));
  for (std::uint64_t i = 0; i < range.points; ++i) {
    progress.show(i, range.points);
    const Rational part = Rational(to_integer(static_cast<Int128>(i))) / last;
    const Rational epsilon = written(range.from + (range.to - range.from) * part);
    DISCREET_ASSIGN(accounting::Bounds delta,
                    ask(uses, {.delta = {}, .epsilon = epsilon, .notion = notion, .people = 1}));
    points.push_back({epsilon, std::move(delta)});
  }
  // The truth falls, so a bound at one epsilon holds at larger (upper) or smaller (lower) ones too.
  for (std::size_t i = 1; i < points.size(); ++i) {
    double& upper = points[i].delta.upper;
    upper = std::min(upper, points[i - 1].delta.upper);
    double& lower = points[points.size() - 1 - i].delta.lower;
    lower = std::max(lower, points[points.size() - i].delta.lower);
  }
  return points;
}

report::Table table_of(const std::vector<Point>& points, int digits) {
  report::Table table({"epsilon", "delta_lower", "delta_upper", "theorem"});
  for (const Point& point : points) {
    table.add({Cell::number(point.epsilon.to_string()),
               Cell::number(lower_text(point.delta.lower, digits)),
               Cell::number(upper_text(point.delta.upper, digits)),
               Cell::words(point.delta.theorem)});
  }
  return table;
}

report::Plot plot_of(const std::vector<accounting::Use>& uses, const std::vector<Point>& points) {
  std::string title = "delta at epsilon: " + accounting::to_string(uses.front());
  if (uses.size() > 1) title += " and " + std::to_string(uses.size() - 1) + " more";
  report::Plot plot{.title = title, .x_label = "epsilon", .y_label = "delta"};
  for (const Point& point : points) {
    plot.points.push_back(
        {point.epsilon.to_double(Round::kDown), point.delta.lower, point.delta.upper});
  }
  return plot;
}

Result<int> run_curve(const CurveArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto uses, arguments.uses.parse(kAccountCurveExample));
  DISCREET_ASSIGN(const accounting::Notion notion, notion_of(arguments.notion));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_TRY(check_plot_name(arguments.plot));
  DISCREET_ASSIGN(const Range range, range_of(arguments, uses, notion));
  DISCREET_ASSIGN(const auto points, points_of(uses, range, notion, streams.err));
  const report::Plot plot = plot_of(uses, points);
  if (arguments.plot) {
    DISCREET_TRY(write_plot(*arguments.plot, plot));
  }
  const bool draws = !arguments.plot && !arguments.format.given() && isatty(streams.out) == 1;
  const int digits = format == report::Format::kTable ? kPeopleDigits : kProgramDigits;
  DISCREET_TRY(write_all(
      streams.out, draws ? plot_text(plot, 64, 16) : table_of(points, digits).render(format)));
  return 0;
}

}  // namespace

void add_account_curve(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<CurveArguments>();
  CLI::App& app = program.command(
      account, "curve",
      {.summary = "delta at every epsilon, as a table, CSV or picture",
       .explanation =
           "A guarantee is a curve, not a pair of numbers: at a larger epsilon delta is smaller.\n"
           "On a terminal the upper bound is drawn, delta on a logarithmic scale; elsewhere, and\n"
           "with --format, it is a table. --plot writes the picture to a file, with a band\n"
           "between the bounds.\n",
       .closing =
           "Costs nothing: no data is involved.\n\n"
           "Example:\n"
           "  discreet account curve --gaussian 100x1000\n"
           "  discreet account curve --subsampled-gaussian 1,0.01x10000 --plot curve.svg\n"
           "  discreet account curve --laplace-epsilon 0.1x10 --to 2 --points 5 --format csv"},
      [arguments](const Streams& streams) { return run_curve(*arguments, streams); });
  arguments->uses.add_to(app);
  add_text(app, "--from", arguments->from, "the least epsilon (0)");
  add_text(app, "--to", arguments->to, "the largest epsilon (where delta is about 1e-10)");
  add_text(app, "--points", arguments->points, "how many epsilons (21)");
  add_text(app, "--plot", arguments->plot, "also draw it, in FILE.svg or FILE.png", "FILE");
  add_notion(app, arguments->notion);
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
