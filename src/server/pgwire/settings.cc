// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/settings.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "server/api/service.h"
#include "server/pgcatalog/tables.h"

namespace discreet::server::pgwire {
namespace {

enum class Rule {
  kAny,     ///< taken, and without effect
  kFixed,   ///< only the value that it has
  kUtf8,    ///< client_encoding
  kIso,     ///< DateStyle
  kSwitch,  ///< on or off
  kCost,    ///< of a question
  kLevel,   ///< client_min_messages
};

struct SettingFacts {
  const char* name;  ///< as it is reported
  const char* value;
  Rule rule;
  bool is_reported = false;
};

constexpr SettingFacts kSettings[] = {
    {"application_name", "", Rule::kAny, true},
    {"bytea_output", "hex", Rule::kAny},
    {"client_encoding", "UTF8", Rule::kUtf8, true},
    {"client_min_messages", "notice", Rule::kLevel},
    {"DateStyle", "ISO, MDY", Rule::kIso, true},
    {"default_table_access_method", "heap", Rule::kAny},
    {"default_tablespace", "", Rule::kAny},
    {"default_transaction_isolation", "read committed", Rule::kAny},
    {"default_transaction_read_only", "on", Rule::kAny, true},
    {"default_transaction_deferrable", "off", Rule::kAny},
    {"enable_bitmapscan", "on", Rule::kAny},
    {"enable_hashjoin", "on", Rule::kAny},
    {"enable_mergejoin", "on", Rule::kAny},
    {"enable_nestloop", "on", Rule::kAny},
    {"enable_seqscan", "on", Rule::kAny},
    {"extra_float_digits", "1", Rule::kAny},
    {"geqo", "on", Rule::kAny},
    {"idle_in_transaction_session_timeout", "0", Rule::kAny},
    {"idle_session_timeout", "0", Rule::kAny},
    {"in_hot_standby", "off", Rule::kFixed, true},
    {"integer_datetimes", "on", Rule::kFixed, true},
    {"IntervalStyle", "postgres", Rule::kAny, true},
    {"is_superuser", "off", Rule::kFixed, true},
    {"jit", "off", Rule::kAny},
    {"lc_collate", "C", Rule::kFixed},
    {"lc_ctype", "C", Rule::kFixed},
    {"lc_messages", "C", Rule::kAny},
    {"lc_monetary", "C", Rule::kAny},
    {"lc_numeric", "C", Rule::kAny},
    {"lc_time", "C", Rule::kAny},
    {"lock_timeout", "0", Rule::kAny},
    {"max_identifier_length", "63", Rule::kFixed},
    {"max_index_keys", "32", Rule::kFixed},
    {"password_encryption", "scram-sha-256", Rule::kFixed},
    {"plan_cache_mode", "auto", Rule::kAny},
    {"row_security", "on", Rule::kAny},
    {"search_path", "\"$user\", public", Rule::kAny},
    {"server_encoding", "UTF8", Rule::kFixed, true},
    {"server_version", pgcatalog::kServerVersion, Rule::kFixed, true},
    {"server_version_num", "150000", Rule::kFixed},
    {"session_authorization", "", Rule::kFixed, true},
    {"standard_conforming_strings", "on", Rule::kFixed, true},
    {"statement_timeout", "0", Rule::kAny},
    {"synchronous_commit", "on", Rule::kAny},
    {"synchronize_seqscans", "on", Rule::kAny},
    {"TimeZone", "UTC", Rule::kAny, true},
    {"transaction_deferrable", "off", Rule::kAny},
    {"transaction_isolation", "read committed", Rule::kAny},
    {"transaction_read_only", "on", Rule::kAny},
    {"work_mem", "4MB", Rule::kAny},
    {"xmloption", "content", Rule::kAny},
    {"discreet.epsilon", "", Rule::kCost},
    {"discreet.delta", "", Rule::kCost},
    {"discreet.error", "", Rule::kCost},
    {"discreet.about", "", Rule::kCost},
    {"discreet.rows", "", Rule::kCost},
    {"discreet.confidence", "", Rule::kCost},
    {"discreet.max_groups", "", Rule::kCost},
    {"discreet.max_rows", "", Rule::kCost},
    {"discreet.request_id", "", Rule::kCost},
    {"discreet.intervals", "off", Rule::kSwitch},
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

const SettingFacts* find_setting(const std::string& name) {
  const std::string wanted = lower(name);
  for (const SettingFacts& facts : kSettings) {
    if (lower(facts.name) == wanted) return &facts;
  }
  return nullptr;
}

Error unknown(const std::string& name) {
  return {Code::kNotFound, "there is no setting " + in_quotes(name) + "; see SHOW ALL"};
}

/// The word in its one spelling. Fails with: kInvalidInput.
Result<std::string> switched(const std::string& name, const std::string& value) {
  static const std::set<std::string> kOn = {"on", "true", "yes", "1"};
  static const std::set<std::string> kOff = {"off", "false", "no", "0"};
  if (kOn.contains(lower(value))) return std::string("on");
  if (kOff.contains(lower(value))) return std::string("off");
  return invalid_input(name + " is on or off");
}

/// As a question's request would read it.
Result<void> check_cost(const std::string& name, const std::string& value) {
  if (value.empty()) return {};
  std::map<std::string, std::string> fields = {{"sql", "SELECT 1"}, {name, value}};
  if (name == "about") fields["error"] = "5%";
  DISCREET_TRY(api::request_of(fields, "nobody"));
  return {};
}

Result<std::string> checked(const SettingFacts& facts, const std::string& value,
                            const std::string& present) {
  constexpr std::size_t kMost = 1000;
  const std::string name = facts.name;
  if (value.size() > kMost) return invalid_input(name + " is too long");
  switch (facts.rule) {
    case Rule::kAny:
      return value;
    case Rule::kFixed:
      if (lower(value) == lower(present)) return present;
      return Error{Code::kRefused, name + " cannot be changed here"};
    case Rule::kUtf8: {
      std::string word = lower(value);
      if (word.starts_with("'") && word.ends_with("'") && word.size() > 2) {
        word = word.substr(1, word.size() - 2);
      }
      if (word == "utf8" || word == "utf-8" || word == "unicode") return std::string("UTF8");
      return invalid_input("client_encoding is UTF8 here; got " + in_quotes(value));
    }
    case Rule::kIso:
      if (lower(value).find("iso") != std::string::npos || lower(value) == "mdy") return present;
      return invalid_input("DateStyle is ISO here; got " + in_quotes(value));
    case Rule::kSwitch:
      return switched(name, value);
    case Rule::kCost:
      DISCREET_TRY(check_cost(name.substr(name.find('.') + 1), value));
      return value;
    case Rule::kLevel:
      return lower(value);
  }
  return value;
}

}  // namespace

Settings::Settings(Deprecations old_names)
    : old_names_(std::make_shared<OldNames>(NameKind::kSetting, old_names)) {
  for (const SettingFacts& facts : kSettings) values_[facts.name] = facts.value;
  defaults_ = values_;
}

std::string Settings::today(const std::string& name) const {
  if (find_setting(name) != nullptr) return name;
  std::vector<std::string> known;
  for (const SettingFacts& facts : kSettings) known.push_back(lower(facts.name));
  return old_names_->current(lower(name), known);
}

Result<void> Settings::set(const std::string& name, const std::string& value) {
  const SettingFacts* const facts = find_setting(today(name));
  if (facts == nullptr) return unknown(name);
  DISCREET_ASSIGN(values_[facts->name], checked(*facts, value, values_.at(facts->name)));
  return {};
}

Result<void> Settings::reset(const std::string& name) {
  const SettingFacts* const facts = find_setting(today(name));
  if (facts == nullptr) return unknown(name);
  values_[facts->name] = defaults_.at(facts->name);
  return {};
}

void Settings::reset_all() { values_ = defaults_; }

std::optional<std::string> Settings::get(const std::string& name) const {
  const SettingFacts* const facts = find_setting(today(name));
  if (facts == nullptr) return std::nullopt;
  return values_.at(facts->name);
}

std::string Settings::spelling(const std::string& name) const {
  return find_setting(today(name))->name;
}

std::size_t Settings::bytes() const {
  constexpr std::size_t kEntry = 128;  // of a map, with two short texts
  std::size_t bytes = 0;
  for (const auto* const each : {&values_, &defaults_}) {
    for (const auto& [name, value] : *each) bytes += kEntry + name.size() + value.size();
  }
  return bytes;
}

std::vector<std::pair<std::string, std::string>> Settings::all() const {
  return {values_.begin(), values_.end()};
}

std::vector<std::pair<std::string, std::string>> Settings::reported() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const SettingFacts& facts : kSettings) {
    if (facts.is_reported) out.emplace_back(facts.name, values_.at(facts.name));
  }
  return out;
}

std::map<std::string, std::string> Settings::question() const {
  std::map<std::string, std::string> out;
  for (const SettingFacts& facts : kSettings) {
    const std::string& value = values_.at(facts.name);
    if (facts.rule != Rule::kCost || value.empty()) continue;
    out[std::string(facts.name).substr(std::string(facts.name).find('.') + 1)] = value;
  }
  return out;
}

bool Settings::shows_notices() const {
  static const std::set<std::string> kQuiet = {"warning", "error", "fatal", "panic"};
  return !kQuiet.contains(values_.at("client_min_messages"));
}

}  // namespace discreet::server::pgwire
