// SPDX-License-Identifier: Apache-2.0
// Questions that were taken and not delivered yet, as analysts may know them. When a job begins and
// ends depends on how long the engine took for others, so on data; the ledger's records of it must
// not show before its deadline.
//
// F1  From the moment its question is taken until it is delivered, an analyst is shown the price
//     that was quoted then as spent; what the ledger says in the meantime is not shown to them.
// F2  Whether a question counts as answered before does not change while one like it, of the same
//     analyst, is in flight.
//     Like it: explained alike, which a question and itself always are.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "ledger/state.h"
#include "session/session.h"

namespace discreet::server::api {

/// What one analyst has spent, by namespace.
using Spent = std::map<std::string, ledger::Price, std::less<>>;

/// What is left of a cap when so much counts as spent.
ledger::Price left_of(const ledger::Account& account, const ledger::Price& spent);

class InFlight {
 public:
  /// `state` is the ledger's before the question can begin. A number for end().
  std::uint64_t begin(const std::string& analyst, const session::Explanation& explained,
                      const ledger::Price& price, const ledger::State& state);
  void end(std::uint64_t number);

  /// One of this analyst's own; what others ask does not show.
  bool has_like(const std::string& analyst, const session::Explanation& explained) const;

  struct Shown {
    Spent spent;
    ledger::Sequence records = 0;  ///< those before it may be shown
  };
  /// None: nothing of theirs is in flight, and the ledger may be shown as it is.
  std::optional<Shown> shown(const std::string& analyst) const;

 private:
  struct Question {
    std::string analyst;
    std::string likeness;
  };
  struct Analyst {
    int in_flight = 0;
    Shown shown;
  };
  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Question> questions_;
  std::map<std::string, int> likenesses_;
  std::map<std::string, Analyst, std::less<>> analysts_;
};

}  // namespace discreet::server::api
