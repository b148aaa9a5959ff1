// SPDX-License-Identifier: Apache-2.0
#include "local/client/survey.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "numeric/int128.h"

namespace discreet::local {
namespace {

constexpr std::string_view kSurveyMagic = "DLS1";
static_assert(kSurveyMagic.back() == '0' + kSurveyFormat);
constexpr std::int64_t kMillion = 1'000'000;
constexpr std::uint64_t kLabelsMax = std::uint64_t{1} << 20;  // as many as there are choices
constexpr std::int64_t kNumberMax = std::int64_t{1} << 60;

std::uint64_t zigzag(std::int64_t x) {
  return (static_cast<std::uint64_t>(x) << 1) ^ static_cast<std::uint64_t>(x >> 63);
}
std::int64_t unzigzag(std::uint64_t x) {
  return static_cast<std::int64_t>(x >> 1) ^ -static_cast<std::int64_t>(x & 1);
}

Result<std::string> take_text(std::string_view& bytes) {
  DISCREET_ASSIGN(const std::uint64_t size, take_varint(bytes));
  if (size > bytes.size()) return invalid_input("the survey's bytes end inside a text");
  std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

bool is_for_choices(Mechanism mechanism) { return mechanism <= Mechanism::kProjective; }

Result<void> check_answers(const Survey& survey) {
  const Mechanism mechanism = survey.parameters.mechanism;
  const bool strings = mechanism == Mechanism::kBloom || mechanism == Mechanism::kTree;
  const bool numbers = mechanism == Mechanism::kLaplace || mechanism == Mechanism::kPiecewise;
  if ((strings && survey.answers != Answers::kStrings) ||
      (numbers && survey.answers != Answers::kNumbers) ||
      (is_for_choices(mechanism) && survey.answers == Answers::kStrings)) {
    return invalid_input("the survey's mechanism does not fit the kind of its answers");
  }
  if (survey.answers == Answers::kNumbers &&
      (survey.low >= survey.high || survey.low < -kNumberMax || survey.high > kNumberMax)) {
    return invalid_input("the survey's numbers need a range with low below high, within 10^12");
  }
  if (survey.answers == Answers::kChoices && !survey.labels.empty() &&
      survey.labels.size() != survey.parameters.domain) {
    return invalid_input("the survey has " + std::to_string(survey.labels.size()) + " labels for " +
                         std::to_string(survey.parameters.domain) + " choices");
  }
  if (mechanism == Mechanism::kTree &&
      (survey.labels.size() != 1 || survey.labels[0].empty() || survey.labels[0].size() > 128)) {
    return invalid_input("a tree survey needs one label, its alphabet of 1 to 128 characters");
  }
  return {};
}

Result<Answer> choice(const Survey& survey, std::string_view text) {
  if (!survey.labels.empty()) {
    const auto found = std::find(survey.labels.begin(), survey.labels.end(), text);
    if (found != survey.labels.end()) {
      return Answer{.index = static_cast<std::uint64_t>(found - survey.labels.begin())};
    }
    return invalid_input("the answer must be one of the survey's " +
                         std::to_string(survey.labels.size()) + " choices, such as " +
                         in_quotes(survey.labels[0]));
  }
  std::uint64_t index = 0;
  bool good = !text.empty() && text.size() <= 9;
  for (const char c : text) {
    good = good && c >= '0' && c <= '9';
    index = 10 * index + static_cast<std::uint64_t>(c - '0');
  }
  if (good && index < survey.parameters.domain) return Answer{.index = index};
  return invalid_input("the answer must be a number from 0 to " +
                       std::to_string(survey.parameters.domain - 1));
}

// Levels 0..steps of the range; a choice among bins takes the bin that the number falls into.
Result<Answer> number_answer(const Survey& survey, std::string_view text) {
  DISCREET_ASSIGN(const std::int64_t given, parse_millionths(text));
  const std::int64_t value = std::clamp(given, survey.low, survey.high);
  const auto range = static_cast<std::uint64_t>(survey.high - survey.low);
  const auto above = static_cast<std::uint64_t>(value - survey.low);
  const Parameters& p = survey.parameters;
  const bool bins = is_for_choices(p.mechanism);
  const std::uint64_t steps = p.mechanism == Mechanism::kPiecewise ? p.domain - p.width : p.domain;
  const Uint128 scaled = Uint128{above} * steps;
  auto index = static_cast<std::uint64_t>(scaled / range);
  if (bins) return Answer{.index = std::min(index, p.domain - 1)};
  return Answer{.index = index, .part = static_cast<std::uint64_t>(scaled % range), .whole = range};
}

Result<Answer> string(const Survey& survey, std::string_view text) {
  if (text.size() > 1000) return invalid_input("the answer must be at most 1,000 bytes long");
  if (survey.parameters.mechanism == Mechanism::kTree) {
    const std::string& alphabet = survey.labels[0];
    for (const char c : text) {
      if (alphabet.find(c) == alphabet.npos) {
        return invalid_input("the answer must be made of these characters: " + alphabet);
      }
    }
  }
  return Answer{.text = std::string(text)};
}

}  // namespace

std::string encode(const Survey& survey) {
  std::string out(kSurveyMagic);
  out += encode(survey.parameters);
  put_varint(out, static_cast<std::uint8_t>(survey.answers));
  put_text(out, survey.name);
  put_varint(out, zigzag(survey.low));
  put_varint(out, zigzag(survey.high));
  put_varint(out, survey.labels.size());
  for (const std::string& label : survey.labels) put_text(out, label);
  return out;
}

Result<Survey> parse_survey(std::string_view bytes) {
  if (bytes.size() > kSurveyBytesMax) return invalid_input("the survey is longer than 16 MiB");
  if (bytes.substr(0, 3) != kSurveyMagic.substr(0, 3)) {
    return invalid_input("these bytes are not a survey (they must begin with DLS1)");
  }
  if (bytes.size() > 3 && bytes[3] != kSurveyMagic[3]) {
    return Error{Code::kUnsupported,
                 "the survey is of another version; this discreet reads version " +
                     std::to_string(kSurveyFormat)};
  }
  if (!bytes.starts_with(kSurveyMagic)) return invalid_input("the survey's bytes end early");
  bytes.remove_prefix(kSurveyMagic.size());
  Survey survey;
  DISCREET_ASSIGN(survey.parameters, take_parameters(bytes));
  DISCREET_TRY(check(survey.parameters));
  DISCREET_ASSIGN(const std::uint64_t answers, take_varint(bytes));
  if (answers > 2) return invalid_input("the survey's kind of answers is unknown");
  survey.answers = static_cast<Answers>(answers);
  DISCREET_ASSIGN(survey.name, take_text(bytes));
  DISCREET_ASSIGN(const std::uint64_t low, take_varint(bytes));
  DISCREET_ASSIGN(const std::uint64_t high, take_varint(bytes));
  survey.low = unzigzag(low);
  survey.high = unzigzag(high);
  DISCREET_ASSIGN(const std::uint64_t labels, take_varint(bytes));
  if (labels > bytes.size()) return invalid_input("the survey's bytes end before its labels do");
  if (labels > kLabelsMax) {
    return invalid_input("the survey has " + std::to_string(labels) + " labels; it may have " +
                         std::to_string(kLabelsMax));
  }
  for (std::uint64_t i = 0; i < labels; ++i) {
    DISCREET_ASSIGN(std::string label, take_text(bytes));
    survey.labels.push_back(std::move(label));
  }
  if (!bytes.empty()) return invalid_input("the survey has bytes after its end");
  DISCREET_TRY(check(survey));
  return survey;
}

Result<void> check(const Survey& survey) {
  DISCREET_TRY(check(survey.parameters));
  return check_answers(survey);
}

std::uint64_t fingerprint(const Survey& survey) { return hash_text(0, encode(survey)); }

std::uint64_t series(Survey survey) {
  survey.parameters.round = 0;
  return fingerprint(survey);
}

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325 ^ (seed * 0x9e3779b97f4a7c15);
  for (const char c : text) {
    h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
    h ^= std::rotl(h, 29);
  }
  h ^= text.size();
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
  h = (h ^ h >> 27) * 0x94d049bb133111eb;
  return h ^ h >> 31;
}

Result<Answer> read_answer(const Survey& survey, std::string_view text) {
  switch (survey.answers) {
    case Answers::kChoices:
      return choice(survey, text);
    case Answers::kNumbers:
      return number_answer(survey, text);
    case Answers::kStrings:
      return string(survey, text);
  }
  DISCREET_CHECK(false);
}

Result<std::int64_t> parse_millionths(std::string_view text) {
  const Error error =
      invalid_input("the answer must be a decimal number within 10^12, such as 12.5");
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::int64_t value = 0;
  int decimals = -1;
  bool digits = false;
  for (const char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9') return error;
    digits = true;
    if (decimals >= 6) continue;
    if (value > kNumberMax / 10) return error;
    value = 10 * value + (c - '0');
    if (decimals >= 0) ++decimals;
  }
  if (!digits) return error;
  for (int i = std::max(decimals, 0); i < 6; ++i) {
    if (value > kNumberMax / 10) return error;
    value *= 10;
  }
  static_assert(kMillion == 1'000'000, "six decimals");
  return negative ? -value : value;
}

std::string tree_prefix(std::string_view text, std::uint64_t length) {
  std::string prefix(text.substr(0, length));
  if (prefix.size() < length) prefix += '\0';
  return prefix;
}

}  // namespace discreet::local
