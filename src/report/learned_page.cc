// SPDX-License-Identifier: Apache-2.0
#include "report/learned_page.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace discreet::report {

using nlohmann::json;

Exhibit synthetic_page(const std::string& bytes, const std::vector<std::string>& names,
                       const BinText& begins) {
  const json made = json::parse(bytes);
  Exhibit exhibit{.title = "A synthetic table beside its released marginals"};
  const json& c = made.at("certificate");
  exhibit.sections.push_back(
      {.heading = "Price",
       .words = {"epsilon " + c.at("epsilon").get<std::string>() + ", delta " +
                 c.at("delta").get<std::string>() + ", for " + c.at("units").get<std::string>() +
                 " (" + c.at("neighbours").get<std::string>() + "), charge " +
                 c.at("receipt").get<std::string>() +
                 ". Only released marginals are shown; nothing here was compared with the data."}});
  Section distances{.heading = "Total variation from the released marginals",
                    .columns = {"columns", "distance"}};
  for (const json& m : made.at("marginals")) {
    std::string name;
    for (const std::size_t at : m.at("columns")) name += (name.empty() ? "" : " x ") + names[at];
    distances.rows.push_back({Cell::words(name), Cell::number(json(m.at("distance")).dump())});
    if (m.at("columns").size() != 1) continue;
    Chart chart{.title = name, .x_label = "bin", .y_label = "share"};
    for (const char* which : {"released", "synthetic"}) {
      ChartCurve curve{.name = which, .points = {}};
      for (std::size_t i = 0; i < m.at(which).size(); ++i) {
        curve.points.emplace_back(static_cast<double>(i), m.at(which)[i].get<double>());
      }
      chart.curves.push_back(std::move(curve));
    }
    Section section{.heading = name, .columns = {"bin", "begins at", "released", "synthetic"}};
    const std::size_t bins = m.at("released").size();
    for (std::size_t i = 0; i < bins; ++i) {
      section.rows.push_back({Cell::number(std::to_string(i)),
                              Cell::words(begins(m.at("columns")[0].get<std::size_t>(), i, bins)),
                              Cell::number(m.at("released")[i].dump()),
                              Cell::number(m.at("synthetic")[i].dump())});
    }
    section.chart = std::move(chart);
    exhibit.sections.push_back(std::move(section));
  }
  exhibit.sections.push_back(std::move(distances));
  return exhibit;
}

}  // namespace discreet::report
