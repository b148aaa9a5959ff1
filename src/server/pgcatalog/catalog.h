// SPDX-License-Identifier: Apache-2.0
// pg_catalog and information_schema over one reading of the policy: an in-memory DuckDB that holds
// the catalog's tables and nothing else. It never sees data, so what it says needs no noise and
// costs nothing.
//
// G1  No file, network, extension or setting can be reached from it (engine/duckdb/connection.h),
//     and no text of a client reaches it unprinted (printer.h).
// G2  A statement ends: after `statement_ms` it is stopped; it may use 256 MiB and show `rows_max`,
//     with at most `cells_bytes` of text.
//
// Thread-safe; one statement at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace discreet::engine::duckdb {
class Connection;
}

namespace discreet::server::pgcatalog {

struct CatalogColumn {
  std::string name;
  std::uint32_t type = 25;  ///< PostgreSQL's number of it
  friend bool operator==(const CatalogColumn&, const CatalogColumn&) = default;
};

using CatalogRow = std::vector<std::optional<std::string>>;

struct CatalogLimits {
  int statement_ms = 5'000;
  std::size_t rows_max = 50'000;
  std::size_t cells_bytes = 16U << 20U;  ///< a cell counts as 40 bytes beside its text
};

class Catalog {
 public:
  /// Fails with: kEngine.
  static Result<std::unique_ptr<Catalog>> open(const policy::Policy& policy,
                                               CatalogLimits limits = {});
  ~Catalog();

  /// The columns that a statement gives. `sql` is what print() made.
  /// Fails with: kUnsupported, with DuckDB's words: there is nothing in it that could be told.
  Result<std::vector<CatalogColumn>> describe(const std::string& sql);
  /// Cells as PostgreSQL's text format.
  Result<std::vector<CatalogRow>> run(const std::string& sql);

 private:
  explicit Catalog(CatalogLimits limits);
  template <class Take>
  Result<void> query(const std::string& sql, const Take& take);

  const CatalogLimits limits_;
  std::mutex mutex_;
  std::unique_ptr<engine::duckdb::Connection> connection_;
};

}  // namespace discreet::server::pgcatalog
