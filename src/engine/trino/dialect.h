// SPDX-License-Identifier: Apache-2.0
// Trino's dialect: nothing is installed in the cluster, so what must be total and exact is written
// out in its SQL (numbers.h, dates.h). Its own operators raise where ours give NULL; each of them
// stands behind a condition here. Texts are compared by their bytes, as Trino does.
#pragma once

#include "engine/lowering/dialect.h"

namespace discreet::engine::trino {

const lowering::Dialect& dialect();

}  // namespace discreet::engine::trino
