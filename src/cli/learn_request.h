// SPDX-License-Identifier: Apache-2.0
// What the commands that learn have in common: options, the lesson, and where its bytes go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/asking.h"
#include "cli/program.h"
#include "learn/lesson.h"
#include "learn/parts.h"
#include "report/progress.h"

namespace discreet::cli {

struct LearnArguments {
  WorldArguments world;
  Text table, target, features, epsilon, delta, output, request_id;

  void add_to(CLI::App& app, bool has_target);
};

/// A lesson that is about to be asked for.
struct LearnRequest {
  std::unique_ptr<Asking> asking;
  learn::Lesson lesson;
  std::vector<learn::Column> columns;  ///< the features, then the target, then `also`
  std::vector<std::size_t> features;
  std::size_t target = 0;

  const learn::Column& target_column() const { return columns[target]; }

  /// `also`: further columns that are read (empty texts are none). Without --features all other
  /// columns with a domain.
  static Result<LearnRequest> read(const LearnArguments& arguments, const Streams& streams,
                                   const std::string& example, const Text& also = {});
};

using Fit = std::function<Result<std::string>(learn::Sums&, const learn::Certificate&)>;

/// Teaches, and says on standard error what it cost.
Result<learn::Taught> teach(LearnRequest& request, const Streams& streams, const Fit& fit);
/// The same for a lesson in parts, saved between them in `file`.
Result<learn::Taught> teach_in_parts(LearnRequest& request, const Streams& streams,
                                     const std::string& file, const learn::FitInParts& fit);

/// Fails with: kStorage when it could not be written: asked before anything is charged.
Result<void> check_place(const Text& file);

/// To --output, or to standard output.
Result<int> hand_over(const LearnArguments& arguments, const std::string& bytes,
                      const Streams& streams);

void add_learn_data(Program& program, CLI::App& learn);  // learn_data.cc

}  // namespace discreet::cli
