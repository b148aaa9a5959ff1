// SPDX-License-Identifier: Apache-2.0
#include "local/survey_text.h"

#include "base/json.h"

namespace discreet::local {
namespace {

std::string hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string hex(std::uint64_t value) {
  std::uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (56 - 8 * i));
  return hex(Bytes(bytes));
}

Json json_of(const Parameters& p) {
  Json json;
  json["mechanism"] = name_of(p.mechanism);
  json["epsilon"] = nats(p.epsilon);
  json["odds"] = static_cast<double>(p.odds) / static_cast<double>(kUnit);
  json["domain"] = p.domain;
  if (p.width != 0) json["width"] = p.width;
  if (p.depth != 0) json["depth"] = p.depth;
  if (p.mechanism == Mechanism::kBloom) {
    json["quiet"] = static_cast<double>(p.quiet) / 65536;
    json["loud"] = static_cast<double>(p.loud) / 65536;
    json["round"] = p.round;
  }
  return json;
}

std::string dump(const Json& json) { return json.dump({.indent = 2, .replace = true}) + "\n"; }

}  // namespace

std::string to_json(const Survey& survey) {
  Json json;
  json["survey"] = survey.name;
  json["version"] = kSurveyFormat;
  json["fingerprint"] = hex(fingerprint(survey));
  json["parameters"] = json_of(survey.parameters);
  const char* kinds[] = {"choices", "numbers", "strings"};
  json["answers"] = kinds[static_cast<std::size_t>(survey.answers)];
  if (survey.answers == Answers::kNumbers) {
    json["low"] = static_cast<double>(survey.low) * 1e-6;
    json["high"] = static_cast<double>(survey.high) * 1e-6;
  }
  if (!survey.labels.empty()) json["labels"] = survey.labels;
  json["report_bytes"] = record_size(survey);
  return dump(json);
}

std::string to_json(const BatchFacts& facts) {
  Json json;
  json["version"] = kReportFormat;
  json["fingerprint"] = hex(facts.fingerprint);
  json["parameters"] = json_of(facts.parameters);
  json["reports"] = Json::array();
  for (std::size_t i = 0; i < facts.batch.count; ++i) {
    const Bytes record = facts.batch.record(i);
    Json report;
    report["id"] = hex(record.first(kIdBytes));
    const Bytes payload = record.subspan(kIdBytes);
    const bool cohorts = facts.parameters.mechanism == Mechanism::kBloom;
    if (cohorts) report["cohort"] = read_little(payload.first(2));
    if (payload.size() <= 4) {
      report["output"] = read_little(payload);
    } else {
      report["bits"] = hex(payload.subspan(cohorts ? 2 : 0));
    }
    json["reports"].push_back(std::move(report));
  }
  return dump(json);
}

std::string to_json(const Aggregate& aggregate) {
  Json json;
  json["survey"] = aggregate.survey().name;
  const Tally& tally = aggregate.tally();
  json["counted"] = tally.counted;
  json["out_of_range"] = tally.out_of_range;
  json["implausible"] = tally.implausible;
  json["duplicate"] = tally.duplicate;
  return dump(json);
}

}  // namespace discreet::local
