// SPDX-License-Identifier: Apache-2.0
// One column of a policy file declared anew, or its ledger named, in the owner's own text: all other
// lines, and the owner's comments, stay as they are.
#pragma once

#include <optional>
#include <string>

#include "policy/policy.h"

namespace discreet::policy {

/// Which column is meant.
struct ColumnPlace {
  std::string table;
  std::string column;
};

/// Reads back as the same policy with this column in the place of the one of that name; checked.
/// Fails with: kNotFound; kInvalidInput for a text with mistakes; kUnsupported when the column
/// shares its lines with others, naming the line to write by hand.
Result<std::string> with_column(const std::string& text, const std::string& table,
                                const Column& column);

/// The text with a last line `ledger: ID`; everything before it stays as it is, byte for byte. Reads
/// back as the same policy with that ledger; checked. Requires: it names none.
/// Fails with: kInvalidInput for a text with mistakes; kUnsupported when the line must be written by
/// hand, as in a text that is one map in braces.
Result<std::string> with_ledger(const std::string& text, const std::string& id);

/// What the owner writes where, if with_ledger() or the file refuses: "add this line to it: ledger:
/// ID", or where else in a text that is one map in braces or that ends with "...".
std::string ledger_by_hand(const std::string& text, const std::string& id);

/// Whether with_column() will find lines to replace, whatever the column becomes.
/// Fails with: kNotFound; kUnsupported when the column shares its lines with others.
Result<void> check_column_lines(const std::string& text, const ColumnPlace& place);

/// The step that the text declares, also where its range is still open.
std::optional<Rational> declared_step(const std::string& text, const ColumnPlace& place);

}  // namespace discreet::policy
