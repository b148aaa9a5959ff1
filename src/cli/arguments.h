// SPDX-License-Identifier: Apache-2.0
// Options as text, and as the quantities that they stand for. Everything arrives as text and is
// parsed exactly, here and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "privacy/quantity.h"
#include "report/format.h"

namespace CLI {
class App;  // <CLI/CLI.hpp> is large: arguments.cc and program.cc alone include it
}

namespace discreet::cli {

/// An option's text; empty when it was not given.
using Text = std::optional<std::string>;

void add_text(CLI::App& app, const std::string& name, Text& text, const std::string& description,
              const std::string& type = "NUMBER");
/// May be given several times, each with one text.
void add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& texts,
               const std::string& description, const std::string& type);
/// Words without a name before them, as many as there are.
void add_words(CLI::App& app, const std::string& name, std::vector<std::string>& words,
               const std::string& description);
void add_flag(CLI::App& app, const std::string& name, bool& flag, const std::string& description);

/// "--epsilon is missing; for example: discreet ..."
Error missing(const std::string& option, const std::string& example);

template <class Q>
Result<Q> required(const Text& text, const std::string& option, const std::string& example) {
  if (!text) return missing(option, example);
  return Q::parse(*text);
}

/// A number with no rule of its own.
Result<Rational> parse_number(const std::string& name, const std::string& text);

/// A whole number from 1 to `most`; "1e6" is fine.
Result<std::uint64_t> parse_count(const std::string& name, const std::string& text,
                                  std::uint64_t most);

/// --confidence, or 0.95.
Result<Confidence> confidence_of(const Text& text);

/// --format and --json.
struct FormatArguments {
  Text format;
  bool json = false;

  void add_to(CLI::App& app);
  bool given() const { return format.has_value() || json; }
  /// Fails with: kInvalidInput for an unknown format, and when the two contradict.
  Result<report::Format> parse() const;
};

}  // namespace discreet::cli
