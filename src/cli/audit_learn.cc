// SPDX-License-Identifier: Apache-2.0
// discreet audit learn: canaries and questions of membership against every family of models.
#include <array>
#include <cstdio>
#include <memory>

#include "audit/attack/attack.h"
#include "audit/learned.h"
#include "cli/arguments.h"
#include "cli/audit.h"
#include "cli/interruption.h"
#include "cli/own_values.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

struct LearnAuditArguments {
  Text task, epsilon, delta, seed;
  bool mutants = false;
  FormatArguments format;
};

/// Nobody's rows: the people are made up.
Result<learn::Sums> open_sums(const plan::Training& training,
                              const Sensitive<mechanism::UnitRows>& rows) {
  DISCREET_ASSIGN(const auto terms, plan::terms_of(training, Neighbours::kAddRemove));
  DISCREET_ASSIGN(mechanism::ClippedSums series, OwnValues::open_unpaid(terms));
  return learn::Sums(std::move(series), rows);
}

std::string with_two_digits(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", x);
  return text.data();
}

Result<int> run(const LearnAuditArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  audit::LearnedOptions options{.clipping_removed = arguments.mutants};
  DISCREET_ASSIGN(options.epsilon, Epsilon::parse(arguments.epsilon.value_or("1")));
  DISCREET_ASSIGN(options.delta, Delta::parse(arguments.delta.value_or("0")));
  if (arguments.seed) {
    DISCREET_ASSIGN(options.seed, parse_count("seed", *arguments.seed, ~std::uint64_t{0} >> 1));
  } else {
    DISCREET_ASSIGN(options.seed, audit::fresh_seed());
  }
  std::vector<std::string> names = audit::learned_names();
  if (arguments.task) {
    DISCREET_ASSIGN(names, audit::learned_names_of(*arguments.task));
  }
  const Interruption interruption;
  report::Table table({"family", "attack", "claimed", "right guesses", "at least", "verdict"});
  DISCREET_ASSIGN(const auto rows, run_each<audit::LearnedRow>(
                                       names,
                                       [&](const std::string& name, const auto&) {
                                         return audit::audit_learned(name, options, open_sums);
                                       },
                                       streams.err));
  bool all_hold = true;
  for (const audit::LearnedRow& row : rows) {
    all_hold = all_hold && row.ok;
    const std::string claimed = "epsilon " + options.epsilon.to_string() +
                                (row.delta.value() == 0 ? "" : ", delta " + row.delta.to_string());
    table.add(
        {Cell::words(row.family), Cell::words(row.attack), Cell::words(claimed),
         Cell::words(std::to_string(row.guesses.right) + " of " + std::to_string(row.guesses.all)),
         Cell::number(with_two_digits(row.measured)),
         Cell::words(arguments.mutants ? (row.ok ? "caught" : "MISSED")
                                       : (row.ok ? "holds" : "VIOLATED"))});
  }
  const bool partial = rows.size() < names.size();
  if (partial) mark_partial(table);
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  if (partial) return say_partial(streams, "table");
  return all_hold ? 0 : describe(Code::kBug).exit_status;
}

}  // namespace

void add_audit_learn(Program& program, CLI::App& group) {
  const auto arguments = std::make_shared<LearnAuditArguments>();
  CLI::App& app = program.command(
      group, "learn",
      {.summary = "guess from trained models who was in their data",
       .explanation =
           "Trains every family of models on people who are made up. 120 of them, with many rows\n"
           "each, are in or out by a coin; somebody who sees the model guesses which, for the 60\n"
           "that it tells most of. Canaries have values that are nobody else's; under membership\n"
           "they are like everybody. So many right guesses refute an epsilon (Steinke, Nasr,\n"
           "Jagielski 2023): \"at least\" has 95 % confidence, and the verdict is wrong once in a\n"
           "thousand times at most. --mutants removes clipping, and shows that the same rule "
           "finds\n"
           "that. A claim much above 2 cannot be refuted by 60 guesses.\n",
       .closing =
           "Costs nothing: no data is involved. The status is 70 if a claim does not hold.\n\n"
           "Example:\n"
           "  discreet audit learn regress\n"
           "  discreet audit learn --mutants"},
      [arguments](const Streams& streams) { return run(*arguments, streams); });
  add_text(app, "task", arguments->task, "of discreet learn; all if left out", "NAME");
  add_text(app, "--epsilon", arguments->epsilon, "that is claimed (1)");
  add_text(app, "--delta", arguments->delta, "above 0: Gaussian noise (0; a network 1e-5)");
  add_text(app, "--seed", arguments->seed, "repeats the people, not the noise; fresh if left out");
  add_flag(app, "--mutants", arguments->mutants, "with clipping removed");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
