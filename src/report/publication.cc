// SPDX-License-Identifier: Apache-2.0
#include "report/publication.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "accounting/zcdp.h"
#include "report/intervals.h"
#include "report/plot.h"
#include "report/tiles.h"

namespace discreet::report {
namespace {

using publish::Design;
using publish::Workload;

std::string brief(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

/// A whole number, not below 0, with commas.
std::string figures(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.0f", value);
  const std::string digits = text.data();
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string price_text(const Rational& rho) {
  const double epsilon =
      accounting::zcdp_epsilon({.rho = rho, .delta = 0}, Rational::parse("1e-6").value());
  return "rho " + brief(rho.to_double(Round::kUp)) + ", which is epsilon " + brief(epsilon) +
         " at delta 1e-6";
}

std::vector<Cell> design_row(const std::string& name, const std::string& what, std::size_t cells,
                             double least, double most, double width) {
  const auto both = [](double a, double b) {
    return brief(a) == brief(b) ? brief(a) : brief(a) + " to " + brief(b);
  };
  return {Cell::words(name), Cell::words(what), Cell::number(std::to_string(cells)),
          Cell::words(both(least, most)), Cell::words(both(width * least, width * most))};
}

Table design_table(const Workload& workload, const Design& design) {
  const double width = publish::normal_width(workload.confidence);
  Table table({"name", "what", "cells", "deviation", "half width"});
  for (std::size_t i = 0; i < workload.tables.size(); ++i) {
    const publish::AskedTable& asked = workload.tables[i];
    const auto& deviations = design.tables[i].deviations;
    const auto [least, most] = std::minmax_element(deviations.begin(), deviations.end());
    const std::string& measure = workload.measures[asked.measure].name;
    table.add(design_row(asked.name, asked.measure == 0 ? "counts" : "sums of " + measure,
                         deviations.size(), *least, *most, width));
  }
  for (std::size_t i = 0; i < workload.ranges.size(); ++i) {
    const auto& deviations = design.ranges[i].deviations;
    const auto [least, most] = std::minmax_element(deviations.begin(), deviations.end());
    table.add(design_row(
        workload.ranges[i].name,
        std::string(workload.ranges[i].kind == publish::RangeKind::kPrefix ? "running sums"
                                                                           : "ranges") +
            (design.ranges[i].mixed ? ", mixed" : ", place by place"),
        deviations.size(), *least, *most, width));
  }
  for (std::size_t i = 0; i < workload.hierarchies.size(); ++i) {
    for (std::size_t l = 0; l < design.hierarchies[i].deviations.size(); ++l) {
      const auto& deviations = design.hierarchies[i].deviations[l];
      const auto [least, most] = std::minmax_element(deviations.begin(), deviations.end());
      table.add(design_row(workload.hierarchies[i].name, "level " + std::to_string(l),
                           deviations.size(), *least, *most, width));
    }
  }
  return table;
}

std::string label_of(const publish::Sheet& sheet, std::size_t i) {
  std::string out;
  for (const std::string& key : sheet.keys[i]) out += (out.empty() ? "" : ", ") + key;
  return out.empty() ? sheet.name : out;
}

/// A cell whose half width is more than half of it: one cannot tell it from half or twice as much.
bool is_hidden(const publish::Sheet& sheet, std::size_t i, double width) {
  return width * sheet.deviations[i] > sheet.values[i] / 2;
}

/// Bars with the interval of their length.
std::string bars_of(const publish::Sheet& sheet, double width) {
  std::vector<IntervalRow> rows;
  for (std::size_t i = 0; i < sheet.values.size(); ++i) {
    const double off = width * sheet.deviations[i];
    rows.push_back({.label = label_of(sheet, i),
                    .value = sheet.values[i],
                    .low = sheet.values[i] - off,
                    .high = sheet.values[i] + off,
                    .hidden = is_hidden(sheet, i, width)});
  }
  return intervals_svg(sheet.measure + ", with intervals", rows);
}

/// Running sums of one line: the band in which they lie.
std::string band_of(const publish::Sheet& sheet, double width) {
  Plot plot{.title = sheet.name,
            .x_label = sheet.columns.back() + " (place)",
            .y_label = sheet.measure,
            .y_scale = YScale::kLinear};
  for (std::size_t i = 0; i < sheet.values.size(); ++i) {
    const double off = width * sheet.deviations[i];
    plot.points.push_back({static_cast<double>(i), sheet.values[i] - off, sheet.values[i] + off});
  }
  return plot_svg(plot);
}

/// The places of a key column, in order.
std::vector<std::string> places_of(const publish::Sheet& sheet, std::size_t column) {
  std::vector<std::string> out;
  for (const auto& key : sheet.keys) {
    if (std::find(out.begin(), out.end(), key[column]) == out.end()) out.push_back(key[column]);
    if (out.size() > 2'000) break;
  }
  return out;
}

std::string tiles_of(const publish::Sheet& sheet, double width) {
  Tiles tiles{.title = sheet.measure + ", by shade"};
  // Of a hierarchy the second level: states rather than tracts.
  for (std::size_t i = 0; i < sheet.values.size() && tiles.tiles.size() < 2'000; ++i) {
    if (sheet.kind == "hierarchy" && sheet.keys[i][0] != "1") continue;
    tiles.tiles.push_back(
        {.label = sheet.kind == "hierarchy" ? sheet.keys[i][1] : label_of(sheet, i),
         .value = sheet.values[i],
         .hidden = is_hidden(sheet, i, width)});
  }
  if (sheet.kind == "table" && sheet.columns.size() == 2 &&
      tiles.tiles.size() == sheet.values.size()) {
    tiles.row_names = places_of(sheet, 0);
    tiles.column_names = places_of(sheet, 1);
    tiles.columns = tiles.column_names.size();
    tiles.title += ": " + sheet.columns[0] + " down, " + sheet.columns[1] + " across";
  }
  return tiles.tiles.empty() ? "" : tiles_svg(tiles);
}

/// Cells of counts by their size: how large their error is, and what whole numbers did to them.
Section hidden(const std::vector<publish::Sheet>& sheets, double width) {
  Section out{
      .heading = "Who is hidden by the noise",
      .words = {"The noise is the same for a large cell and a small one, so small groups are "
                "known worst. Sizes are the released ones. A cell is hidden when its half width "
                "is more than half of it. The last column is the mean of whole number less "
                "unbiased value: clipping at 0 pushes small cells up."},
      .columns = {"cells of size", "cells", "median relative error", "hidden",
                  "mean change by "
                  "whole numbers"}};
  ChartCurve curve{.name = "median half width / size", .points = {}};
  const double ends[] = {-HUGE_VAL, 1, 10, 100, 1'000, 10'000, 100'000, HUGE_VAL};
  for (std::size_t k = 0; k + 1 < std::size(ends); ++k) {
    std::vector<double> relative;
    std::vector<double> sizes;
    double count = 0;
    double unseen = 0;
    double change = 0;
    double changed = 0;
    for (const publish::Sheet& sheet : sheets) {
      if (sheet.measure != "rows") continue;
      for (std::size_t i = 0; i < sheet.values.size(); ++i) {
        if (sheet.values[i] < ends[k] || sheet.values[i] >= ends[k + 1]) continue;
        ++count;
        const double off = width * sheet.deviations[i];
        unseen += is_hidden(sheet, i, width) ? 1 : 0;
        if (sheet.values[i] >= 1) {
          relative.push_back(off / sheet.values[i]);
          sizes.push_back(sheet.values[i]);
        }
        if (sheet.whole.empty()) continue;
        change += sheet.whole[i] - sheet.values[i];
        ++changed;
      }
    }
    if (count == 0) continue;
    std::string median = "-";
    if (!relative.empty()) {
      std::nth_element(relative.begin(),
                       relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2),
                       relative.end());
      const double middle = relative[relative.size() / 2];
      median = brief(100 * middle) + " %";
      if (k > 0 && middle > 0) {
        std::nth_element(sizes.begin(),
                         sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                         sizes.end());
        curve.points.emplace_back(sizes[sizes.size() / 2], middle);
      }
    }
    const std::string name = k == 0 ? "below 1"
                             : std::isinf(ends[k + 1])
                                 ? figures(ends[k]) + " and more"
                                 : figures(ends[k]) + " to " + figures(ends[k + 1]);
    out.rows.push_back({Cell::words(name), Cell::number(brief(count)), Cell::words(median),
                        Cell::words(brief(100 * unseen / count) + " %"),
                        Cell::words(changed > 0 ? brief(change / changed) : "-")});
  }
  if (curve.points.size() > 1) {
    const ChartCurve half{
        .name = "above it a cell is hidden",
        .points = {{curve.points.front().first, 0.5}, {curve.points.back().first, 0.5}}};
    out.chart = Chart{.title = "relative error by size of cell",
                      .x_label = "size",
                      .y_label = "half width / size",
                      .x_log = true,
                      .y_log = true,
                      .curves = {std::move(curve), half}};
  }
  return out;
}

}  // namespace

std::string design_text(const Workload& workload, const publish::Foreseen& foreseen) {
  const Design& design = foreseen.design;
  std::string out = design_table(workload, design).render(Format::kTable);
  out += "price      " + price_text(design.rho) + "; " + foreseen.left + " is left" +
         (foreseen.repeat && foreseen.fits ? " (paid for before: free)\n" : "\n");
  out += "measured   " + std::to_string(design.tabulation.parts.size()) +
         " parts together; a row counts if it has a declared value in every column above\n";
  if (design.independent > 0 && workload.tables.size() > 1) {
    out += "total      variance of all counts " + brief(design.total) +
           "; with a noise of its own for each table " + brief(design.independent) + "\n";
  }
  for (const std::string& open : publish::unprotected(workload)) {
    out += "NOT PROTECTED (published as it is): " + open + "\n";
  }
  return out;
}

Exhibit publication_page(const Workload& workload, const publish::Publication& publication,
                         const std::vector<publish::Sheet>& sheets) {
  const publish::ReleaseFacts& facts = publication.facts;
  const double width = publish::normal_width(workload.confidence);
  Exhibit page{.title = workload.about.name.empty() ? "Publication from " + facts.table
                                                    : workload.about.name};
  Section price{.heading = "Price and protection", .words = {}};
  price.words.push_back(price_text(publication.design.rho) + ", for one of the units " +
                        facts.units + " with all its rows (" + facts.neighbours + "), at most " +
                        std::to_string(facts.rows_per_unit) + " rows of each. Snapshot " +
                        facts.snapshot + ", charge " + facts.receipt + ".");
  if (facts.row_is_unit) {
    price.words.push_back(
        "The policy says that each row is a unit of its own: single events are "
        "protected, not people with several.");
  }
  for (const std::string& open : publish::unprotected(workload)) {
    price.words.push_back("NOT PROTECTED, published as it is: " + open + ".");
  }
  page.sections.push_back(std::move(price));
  page.sections.push_back(hidden(sheets, width));
  for (const publish::Sheet& sheet : sheets) {
    if (page.sections.size() > 40) break;  // a page, not a book: the files have all of it
    Section section{.heading = sheet.name,
                    .words = {sheet.kind + " of " + sheet.measure + ", " +
                              std::to_string(sheet.values.size()) + " cells"}};
    if (sheet.at_limit) section.words.push_back(std::string(publish::kAtLimit) + ".");
    const bool line = sheet.kind == "running sums" && sheet.columns.size() == 1;
    if (line && sheet.values.size() > 12) {
      section.pictures.push_back(band_of(sheet, width));
    } else if (sheet.values.size() <= 60) {
      section.pictures.push_back(bars_of(sheet, width));
    }
    const bool grid = sheet.kind == "table" || sheet.kind == "hierarchy";
    if (grid && sheet.values.size() > 3) section.pictures.push_back(tiles_of(sheet, width));
    page.sections.push_back(std::move(section));
  }
  page.footer = "Made from released numbers only; nothing on this page was compared with the data.";
  return page;
}

}  // namespace discreet::report
