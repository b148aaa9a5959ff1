// SPDX-License-Identifier: Apache-2.0
// Rows as the protocol sends them: DataRow messages, one behind the other, ready to be copied.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/pgwire/types.h"

namespace discreet::server::pgwire {

struct Field {
  std::string name;
  TypeId type = kText;
  friend bool operator==(const Field&, const Field&) = default;
};

/// Values as text; none: NULL.
using Cells = std::vector<std::optional<std::string>>;

/// Of the results' columns, as Bind says it: none, one for all, or one for each.
using Formats = std::vector<bool>;
inline bool is_binary(const Formats& formats, std::size_t column) {
  return formats.size() == 1 ? formats[0] : column < formats.size() && formats[column];
}

struct Rows {
  std::vector<Field> fields = {};
  std::string messages = {};
  std::vector<std::size_t> ends = {};  ///< of each row in `messages`

  std::size_t count() const { return ends.size(); }
  /// The messages of rows [from, to).
  std::string_view between(std::size_t from, std::size_t to) const;
};

/// Fails with: kUnsupported when a type cannot hold a value.
Result<Rows> encode(std::vector<Field> fields, const std::vector<Cells>& rows,
                    const Formats& formats);

}  // namespace discreet::server::pgwire
