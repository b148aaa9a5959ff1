// SPDX-License-Identifier: Apache-2.0
// discreet audit exact: measured epsilon beside claimed epsilon, from the compiled code.
#include "cli/audit.h"

#include <memory>

#include "audit/exact.h"
#include "cli/arguments.h"
#include "cli/interruption.h"
#include "cli/program.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

struct AuditArguments {
  Text name;
  bool mutants = false;
  FormatArguments format;
};

/// With what the status is made of.
struct AuditedTable {
  report::Table table;
  bool all_hold = true;
  bool partial = false;
};

/// What people see has to fit a terminal: the case's name in place of its parameters, and what was
/// measured without the counts behind it. The other formats hold everything.
Result<AuditedTable> audit_table(const std::vector<std::string>& names, int err, bool brief) {
  DISCREET_ASSIGN(const auto rows, run_each<audit::AuditRow>(names, audit::run_case, err));
  AuditedTable out{
      brief ? report::Table(
                  {"case", "neighbours", "claimed", "measured", "share", "unresolved", "verdict"})
            : report::Table({"case", "mechanism", "neighbours", "claimed", "measured", "share",
                             "delta", "tapes", "unresolved", "verdict", "reason", "ok"})};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const audit::AuditRow& row = rows[i];
    out.all_hold = out.all_hold && row.ok;
    if (brief) {
      out.table.add({Cell::words(names[i]), Cell::words(row.neighbours), Cell::words(row.claimed),
                     Cell::words(row.measured), Cell::number(row.share),
                     Cell::number(row.unresolved), Cell::words(row.verdict)});
      continue;
    }
    out.table.add({Cell::words(names[i]), Cell::words(row.mechanism), Cell::words(row.neighbours),
                   Cell::words(row.claimed), Cell::words(row.measured), Cell::number(row.share),
                   Cell::words(row.delta), Cell::number(row.tapes), Cell::number(row.unresolved),
                   Cell::words(row.verdict), Cell::words(row.reason),
                   Cell::words(row.ok ? "yes" : "no")});
  }
  out.partial = rows.size() < names.size();
  return out;
}

Result<AuditedTable> mutant_table(const std::vector<std::string>& names, int err, bool brief) {
  DISCREET_ASSIGN(const auto rows, run_each<audit::MutantRow>(names, audit::run_mutant, err));
  AuditedTable out{brief ? report::Table({"mutant", "found", "verdict"})
                         : report::Table({"mutant", "fault", "found", "intact", "verdict"})};
  for (const audit::MutantRow& row : rows) {
    out.all_hold = out.all_hold && row.ok;
    const Cell verdict = Cell::words(row.ok ? "caught" : "MISSED");
    if (brief) {  // the first of the faults that were found
      out.table.add({Cell::words(row.name), Cell::words(row.caught.substr(0, row.caught.find(';'))),
                     verdict});
      continue;
    }
    out.table.add({Cell::words(row.name), Cell::words(row.fault), Cell::words(row.caught),
                   Cell::words(row.intact), verdict});
  }
  out.partial = rows.size() < names.size();
  return out;
}

Result<int> run_audit(const AuditArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  std::vector<std::string> names = arguments.mutants ? audit::mutant_names() : audit::case_names();
  if (arguments.name) names = {*arguments.name};
  const bool brief = format == report::Format::kTable;
  const Interruption interruption;
  DISCREET_ASSIGN(AuditedTable audited, arguments.mutants ? mutant_table(names, streams.err, brief)
                                                          : audit_table(names, streams.err, brief));
  if (audited.partial) mark_partial(audited.table);
  DISCREET_TRY(write_all(streams.out, audited.table.render(format)));
  if (audited.partial) return say_partial(streams, "table");
  return audited.all_hold ? 0 : describe(Code::kBug).exit_status;
}

}  // namespace

void add_audit_exact(Program& program, CLI::App& group) {
  const auto arguments = std::make_shared<AuditArguments>();
  CLI::App& app = program.command(
      group, "exact",
      {.summary = "walk all coin tapes and compare measured with claimed epsilon",
       .explanation =
           "Every mechanism is a function of its input and a tape of coins. This walks all\n"
           "tapes to a depth, on two neighbouring inputs, with small parameters, and brackets\n"
           "the probability of each output exactly: no samples and no p-values. A claim is\n"
           "violated when the certified low end of what was measured exceeds it, and unresolved\n"
           "when more than 0.02 of the tapes did not end within the depth. The share is how much\n"
           "of the claim this pair of inputs certainly uses up: a price that is lower than that\n"
           "share of it would have been refuted. Where it is below 0.9 the formats markdown,\n"
           "csv and JSON say why. --mutants plants\n"
           "known faults (a wrong scale, a dropped sign rule, ...) and shows that the same\n"
           "comparison catches each of them.\n",
       .closing =
           "Costs nothing: no data is involved. The status is 70 if a claim does not hold.\n\n"
           "Example:\n"
           "  discreet audit exact laplace\n"
           "    case     neighbours  claimed      measured                    share  unresolved  "
           "verdict\n"
           "    -------  ----------  -----------  --------------------------  -----  ----------  "
           "-------\n"
           "    laplace  0 | 1       epsilon 0.5  epsilon 0.49973 to 0.51667  0.999     0.00013  "
           "holds\n"
           "  discreet audit exact --json\n"
           "  discreet audit exact --mutants"},
      [arguments](const Streams& streams) { return run_audit(*arguments, streams); });
  add_text(app, "mechanism", arguments->name, "one case only; all if left out", "NAME");
  add_flag(app, "--mutants", arguments->mutants, "planted faults in place of the mechanisms");
  arguments->format.add_to(app);
}

void add_audit(Program& program) {
  CLI::App& group = program.group(
      "audit",
      {.summary = "check the guarantees against the compiled code",
       .explanation =
           "A guarantee is a claim about code. These commands test the code that answers,\n"
           "not a model of it.\n",
       .closing =
           "Example:\n  discreet audit exact laplace\n  discreet audit randomness effective"});
  add_audit_exact(program, group);
  add_audit_randomness(program, group);
  add_audit_learn(program, group);
  add_audit_world(program, group);
  add_audit_report(program, group);
}

}  // namespace discreet::cli
