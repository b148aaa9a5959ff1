// SPDX-License-Identifier: Apache-2.0
// The JSON object that a request carries, as names and texts; and JSON going out, padded.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/http/message.h"

namespace discreet::server::api {

class Fields {
 public:
  /// Texts, whole numbers and booleans; nothing is nested. Other numbers are refused: written as
  /// text they stay exact. Fails with: kInvalidInput, naming the field.
  static Result<Fields> parse(const std::string& json, const std::vector<std::string>& known);

  Fields() = default;
  /// What was said elsewhere than in JSON.
  explicit Fields(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  /// Fails with: kInvalidInput when it is missing.
  Result<std::string> need(const std::string& name) const;
  std::optional<std::string> text(const std::string& name) const;
  /// Fails with: kInvalidInput unless true or false.
  Result<bool> flag(const std::string& name, bool otherwise) const;
  const std::map<std::string, std::string>& all() const { return values_; }

 private:
  std::map<std::string, std::string> values_;
};

/// ?last=N, or 100. Fails with: kInvalidInput unless 1 to 1000.
Result<std::size_t> last_of(const http::Request& request);

/// `json` with spaces after it, up to a power of two from 1 KiB on: how long an answer is tells the
/// bucket, which a test compares on two neighbours, and no more.
std::string padded(std::string json);

}  // namespace discreet::server::api
