// SPDX-License-Identifier: Apache-2.0
// A course: what is to be learned, said in words ("classify", target, features, ...), turned into a
// lesson with its shares and its fit. The one way from words to a model, for the command line and
// for the server alike: the same words give the same lesson, so the same key in the ledger.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "learn/lesson.h"
#include "learn/parts.h"

namespace discreet::learn {

/// "classify", "naive-bayes", "regress", "cluster", "network", "distribution", "synthesize".
const std::vector<std::string>& tasks();

/// What somebody wants to be taught.
struct Wish {
  std::string task;
  /// By name: table, target, features (with commas), epsilon, delta; of classify and naive-bayes
  /// group; of naive-bayes, distribution and synthesize bins; ridge; k; hidden, steps, sampling,
  /// rate; rows. What is not there has its default.
  std::map<std::string, std::string> options = {};
  std::string analyst = "owner";
  std::string request_id = {};

  /// "" when it is not there.
  std::string option(const std::string& name) const;
};

/// Told how many rounds of all are done: the owner's to see. Its error ends the training.
using Rounds = std::function<Result<void>(std::uint64_t done, std::uint64_t all)>;

struct Course {
  Lesson lesson;
  std::vector<Column> columns;  ///< the features, then the target, then the group
  /// The one that is there fits: at once, or in parts.
  std::function<Result<std::string>(Sums&, const Certificate&)> fit = {};
  FitInParts fit_in_parts = {};
};

/// Nothing is charged and no data is read.
/// Fails with: kInvalidInput, naming the option; kNotFound (task, table, column); kRefused for a
/// column without a domain.
Result<Course> course_of(const policy::Policy& policy, const Wish& wish, const Rounds& rounds = {});

/// What it costs and whether that fits. Fails with: as the checker and the ledger do.
Result<ledger::Quote> quote(const policy::Policy& policy, ledger::Ledger& ledger,
                            const Course& course);

/// `saving`: of a course in parts. Fails with: as teach() and teach_in_parts() do.
Result<Taught> teach(const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine,
                     const Course& course, const engine::OwnerLog& log, const Saving& saving);

}  // namespace discreet::learn
