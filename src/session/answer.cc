// SPDX-License-Identifier: Apache-2.0
#include "session/answer.h"

#include "base/json.h"
#include "policy/value.h"

namespace discreet::session {
namespace {

Json text_or_null(const std::optional<std::string>& text) {
  return text.has_value() ? Json(*text) : Json(nullptr);
}

bool read_text(const Json* json, std::optional<std::string>& out) {
  if (json == nullptr) return false;
  return json->is_null() || json->read(out.emplace());
}

Json to_json_cell(const AnswerCell& cell, const AnswerColumn& column) {
  if (!column.has_interval) return text_or_null(cell.value);
  return Json::array({text_or_null(cell.value), text_or_null(cell.low), text_or_null(cell.high)});
}

const Json* item(const Json& json, std::size_t index) {
  return index < json.items().size() ? &json.items()[index] : nullptr;
}

bool read_cell(const Json* json, const AnswerColumn& column, AnswerCell& cell) {
  if (json == nullptr || !column.has_interval) return read_text(json, cell.value);
  return read_text(item(*json, 0), cell.value) && read_text(item(*json, 1), cell.low) &&
         read_text(item(*json, 2), cell.high);
}

std::string to_text(Drawing drawing) {
  switch (drawing) {
    case Drawing::kNone:
      return "none";
    case Drawing::kHistogram:
      return "histogram";
    case Drawing::kBoxPlot:
      return "boxplot";
  }
  return "none";
}

Drawing read_drawing(const std::string& text) {
  if (text == "histogram") return Drawing::kHistogram;
  return text == "boxplot" ? Drawing::kBoxPlot : Drawing::kNone;
}

// The texts of a sheet under their JSON names, for writing and for reading.
struct Texts {
  const char* name;
  std::string AnswerSheet::* text;
};
constexpr Texts kTexts[] = {
    {"units", &AnswerSheet::units},       {"neighbours", &AnswerSheet::neighbours},
    {"snapshot", &AnswerSheet::snapshot}, {"confidence", &AnswerSheet::confidence},
    {"epsilon", &AnswerSheet::epsilon},   {"delta", &AnswerSheet::delta},
    {"notion", &AnswerSheet::notion},
};

Error unreadable() {
  return {Code::kCorrupt, "the stored answer is not a document that this version can read"};
}

bool read_texts(const Json& json, AnswerSheet& sheet) {
  for (const Texts& field : kTexts) {
    if (!json[field.name].read(sheet.*field.text)) return false;
  }
  std::string drawing;
  if (!json["drawing"].read(drawing)) return false;
  sheet.drawing = read_drawing(drawing);
  return json["noise"].read(sheet.noise) && json["notes"].read(sheet.notes) &&
         json["small"].read(sheet.small) && json["clipped"].read(sheet.clipped) &&
         json["released"].read(sheet.released);
}

Result<AnswerSheet> read(const Json& json) {
  AnswerSheet sheet;
  if (!read_texts(json, sheet)) return unreadable();
  if (!json["columns"].is_array() || !json["rows"].is_array()) return unreadable();
  std::vector<bool> numbers;
  for (const Json& each : json["columns"].items()) {
    AnswerColumn column;
    bool number = false;
    std::string type;
    if (!each["name"].read(column.name) || !each["key"].read(column.is_key) ||
        !each["interval"].read(column.has_interval) || !each["number"].read(number) ||
        !each["type"].read(type)) {
      return unreadable();
    }
    DISCREET_ASSIGN(column.type, policy::parse_type(type));
    sheet.columns.push_back(std::move(column));
    numbers.push_back(number);
  }
  for (const Json& row : json["rows"].items()) {
    std::vector<AnswerCell> cells(sheet.columns.size());
    for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
      cells[c].is_number = numbers[c];
      if (!read_cell(item(row, c), sheet.columns[c], cells[c])) return unreadable();
    }
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

}  // namespace

std::string to_json(const AnswerSheet& sheet) {
  Json json;
  for (const Texts& field : kTexts) json[field.name] = sheet.*field.text;
  json["noise"] = sheet.noise;
  json["notes"] = sheet.notes;
  json["drawing"] = to_text(sheet.drawing);
  json["columns"] = Json::array();
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    const bool number = !sheet.rows.empty() && sheet.rows.front()[c].is_number;
    json["columns"].push_back({{"name", sheet.columns[c].name},
                               {"key", sheet.columns[c].is_key},
                               {"interval", sheet.columns[c].has_interval},
                               {"type", policy::to_string(sheet.columns[c].type)},
                               {"number", number}});
  }
  json["rows"] = Json::array();
  for (const auto& row : sheet.rows) {
    Json cells = Json::array();
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(to_json_cell(row[c], sheet.columns[c]));
    }
    json["rows"].push_back(std::move(cells));
  }
  json["small"] = sheet.small;
  json["clipped"] = sheet.clipped;
  json["released"] = sheet.released;
  return json_text(json);
}

Result<AnswerSheet> parse_answer(const std::string& json) {
  const std::optional<Json> parsed = Json::parse(json);
  return parsed ? read(*parsed) : unreadable();
}

}  // namespace discreet::session
