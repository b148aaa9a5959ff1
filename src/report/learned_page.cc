// SPDX-License-Identifier: Apache-2.0
#include "report/learned_page.h"

#include <utility>

#include "base/json.h"

namespace discreet::report {

Result<Exhibit> synthetic_page(const std::string& bytes, const std::vector<std::string>& names,
                               const BinText& begins) {
  const std::optional<Json> made = Json::parse(bytes);
  const Error damaged{Code::kCorrupt, "the stored synthetic table is damaged"};
  if (!made || !(*made)["certificate"].is_object()) return damaged;
  Exhibit exhibit{.title = "A synthetic table beside its released marginals"};
  const Json& c = (*made)["certificate"];
  exhibit.sections.push_back(
      {.heading = "Price",
       .words = {"epsilon " + c["epsilon"].text() + ", delta " + c["delta"].text() + ", for " +
                 c["units"].text() + " (" + c["neighbours"].text() + "), charge " +
                 c["receipt"].text() +
                 ". Only released marginals are shown; nothing here was compared with the data."}});
  Section distances{.heading = "Total variation from the released marginals",
                    .columns = {"columns", "distance"}};
  for (const Json& m : (*made)["marginals"].items()) {
    std::vector<std::size_t> columns;
    if (!m["columns"].read(columns)) return damaged;
    std::string name;
    for (const std::size_t at : columns) {
      if (at >= names.size()) return damaged;
      name += (name.empty() ? "" : " x ") + names[at];
    }
    distances.rows.push_back({Cell::words(name), Cell::number(m["distance"].dump())});
    if (columns.size() != 1) continue;
    Chart chart{.title = name, .x_label = "bin", .y_label = "share"};
    for (const char* which : {"released", "synthetic"}) {
      ChartCurve curve{.name = which, .points = {}};
      for (const Json& share : m[which].items()) {
        curve.points.emplace_back(static_cast<double>(curve.points.size()), share.number());
      }
      chart.curves.push_back(std::move(curve));
    }
    Section section{.heading = name, .columns = {"bin", "begins at", "released", "synthetic"}};
    const std::size_t bins = m["released"].size();
    for (std::size_t i = 0; i < bins; ++i) {
      section.rows.push_back(
          {Cell::number(std::to_string(i)), Cell::words(begins(columns[0], i, bins)),
           Cell::number(m["released"][i].dump()), Cell::number(m["synthetic"][i].dump())});
    }
    section.chart = std::move(chart);
    exhibit.sections.push_back(std::move(section));
  }
  exhibit.sections.push_back(std::move(distances));
  return exhibit;
}

}  // namespace discreet::report
