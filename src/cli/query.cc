// SPDX-License-Identifier: Apache-2.0
// discreet query: ask, pay, get an answer.
#include <unistd.h>

#include <memory>

#include "cli/answer_text.h"
#include "cli/asking.h"
#include "cli/plot_file.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

constexpr const char* kExample =
    "discreet query \"SELECT clinic, COUNT(*) FROM visits GROUP BY clinic\" --epsilon 0.5";
constexpr std::size_t kSqlMax = std::size_t{1} << 20;

struct QueryArguments {
  Text sql, plot;
  WorldArguments world;
  QuestionOptions question;
  FormatArguments format;
};

Result<std::string> sql_of(const Text& text, const Streams& streams) {
  if (text && *text != "-") return *text;
  if (!text && isatty(streams.in) == 1) return missing("the question", kExample);
  return read_all(streams.in, kSqlMax);
}

Result<int> run_query(const QueryArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_TRY(check_plot_name(arguments.plot));
  DISCREET_ASSIGN(const std::string sql, sql_of(arguments.sql, streams));
  DISCREET_ASSIGN(const session::Request request,
                  arguments.question.request(sql, arguments.world.analyst));
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  report::Progress progress(streams.err, "reading the data");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               progress.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  DISCREET_ASSIGN(const session::Answered answered, asking->session().ask(request, log));
  std::string text = answer_text(answered, format);
  const std::optional<report::Plot> plot = answer_plot(answered.sheet);
  if (plot && format == report::Format::kTable) {
    text += "\n" + (plot->boxes.empty() ? bars_text(*plot, 50) : boxes_text(*plot, 60));
  }
  if (arguments.plot) {
    if (!plot) {
      return invalid_input(
          "--plot draws HISTOGRAM and BOXPLOT; the answer stands in the ledger: "
          "ask again without --plot, it is free");
    }
    DISCREET_TRY(write_plot(*arguments.plot, *plot));
  }
  DISCREET_TRY(write_all(streams.out, text));
  return 0;
}

struct ExplainArguments {
  Text sql;
  WorldArguments world;
  QuestionOptions question;
  FormatArguments format;
};

Result<int> run_explain(const ExplainArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const std::string sql, sql_of(arguments.sql, streams));
  DISCREET_ASSIGN(const session::Request request,
                  arguments.question.request(sql, arguments.world.analyst));
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kLook, engine_says(streams)));
  DISCREET_ASSIGN(const session::Explanation explained, asking->session().explain(request));
  DISCREET_TRY(write_all(streams.out, explanation_text(explained, format)));
  return 0;
}

struct CurveArguments {
  Text sql, plot, from, to;
  WorldArguments world;
  QuestionOptions question;
  FormatArguments format;
};

constexpr int kCurvePoints = 25;

Result<int> run_curve(const CurveArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_TRY(check_plot_name(arguments.plot));
  DISCREET_ASSIGN(const Rational from, parse_number("from", arguments.from.value_or("0.05")));
  DISCREET_ASSIGN(const Rational to, parse_number("to", arguments.to.value_or("2")));
  if (from.sign() <= 0 || to <= from) return invalid_input("--from must be above 0 and below --to");
  DISCREET_ASSIGN(const std::string sql, sql_of(arguments.sql, streams));
  DISCREET_ASSIGN(session::Request request,
                  arguments.question.request(sql, arguments.world.analyst));
  request.options.epsilon = Epsilon::trusted(to);
  std::vector<Rational> epsilons;
  for (int i = 0; i < kCurvePoints; ++i) {
    epsilons.push_back(from + (to - from) * Rational::ratio(i, kCurvePoints - 1));
  }
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kLook, engine_says(streams)));
  DISCREET_ASSIGN(const auto points, asking->session().curve(request, epsilons));
  report::Plot plot{.title = "error of " + sql,
                    .x_label = "epsilon",
                    .y_label = "half width at confidence " + request.confidence.to_string()};
  report::Table table({"epsilon", "half_width"});
  for (const auto& [epsilon, width] : points) {
    plot.points.push_back({epsilon.to_double(Round::kDown), 0, width.to_double(Round::kUp)});
    table.add({report::Cell::number(epsilon.to_decimal(4, Round::kDown)),
               report::Cell::number(width.to_decimal(4, Round::kUp))});
  }
  if (arguments.plot) DISCREET_TRY(write_plot(*arguments.plot, plot));
  const bool draws = !arguments.plot && !arguments.format.given() && isatty(streams.out) == 1;
  DISCREET_TRY(write_all(streams.out, draws ? plot_text(plot, 64, 16) : table.render(format)));
  return 0;
}

}  // namespace

void add_query(Program& program) {
  const auto query = std::make_shared<QueryArguments>();
  CLI::App& app = program.command(
      program.root(), "query",
      {.summary = "ask in SQL; the answer has noise, an interval and a price",
       .explanation =
           "The question is PostgreSQL's SELECT with aggregates over what the policy declares\n"
           "(docs/sql.md). Its price depends on the text and the policy, never on data; it is\n"
           "charged before anything runs, and the answer is stored before it is shown. The same\n"
           "question under the same snapshot label gives the stored answer again, free.\n",
       .closing = std::string("Example:\n  ") + kExample +
                  "\n  discreet query \"SELECT MEDIAN(age) FROM visits\" --error 2"},
      [query](const Streams& streams) { return run_query(*query, streams); });
  add_text(app, "sql", query->sql, "the question; - or nothing: from standard input", "SQL");
  query->question.add_to(app);
  query->world.add_to(app);
  add_text(app, "--plot", query->plot, "draw a HISTOGRAM or BOXPLOT, in FILE.svg or FILE.png",
           "FILE");
  query->format.add_to(app);

  const auto explain = std::make_shared<ExplainArguments>();
  CLI::App& explain_app = program.command(
      program.root(), "explain",
      {.summary = "what a question would do and cost; nothing is charged",
       .explanation = "Bounds, keys, noise, expected error and price of each measurement, what is\n"
                      "left of the budget, and the text that the engine would be sent.\n",
       .closing = "Example:\n  discreet explain \"SELECT AVG(age) FROM visits\" --epsilon 0.5"},
      [explain](const Streams& streams) { return run_explain(*explain, streams); });
  add_text(explain_app, "sql", explain->sql, "the question", "SQL");
  explain->question.add_to(explain_app);
  explain->world.add_to(explain_app);
  explain->format.add_to(explain_app);

  const auto curve = std::make_shared<CurveArguments>();
  CLI::App& curve_app = program.command(
      program.root(), "curve",
      {.summary = "a question's error at every epsilon, as a table or a picture",
       .explanation =
           "The half-width of the first measurement, from the policy and the text alone:\n"
           "looking costs nothing.\n",
       .closing = "Example:\n  discreet curve \"SELECT COUNT(*) FROM visits\" --plot error.svg"},
      [curve](const Streams& streams) { return run_curve(*curve, streams); });
  add_text(curve_app, "sql", curve->sql, "the question", "SQL");
  add_text(curve_app, "--from", curve->from, "the least epsilon (0.05)");
  add_text(curve_app, "--to", curve->to, "the largest epsilon (2)");
  add_text(curve_app, "--plot", curve->plot, "in FILE.svg or FILE.png", "FILE");
  curve->question.add_to(curve_app);
  curve->world.add_to(curve_app);
  curve->format.add_to(curve_app);
}

}  // namespace discreet::cli
