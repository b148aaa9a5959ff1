// SPDX-License-Identifier: Apache-2.0
// Sheets as CSV, JSON and Parquet, and the certificate.
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/check.h"
#include "base/json.h"
#include "engine/duckdb/parquet_file.h"
#include "learn/csv.h"
#include "publish/sheets.h"

namespace discreet::publish {
namespace {

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value == 0 ? 0.0 : value);
  return text.data();
}

std::vector<std::string> header_of(const Sheet& sheet) {
  std::vector<std::string> out = sheet.columns;
  for (const char* name : {"value", "deviation", "value_low", "value_high"}) out.push_back(name);
  if (!sheet.whole.empty()) out.push_back("whole");
  return out;
}

std::vector<std::string> cells_of(const Sheet& sheet, std::size_t i, double width) {
  std::vector<std::string> out = sheet.keys[i];
  const double off = width * sheet.deviations[i];
  for (const double cell :
       {sheet.values[i], sheet.deviations[i], sheet.values[i] - off, sheet.values[i] + off}) {
    out.push_back(number(cell));
  }
  if (!sheet.whole.empty()) out.push_back(number(sheet.whole[i]));
  return out;
}

}  // namespace

std::string sheet_csv(const Sheet& sheet, double confidence) {
  const double width = normal_width(confidence);
  std::string out = learn::csv_line(header_of(sheet));
  if (!out.ends_with('\n')) out += '\n';
  for (std::size_t i = 0; i < sheet.values.size(); ++i) {
    out += learn::csv_line(cells_of(sheet, i, width));
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

std::string sheets_json(const std::vector<Sheet>& sheets, double confidence,
                        const std::string& certificate) {
  const double width = normal_width(confidence);
  std::optional<Json> shown = Json::parse(certificate);
  DISCREET_CHECK(shown.has_value());
  Json out = {{"certificate", *std::move(shown)}, {"confidence", confidence}};
  out["tables"] = Json::array();
  for (const Sheet& sheet : sheets) {
    Json one = {{"name", sheet.name},
                {"kind", sheet.kind},
                {"measure", sheet.measure},
                {"columns", header_of(sheet)}};
    one["rows"] = Json::array();
    for (std::size_t i = 0; i < sheet.values.size(); ++i) {
      Json row = sheet.keys[i];
      const double off = width * sheet.deviations[i];
      for (const double cell :
           {sheet.values[i], sheet.deviations[i], sheet.values[i] - off, sheet.values[i] + off}) {
        row.push_back(cell);
      }
      if (!sheet.whole.empty()) row.push_back(sheet.whole[i]);
      one["rows"].push_back(std::move(row));
    }
    out["tables"].push_back(std::move(one));
  }
  return out.dump({.indent = 1}) + "\n";
}

Result<std::string> sheet_parquet(const Sheet& sheet, double confidence) {
  const double width = normal_width(confidence);
  std::vector<engine::duckdb::ParquetColumn> columns;
  for (const std::string& name : header_of(sheet)) {
    const bool is_key = columns.size() < sheet.columns.size();
    columns.push_back({name, is_key ? policy::Type::kText : policy::Type::kDecimal});
  }
  std::vector<std::vector<std::optional<std::string>>> rows;
  for (std::size_t i = 0; i < sheet.values.size(); ++i) {
    const std::vector<std::string> cells = cells_of(sheet, i, width);
    rows.emplace_back(cells.begin(), cells.end());
  }
  return engine::duckdb::parquet_bytes(columns, rows);
}

std::string certificate_json(const Workload& workload, const Publication& publication,
                             const std::string& name, const std::string& date) {
  const ReleaseFacts& facts = publication.facts;
  const bool replaces = facts.neighbours.find("replace") != std::string::npos;
  const auto told = [](const std::string& text) { return text.empty() ? "not stated" : text; };
  Json deployment = {
      {"name", workload.about.name.empty() ? name : workload.about.name},
      {"data_curator", told(workload.about.curator)},
      {"description", std::to_string(workload.tables.size()) + " tables, " +
                          std::to_string(workload.ranges.size()) + " ranges and " +
                          std::to_string(workload.hierarchies.size()) + " hierarchies over " +
                          facts.table + ", snapshot " + facts.snapshot},
      {"intended_use", told(workload.about.use)},
      {"data_product_type", "Summary statistics"},
      {"data_product_region", told(workload.about.region)},
      {"publication_date", date}};
  std::string open;
  for (const std::string& each : unprotected(workload)) open += (open.empty() ? "" : "; ") + each;
  deployment["dp_flavor"] = {
      {"name", "Zero-concentrated DP"},
      {"input_metric", replaces ? "change-one distance over privacy units"
                                : "symmetric distance over privacy units"},
      {"bound_on_input_distance", "1"},
      {"output_measure", "zero-concentrated divergence"},
      {"bound_on_output_distance", "rho = " + facts.rho},
      {"data_domain", "rows of " + facts.table +
                          " with a declared value in every column of the workload, at most " +
                          std::to_string(facts.rows_per_unit) + " of a unit"},
      {"unprotected_quantities", open.empty() ? "none" : open}};
  Json parameters = {{"rho", Rational::parse(facts.rho).value().to_double(Round::kUp)}};
  if (workload.price.epsilon) {
    parameters["epsilon"] = workload.price.epsilon->to_double(Round::kUp);
    parameters["delta"] = workload.price.delta.to_double(Round::kUp);
  }
  deployment["privacy_loss"] = {
      {"privacy_unit", facts.row_is_unit ? "Event-level (each row is a unit)" : "User-level"},
      {"privacy_unit_description",
       "one of the units " + facts.units + ", with all its rows; " + facts.neighbours},
      {"privacy_parameters", std::move(parameters)},
      {"privacy_parameters_description",
       "rho is exactly " + facts.rho + "; one charge, number " + facts.receipt +
           ", in the lifetime ledger of these units; all parts add up to it"}};
  deployment["model"] = {{"model_name", "Central"},
                         {"release_type", "One release"},
                         {"data_source_type", "Static"},
                         {"access_type", "Non-interactive"}};
  deployment["accounting"] = {
      {"post_processing",
       std::string("one least-squares estimate of all counts, from which tables, ranges and areas "
                   "are read off") +
           (workload.nonnegative ? "; whole numbers not below 0 beside the unbiased values" : "")},
      {"composition", "the rho of all measured parts, added up"}};
  std::string mechanisms = "exact integer noise from the operating system's entropy:";
  std::map<std::string, std::size_t> kinds;
  for (const std::string& line : facts.noise) ++kinds[line];
  for (const auto& [line, count] : kinds) {
    mechanisms += "\n- " + (count > 1 ? std::to_string(count) + " times " : "") + line;
  }
  deployment["implementation"] = {
      {"pre_processing_eda_hyperparameter_tuning",
       "domains and bounds are declared in the policy; how the price is split is computed from "
       "them and the workload, without looking at data"},
      {"mechanisms", mechanisms},
      {"justification", workload.objective == Objective::kTotal
                            ? "the price is split for the least sum of all cells' variances"
                            : "the price is split for the least variance of the worst cell"}};
  return Json{{"status", "Draft"},
              {"registry_authors", Json::array({told(workload.about.curator)})},
              {"tier", 3},
              {"deployment", deployment}}
             .dump({.indent = 1}) +
         "\n";
}

}  // namespace discreet::publish
