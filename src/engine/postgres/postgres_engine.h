// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server as an engine: rows are read in one read-only snapshot, streamed, and bounded
// here, by the same code as any other engine's.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/lowering/dialect.h"
#include "engine/lowering/relation.h"
#include "engine/postgres/connection.h"

namespace discreet::engine::postgres {

class PostgresEngine final : public Engine {
 public:
  /// Connects to the policy's engine and checks tables, columns, types and rights.
  /// Fails with: kInvalidInput, kNotFound, kRefused, kEngine; from the policy and the catalog.
  static Result<std::unique_ptr<PostgresEngine>> open(const policy::Policy& policy,
                                                      const OwnerLog& log);

  /// That the server answers, and that the tables have the columns that they had.
  Result<void> ready(const plan::Checked& checked, const OwnerLog& log) override;
  /// One at a time; a second caller waits. Requires: a Checked of the same policy.
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const OwnerLog& log) override;
  Result<std::vector<std::string>> repeated_keys(const policy::Policy& policy,
                                                 const OwnerLog& log) override;
  std::string explain(const plan::Checked& checked) const override;
  void interrupt() override { connection_->interrupt(); }
  Result<std::vector<std::string>> public_values(const policy::Policy& policy,
                                                 const std::string& table,
                                                 const std::string& column, std::size_t most,
                                                 const OwnerLog& log) override;
  Result<std::int64_t> multiplicity(const policy::Policy& policy, const std::string& table,
                                    const std::vector<std::string>& columns,
                                    const OwnerLog& log) override;

 private:
  /// The one number that a statement of ours gives.
  Result<std::int64_t> number_of(const lowering::Select& select, const OwnerLog& log);
  /// Which of the cuts leave something out. Inside a question's transaction.
  Result<lowering::CutFacts> cut_facts(const plan::Checked& checked, const OwnerLog& log);

  PostgresEngine(std::unique_ptr<Connection> connection, lowering::Schemas schemas,
                 std::set<std::vector<std::string>> views)
      : connection_(std::move(connection)),
        schemas_(std::move(schemas)),
        views_(std::move(views)) {}

  Result<Sensitive<mechanism::UnitRows>> read_rows(const plan::CheckedRows& question,
                                                   const random::Secret* names,
                                                   const OwnerLog& log) override;

  /// Nobody can change a table's columns while it is read, and nobody has changed them, its kind,
  /// its partitions or the role's rights since the opening.
  Result<void> hold_tables(const OwnerLog& log);
  /// The same for what no lock holds, after reading. Ends the transaction and begins another.
  Result<void> close_tables(const OwnerLog& log);
  Result<void> check_tables_again(const OwnerLog& log);

  std::mutex mutex_;
  std::unique_ptr<Connection> connection_;
  lowering::Schemas schemas_;
  std::set<std::vector<std::string>> views_;  // which of them are materialized views
};

}  // namespace discreet::engine::postgres
