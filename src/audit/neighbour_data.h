// SPDX-License-Identifier: Apache-2.0
// A neighbour of the owner's data: copies of the tables without one person's rows, in a folder for
// the owner's eyes that is removed with this object.
#pragma once

#include <filesystem>

#include "audit/replay.h"

namespace discreet::audit {

class NeighbourData {
 public:
  /// Fails with: kNotFound when no table has the column; kUnsupported for JSON sources; kStorage;
  /// kEngine.
  static Result<NeighbourData> make(const policy::Policy& policy, const Neighbour& neighbour,
                                    const engine::OwnerLog& log);

  NeighbourData(NeighbourData&& other) noexcept;
  NeighbourData& operator=(NeighbourData&&) = delete;
  ~NeighbourData();

  /// The same policy over the copies.
  const policy::Policy& policy() const { return policy_; }

 private:
  explicit NeighbourData(std::filesystem::path folder, policy::Policy policy)
      : folder_(std::move(folder)), policy_(std::move(policy)) {}

  std::filesystem::path folder_;
  policy::Policy policy_;
};

}  // namespace discreet::audit
