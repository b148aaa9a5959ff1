// SPDX-License-Identifier: Apache-2.0
#include "learn/model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/json.h"
#include "learn/distribution.h"
#include "policy/value.h"

namespace discreet::learn {
namespace {

constexpr std::string_view kFormat = "discreet model 1";
static_assert(kFormat.back() == '0' + kModelFormat);

Json to_json(const Column& column) {
  if (column.categorical()) return {{"name", column.name}, {"values", column.categories}};
  Json out = {
      {"name", column.name}, {"low", column.low}, {"high", column.high}, {"step", column.step}};
  if (column.is_date) out["type"] = "date";  // in days since 1970-01-01
  return out;
}

bool read(const Json& json, Column& column) {
  if (!json["name"].read(column.name)) return false;
  if (const Json* const values = json.find("values")) return values->read(column.categories);
  column.is_date = json.contains("type");
  if (column.is_date && json["type"] != "date") return false;
  return json["low"].read(column.low) && json["high"].read(column.high) &&
         json["step"].read(column.step);
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = i;
  return out;
}

Json body_of(const Classifier& m) {
  return {{"kind", "classifier"},
          {"classes", m.classes},
          {"features", m.features.names()},
          {"weights", m.weights},
          {"intercepts", m.intercepts}};
}

Json body_of(const NaiveBayes& m) {
  return {{"kind", "naive-bayes"},
          {"classes", m.classes},
          {"bins", m.bins},
          {"log_priors", m.log_priors},
          {"tables", m.tables}};
}

Json body_of(const Regression& m) {
  // Coefficients per unit of the column, as people read them; the encoded ones are what predicts.
  Json coefficients = Json::array();
  for (std::size_t i = 0; i < m.coefficients.size(); ++i) {
    const double scale = m.features.scale(i);
    coefficients.push_back({{"feature", m.features.names()[i]},
                            {"per_unit", m.coefficients[i] / scale},
                            {"per_unit_low", (m.coefficients[i] - m.half_widths[i]) / scale},
                            {"per_unit_high", (m.coefficients[i] + m.half_widths[i]) / scale}});
  }
  return {{"kind", "regression"},
          {"intercept", m.intercept},
          {"encoded", m.coefficients},
          {"half_widths", m.half_widths},
          {"coefficients", coefficients},
          {"confidence", 0.95},
          {"residual_deviation", m.residual_deviation},
          {"low", m.low},
          {"high", m.high}};
}

Json body_of(const Network& m) {
  return {{"kind", "network"},  {"classes", m.classes}, {"hidden", m.hidden},
          {"centre", m.centre}, {"steps", m.steps},     {"weights", m.weights}};
}

Json body_of(const ClusterModel& m) {
  return {{"kind", "clusters"},
          {"features", m.features},
          {"centres", m.clusters.centres},
          {"sizes", m.clusters.sizes}};
}

Error damaged() { return invalid_input("this is no model of discreet learn, or a damaged one"); }

Error misfit() { return invalid_input("the model's numbers do not fit its columns"); }

// What reads the numbers of a JSON model, checked for size so that nothing is read past an end.

Result<Classifier> read_classifier(const Json& body, const Features& features) {
  Classifier m{.features = features, .classes = {}, .weights = {}, .intercepts = {}};
  if (!body["classes"].read(m.classes) || !body["weights"].read(m.weights) ||
      !body["intercepts"].read(m.intercepts)) {
    return damaged();
  }
  const std::size_t k = m.classes.size();
  const std::size_t scores = k == 2 ? 1 : k;
  if (k < 2 || m.weights.size() != scores || m.intercepts.size() != scores) return misfit();
  for (const auto& w : m.weights) {
    if (w.size() != features.width()) return misfit();
  }
  return m;
}

Result<NaiveBayes> read_naive_bayes(const Json& body, const std::vector<Column>& columns) {
  NaiveBayes m;
  if (!body["classes"].read(m.classes) || !body["bins"].read(m.bins) ||
      !body["log_priors"].read(m.log_priors) || !body["tables"].read(m.tables)) {
    return damaged();
  }
  const std::size_t k = m.classes.size();
  if (k < 2 || m.bins < 2 || m.bins > kBinsMax || m.log_priors.size() != k ||
      m.tables.size() != columns.size()) {
    return misfit();
  }
  for (std::size_t i = 0; i < m.tables.size(); ++i) {
    if (m.tables[i].size() != bin_count(columns[i], m.bins) * k) return misfit();
  }
  return m;
}

Result<Regression> read_regression(const Json& body, const Features& features) {
  Regression m;
  m.features = features;
  if (!body["intercept"].read(m.intercept) || !body["encoded"].read(m.coefficients) ||
      !body["half_widths"].read(m.half_widths) || !body["low"].read(m.low) ||
      !body["high"].read(m.high)) {
    return damaged();
  }
  if (m.coefficients.size() != features.width()) return misfit();
  return m;
}

Result<Network> read_network(const Json& body, const Features& features) {
  Network m;
  m.features = features;
  const Json* const steps = body.find("steps");
  if (!body["classes"].read(m.classes) || !body["hidden"].read(m.hidden) ||
      !body["centre"].read(m.centre) || !body["weights"].read(m.weights) ||
      (steps != nullptr && !steps->read(m.steps))) {
    return damaged();
  }
  const std::size_t d = features.width();
  const std::size_t k = m.classes.size();
  if (k < 2 || m.hidden > m.weights.size() || m.centre.size() != d ||
      m.weights.size() != m.hidden * (d + 1 + k) + k * (d + 1)) {
    return misfit();
  }
  return m;
}

Result<ClusterModel> read_clusters(const Json& body, std::size_t columns) {
  ClusterModel m;
  if (!body["features"].read(m.features) || !body["centres"].read(m.clusters.centres) ||
      !body["sizes"].read(m.clusters.sizes)) {
    return damaged();
  }
  if (m.clusters.centres.empty()) return misfit();
  for (const auto& centre : m.clusters.centres) {
    if (centre.size() != columns) return misfit();
  }
  return m;
}

bool read_accuracy(const Json& json, Model& model) {
  if (json.is_null()) return true;
  for (const Json& one : json.items()) {
    auto& [group, estimate] = model.accuracy.emplace_back();
    if (!one["group"].read(group) || !one["count"].read(estimate.count) ||
        !one["accuracy"].read(estimate.accuracy) || !one["half_width"].read(estimate.half_width)) {
      return false;
    }
  }
  return json.is_array();
}

Result<Model> read(const Json& json) {
  Model model;
  if (!json["columns"].is_array()) return damaged();
  for (const Json& column : json["columns"].items()) {
    if (!read(column, model.columns.emplace_back())) return damaged();
  }
  for (const Column& column : model.columns) DISCREET_TRY(check_column(column));
  const Json* const target = json.find("target");
  const Json& body = json["model"];
  std::string kind;
  if ((target != nullptr && !target->read(model.target)) ||
      !read_accuracy(json["accuracy_on_training_rows"], model) || !body["kind"].read(kind)) {
    return damaged();
  }
  const Features features(model.columns, all_of(model.columns.size()));
  if (kind == "classifier") {
    DISCREET_ASSIGN(model.what, read_classifier(body, features));
  } else if (kind == "naive-bayes") {
    DISCREET_ASSIGN(model.what, read_naive_bayes(body, model.columns));
  } else if (kind == "regression") {
    DISCREET_ASSIGN(model.what, read_regression(body, features));
  } else if (kind == "network") {
    DISCREET_ASSIGN(model.what, read_network(body, features));
  } else if (kind == "clusters") {
    DISCREET_ASSIGN(model.what, read_clusters(body, model.columns.size()));
  } else {
    return invalid_input("unknown kind of model " + in_quotes(kind));
  }
  return model;
}

std::optional<double> number(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) {
    return std::nullopt;
  }
  return x;
}

std::string print(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", x);
  return text.data();
}

/// A cell of a file as a cell of the model's column.
std::int64_t cell_of(const Column& column, const std::string& text) {
  if (column.categorical()) {
    if (text.empty()) return kMissing;
    const auto found = std::find(column.categories.begin(), column.categories.end(), text);
    return found - column.categories.begin();  // unseen: the place after the last
  }
  if (column.is_date) {
    const auto day = policy::parse_value(policy::Type::kDate, text);
    return day ? column.cell(day->number().to_double(Round::kDown)) : kMissing;
  }
  const std::optional<double> x = number(text);
  return x ? column.cell(*x) : kMissing;
}

void add_classes(Csv& table, const std::string& target, const std::vector<std::string>& classes) {
  table.header.push_back(target.empty() ? "prediction" : target + "_predicted");
  for (const std::string& name : classes) table.header.push_back("probability_" + name);
}

void put_classes(std::vector<std::string>& row, const std::vector<std::string>& classes,
                 const std::vector<double>& p) {
  row.push_back(
      classes[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())]);
  for (const double x : p) row.push_back(print(x));
}

}  // namespace

Json to_json(const Certificate& c) {
  return {{"statement",
           "all rounds together are (epsilon, delta)-differentially private for one unit with all "
           "its rows; everything computed from what was learned is free"},
          {"epsilon", c.epsilon},
          {"delta", c.delta},
          {"units", c.units},
          {"neighbours", c.neighbours},
          {"snapshot", c.snapshot},
          {"mechanism", c.noise},
          {"receipt", c.receipt}};
}

std::string to_json(const Model& model, const Certificate& c) {
  Json j;
  j["format"] = kFormat;
  j["columns"] = Json::array();
  for (const Column& column : model.columns) j["columns"].push_back(to_json(column));
  if (!model.target.empty()) j["target"] = model.target;
  j["model"] = std::visit([](const auto& m) { return body_of(m); }, model.what);
  if (!model.accuracy.empty()) {
    Json list = Json::array();
    for (const auto& [group, estimate] : model.accuracy) {
      list.push_back({{"group", group},
                      {"count", estimate.count},
                      {"accuracy", estimate.accuracy},
                      {"half_width", estimate.half_width}});
    }
    j["accuracy_on_training_rows"] = std::move(list);
  }
  j["certificate"] = to_json(c);
  j.sort_keys();
  return j.dump({.indent = 1}) + "\n";
}

Result<Model> model_of_json(const std::string& text) {
  const std::optional<Json> json = Json::parse(text);
  if (!json || !json->is_object()) return damaged();
  if ((*json)["format"] != kFormat) return invalid_input("this is no model of discreet learn");
  return read(*json);
}

Result<Csv> predict(const Model& model, Csv table, std::vector<Unread>* unread) {
  std::vector<std::size_t> places;
  for (const Column& column : model.columns) {
    const auto found = std::find(table.header.begin(), table.header.end(), column.name);
    if (found == table.header.end()) {
      return invalid_input("the table has no column " + in_quotes(column.name));
    }
    places.push_back(static_cast<std::size_t>(found - table.header.begin()));
  }
  const std::size_t before = table.header.size();
  const auto* const classifier = std::get_if<Classifier>(&model.what);
  const auto* const network = std::get_if<Network>(&model.what);
  const auto* const regression = std::get_if<Regression>(&model.what);
  const auto* const clusters = std::get_if<ClusterModel>(&model.what);
  const auto* const bayes = std::get_if<NaiveBayes>(&model.what);
  if (bayes != nullptr) add_classes(table, model.target, bayes->classes);
  if (classifier != nullptr) add_classes(table, model.target, classifier->classes);
  if (network != nullptr) add_classes(table, model.target, network->classes);
  if (regression != nullptr) table.header.push_back(model.target + "_predicted");
  if (clusters != nullptr) table.header.push_back("cluster");
  const Features features(model.columns, all_of(model.columns.size()));
  std::vector<double> x(features.width());
  std::vector<std::int64_t> cells(model.columns.size());
  std::vector<Unread> counts;
  for (const Column& column : model.columns) counts.push_back({.column = column.name});
  for (std::vector<std::string>& row : table.rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = model.columns[i];
      const std::string& text = row[places[i]];
      cells[i] = cell_of(column, text);
      if (column.categorical() && cells[i] == column.cells()) ++counts[i].unlisted;
      if (cells[i] == kMissing && !text.empty()) ++counts[i].unreadable;
    }
    if (!features.encode(cells, x)) {
      row.resize(table.header.size());
      continue;
    }
    if (bayes != nullptr) {
      put_classes(row, bayes->classes, bayes->probabilities(model.columns, cells));
    }
    if (classifier != nullptr) put_classes(row, classifier->classes, classifier->probabilities(x));
    if (network != nullptr) put_classes(row, network->classes, network->probabilities(x));
    if (regression != nullptr) row.push_back(print(regression->predict(x)));
    if (clusters != nullptr) {
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < clusters->clusters.centres.size(); ++c) {
        double distance = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
          const Column& column = model.columns[i];
          const double way = (column.value(cells[i]) - clusters->clusters.centres[c][i]) /
                             (column.high - column.low);
          distance += way * way;
        }
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      row.push_back(std::to_string(best));
    }
    row.resize(std::max(row.size(), before));
  }
  std::erase_if(counts, [](const Unread& one) { return one.unlisted + one.unreadable == 0; });
  if (unread != nullptr) *unread = std::move(counts);
  return table;
}

}  // namespace discreet::learn
