// SPDX-License-Identifier: Apache-2.0
// One line of a JSON file: an object with its members (RFC 8259), or something that cannot be read.
// A total function of the line, linear in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace discreet::engine::text {

/// Values in values in values: deeper lines cannot be read.
inline constexpr int kJsonDepthMax = 64;

/// A name or a value, as it stands in the line; a text without its quotes.
struct JsonPart {
  std::string_view raw;
  bool is_text = false;
  bool is_escaped = false;  ///< a text with a backslash in it
};

struct JsonField {
  JsonPart name;
  JsonPart value;
};

/// The members of the object that the line is, in their order. A byte order mark before it is
/// nothing. False: the line is not an object, or has more than one value, a lone surrogate or a
/// value that is too deep. Requires: UTF-8.
bool json_fields(std::string_view line, std::vector<JsonField>& fields);

/// What a part says: a text's characters, anything else as it stands. It may be in `scratch`.
/// Requires: a part from json_fields.
std::string_view json_text(const JsonPart& part, std::string& scratch);

}  // namespace discreet::engine::text
