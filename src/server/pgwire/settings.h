// SPDX-License-Identifier: Apache-2.0
// A connection's settings: harmless ones that clients set when they connect, and what a question
// may cost (discreet.epsilon, ...). Everything else cannot be set.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deprecated.h"
#include "base/result.h"

namespace discreet::server::pgwire {

class Settings {
 public:
  explicit Settings(Deprecations old_names = deprecations());

  /// Names in any letter case. Fails with: kNotFound for an unknown name; kInvalidInput for a value
  /// that this server does not offer; kRefused for what is fixed.
  Result<void> set(const std::string& name, const std::string& value);
  /// To what it was when the connection began.
  Result<void> reset(const std::string& name);
  void reset_all();
  /// What has been set up to now is what reset() goes back to.
  void keep_as_defaults() { defaults_ = values_; }

  /// None: there is no such setting.
  std::optional<std::string> get(const std::string& name) const;
  /// The one spelling of a name. Requires: get() finds it.
  std::string spelling(const std::string& name) const;
  /// About what a copy of all of them takes.
  std::size_t bytes() const;
  /// Name and value, as SHOW ALL lists them.
  std::vector<std::pair<std::string, std::string>> all() const;
  /// Those that clients are told of, in their spelling.
  std::vector<std::pair<std::string, std::string>> reported() const;

  /// Of names that are on their way out, once for each connection.
  std::vector<std::string> take_warnings() { return old_names_->take_warnings(); }

  /// The discreet.* that are set, without the prefix: what api::request_of() reads.
  std::map<std::string, std::string> question() const;
  bool shows_intervals() const { return get("discreet.intervals") == "on"; }
  bool shows_notices() const;

 private:
  std::string today(const std::string& name) const;

  // Copies share it: a transaction that is rolled back takes no warning back.
  std::shared_ptr<OldNames> old_names_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> defaults_;
};

}  // namespace discreet::server::pgwire
