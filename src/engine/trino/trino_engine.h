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

namespace discreet::engine::trino {

class TrinoEngine final : public Engine {
 public:
  /// Reaches the policy's engine and checks tables, columns and types.
  /// Fails with: kInvalidInput, kNotFound, kRefused, kUnsupported, kEngine; from the policy and the
  /// catalog.
  static Result<std::unique_ptr<TrinoEngine>> open(const policy::Policy& policy,
                                                   const OwnerLog& log);

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

 private:
  TrinoEngine(std::unique_ptr<Client> client, lowering::Schemas schemas)
      : client_(std::move(client)), schemas_(std::move(schemas)) {}
  /// Nobody has changed the columns of the statement's tables since the opening: what makes it
  /// total are their types.
  Result<void> check_schemas(const std::string& sql, const OwnerLog& log);

  std::mutex mutex_;
  std::unique_ptr<Client> client_;
  lowering::Schemas schemas_;
};

}  // namespace discreet::engine::trino
