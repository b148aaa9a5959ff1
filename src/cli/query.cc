// SPDX-License-Identifier: Apache-2.0
// discreet query: ask, pay, get an answer.
#include "sql/query.h"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "cli/answer_text.h"
#include "cli/asking.h"
#include "cli/plot_file.h"
#include "cli/publish.h"
#include "cli/world_files.h"
#include "report/number.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

constexpr const char* kQueryExample =
    "discreet query \"SELECT clinic, COUNT(*) FROM visits GROUP BY clinic\" --epsilon 0.5";
constexpr std::size_t kSqlMax = std::size_t{1} << 20;

struct QueryArguments {
  Text sql, plot, output;
  WorldArguments world;
  QuestionOptions question;
  FormatArguments format;
};

Result<std::string> sql_of(const Text& text, const Streams& streams) {
  if (text && *text != "-") return *text;
  if (!text && isatty(streams.in) == 1) return missing("the question", kQueryExample);
  return read_all(streams.in, kSqlMax);
}

/// Tables, and what only a file can hold.
struct OutputFormat {
  bool parquet = false;
  report::Format text = report::Format::kTable;
};

Result<OutputFormat> output_format(const QueryArguments& arguments, const Streams& streams) {
  if (arguments.format.format != "parquet") {
    DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
    return OutputFormat{false, format};
  }
  if (arguments.format.json) return invalid_input("give one of --format and --json");
  if (!arguments.output && isatty(streams.out) == 1) {
    return invalid_input("Parquet is no text; name a file with --output FILE, or redirect");
  }
  return OutputFormat{true};
}

Result<void> write_answer(const QueryArguments& arguments, const std::string& bytes,
                          const Streams& streams) {
  if (arguments.output) return write_file(*arguments.output, bytes);
  return write_all(streams.out, bytes);
}

/// One picture, or one for each group: age.svg, then age.2.svg, ...
Result<void> write_plots(const std::string& path, const session::Answered& answered,
                         const Streams& streams) {
  const std::vector<report::Plot> plots = answer_plots(answered);
  if (plots.empty()) say(streams.err, "note: the answer has no rows, so nothing was drawn\n");
  for (std::size_t i = 0; i < plots.size(); ++i) {
    DISCREET_TRY(write_plot(plot_name(path, i + 1), plots[i]));
  }
  return {};
}

/// Whether --plot can draw what is asked for: known from the text alone.
Result<void> check_is_drawn(const session::Request& request, const policy::Policy& policy) {
  sql::Options options = request.options;
  if (!options.epsilon) options.epsilon = Epsilon::trusted(1);  // no drawing depends on it
  DISCREET_ASSIGN(const sql::Query query, sql::bind(request.sql, options, policy));
  if (query.drawing == sql::Drawing::kHistogram || query.drawing == sql::Drawing::kBoxplot) {
    return {};
  }
  return invalid_input(
      "--plot draws SELECT HISTOGRAM(...) and SELECT BOXPLOT(...); ask one of them, or leave out "
      "--plot; nothing was charged");
}

/// All files that could be written: a picture for each group, too.
std::vector<OutputFile> outputs_of(const QueryArguments& arguments) {
  std::vector<OutputFile> outputs;
  std::vector<std::string> others;
  if (arguments.output) {
    outputs.push_back({"--output", *arguments.output});
    others = {*arguments.output, resolved(*arguments.output).string()};
  }
  if (!arguments.plot) return outputs;
  outputs.push_back({"--plot", *arguments.plot});
  for (const std::string& further : further_plots(*arguments.plot, others)) {
    outputs.push_back({"--plot", further});
  }
  return outputs;
}

/// Everything about the files to write that can be known before the charge.
Result<void> check_files(const QueryArguments& arguments, const session::Request& request,
                         Asking& asking) {
  DISCREET_TRY(check_outputs(outputs_of(arguments), files_of_world(arguments.world, asking)));
  return arguments.plot ? check_is_drawn(request, asking.policy()) : Result<void>{};
}

/// That --rows is not passed over.
Result<void> check_rows(const QuestionOptions& question) {
  if (!question.expected_rows || question.error) return {};
  return invalid_input(
      "--rows belongs to --error, and to discreet curve: it says about how many rows a group has; "
      "how many of a unit's rows are kept is --max-rows");
}

Result<int> run_query(const QueryArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const OutputFormat format, output_format(arguments, streams));
  DISCREET_TRY(check_plot_name(arguments.plot));
  DISCREET_TRY(check_place("--output", arguments.output));
  DISCREET_TRY(check_place("--plot", arguments.plot));
  DISCREET_TRY(check_rows(arguments.question));
  DISCREET_ASSIGN(const std::string sql, sql_of(arguments.sql, streams));
  DISCREET_ASSIGN(const session::Request request,
                  arguments.question.request(sql, arguments.world.analyst));
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  DISCREET_TRY(check_files(arguments, request, *asking));
  report::Progress progress(streams.err, "reading the data");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               progress.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  DISCREET_ASSIGN(const session::Answered answered, asking->ask(request, log));
  std::string text;
  if (format.parquet) {
    DISCREET_ASSIGN(text, answer_parquet(answered));
  } else {
    text = answer_text(answered, format.text);
    if (format.text == report::Format::kTable) text += answer_drawing(answered);
  }
  const auto write = [&]() -> Result<void> {
    DISCREET_TRY(write_answer(arguments, text, streams));
    return arguments.plot ? write_plots(*arguments.plot, answered, streams) : Result<void>{};
  };
  DISCREET_TRY(asking->hand_over(streams, write));
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
  DISCREET_TRY(check_rows(arguments.question));
  DISCREET_ASSIGN(const std::string sql, sql_of(arguments.sql, streams));
  DISCREET_ASSIGN(const session::Request request,
                  arguments.question.request(sql, arguments.world.analyst));
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kLook, engine_says(streams)));
  DISCREET_ASSIGN(const session::OwnerExplanation explained,
                  asking->session().explain_to_owner(request));
  DISCREET_TRY(write_all(streams.out, explanation_text(explained, format)));
  return 0;
}

struct QueryCurveArguments {
  Text sql, plot, from, to;
  WorldArguments world;
  QuestionOptions question;
  FormatArguments format;
};

constexpr int kQueryCurvePoints = 25;

report::Cell width_cell(double width) {
  if (!std::isfinite(width)) return report::Cell::words("unbounded");
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.4g", width);
  return report::Cell::number(text.data());
}

Result<int> run_query_curve(const QueryCurveArguments& arguments, const Streams& streams) {
  if (arguments.sql && (arguments.sql->ends_with(".yaml") || arguments.sql->ends_with(".yml"))) {
    return run_workload_curve({.file = arguments.sql,
                               .from = arguments.from,
                               .to = arguments.to,
                               .plot = arguments.plot,
                               .delta = arguments.question.delta,
                               .world = arguments.world,
                               .format = arguments.format},
                              streams);
  }
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
  for (int i = 0; i < kQueryCurvePoints; ++i) {
    epsilons.push_back(from + (to - from) * Rational::ratio(i, kQueryCurvePoints - 1));
  }
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kLook, engine_says(streams)));
  DISCREET_ASSIGN(const auto rows, arguments.question.rows_number());
  DISCREET_ASSIGN(const auto points, asking->session().curve(request, epsilons, rows));
  report::Plot plot{.title = "error of " + sql,
                    .x_label = "epsilon",
                    .y_label = "half width at confidence " + request.confidence.to_string()};
  report::Table table({"epsilon", "half_width"});
  for (const auto& [epsilon, width] : points) {
    // An average over next to no rows may be anything: no point of a curve.
    if (std::isfinite(width)) plot.points.push_back({epsilon.to_double(Round::kDown), 0, width});
    table.add({report::Cell::number(report::approximate(epsilon, 4)), width_cell(width)});
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
       .closing =
           std::string("Example:\n  ") + kQueryExample +
           "\n  discreet query \"SELECT AVG(cost) FROM visits\" --error 2%\n"
           "  discreet query \"SELECT city, COUNT(*) AS n FROM visits GROUP BY city\" \\\n"
           "    --epsilon 1 --delta 1e-8 --format parquet --output cities.parquet\n"
           "--error solves for epsilon; of a quantile it is in ranks. What 5% is of, or how "
           "many rows\n"
           "an average has, is said with --about and --rows, taken from an earlier answer to "
           "the same\n"
           "question, or bought first with a pilot whose price is --pilot, whatever the data."},
      [query](const Streams& streams) { return run_query(*query, streams); });
  add_text(app, "sql", query->sql, "the question; - or nothing: from standard input", "SQL");
  query->question.add_to(app);
  query->world.add_to(app);
  add_text(app, "--plot", query->plot,
           "draw a HISTOGRAM (one a group) or BOXPLOT, in FILE.svg or .png", "FILE");
  add_text(app, "--output", query->output, "write the answer there (standard output)", "FILE");
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

  const auto curve = std::make_shared<QueryCurveArguments>();
  CLI::App& curve_app = program.command(
      program.root(), "curve",
      {.summary = "a question's error at every epsilon, as a table or a picture",
       .explanation =
           "Half of the width of the first value's interval (of a quantile: ranks), from the "
           "policy\n"
           "and the text alone: looking costs nothing. An average's error depends on how many "
           "rows\n"
           "there are: say about how many with --rows.\n",
       .closing = "Example:\n  discreet curve \"SELECT COUNT(*) FROM visits\" --plot error.svg\n"
                  "  discreet curve workload.yaml --plot error.png    # of a whole publication"},
      [curve](const Streams& streams) { return run_query_curve(*curve, streams); });
  add_text(curve_app, "sql", curve->sql, "the question, or a workload file (.yaml)", "SQL");
  add_text(curve_app, "--from", curve->from, "the least epsilon (0.05)");
  add_text(curve_app, "--to", curve->to, "the largest epsilon (2)");
  add_text(curve_app, "--plot", curve->plot, "in FILE.svg or FILE.png", "FILE");
  curve->question.add_to(curve_app);
  curve->world.add_to(curve_app);
  curve->format.add_to(curve_app);
}

}  // namespace discreet::cli
