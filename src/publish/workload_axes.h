// SPDX-License-Identifier: Apache-2.0
// Columns of the policy as axes and weights of a workload's tables; part of read_workload().
#pragma once

#include <map>
#include <optional>
#include <string>

#include "policy/fields.h"
#include "publish/workload.h"

namespace discreet::publish {

/// Fails with: kNotFound, kStorage; kInvalidInput beyond 256 MiB.
Result<std::string> read_whole_file(const std::string& path);

class AxisReader {
 public:
  explicit AxisReader(policy::Mistakes& mistakes) : mistakes_(mistakes) {}

  /// `columns:` of the workload: bins, edges, rest.
  void read_uses(const policy::Node& node);
  /// The axis of a column, made when it is first named. Notes what is wrong.
  std::optional<std::size_t> find(const std::string& column, int line, const std::string& path,
                                  Workload& out);
  /// The measure that adds up a column.
  std::optional<std::size_t> measure(const std::string& column, int line, const std::string& path,
                                     Workload& out);

  const policy::Table* table = nullptr;

 private:
  struct Use {
    int line = 0;
    std::optional<Rational> bins = {};
    std::vector<Rational> edges = {};
    bool rest = false;
  };
  const policy::Column* declared(const std::string& column, int line, const std::string& path);

  policy::Mistakes& mistakes_;
  std::map<std::string, Use> uses_;
};

}  // namespace discreet::publish
