// SPDX-License-Identifier: Apache-2.0
// How much memory the embedded engine may take, as the policy's engine says it:
//
//   duckdb?memory=4GB&spill=/var/tmp&duckdb_spill=/srv/encrypted
//
// memory        of one question: half for rows that wait to be bounded, three eighths for DuckDB;
//               without it there is no limit
// spill         where rows go, encrypted and without a name (engine/spill.h), when their half is
//               full; /var/tmp, or what TMPDIR says
// duckdb_spill  where DuckDB may write what its joins and groupings have no room for, as it is;
//               without it DuckDB writes nothing, and such a question fails
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "engine/spill.h"

namespace discreet::engine::duckdb {

struct Limits {
  std::size_t memory = RowRoom::kEndless;  ///< bytes
  std::string spill;
  std::string duckdb_spill;

  bool endless() const { return memory == RowRoom::kEndless; }
  std::size_t for_rows() const { return endless() ? memory : memory / 2; }
  std::size_t for_duckdb() const { return memory / 8 * 3; }
};

/// Fails with: kInvalidInput.
Result<Limits> parse_limits(const std::string& engine);

/// A folder for DuckDB's temporary files that only this user can enter, gone with this. One that a
/// killed process left behind is removed by the next that uses the same place.
class TemporaryFolder {
 public:
  /// Fails with: kStorage.
  static Result<TemporaryFolder> make(const std::string& place);
  TemporaryFolder() = default;
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace discreet::engine::duckdb
