// SPDX-License-Identifier: Apache-2.0
#include "publish/daily_state.h"

#include <algorithm>

#include "base/json.h"
#include "base/version.h"
#include "policy/policy.h"

namespace discreet::publish {
namespace {

using plan::QuestionField;

bool read_number(const Json& in, DailyState& out) {
  std::int64_t format = 1;
  const bool is_sound = in["format"].is_null() || in["format"].read(format);
  out.format = static_cast<int>(std::clamp<std::int64_t>(format, 0, 1'000'000));
  return is_sound && out.format >= 1;
}

bool read_common(const Json& in, DailyState& out) {
  return in["name"].read(out.name) && in["receipt"].read(out.receipt) &&
         in["noise"].read(out.noise) && in["unit"].read(out.unit) && out.unit >= 1 &&
         in["event_level"].read(out.event_level);
}

bool read_first_format(const Json& in, DailyState& out) {
  std::vector<std::int64_t> numbers;
  if (!in["released"].read(numbers)) return false;
  for (const std::int64_t number : numbers) out.released.push_back({.day = "", .number = number});
  return true;
}

bool read_question(const Json& in, DailyState& out) {
  if (!in["question"].is_object() || !in["days"].is_array()) return false;
  for (const auto& [name, value] : in["question"].members()) {
    QuestionField field{.name = name, .value = ""};
    if (!value.read(field.value)) return false;
    out.question.push_back(std::move(field));
  }
  for (const Json& one : in["days"].items()) {
    DailyState::Day day;
    if (one.size() != 2 || !one[0].read(day.day) || !one[1].read(day.number)) return false;
    out.released.push_back(std::move(day));
  }
  return in["plan"].read(out.plan) && in["counted"].read(out.counted);
}

/// Empty where there is none.
std::string value_of(const std::vector<QuestionField>& fields, const std::string& name) {
  const auto found =
      std::ranges::find_if(fields, [&](const QuestionField& one) { return one.name == name; });
  return found == fields.end() ? "" : found->value;
}

std::string said(const std::string& value) { return value.empty() ? "nothing" : in_quotes(value); }

}  // namespace

Error unusable(const std::string& what) {
  return Error{Code::kCorrupt, what + "; nothing was released"};
}

std::string day_text(std::int64_t days_since_1970) {
  return policy::to_string(policy::Value{Rational(days_since_1970), policy::Type::kDate});
}

std::string to_text(const DailyState& state) {
  Json question = Json::object();
  for (const QuestionField& field : state.question) question[field.name] = field.value;
  Json days = Json::array();
  for (const DailyState::Day& one : state.released) {
    days.push_back(Json::array({one.day, one.number}));
  }
  Json json = {{"format", state.format},   {"name", state.name},
               {"receipt", state.receipt}, {"noise", state.noise},
               {"unit", state.unit},       {"event_level", state.event_level},
               {"plan", state.plan},       {"question", std::move(question)},
               {"days", std::move(days)},  {"counted", state.counted}};
  json.sort_keys();
  return json.dump();
}

Result<DailyState> read_state(const std::string& text) {
  const Json in = Json::parse(text).value_or(nullptr);
  const Error damaged = unusable("the file of released days is damaged");
  DailyState out;
  if (!in.is_object() || !read_number(in, out)) return damaged;
  if (out.format > kDailyFormat) {
    return Error{Code::kUnsupported, "the state of the daily question has format " +
                                         std::to_string(out.format) + ", but discreet " + kVersion +
                                         " knows formats up to " + std::to_string(kDailyFormat) +
                                         "; use a newer program"};
  }
  const bool rest = out.format == 1 ? read_first_format(in, out) : read_question(in, out);
  if (!rest || !read_common(in, out)) return damaged;
  return out;
}

Result<void> check_same_question(const DailyState& state, const plan::CheckedDaily& checked) {
  const std::vector<QuestionField> now = checked.question();
  std::vector<std::string> names;
  for (const QuestionField& field : now) names.push_back(field.name);
  for (const QuestionField& field : state.question) {
    if (std::ranges::find(names, field.name) == names.end()) names.push_back(field.name);
  }
  std::string changes;
  for (const std::string& name : names) {
    const std::string was = value_of(state.question, name);
    const std::string is = value_of(now, name);
    if (was == is) continue;
    changes += (changes.empty() ? "" : "; ") + name + " was " + said(was) + " and is " + said(is);
  }
  const bool is_same_charge = state.plan == ledger::to_hex(checked.rows.charge().plan()) &&
                              state.noise == checked.terms.noise().text &&
                              state.event_level == checked.event_level;
  if (changes.empty() && !is_same_charge) changes = "its plan or its noise is another";
  if (changes.empty()) return {};
  return Error{Code::kRefused,
               "daily question " + in_quotes(checked.daily.name) +
                   " was changed in the policy after it was registered: " + changes +
                   ". Put it back, or declare another question under daily; "
                   "nothing was released"};
}

std::string sign_text(const ledger::OwnerKey& key, const std::string& what,
                      const std::string& body) {
  const Json json = {{"body", body}, {"signature", ledger::to_hex(key.sign(what + "\n" + body))}};
  return json.dump() + "\n";
}

Result<std::string> signed_body(const ledger::OwnerKey& key, const std::string& what,
                                const std::string& text) {
  const Json in = Json::parse(text).value_or(nullptr);
  std::string body, hex;
  if (!in["body"].read(body) || !in["signature"].read(hex)) {
    return unusable("the file of " + what + " is damaged");
  }
  const auto signature = ledger::from_hex(hex);
  if (!signature || !ledger::verify_signature(key.public_key(), what + "\n" + body, *signature)) {
    return unusable("the file of " + what + " was changed: its signature does not fit");
  }
  return body;
}

}  // namespace discreet::publish
