// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <exception>
#include <new>

#include "cli/program.h"

namespace discreet::cli {
namespace {

Result<int> run_command(const std::vector<std::string>& words, const Streams& streams) {
  Program program;
  add_noise(program);
  add_local(program);
  add_choose(program);
  add_audit(program);
  add_attack(program);
  add_account(program);
  add_policy(program);
  add_ledger(program);
  add_budget(program);
  add_query(program);
  add_learn(program);
  add_predict(program);
  add_publish(program);
  add_shell(program);
  add_serve(program);
  add_keep(program);
  DISCREET_ASSIGN(const Action action, program.parse(words));
  return action(streams);
}

/// Libraries throw; nothing of ours does.
Result<int> run_guarded(const std::vector<std::string>& words, const Streams& streams) {
  try {
    return run_command(words, streams);
  } catch (const std::bad_alloc&) {
    return Error{Code::kStorage, "there is not enough memory; give fewer lines"};
  } catch (const std::exception& error) {
    return Error{Code::kBug, std::string("unexpected: ") + error.what()};
  }
}

}  // namespace

int run(const std::vector<std::string>& words, const Streams& streams) {
  const Result<int> status = run_guarded(words, streams);
  if (status) return *status;
  if (is_reader_gone(status.error())) return 0;
  say(streams.err, "discreet: " + status.error().message + "\n");
  return describe(status.error().code).exit_status;
}

}  // namespace discreet::cli
