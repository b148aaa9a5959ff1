// SPDX-License-Identifier: Apache-2.0
// What the commands that learn have in common: options, the course, and where its bytes go.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/asking.h"
#include "cli/program.h"
#include "learn/course.h"

namespace discreet::cli {

struct LearnArguments {
  WorldArguments world;
  Text output, request_id, checkpoint;
  std::map<std::string, Text> options;  ///< of learn::Wish, by name

  void add_to(CLI::App& app, bool has_target);
  /// One more of learn::Wish's options.
  void add_option(CLI::App& app, const std::string& name, const std::string& what,
                  const std::string& kind = "TEXT");
};

/// What was learned, with what it was learned from.
struct Learned {
  std::unique_ptr<Asking> asking;
  learn::Course course;
  learn::Taught taught;
};

/// Teaches the task, and says on standard error what it cost. `more` are the other files that the
/// command will write, by option: they are looked at before anything is charged, as --output is.
Result<Learned> learn_task(const std::string& task, const LearnArguments& arguments,
                           const std::string& example, const Streams& streams,
                           const std::map<std::string, Text>& more = {});

/// To --output, or to standard output.
Result<void> write_learned(const LearnArguments& arguments, const std::string& bytes,
                           const Streams& streams);
/// The same, and Ctrl-C meanwhile says what was charged.
Result<int> hand_over(const Learned& learned, const LearnArguments& arguments,
                      const std::string& bytes, const Streams& streams);

void add_learn_data(Program& program, CLI::App& learn);  // learn_data.cc

}  // namespace discreet::cli
