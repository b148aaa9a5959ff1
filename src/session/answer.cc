// SPDX-License-Identifier: Apache-2.0
#include "session/answer.h"

#include <nlohmann/json.hpp>

#include "policy/value.h"

namespace discreet::session {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::optional<std::string>& text) {
  return text.has_value() ? Json(*text) : Json(nullptr);
}

std::optional<std::string> read_text(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<std::string>();
}

Json to_json_cell(const AnswerCell& cell, const AnswerColumn& column) {
  if (!column.has_interval) return text_or_null(cell.value);
  return Json::array({text_or_null(cell.value), text_or_null(cell.low), text_or_null(cell.high)});
}

AnswerCell read_cell(const Json& json, const AnswerColumn& column, bool is_number) {
  AnswerCell cell;
  cell.is_number = is_number;
  if (!column.has_interval) {
    cell.value = read_text(json);
    return cell;
  }
  cell.value = read_text(json.at(0));
  cell.low = read_text(json.at(1));
  cell.high = read_text(json.at(2));
  return cell;
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

Result<AnswerSheet> read(const Json& json) {
  AnswerSheet sheet;
  for (const Texts& field : kTexts) sheet.*field.text = json.at(field.name).get<std::string>();
  sheet.noise = json.at("noise").get<std::vector<std::string>>();
  sheet.notes = json.at("notes").get<std::vector<std::string>>();
  sheet.drawing = read_drawing(json.at("drawing").get<std::string>());
  std::vector<bool> numbers;
  for (const Json& column : json.at("columns")) {
    const auto type = policy::parse_type(column.at("type").get<std::string>());
    if (!type) return type.error();
    sheet.columns.push_back({column.at("name").get<std::string>(), column.at("key").get<bool>(),
                             column.at("interval").get<bool>(), *type});
    numbers.push_back(column.at("number").get<bool>());
  }
  for (const Json& row : json.at("rows")) {
    std::vector<AnswerCell> cells;
    for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
      cells.push_back(read_cell(row.at(c), sheet.columns[c], numbers[c]));
    }
    sheet.rows.push_back(std::move(cells));
  }
  sheet.small = json.at("small").get<std::vector<bool>>();
  sheet.clipped = json.at("clipped").get<std::vector<std::string>>();
  sheet.released = json.at("released").get<std::vector<std::vector<std::string>>>();
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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<AnswerSheet> parse_answer(const std::string& json) {
  // The library reports by exceptions; they end here.
  try {
    return read(Json::parse(json));
  } catch (const nlohmann::json::exception&) {
    return Error{Code::kCorrupt, "the stored answer is not a document that this version can read"};
  }
}

}  // namespace discreet::session
