// SPDX-License-Identifier: Apache-2.0
// The embedded engine: DuckDB over files that stay where they are.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/duckdb/connection.h"
#include "engine/duckdb/readable.h"
#include "engine/duckdb/sources.h"
#include "engine/engine.h"
#include "engine/lowering/relation.h"

namespace discreet::engine::duckdb {

class DuckDbEngine final : public Engine {
 public:
  /// Opens the policy's sources, and checks that they have the columns and types that it names.
  /// `threads` 0: as many as the machine has.
  /// Fails with: kInvalidInput, kNotFound, kEngine; from the policy and the files' schemas alone.
  static Result<std::unique_ptr<DuckDbEngine>> open(const policy::Policy& policy,
                                                    const OwnerLog& log, std::size_t threads = 0);

  /// That each file is there and may be read. Does not wait for a question that runs.
  Result<void> ready(const plan::Checked& checked, const OwnerLog& log) override;
  /// One at a time; a second caller waits. Requires: a Checked of the same policy.
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const OwnerLog& log) override;
  Result<std::vector<std::string>> repeated_keys(const policy::Policy& policy,
                                                 const OwnerLog& log) override;
  std::string explain(const plan::Checked& checked) const override;
  /// What run() knows of a question's tables; a table that is asked about again is counted.
  Result<lowering::CutFacts> facts(const plan::Checked& checked, const OwnerLog& log);
  void interrupt() override { connection_->interrupt(); }

  Result<std::vector<std::string>> public_values(const policy::Policy& policy,
                                                 const std::string& table,
                                                 const std::string& column, std::size_t most,
                                                 const OwnerLog& log) override;
  Result<std::int64_t> multiplicity(const policy::Policy& policy, const std::string& table,
                                    const std::vector<std::string>& columns,
                                    const OwnerLog& log) override;

 private:
  DuckDbEngine(std::unique_ptr<Connection> connection, Schemas schemas)
      : connection_(std::move(connection)), schemas_(std::move(schemas)) {}

  Result<Sensitive<mechanism::UnitRows>> read_rows(const plan::CheckedRows& question,
                                                   const random::Secret* names,
                                                   const OwnerLog& log) override;

  /// run(), if the files are before and after it what they were when they were opened.
  template <class Run>
  auto unchanged(const OwnerLog& log, Run run) -> decltype(run()) {
    DISCREET_TRY(connection_->files().check(log));
    auto done = run();
    if (!done && done.error().code == Code::kInterrupted) return done;
    DISCREET_TRY(connection_->files().check(log));
    return done;
  }

  /// The one number that a statement of ours gives.
  Result<std::int64_t> number_of(const lowering::Select& select, const OwnerLog& log);
  Result<lowering::CutFacts> learn(const plan::Checked& checked, const OwnerLog& log);
  /// Of a table with owners. Its rows stay as they are (opened_files.h), so that they are counted
  /// once.
  struct OfUnits {
    std::int64_t most = 0;   ///< rows of one unit
    bool all_owned = false;  ///< no row is nobody's
  };
  Result<OfUnits> of_units(const policy::Policy& policy, const std::string& table,
                           const OwnerLog& log);
  Result<std::optional<std::vector<std::string>>> units_above(const policy::Policy& policy,
                                                              const std::string& table,
                                                              std::int64_t rows,
                                                              const OwnerLog& log);

  std::mutex mutex_;
  std::unique_ptr<Connection> connection_;
  Schemas schemas_;
  ReadableColumns readable_;
  std::map<std::string, OfUnits> of_units_;
  std::set<std::string> asked_;  ///< tables of questions that join
  std::map<std::pair<std::string, std::int64_t>, std::optional<std::vector<std::string>>>
      units_above_;
  std::mutex facts_mutex_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::int64_t> multiplicities_;
};

}  // namespace discreet::engine::duckdb
