// SPDX-License-Identifier: Apache-2.0
// The JSON object that a request carries, as names and texts; and JSON going out, padded.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/deprecated.h"
#include "base/result.h"
#include "server/http/message.h"

namespace discreet::server::api {

class Fields {
 public:
  /// Texts, whole numbers and booleans; nothing is nested. Other numbers are refused: written as
  /// text they stay exact. Fails with: kInvalidInput, naming the field.
  /// A field's old name is its new one.
  static Result<Fields> parse(const std::string& text, const std::vector<std::string>& known,
                              Deprecations old_names = deprecations());

  Fields() = default;
  /// What was said elsewhere than in JSON.
  explicit Fields(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  /// Fails with: kInvalidInput when it is missing.
  Result<std::string> need(const std::string& name) const;
  std::optional<std::string> text(const std::string& name) const;
  /// Fails with: kInvalidInput unless true or false.
  Result<bool> flag(const std::string& name, bool otherwise) const;
  const std::map<std::string, std::string>& all() const { return values_; }
  /// Of fields under old names: for the one who sent them, and for nobody else.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> warnings_;
};

/// ?last=N, or 100. Fails with: kInvalidInput unless 1 to 1000.
Result<std::size_t> last_of(const http::Request& request);

/// `json` with spaces after it, up to a power of two from 1 KiB on: how long an answer is tells the
/// bucket, which a test compares on two neighbours, and no more.
std::string padded(std::string json);

}  // namespace discreet::server::api
