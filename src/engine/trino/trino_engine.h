// SPDX-License-Identifier: Apache-2.0
// A Trino cluster as an engine: reading, joining, bounding and adding up happen in the cluster, in
// one statement; groups with their integers come back.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "engine/engine.h"
#include "engine/lowering/dialect.h"
#include "engine/trino/client.h"
#include "engine/trino/whole_columns.h"

namespace discreet::engine::trino {

class TrinoEngine final : public Engine {
 public:
  /// Reaches the policy's engine and checks tables, columns and types, as what they are stored, and
  /// that the cluster runs nothing else on their rows.
  /// Fails with: kInvalidInput, kNotFound, kRefused, kUnsupported, kEngine; from the policy and the
  /// catalog.
  static Result<std::unique_ptr<TrinoEngine>> open(const policy::Policy& policy,
                                                   const OwnerLog& log);

  /// That the statement's tables are as they were opened, that its columns can be read to their end,
  /// and that Trino can compile it.
  Result<void> ready(const plan::Checked& checked, const OwnerLog& log) override;
  /// One at a time; a second caller waits. Requires: a Checked of the same policy.
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const OwnerLog& log) override;
  std::string explain(const plan::Checked& checked) const override;
  void interrupt() override { client_->interrupt(); }
  Result<std::vector<std::string>> public_values(const policy::Policy& policy,
                                                 const std::string& table,
                                                 const std::string& column, std::size_t most,
                                                 const OwnerLog& log) override;
  Result<std::int64_t> multiplicity(const policy::Policy& policy, const std::string& table,
                                    const std::vector<std::string>& columns,
                                    const OwnerLog& log) override;
  /// Reads all declared columns to their end, too.
  Result<std::vector<std::string>> repeated_keys(const policy::Policy& policy,
                                                 const OwnerLog& log) override;

 private:
  TrinoEngine(std::unique_ptr<Client> client, lowering::Schemas schemas,
              std::map<TableName, Stored> stored)
      : client_(std::move(client)), schemas_(std::move(schemas)), whole_(std::move(stored)) {}
  /// Tables and columns that a statement names.
  Reads reads_of(const std::string& sql) const;
  /// Nobody has changed the columns of these tables since the opening: what makes a statement total
  /// are their types.
  Result<void> check_schemas(const Reads& reads, const OwnerLog& log);
  Result<void> check(const Reads& reads, const OwnerLog& log);
  /// Whether Trino can, by the statement itself about one row of each table. It is total, so it does
  /// not matter which row.
  Result<void> try_to_compile(const std::string& sql, const std::vector<TableName>& tables,
                              const OwnerLog& log);

  std::mutex mutex_;
  std::unique_ptr<Client> client_;
  lowering::Schemas schemas_;
  WholeColumns whole_;
};

}  // namespace discreet::engine::trino
