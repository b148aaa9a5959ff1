// SPDX-License-Identifier: Apache-2.0
// discreet learn distribution|synthesize: what columns look like, and tables that look like them.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/learn_request.h"
#include "cli/plot_file.h"
#include "engine/duckdb/parquet_file.h"
#include "learn/choices.h"
#include "learn/csv.h"
#include "learn/distribution.h"
#include "learn/synthetic.h"
#include "report/html.h"

namespace discreet::cli {
namespace {

using nlohmann::json;

constexpr const char* kDistribution =
    "discreet learn distribution --features age,cost --epsilon 1 --output columns.json";
constexpr const char* kSynthesize =
    "discreet learn synthesize --epsilon 1 --delta 1e-6 --output made.csv --report made.html";

json certificate_of(const learn::Certificate& c) {
  return {{"epsilon", c.epsilon},       {"delta", c.delta},       {"units", c.units},
          {"neighbours", c.neighbours}, {"snapshot", c.snapshot}, {"mechanism", c.noise},
          {"receipt", c.receipt}};
}

struct DistributionArguments {
  LearnArguments learn;
  Text bins;
};

json json_of(const learn::Histogram& h) {
  json out = {{"column", h.column}, {"counts", h.counts}, {"deviation", h.deviation}};
  out["shares"] = h.shares();
  if (!h.labels.empty()) {
    out["values"] = h.labels;
    return out;
  }
  out["low"] = h.low;
  out["high"] = h.high;
  json quantiles = json::object();
  for (const int p : {1, 5, 10, 25, 50, 75, 90, 95, 99}) {
    quantiles[std::to_string(p)] = h.quantile(p / 100.0);
  }
  out["quantiles"] = std::move(quantiles);
  const learn::ParametricFit fit = learn::parametric_fit(h);
  out["mean"] = fit.mean;
  out["standard_deviation"] = fit.deviation;
  for (const auto& law : fit.laws) {
    out["laws"].push_back(
        {{"name", law.name}, {"parameters", law.parameters}, {"distance", law.distance}});
  }
  return out;
}

Result<int> run_distribution(const DistributionArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(LearnRequest request,
                  LearnRequest::read(arguments.learn, streams, kDistribution));
  learn::DistributionTask task{request.columns, 64};
  if (arguments.bins) {
    DISCREET_ASSIGN(task.bins, parse_count("bins", *arguments.bins, 4096));
  }
  DISCREET_TRY(learn::check_task(task));
  request.lesson.training.shares = learn::distribution_shares();
  request.lesson.text = "distribution " + std::to_string(task.bins);
  DISCREET_ASSIGN(const learn::Taught taught,
                  teach(request, streams,
                        [&](learn::Sums& sums, const learn::Certificate& c) -> Result<std::string> {
                          DISCREET_ASSIGN(const auto found, learn::fit_distribution(sums, task));
                          json out = {{"certificate", certificate_of(c)}};
                          for (const auto& h : found) out["columns"].push_back(json_of(h));
                          return out.dump(1) + "\n";
                        }));
  return hand_over(arguments.learn, taught.bytes, streams);
}

struct SynthesizeArguments {
  LearnArguments learn;
  Text bins, rows, report, certificate;
};

/// What is stored: the table, the released marginals beside the table's, the certificate.
json json_of(const learn::Synthetic& made, const learn::SyntheticTask& task,
             const learn::Certificate& c) {
  json out = {{"certificate", certificate_of(c)}, {"count", made.count}};
  learn::Choices random(task.seed);
  for (const auto& row : made.rows) {
    json cells = json::array();
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(learn::value_text(task.columns[i], row[i], task.bins, random()));
    }
    out["rows"].push_back(std::move(cells));
  }
  for (const auto& m : made.marginals) {
    out["marginals"].push_back({{"columns", m.columns},
                                {"distance", m.distance()},
                                {"released", m.released},
                                {"synthetic", m.synthetic}});
  }
  return out;
}

std::string report_of(const json& made, const std::vector<std::string>& names) {
  report::Exhibit exhibit{.title = "A synthetic table beside its released marginals"};
  const json& c = made.at("certificate");
  exhibit.sections.push_back(
      {.heading = "Price",
       .words = {"epsilon " + c.at("epsilon").get<std::string>() + ", delta " +
                 c.at("delta").get<std::string>() + ", for " + c.at("units").get<std::string>() +
                 " (" + c.at("neighbours").get<std::string>() + "), charge " +
                 c.at("receipt").get<std::string>() +
                 ". Only released marginals are shown; nothing here was compared with the data."}});
  report::Section distances{.heading = "Total variation from the released marginals",
                            .columns = {"columns", "distance"}};
  for (const json& m : made.at("marginals")) {
    std::string name;
    for (const std::size_t at : m.at("columns")) name += (name.empty() ? "" : " x ") + names[at];
    distances.rows.push_back(
        {report::Cell::words(name), report::Cell::number(json(m.at("distance")).dump())});
    if (m.at("columns").size() != 1) continue;
    report::Chart chart{.title = name, .x_label = "bin", .y_label = "share"};
    for (const char* which : {"released", "synthetic"}) {
      report::ChartCurve curve{.name = which, .points = {}};
      for (std::size_t i = 0; i < m.at(which).size(); ++i) {
        curve.points.emplace_back(static_cast<double>(i), m.at(which)[i].get<double>());
      }
      chart.curves.push_back(std::move(curve));
    }
    exhibit.sections.push_back({.heading = name, .chart = std::move(chart)});
  }
  exhibit.sections.push_back(std::move(distances));
  return report::exhibit_html(exhibit);
}

Result<std::string> table_bytes(const json& made, const LearnRequest& request, bool parquet) {
  if (!parquet) {
    std::string out = learn::csv_line(request.lesson.columns);
    for (const json& row : made.at("rows")) out += learn::csv_line(row);
    return out;
  }
  std::vector<engine::duckdb::ParquetColumn> columns;
  for (const learn::Column& column : request.columns) {
    columns.push_back(
        {column.name, column.categorical() ? policy::Type::kText : policy::Type::kDecimal});
  }
  std::vector<std::vector<std::optional<std::string>>> rows;
  for (const json& row : made.at("rows")) {
    rows.emplace_back();
    for (const json& cell : row) rows.back().emplace_back(cell.get<std::string>());
  }
  return engine::duckdb::parquet_bytes(columns, rows);
}

Result<int> run_synthesize(const SynthesizeArguments& arguments, const Streams& streams) {
  DISCREET_TRY(check_place(arguments.report));
  DISCREET_TRY(check_place(arguments.certificate));
  DISCREET_ASSIGN(LearnRequest request, LearnRequest::read(arguments.learn, streams, kSynthesize));
  learn::SyntheticTask task{.columns = request.columns};
  if (arguments.bins) {
    DISCREET_ASSIGN(task.bins, parse_count("bins", *arguments.bins, 256));
  }
  if (arguments.rows) {
    DISCREET_ASSIGN(task.rows, parse_count("rows", *arguments.rows, 10'000'000));
  }
  DISCREET_TRY(learn::check_task(task));
  request.lesson.training.shares = learn::synthetic_shares(task);
  request.lesson.text = "synthesize " + std::to_string(task.bins) + " " + std::to_string(task.rows);
  DISCREET_ASSIGN(const learn::Taught taught,
                  teach(request, streams,
                        [&](learn::Sums& sums, const learn::Certificate& c) -> Result<std::string> {
                          DISCREET_ASSIGN(const auto made, learn::fit_synthetic(sums, task));
                          return json_of(made, task, c).dump();
                        }));
  const json made = json::parse(taught.bytes);
  const bool parquet = arguments.learn.output && arguments.learn.output->ends_with(".parquet");
  DISCREET_ASSIGN(const std::string table, table_bytes(made, request, parquet));
  if (arguments.report) {
    DISCREET_TRY(write_file(*arguments.report, report_of(made, request.lesson.columns)));
  }
  if (arguments.certificate) {
    DISCREET_TRY(write_file(*arguments.certificate, made.at("certificate").dump(1) + "\n"));
  }
  return hand_over(arguments.learn, table, streams);
}

}  // namespace

void add_learn_data(Program& program, CLI::App& learn) {
  const auto distribution = std::make_shared<DistributionArguments>();
  CLI::App& distribution_app = program.command(
      learn, "distribution",
      {.summary = "histograms, quantiles and laws of columns",
       .explanation = "One noisy histogram for each column; densities, quantile functions and\n"
                      "the nearest of a few laws are computed from it, free.\n",
       .closing = std::string("It costs --epsilon and --delta.\n\nExample:\n  ") + kDistribution},
      [distribution](const Streams& streams) { return run_distribution(*distribution, streams); });
  distribution->learn.add_to(distribution_app, false);
  add_text(distribution_app, "--bins", distribution->bins, "of a number's range (64)");

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
  add_text(synthesize_app, "--bins", synthesize->bins, "of a number's range (16)");
  add_text(synthesize_app, "--rows", synthesize->rows, "how many (about as many as there are)");
  add_text(synthesize_app, "--report", synthesize->report, "a page that compares marginals",
           "FILE");
  add_text(synthesize_app, "--certificate", synthesize->certificate, "its price as JSON", "FILE");
}

}  // namespace discreet::cli
