// SPDX-License-Identifier: Apache-2.0
// A long run that the user may interrupt: it ends with what there is so far, marked partial.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/streams.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::cli {

/// Turns true when the user interrupts (SIGINT, SIGTERM) from now on. A second signal ends the
/// process.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  static bool came();
};

/// Runs `run(name, progress)` for each name under one progress bar, until it is interrupted: then
/// there are fewer rows than names.
template <class Row, class RunOne>
Result<std::vector<Row>> run_each(const std::vector<std::string>& names, RunOne run, int err) {
  std::vector<Row> rows;
  report::Progress bar(err, "");
  for (std::size_t i = 0; i < names.size() && !Interruption::came(); ++i) {
    bar.relabel(names[i]);
    const auto progress = [&](int permille) {
      bar.show(i * 1000 + static_cast<std::size_t>(permille), names.size() * 1000);
    };
    progress(0);
    DISCREET_ASSIGN(Row row, run(names[i], progress));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A last row that no reader of any format can take for one of the audit's.
void mark_partial(report::Table& table);

/// Tells the user that `what` ("table", "report") was interrupted; the status to end with.
int say_partial(const Streams& streams, const std::string& what);

}  // namespace discreet::cli
