// SPDX-License-Identifier: Apache-2.0
// Dates and timestamps in Trino's SQL: days and microseconds since 1970-01-01, as integers.
#pragma once

#include <string>

#include "engine/lowering/sql.h"
#include "engine/trino/types.h"
#include "policy/policy.h"

namespace discreet::engine::trino {

/// A stored date or timestamp onto a grid of days, or of microseconds.
lowering::Sql read_date(const Type& stored, const lowering::Sql& raw, const policy::Grid& grid);
lowering::Sql read_timestamp(const Type& stored, const lowering::Sql& raw,
                             const policy::Grid& grid);

/// A moment with a time zone as that of UTC, without one.
lowering::Sql utc(lowering::Sql moment);

/// As Dialect says.
lowering::Sql date_part(const std::string& part, lowering::Sql value, bool date);
lowering::Sql date_trunc(const std::string& unit, lowering::Sql value, bool date);

}  // namespace discreet::engine::trino
