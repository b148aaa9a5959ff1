// SPDX-License-Identifier: Apache-2.0
// Surveys of the local model that the server collects beside answering questions: whoever has the
// link may answer, and nothing about a sender is kept (C1 to C3, collect/collector.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/collect/collector.h"
#include "server/collect/peer_limits.h"

namespace discreet::server::api {

class Surveys {
 public:
  struct One {
    std::string id;     ///< the survey's fingerprint: another survey has another
    std::string bytes;  ///< for clients
    std::unique_ptr<collect::Collector> collector;
  };

  /// One store for each survey, below `folder`. Fails with: as parse_survey and Collector::open.
  static Result<Surveys> open(const std::vector<std::string>& files,
                              const std::filesystem::path& folder);
  const std::vector<One>& all() const { return all_; }
  /// None: no such survey.
  collect::Collector* find(std::string_view id) const;
  /// Of all surveys together.
  collect::PeerLimits& peers() const { return *peers_; }

 private:
  std::unique_ptr<collect::PeerLimits> peers_ = std::make_unique<collect::PeerLimits>();
  std::vector<One> all_;
};

}  // namespace discreet::server::api
