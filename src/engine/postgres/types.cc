// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/types.h"

namespace discreet::engine::postgres {

bool is_whole(unsigned int type) { return type == kInt2 || type == kInt4 || type == kInt8; }

bool is_float(unsigned int type) { return type == kFloat4 || type == kFloat8; }

bool is_text(unsigned int type) {
  return type == kText || type == kVarchar || type == kBpchar || type == kName ||
         type == kOtherText;
}

bool can_read(unsigned int from, policy::Type to) {
  const bool moment = from == kDate || from == kTimestamp || from == kTimestamptz;
  switch (to) {
    case policy::Type::kText:
      return is_text(from) || is_whole(from) || from == kUuid || from == kEnum || from == kBool ||
             from == kDate;
    case policy::Type::kInteger:
    case policy::Type::kDecimal:
      return is_whole(from) || is_float(from) || from == kNumeric || from == kBool || is_text(from);
    case policy::Type::kBoolean:
      return from == kBool || is_whole(from);
    case policy::Type::kDate:
    case policy::Type::kTimestamp:
      return moment;
  }
  return false;
}

bool can_identify(unsigned int type) {
  return is_whole(type) || is_float(type) || (is_text(type) && type != kOtherText) ||
         type == kNumeric || type == kUuid || type == kEnum || type == kBool || type == kDate ||
         type == kTimestamp || type == kTimestamptz;
}

}  // namespace discreet::engine::postgres
