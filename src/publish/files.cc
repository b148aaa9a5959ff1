// SPDX-License-Identifier: Apache-2.0
// Sheets as CSV, JSON and Parquet, and the certificate.
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/duckdb/parquet_file.h"
#include "learn/csv.h"
#include "publish/sheets.h"

namespace discreet::publish {
namespace {

using nlohmann::ordered_json;

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
  ordered_json out = {{"certificate", ordered_json::parse(certificate)},
                      {"confidence", confidence}};
  out["tables"] = ordered_json::array();
  for (const Sheet& sheet : sheets) {
    ordered_json one = {{"name", sheet.name},
                        {"kind", sheet.kind},
                        {"measure", sheet.measure},
                        {"columns", header_of(sheet)}};
    one["rows"] = ordered_json::array();
    for (std::size_t i = 0; i < sheet.values.size(); ++i) {
      ordered_json row = sheet.keys[i];
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
  return out.dump(1) + "\n";
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
  ordered_json deployment;
  deployment["product"] = {
      {"name", name},
      {"data_product_type", "Summary statistics"},
      {"description", std::to_string(workload.tables.size()) + " tables, " +
                          std::to_string(workload.ranges.size()) + " ranges and " +
                          std::to_string(workload.hierarchies.size()) + " hierarchies over " +
                          facts.table + ", snapshot " + facts.snapshot},
      {"publication_date", date}};
  std::string open;
  for (const std::string& each : unprotected(workload)) open += (open.empty() ? "" : "; ") + each;
  deployment["dp_flavor"] = {
      {"name", "Zero-concentrated DP"},
      {"input_metric", replaces ? "change-one distance over privacy units"
                                : "symmetric distance over privacy units"},
      {"bound_on_input_distance", 1},
      {"output_measure", "zero-concentrated divergence"},
      {"bound_on_output_distance", facts.rho},
      {"data_domain", "rows of " + facts.table +
                          " with a declared value in every column of the workload, at most " +
                          std::to_string(facts.rows_per_unit) + " of a unit"},
      {"unprotected_quantities", open.empty() ? "none" : open}};
  deployment["privacy_loss"] = {
      {"privacy_unit", facts.row_is_unit ? "Event-level (each row is a unit)" : "User-level"},
      {"privacy_unit_description",
       "one of the units " + facts.units + ", with all its rows; " + facts.neighbours},
      {"privacy_parameters", {{"rho", facts.rho}}},
      {"privacy_parameters_description",
       "one charge, number " + facts.receipt +
           ", in the lifetime ledger of these units; all parts add up to it"}};
  if (workload.price.epsilon) {
    deployment["privacy_loss"]["privacy_parameters"]["epsilon"] =
        workload.price.epsilon->to_string();
    deployment["privacy_loss"]["privacy_parameters"]["delta"] = workload.price.delta.to_string();
  }
  deployment["model"] = {{"model_name", "Central"},
                         {"release_type", "One release"},
                         {"data_source_type", "Static"},
                         {"access_type", "Non-interactive"}};
  deployment["accounting"] = {
      {"composition", "the rho of all measured parts, added up"},
      {"post_processing",
       std::string("tables from residuals, least squares over hierarchies") +
           (workload.nonnegative ? "; whole numbers not below 0 beside the unbiased values" : "")}};
  deployment["implementation"] = {{"mechanisms", facts.noise},
                                  {"pre_processing_eda_hyperparameter_tuning",
                                   "domains and bounds are declared in the policy"}};
  return ordered_json{{"deployment", deployment}}.dump(1) + "\n";
}

}  // namespace discreet::publish
