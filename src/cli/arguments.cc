// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <CLI/CLI.hpp>

#include "numeric/int128.h"

namespace discreet::cli {

void add_text(CLI::App& app, const std::string& name, Text& text, const std::string& description,
              const std::string& type) {
  app.add_option_function<std::string>(
         name, [&text](const std::string& given) { text = given; }, description)
      ->type_name(type);
}

void add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& texts,
               const std::string& description, const std::string& type) {
  app.add_option(name, texts, description)->type_name(type)->allow_extra_args(false);
}

void add_words(CLI::App& app, const std::string& name, std::vector<std::string>& words,
               const std::string& description) {
  app.add_option(name, words, description)->type_name("");
}

void add_flag(CLI::App& app, const std::string& name, bool& flag, const std::string& description) {
  app.add_flag(name, flag, description);
}

Error missing(const std::string& option, const std::string& example) {
  return invalid_input(option + " is missing; for example: " + example);
}

Result<Rational> parse_number(const std::string& name, const std::string& text) {
  auto value = Rational::parse(text);
  if (!value) return invalid_input(name + ": " + value.error().message);
  return value;
}

Result<std::uint64_t> parse_count(const std::string& name, const std::string& text,
                                  std::uint64_t most) {
  const Rational limit(to_integer(static_cast<Int128>(most)));
  const auto value = Rational::parse(text);
  if (!value || value->denominator() != 1 || value->sign() <= 0 || *value > limit) {
    return invalid_input(name + " must be a whole number from 1 to " + limit.to_string() +
                         "; got " + in_quotes(text));
  }
  return static_cast<std::uint64_t>(to_int128(value->numerator()));
}

Result<Confidence> confidence_of(const Text& text) {
  if (!text) return default_confidence();
  return Confidence::parse(*text);
}

void FormatArguments::add_to(CLI::App& app) {
  add_text(app, "--format", format, "table (default), csv, json or markdown", "FORMAT");
  add_flag(app, "--json", json, "short for --format json");
}

Result<report::Format> FormatArguments::parse() const {
  if (json && format && *format != "json") {
    return invalid_input("--json and --format " + in_quotes(*format) + " contradict; give one");
  }
  if (json) return report::Format::kJson;
  if (!format) return report::Format::kTable;
  return report::parse_format(*format);
}

}  // namespace discreet::cli
