// SPDX-License-Identifier: Apache-2.0
// Lists of uses in files:
//
//   [{"mechanism": "gaussian", "noise_multiplier": 100, "count": 1000},
//    {"mechanism": "laplace", "epsilon": 0.01}]
//
// or the same list in YAML. Numbers are read from their text, so 0.1 is one tenth; a string such as
// "1/3" is a number too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accounting/use.h"
#include "base/result.h"

namespace discreet::cli {

/// A name and a value as they stand in the file.
struct UseField {
  std::string name;
  std::string text;
  std::size_t line = 0;  ///< from 1; 0 if unknown
};

struct UseEntry {
  std::size_t line = 0;
  std::vector<UseField> fields;
};

enum class UseSyntax { kJson, kYaml };

/// By the end of the name: .json, .yaml or .yml.
Result<UseSyntax> syntax_of(const std::string& path);

/// Reads a list of uses.
/// Fails with: kInvalidInput, naming the line and the field.
Result<std::vector<accounting::Use>> read_uses(std::string_view text, UseSyntax syntax);

/// Reads the file. Fails with: kNotFound if it cannot be opened; kInvalidInput, naming the file.
Result<std::vector<accounting::Use>> read_uses_file(const std::string& path);

// One reader for each syntax.
Result<std::vector<UseEntry>> read_json_entries(std::string_view text);  // account_json.cc
Result<std::vector<UseEntry>> read_yaml_entries(std::string_view text);  // account_yaml.cc

}  // namespace discreet::cli
