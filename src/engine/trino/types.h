// SPDX-License-Identifier: Apache-2.0
// Trino's types, from the words of its catalog: decimal(12,2), timestamp(3) with time zone.
#pragma once

#include <string>

#include "policy/policy.h"

namespace discreet::engine::trino {

enum class Kind : unsigned int {
  kOther,   ///< cannot be read: varbinary, json, time, intervals, ...
  kNested,  ///< array, map, row
  kBoolean,
  kWhole,  ///< tinyint to bigint
  kDecimal,
  kReal,
  kDouble,
  kVarchar,
  kChar,
  kDate,
  kTimestamp,
  kTimestampTz,
  kUuid,
};

struct Type {
  Kind kind = Kind::kOther;
  int precision = 0;  ///< digits of a decimal; decimals of a timestamp's second
  int scale = 0;

  friend bool operator==(const Type&, const Type&) = default;
};

Type parse_type(const std::string& words);

/// As a StoredColumn's code, and back.
unsigned int code_of(const Type& type);
Type type_of(unsigned int code);

/// Whether a stored column can be read as what the policy declares, on every row.
bool can_read(const Type& from, policy::Type to);
/// Whether it can name a unit or be joined on: equal values must have equal texts.
bool can_identify(const Type& type);

}  // namespace discreet::engine::trino
