// SPDX-License-Identifier: Apache-2.0
// Dates and timestamps in PostgreSQL's SQL: days and microseconds since 1970-01-01, as integers.
// Its own arithmetic raises on infinities, and multiplies intervals in floating point; neither is
// used.
#pragma once

#include <string>

#include "engine/lowering/dialect.h"

namespace discreet::engine::postgres {

/// A stored date or timestamp onto a grid of days, or of microseconds.
lowering::Sql read_date(const lowering::StoredColumn& stored, const lowering::Sql& raw,
                        const policy::Grid& grid);
lowering::Sql read_timestamp(const lowering::StoredColumn& stored, const lowering::Sql& raw,
                             const policy::Grid& grid);

/// As Dialect says.
lowering::Sql date_part(const std::string& part, lowering::Sql value, bool date);
lowering::Sql date_trunc(const std::string& unit, lowering::Sql value, bool date);

}  // namespace discreet::engine::postgres
