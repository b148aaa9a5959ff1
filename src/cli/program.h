// SPDX-License-Identifier: Apache-2.0
// The tree of commands. Each command is one file that adds itself here: its words, its options, and
// what to do.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/deprecated.h"
#include "base/result.h"
#include "cli/streams.h"

namespace CLI {
class App;
}

namespace discreet::cli {

/// What a command does once its options are read; the exit status, or what went wrong.
using Action = std::function<Result<int>(const Streams&)>;

/// What --help teaches.
struct Lesson {
  std::string summary;      ///< one line, for the list of commands
  std::string explanation;  ///< a paragraph
  std::string closing;      ///< what it costs; an example with its output
};

class Program {
 public:
  explicit Program(Deprecations old_names = deprecations());
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// A command that only has commands.
  CLI::App& group(const std::string& name, const Lesson& lesson);
  /// A command under `parent`.
  CLI::App& command(CLI::App& parent, const std::string& name, const Lesson& lesson, Action action);
  CLI::App& root() { return *app_; }

  /// Reads the words of a command line. An option's old name is its new one; the action says so
  /// on standard error before it begins.
  /// Fails with: kInvalidInput, naming the nearest word, or what is missing.
  Result<Action> parse(std::vector<std::string> words);

 private:
  /// The command that the first words name.
  Result<CLI::App*> find(const std::vector<std::string>& words);

  const Deprecations old_names_;
  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::App*, std::string> explanations_;
  std::map<const CLI::App*, Action> actions_;
};

// One a file.
void add_noise(Program& program);    // noise.cc
void add_local(Program& program);    // local.cc
void add_choose(Program& program);   // choose.cc
void add_audit(Program& program);    // audit.cc
void add_attack(Program& program);   // attack.cc
void add_account(Program& program);  // account.cc
void add_policy(Program& program);   // policy.cc
void add_ledger(Program& program);   // ledger.cc
void add_budget(Program& program);   // budget.cc
void add_query(Program& program);    // query.cc: query, explain, curve
void add_learn(Program& program);    // learn.cc
void add_predict(Program& program);  // predict.cc
void add_publish(Program& program);  // publish.cc
void add_shell(Program& program);    // shell.cc
void add_serve(Program& program);    // serve.cc
void add_keep(Program& program);     // keep.cc

}  // namespace discreet::cli
