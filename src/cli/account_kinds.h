// SPDX-License-Identifier: Apache-2.0
// The mechanisms that `discreet account` knows, by name: the one table behind its options, its
// files and its help.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/use.h"
#include "base/result.h"

namespace discreet::cli {

/// A parameter of a mechanism, in a file and in the text of an option.
struct KindField {
  std::string_view name;
  bool is_required = true;
};

struct Kind {
  std::string_view name;    ///< in files: "gaussian"
  std::string_view option;  ///< "--gaussian"
  std::string_view form;    ///< "SIGMA"
  std::string_view help;
  std::vector<KindField> fields;
  /// One value for each field; absent where an optional one was left out.
  accounting::Mechanism (*make)(const std::vector<std::optional<Rational>>& values);
};

std::span<const Kind> account_kinds();

/// Fails with: kInvalidInput, with the nearest name.
Result<const Kind*> find_kind(std::string_view name);

/// Reads the text of an option: fields with commas between them, and "x" with a count, such as
/// "100x1000" or "1,0.01x10000".
/// Fails with: kInvalidInput, naming the option and the field.
Result<accounting::Use> parse_use(const Kind& kind, const std::string& text);

/// The use made of texts, one for each field; `count` is empty for 1.
/// Fails with: kInvalidInput, naming the field.
Result<accounting::Use> make_use(const Kind& kind,
                                 const std::vector<std::optional<std::string>>& texts,
                                 const std::optional<std::string>& count);

}  // namespace discreet::cli
