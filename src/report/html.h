// SPDX-License-Identifier: Apache-2.0
// An exhibit: sections of words, tables and charts, shown on a terminal or as one web page that
// needs nothing else (no script, no font, no network).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/html_chart.h"
#include "report/table.h"

namespace discreet::report {

struct Section {
  std::string heading;
  std::vector<std::string> words = {};    ///< paragraphs
  std::vector<std::string> columns = {};  ///< of the table; empty: none
  std::vector<std::vector<Cell>> rows = {};
  std::optional<Chart> chart = {};
  std::vector<std::string> pictures = {};  ///< SVG of this layer's making, for the page only

  /// Requires: there are columns.
  Table table() const;
};

struct Exhibit {
  std::string title;
  bool partial = false;  ///< it was stopped before its end, and says so on top
  std::vector<Section> sections = {};
  std::string footer = {};
};

/// Paragraphs broken at `columns`, tables, and charts drawn with letters.
std::string exhibit_text(const Exhibit& exhibit, int columns = 78);
std::string exhibit_html(const Exhibit& exhibit);
/// The page's one style sheet, as it stands in it: whoever serves pages may allow just this one.
std::string_view exhibit_style();
/// Everything, for programs.
std::string exhibit_json(const Exhibit& exhibit);

}  // namespace discreet::report
