// SPDX-License-Identifier: Apache-2.0
#include "server/collect/estimate_json.h"

#include "base/json.h"
#include "local/frequencies.h"
#include "local/numbers.h"
#include "local/stuffing.h"

namespace discreet::server::collect {
namespace {

constexpr double kBeta = 0.05;

Json interval(const local::Bounds& bounds) { return Json::array({bounds.low, bounds.high}); }

Result<Json> shares(const local::Aggregate& aggregate) {
  DISCREET_ASSIGN(const auto estimates, local::estimate_shares(aggregate, kBeta));
  const std::vector<std::string>& labels = aggregate.survey().labels;
  auto list = Json::array();
  for (const local::ShareEstimate& estimate : estimates) {
    Json line;
    line["choice"] =
        estimate.choice < labels.size() ? labels[estimate.choice] : std::to_string(estimate.choice);
    line["share"] = estimate.share;
    line["interval"] = interval(estimate.bounds);
    line["simultaneous_interval"] = interval(estimate.all_bounds);
    list.push_back(std::move(line));
  }
  Json json;
  json["shares"] = std::move(list);
  return json;
}

Result<Json> mean(const local::Aggregate& aggregate) {
  DISCREET_ASSIGN(const local::MeanEstimate estimate, local::estimate_mean(aggregate, kBeta));
  Json json;
  json["mean"] = estimate.mean;
  json["interval"] = interval(estimate.bounds);
  return json;
}

}  // namespace

Result<std::string> estimate_json(const Collector& collector) {
  const local::Aggregate aggregate = collector.aggregate();
  const local::Survey& survey = aggregate.survey();
  if (survey.answers == local::Answers::kStrings) {
    return Error{Code::kUnsupported,
                 "strings are decoded against candidates: fetch /v1/aggregate and give it to "
                 "discreet local estimate"};
  }
  const bool is_mean = survey.parameters.mechanism == local::Mechanism::kLaplace ||
                       survey.parameters.mechanism == local::Mechanism::kPiecewise;
  DISCREET_ASSIGN(Json json, is_mean ? mean(aggregate) : shares(aggregate));
  json["survey"] = survey.name;
  json["reports"] = aggregate.tally().counted;
  json["confidence"] = "0.95";
  auto stuffed = Json::array();
  for (const local::Stuffing& found : local::find_stuffing(aggregate, collector.most())) {
    stuffed.push_back(to_text(found));
  }
  json["trusted"] = stuffed.empty();
  json["stuffed"] = std::move(stuffed);
  return json_text(json) + "\n";
}

}  // namespace discreet::server::collect
