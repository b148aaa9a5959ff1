// SPDX-License-Identifier: Apache-2.0
// The types of PostgreSQL that can be read, by the numbers that its catalog gives them. They are
// part of its wire protocol and never change.
#pragma once

#include "engine/lowering/dialect.h"
#include "policy/policy.h"

namespace discreet::engine::postgres {

enum Oid : unsigned int {
  kBool = 16,
  kName = 19,
  kInt8 = 20,
  kInt2 = 21,
  kInt4 = 23,
  kText = 25,
  kFloat4 = 700,
  kFloat8 = 701,
  kOtherText = 705,  ///< of the category of texts, and a text as it is stored: citext
  kBpchar = 1042,
  kVarchar = 1043,
  kDate = 1082,
  kTimestamp = 1114,
  kTimestamptz = 1184,
  kNumeric = 1700,
  kUuid = 2950,
  kForeignCast = 2276,  ///< a text or an enum whose cast to text runs somebody's function
  kEnum = 3500,         ///< any of them
};

bool is_whole(unsigned int type);
bool is_float(unsigned int type);
bool is_text(unsigned int type);

/// Whether a stored column can be read as what the policy declares, without a cast that a row
/// could make fail.
bool can_read(unsigned int from, policy::Type to);
/// Whether it can name a unit or be joined on: equal values must have equal texts.
bool can_identify(unsigned int type);

}  // namespace discreet::engine::postgres
