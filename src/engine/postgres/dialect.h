// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's dialect: nothing is installed in the server, so what must be total and exact is
// written out in its SQL (numbers.h). Its own operators raise where ours give NULL; each of them
// stands behind a condition here. All texts are compared by their bytes (COLLATE "C").
#pragma once

#include "engine/lowering/dialect.h"

namespace discreet::engine::postgres {

const lowering::Dialect& dialect();

/// Whether a field is fetched as it is stored, and quantised in our own code: it is a mere column
/// of a type that says all that it holds, and how many bytes that are at most.
bool is_fetched_raw(const lowering::RowField& field);

}  // namespace discreet::engine::postgres
