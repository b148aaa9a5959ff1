// SPDX-License-Identifier: Apache-2.0
// The door for collectors: surveys, batches of reports, and what is kept of them.
#pragma once

#include "local/aggregate.h"
#include "local/client/report.h"
#include "local/client/survey.h"
#include "local/shard.h"
