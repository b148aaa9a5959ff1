// SPDX-License-Identifier: Apache-2.0
// pg_catalog and information_schema over one reading of the policy: in-memory DuckDBs that hold the
// catalog's tables and nothing else. They never see data, so what they say needs no noise and costs
// nothing.
//
// G1  No file, network, extension or setting can be reached from it (engine/duckdb/connection.h),
//     and no text of a client reaches it unprinted (printer.h).
// G2  A statement ends: after `statement_ms` it is stopped; it may use 128 MiB and show `rows_max`,
//     with at most `cells_bytes` of text.
// G3  `connections` statements run at once, one of each client, and those who wait are served in
//     the order in which they came: so whoever asks for much waits for itself. Who has waited for
//     `wait_ms` is told so.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
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
  int wait_ms = 20'000;
  std::size_t connections = 3;
  std::size_t rows_max = 50'000;
  std::size_t cells_bytes = 16U << 20U;  ///< a cell counts as 40 bytes beside its text
};

class Catalog {
 public:
  /// Fails with: kEngine.
  static Result<std::unique_ptr<Catalog>> open(const policy::Policy& policy,
                                               CatalogLimits limits = {});
  ~Catalog();

  /// The columns that a statement gives. `sql` is what print() made, `client` an account.
  /// Fails with: kUnsupported, with DuckDB's words: there is nothing in it that could be told;
  /// kInterrupted, when it takes too long, or waits for too long.
  Result<std::vector<CatalogColumn>> describe(const std::string& sql,
                                              const std::string& client = {});
  /// Cells as PostgreSQL's text format.
  Result<std::vector<CatalogRow>> run(const std::string& sql, const std::string& client = {});

 private:
  using Opened = std::unique_ptr<engine::duckdb::Connection>;
  class Deadlines;
  class Turn;

  Catalog(const policy::Policy& policy, CatalogLimits limits);
  Result<Opened> open_one() const;
  template <class Take>
  Result<void> query(const std::string& sql, const std::string& client, const Take& take);

  const CatalogLimits limits_;
  const std::vector<std::string> setup_;
  std::unique_ptr<Deadlines> deadlines_;
  std::mutex mutex_;                 // guards what follows
  std::condition_variable changed_;  // somebody may have become the next one
  std::vector<Opened> free_;
  std::size_t opened_ = 0;          // those that are in use, too
  std::set<std::string> running_;   // clients
  std::list<std::string> waiting_;  // clients, who came first first
};

}  // namespace discreet::server::pgcatalog
