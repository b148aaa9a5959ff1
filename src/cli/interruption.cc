// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

#include <csignal>

namespace discreet::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

void note(int signal) {
  if (signalled != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  signalled = 1;
}

}  // namespace

Interruption::Interruption() {
  signalled = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interruption::came() { return signalled != 0; }

void mark_partial(report::Table& table) {
  std::vector<report::Cell> row = {report::Cell::words("PARTIAL: stopped before its end")};
  row.resize(table.columns(), report::Cell::words(""));
  table.add(std::move(row));
}

int say_partial(const Streams& streams, const std::string& what) {
  say(streams.err, "discreet: interrupted; the " + what + " is partial\n");
  return describe(Code::kInterrupted).exit_status;
}

}  // namespace discreet::cli
