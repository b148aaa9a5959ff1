// SPDX-License-Identifier: Apache-2.0
// discreet learn distribution|synthesize: what columns look like, and tables that look like them.
#include <memory>

#include "base/json.h"
#include "cli/learn_request.h"
#include "cli/output_file.h"
#include "engine/duckdb/parquet_file.h"
#include "learn/csv.h"
#include "learn/synthetic.h"
#include "report/learned_page.h"

namespace discreet::cli {
namespace {

constexpr const char* kDistribution =
    "discreet learn distribution --features age,cost --epsilon 1 --output columns.json";
constexpr const char* kSynthesize =
    "discreet learn synthesize --epsilon 1 --delta 1e-6 --output made.csv --report made.html";

struct SynthesizeArguments {
  LearnArguments learn;
  Text report, certificate;
};

Result<int> run_distribution(const LearnArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const Learned learned,
                  learn_task("distribution", arguments, kDistribution, streams));
  return hand_over(learned, arguments, learned.taught.bytes, streams);
}

Error damaged() { return {Code::kCorrupt, "the stored synthetic table is damaged"}; }

Result<std::string> table_bytes(const Json& made, const learn::Course& course, bool parquet) {
  if (!parquet) {
    std::string out = learn::csv_line(course.lesson.columns);
    for (const Json& row : made["rows"].items()) {
      std::vector<std::string> cells;
      if (!row.read(cells)) return damaged();
      out += learn::csv_line(cells);
    }
    return out;
  }
  std::vector<engine::duckdb::ParquetColumn> columns;
  for (const learn::Column& column : course.columns) {
    columns.push_back({column.name, column.categorical() ? policy::Type::kText
                                    : column.is_date     ? policy::Type::kDate
                                                         : policy::Type::kDecimal});
  }
  std::vector<std::vector<std::optional<std::string>>> rows;
  for (const Json& row : made["rows"].items()) {
    std::vector<std::string> cells;
    if (!row.read(cells)) return damaged();
    rows.emplace_back(cells.begin(), cells.end());
  }
  return engine::duckdb::parquet_bytes(columns, rows);
}

Result<int> run_synthesize(const SynthesizeArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(
      const Learned learned,
      learn_task("synthesize", arguments.learn, kSynthesize, streams,
                 {{"--report", arguments.report}, {"--certificate", arguments.certificate}}));
  const Json made = Json::parse(learned.taught.bytes).value_or(nullptr);
  // Without a row there is no member for them.
  const bool has_rows = !made.contains("rows") || made["rows"].is_array();
  if (!made["certificate"].is_object() || !has_rows) return damaged();
  const bool parquet = arguments.learn.output && arguments.learn.output->ends_with(".parquet");
  DISCREET_ASSIGN(const std::string table, table_bytes(made, learned.course, parquet));
  std::string page;
  if (arguments.report) {
    DISCREET_ASSIGN(const report::Exhibit exhibit,
                    report::synthetic_page(learned.taught.bytes, learned.course.lesson.columns,
                                           learn::bin_begins(learned.course.columns)));
    page = report::exhibit_html(exhibit);
  }
  const std::string certificate = made["certificate"].dump({.indent = 1}) + "\n";
  const auto write = [&]() -> Result<void> {
    if (arguments.report) DISCREET_TRY(write_file(*arguments.report, page));
    if (arguments.certificate) DISCREET_TRY(write_file(*arguments.certificate, certificate));
    return write_learned(arguments.learn, table, streams);
  };
  DISCREET_TRY(learned.asking->hand_over(streams, write));
  return 0;
}

}  // namespace

void add_learn_data(Program& program, CLI::App& learn) {
  const auto distribution = std::make_shared<LearnArguments>();
  CLI::App& distribution_app = program.command(
      learn, "distribution",
      {.summary = "histograms, quantiles and laws of columns",
       .explanation = "One noisy histogram for each column; densities, quantile functions and\n"
                      "the nearest of a few laws are computed from it, free.\n",
       .closing = std::string("It costs --epsilon and --delta.\n\nExample:\n  ") + kDistribution},
      [distribution](const Streams& streams) { return run_distribution(*distribution, streams); });
  distribution->add_to(distribution_app, false);
  distribution->add_option(distribution_app, "bins", "of a number's range (64)");

  const auto synthesize = std::make_shared<SynthesizeArguments>();
  CLI::App& synthesize_app = program.command(
      learn, "synthesize",
      {.summary = "a table of made-up rows with the same marginals",
       .explanation =
           "All columns and all pairs of columns are measured with noise; rows are drawn\n"
           "from a tree of the strongest pairs and weighed until all pairs agree.\n",
       .closing = std::string("It costs --epsilon and --delta; the rows themselves are free to "
                              "share.\n\nExample:\n  ") +
                  kSynthesize},
      [synthesize](const Streams& streams) { return run_synthesize(*synthesize, streams); });
  synthesize->learn.add_to(synthesize_app, false);
  synthesize->learn.add_option(synthesize_app, "bins", "of a number's range (16)");
  synthesize->learn.add_option(synthesize_app, "rows", "how many (about as many as there are)");
  add_text(synthesize_app, "--report", synthesize->report, "a page that compares marginals",
           "FILE");
  add_text(synthesize_app, "--certificate", synthesize->certificate, "its price as JSON", "FILE");
}

}  // namespace discreet::cli
