// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "report/markup.h"

namespace discreet::report {
namespace {

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:76em;margin:2em auto;"
    "padding:0 1em}table{border-collapse:collapse;margin:1em 0;display:block;overflow-x:auto}"
    "td,th{border:1px solid #8888;padding:.25em .6em;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".partial{background:#fdd;color:#000;padding:.5em}svg{max-width:100%;height:auto;"
    "background:#fff}";

constexpr const char* kPartial =
    "PARTIAL: stopped before its end; what is missing was not looked at.";

std::string wrapped(const std::string& text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (used > 0 && used + 1 + width(word) > columns) {
      out += "\n";
      used = 0;
    }
    if (used > 0) {
      out += " ";
      ++used;
    }
    out += word;
    used += width(word);
    at = end + 1;
  }
  return out + "\n";
}

std::string html_table(const Section& section) {
  std::string out = "<table><tr>";
  for (const std::string& column : section.columns) out += "<th>" + escaped(column) + "</th>";
  out += "</tr>\n";
  for (const std::vector<Cell>& row : section.rows) {
    out += "<tr>";
    for (const Cell& cell : row) {
      out +=
          std::string(cell.is_number ? "<td class=\"n\">" : "<td>") + escaped(cell.text) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    out += (i == 0 ? "" : ", ") + json_string(texts[i]);
  }
  return out + "]";
}

}  // namespace

Table Section::table() const {
  Table out(columns);
  for (const std::vector<Cell>& row : rows) out.add(row);
  return out;
}

std::string exhibit_text(const Exhibit& exhibit, int columns) {
  std::string out = exhibit.title + "\n" + std::string(width(exhibit.title), '=') + "\n";
  if (exhibit.partial) out += std::string(kPartial) + "\n";
  for (const Section& section : exhibit.sections) {
    out += "\n" + section.heading + "\n" + std::string(width(section.heading), '-') + "\n";
    for (const std::string& words : section.words) {
      out += wrapped(words, static_cast<std::size_t>(columns));
    }
    if (!section.columns.empty()) out += "\n" + section.table().render(Format::kTable);
    if (section.chart) out += "\n" + chart_text(*section.chart, columns - 14, 16);
  }
  if (!exhibit.footer.empty())
    out += "\n" + wrapped(exhibit.footer, static_cast<std::size_t>(columns));
  return out;
}

std::string_view exhibit_style() { return kStyle; }

std::string exhibit_html(const Exhibit& exhibit) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>" +
      escaped(exhibit.title) + "</title>\n<style>" + std::string(kStyle) +
      "</style></head><body>\n"
      "<h1>" +
      escaped(exhibit.title) + "</h1>\n";
  if (exhibit.partial) out += std::string("<p class=\"partial\">") + kPartial + "</p>\n";
  for (const Section& section : exhibit.sections) {
    out += "<h2>" + escaped(section.heading) + "</h2>\n";
    for (const std::string& words : section.words) out += "<p>" + escaped(words) + "</p>\n";
    if (!section.columns.empty()) out += html_table(section);
    if (section.chart) out += chart_svg(*section.chart);
    for (const std::string& picture : section.pictures) out += picture;
  }
  if (!exhibit.footer.empty()) out += "<p><small>" + escaped(exhibit.footer) + "</small></p>\n";
  return out + "</body></html>\n";
}

std::string exhibit_json(const Exhibit& exhibit) {
  std::string out = "{\"title\": " + json_string(exhibit.title) +
                    ", \"partial\": " + (exhibit.partial ? "true" : "false") + ", \"sections\": [";
  for (std::size_t i = 0; i < exhibit.sections.size(); ++i) {
    const Section& section = exhibit.sections[i];
    out += std::string(i == 0 ? "" : ",") + "\n{\"heading\": " + json_string(section.heading) +
           ", \"words\": " + json_list(section.words);
    if (!section.columns.empty()) out += ", \"rows\": " + section.table().render(Format::kJson);
    out += "}";
  }
  return out + "], \"footer\": " + json_string(exhibit.footer) + "}\n";
}

}  // namespace discreet::report
