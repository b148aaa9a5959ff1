// SPDX-License-Identifier: Apache-2.0
#include "server/api/json_body.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/json.h"
#include "base/suggest.h"

namespace discreet::server::api {

Result<Fields> Fields::parse(const std::string& text, const std::vector<std::string>& known,
                             Deprecations table) {
  std::optional<Json> json = Json::parse(text.empty() ? "{}" : text);
  if (!json || !json->is_object()) {
    return invalid_input("the body must be a JSON object such as {\"sql\": \"SELECT ...\"}");
  }
  json->sort_keys();  // of several mistakes the first by name is told
  Fields fields;
  OldNames old_names(NameKind::kField, table);
  for (const auto& [given, value] : json->members()) {
    const std::string name = old_names.current(given, known);
    if (name != given && (json->contains(name) || fields.values_.contains(name))) {
      return invalid_input(in_quotes(given) + " is the old name of " + in_quotes(name) +
                           ", which is there too; give one");
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return invalid_input("unknown field " + in_quotes(name) + did_you_mean(name, known) +
                           "; the fields are " + one_of(known));
    }
    if (value.is_null()) continue;
    if (value.is_string()) {
      fields.values_[name] = value.text();
    } else if (value.is_integer() || value.is_boolean()) {
      fields.values_[name] = value.dump();
    } else if (value.is_number()) {
      return invalid_input("write " + name + " as text, such as \"0.5\", so that it stays exact");
    } else {
      return invalid_input(name + " must be a text, a whole number, true or false");
    }
  }
  fields.warnings_ = old_names.take_warnings();
  return fields;
}

Result<std::string> Fields::need(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return invalid_input("the field " + name + " is missing");
  return found->second;
}

std::optional<std::string> Fields::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

Result<bool> Fields::flag(const std::string& name, bool otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  if (found->second != "true" && found->second != "false") {
    return invalid_input(name + " must be true or false");
  }
  return found->second == "true";
}

Result<std::size_t> last_of(const http::Request& request) {
  const auto found = request.query.find("last");
  if (found == request.query.end()) return std::size_t{100};
  const std::string& text = found->second;
  std::size_t last = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), last);
  if (error != std::errc{} || end != text.data() + text.size() || last < 1 || last > 1000) {
    return invalid_input("last must be a whole number from 1 to 1000");
  }
  return last;
}

std::string padded(std::string json) {
  constexpr std::size_t kLeast = 1024;
  json.resize(std::bit_ceil(std::max(kLeast, json.size())), ' ');
  return json;
}

}  // namespace discreet::server::api
