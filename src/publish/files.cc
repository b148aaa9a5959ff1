// SPDX-License-Identifier: Apache-2.0
// Sheets as CSV, JSON and Parquet, and the certificate.
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
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
                {"at_limit", sheet.at_limit},
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

namespace {

std::string told(const std::string& text) { return text.empty() ? "not stated" : text; }

/// "people_by_region" of "/home/a/people_by_region.yaml": the record is public, the folder is not.
std::string title_of(const Workload& workload, const std::string& name) {
  if (!workload.about.name.empty()) return workload.about.name;
  return std::filesystem::path(name).stem().string();
}

/// Small letters, digits, and single hyphens between them.
std::string slug_of(const std::string& title) {
  std::string out;
  for (const char c : title) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += is_capital ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "publication" : out;
}

/// A number that, as it is written in decimals, is not below the exact one, and is that one where
/// few digits say it.
double not_below(const Rational& exact) {
  const double down = exact.to_double(Round::kDown);
  const auto written = Rational::parse(Json(down).dump());
  return written && *written >= exact ? down : exact.to_double(Round::kUp);
}

Json basic_of(const Workload& workload, const ReleaseFacts& facts, const std::string& name,
              const std::string& date) {
  Json out = {
      {"name", title_of(workload, name)},
      {"data_curators", Json::array({told(workload.about.curator)})},
      {"description", std::to_string(workload.tables.size()) + " tables, " +
                          std::to_string(workload.ranges.size()) + " ranges and " +
                          std::to_string(workload.hierarchies.size()) + " hierarchies over " +
                          facts.table + ", snapshot " + facts.snapshot},
      {"intended_use", told(workload.about.use)},
      {"data_product_type", "Summary statistics"},
      {"data_product_region", told(workload.about.region)},
      {"publication_date", date}};
  if (!workload.about.sector.empty()) out["data_product_sector"] = workload.about.sector;
  return out;
}

Json variant_of(const Workload& workload, const ReleaseFacts& facts) {
  std::string open;
  for (const std::string& each : unprotected(workload)) open += (open.empty() ? "" : "; ") + each;
  return {{"variant_name", "Zero-concentrated DP"},
          {"data_domain", "rows of " + facts.table +
                              " with a declared value in every column of the workload, at most " +
                              std::to_string(facts.rows_per_unit) + " of a unit"},
          {"unprotected_quantities", open.empty() ? "none" : open}};
}

Json privacy_loss_of(const Workload& workload, const ReleaseFacts& facts) {
  Json parameters = {{"rho", not_below(Rational::parse(facts.rho).value())}};
  if (workload.price.epsilon) {
    parameters["epsilon"] = not_below(*workload.price.epsilon);
    parameters["delta"] = not_below(workload.price.delta);
  }
  return {{"privacy_unit", facts.row_is_unit ? "Event-level (each row is a unit)" : "User-level"},
          {"privacy_unit_details",
           "one of the units " + facts.units + ", with all its rows; " + facts.neighbours},
          {"privacy_parameters", std::move(parameters)},
          {"privacy_parameters_details",
           "zero-concentrated divergence between neighbours; rho is exactly " + facts.rho +
               "; one charge, number " + facts.receipt +
               ", in the lifetime ledger of these units; all parts add up to it"}};
}

Json implementation_of(const Workload& workload, const ReleaseFacts& facts) {
  std::string mechanisms = "exact integer noise from the operating system's entropy:";
  std::map<std::string, std::size_t> kinds;
  for (const std::string& line : facts.noise) ++kinds[line];
  for (const auto& [line, count] : kinds) {
    mechanisms += "\n- " + (count > 1 ? std::to_string(count) + " times " : "") + line;
  }
  return {{"preprocessing_and_hyperparameter_tuning",
           "domains and bounds are declared in the policy; how the price is split is computed from "
           "them and the workload, without looking at data"},
          {"mechanisms", mechanisms},
          {"justification", workload.objective == Objective::kTotal
                                ? "the price is split for the least sum of all cells' variances"
                                : "the price is split for the least variance of the worst cell"}};
}

}  // namespace

const std::vector<std::string>& registry_sectors() {
  static const std::vector<std::string> all = {"Technology", "Healthcare", "Education",
                                               "Government", "Energy",     "Finance"};
  return all;
}

std::string certificate_json(const Workload& workload, const Publication& publication,
                             const std::string& name, const std::string& date) {
  const ReleaseFacts& facts = publication.facts;
  Json deployment = {{"basic", basic_of(workload, facts, name, date)},
                     {"dp_variant", variant_of(workload, facts)},
                     {"privacy_loss", privacy_loss_of(workload, facts)}};
  deployment["deployment_model"] = {{"model_name", "Central"},
                                    {"release_type", "One release"},
                                    {"data_source_type", "Static"},
                                    {"access_type", "Non-interactive"}};
  deployment["accounting"] = {
      {"post_processing",
       std::string("one least-squares estimate of all counts, from which tables, ranges and areas "
                   "are read off") +
           (workload.nonnegative ? "; whole numbers not below 0 beside the unbiased values" : "")},
      {"composition", "the rho of all measured parts, added up"}};
  deployment["implementation"] = implementation_of(workload, facts);
  deployment["administrative"] = {
      {"registry_authors", Json::array({told(workload.about.curator)})}};
  return Json{{"url_slug", slug_of(title_of(workload, name))},
              {"status", "Draft"},
              {"tier", 3},
              {"deployment", std::move(deployment)}}
             .dump({.indent = 1, .replace = true}) +
         "\n";
}

}  // namespace discreet::publish
