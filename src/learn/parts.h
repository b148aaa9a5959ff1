// SPDX-License-Identifier: Apache-2.0
// Lessons that outlive their process. The series of rounds is charged whole, then taken part by
// part (Ledger::take_part: once, ever). Between parts the state of the fit is saved in a file. A
// process that is killed loses what its part had not saved; the next one goes on with the saved
// state and the parts that nobody took.
//
// No round is drawn twice, so privacy does not rest on the file (mechanism/clipped_sums.md, 5): not
// on its secrecy, as every sum was paid for, nor on its age, as an older copy finds its rounds
// taken. It is sealed all the same (AES-256-GCM, a key made from the owner's and the run): what a
// model was made from should be neither read nor changed on the way. It is bound to the ledger, the
// run, the question, the snapshot label and the plan; for anything else it does not open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "learn/lesson.h"

namespace discreet::learn {

/// What a fit sees of it: rounds in parts, and a state that is kept between them.
class Parts {
 public:
  struct Run {
    ledger::Ledger& ledger;
    const CheckedLesson& lesson;
    ledger::Sequence paid;
    std::filesystem::path file;  ///< empty: nothing is saved
    std::string state = {};      ///< what another process left
  };
  Parts(Run run, const Sensitive<mechanism::UnitRows>& rows) : run_(std::move(run)), rows_(rows) {}

  /// What the process before saved; empty at the beginning.
  const std::string& state() const { return run_.state; }
  /// Saves `state`, then takes the first part that nobody took. False: all are taken.
  /// Fails with: kConflict when another process goes on with the run; kStorage.
  Result<bool> next(const std::string& state);
  /// Of the part that was taken; rounds_done() is the number of its next round.
  Sums& sums() { return *sums_; }

 private:
  Run run_;
  const Sensitive<mechanism::UnitRows>& rows_;
  std::uint64_t part_ = 0;
  std::optional<Sums> sums_;
};

using FitInParts = std::function<Result<std::string>(Parts& parts, const Certificate& certificate)>;

struct Saving {
  std::filesystem::path file = {};        ///< empty: nothing is saved
  std::function<void()> resumed = [] {};  ///< told when a file was found and nothing is charged
};

/// As teach(), for a lesson whose training has more than one part. When `file` is there, the run
/// that it belongs to is gone on with, and nothing is charged. It is removed when the lesson is
/// done.
/// Fails with: kRefused, kCorrupt, before anything is charged, when the file is not of this lesson;
/// kStorage when it cannot be written.
Result<Taught> teach_in_parts(const policy::Policy& policy, ledger::Ledger& ledger,
                              engine::Engine& engine, const Lesson& lesson,
                              const engine::OwnerLog& log, const Saving& saving,
                              const FitInParts& fit);

}  // namespace discreet::learn
