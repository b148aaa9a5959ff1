// SPDX-License-Identifier: Apache-2.0
// Released values as a Parquet file, written by a DuckDB of its own, in memory, that has never seen
// anything else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace discreet::engine::duckdb {

struct ParquetColumn {
  std::string name;
  policy::Type type = policy::Type::kText;
};

/// The file's bytes. Cells are text as the program prints it; none is NULL, and so is what the
/// column's type cannot hold. Integers are BIGINT, decimals DOUBLE. Column names that stand twice
/// get a number. Fails with: kEngine, kStorage.
Result<std::string> parquet_bytes(const std::vector<ParquetColumn>& columns,
                                  const std::vector<std::vector<std::optional<std::string>>>& rows);

}  // namespace discreet::engine::duckdb
