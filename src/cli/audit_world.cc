// SPDX-License-Identifier: Apache-2.0
// discreet audit replay, conformance, statistical: on the owner's policy and data, and black-box.
#include <memory>

#include "audit/conformance.h"
#include "audit/replay.h"
#include "audit/statistical.h"
#include "cli/asking.h"
#include "cli/audit.h"
#include "cli/interruption.h"
#include "report/progress.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kReplayExample =
    "discreet audit replay \"SELECT COUNT(*) FROM visits\" --epsilon 1 "
    "--neighbour remove:patient_id=7";

struct ReplayArguments {
  Text sql, neighbour;
  WorldArguments world;
  QuestionOptions question;
  FormatArguments format;
};

Result<int> run_replay(const ReplayArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  if (!arguments.sql) return missing("the question", kReplayExample);
  if (!arguments.neighbour) return missing("--neighbour", kReplayExample);
  DISCREET_ASSIGN(const audit::Neighbour neighbour, audit::parse_neighbour(*arguments.neighbour));
  DISCREET_ASSIGN(const session::Request request,
                  arguments.question.request(*arguments.sql, arguments.world.analyst));
  if (!request.options.epsilon) return missing("--epsilon", kReplayExample);
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kLook, engine_says(streams)));
  const engine::OwnerLog log{.say = engine_says(streams), .progress = {}};
  DISCREET_ASSIGN(
      const audit::ReplayReport replayed,
      audit::replay_question(asking->policy(), {*arguments.sql, request.options}, neighbour, log));
  report::Table table({"check", "verdict", "finding"});
  for (const audit::ReplayCheck& check : replayed.checks) {
    table.add({Cell::words(check.what), Cell::words(check.ok ? "holds" : "FINDING"),
               Cell::words(check.finding)});
  }
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  say(streams.err, "discreet: findings depend on the data; they are for the owner alone\n");
  return replayed.ok ? 0 : describe(Code::kBug).exit_status;
}

struct ConformanceArguments {
  Text policy;
  FormatArguments format;
};

Result<int> run_conformance(const ConformanceArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const policy::Policy policy,
                  policy::load_policy(arguments.policy.value_or("policy.yaml")));
  report::Progress bar(streams.err, "conformance");
  const auto lines = audit::conformance(
      policy, [&](int permille) { bar.show(static_cast<std::uint64_t>(permille), 1000); });
  bool ok = true;
  report::Table table({"#", "layer", "question", "answer", "evidence", "standing"});
  for (const audit::ConformanceLine& line : lines) {
    ok = ok && line.standing != audit::Standing::kFails;
    table.add({Cell::number(std::to_string(line.number)), Cell::words(line.layer),
               Cell::words(line.question), Cell::words(line.answer),
               Cell::words(to_string(line.evidence)), Cell::words(to_string(line.standing))});
  }
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  return ok ? 0 : describe(Code::kBug).exit_status;
}

struct StatisticalArguments {
  Text name, samples, seed, power, threads;
  FormatArguments format;
};

Result<int> run_statistical(const StatisticalArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  audit::StatisticalOptions options;
  DISCREET_ASSIGN(options.samples,
                  parse_count("samples", arguments.samples.value_or("200000"), 50'000'000));
  DISCREET_ASSIGN(options.seed, parse_count("seed", arguments.seed.value_or("1"), 1ULL << 62));
  if (arguments.power) {
    DISCREET_ASSIGN(const auto runs, parse_count("power", *arguments.power, 1000));
    options.power_runs = static_cast<int>(runs);
  }
  if (arguments.threads) {
    DISCREET_ASSIGN(const auto threads, parse_count("threads", *arguments.threads, 256));
    options.threads = static_cast<int>(threads);
  }
  std::vector<std::string> names = audit::statistical_names();
  if (arguments.name) names = {*arguments.name};
  const Interruption interruption;
  options.stopped = Interruption::came;
  DISCREET_ASSIGN(const auto rows,
                  run_each<audit::StatisticalRow>(
                      names,
                      [&](const std::string& name, const audit::Progress& progress) {
                        options.progress = progress;
                        return audit::run_statistical(name, options);
                      },
                      streams.err));
  bool ok = true;
  bool partial = rows.size() < names.size();
  report::Table table(
      {"mechanism", "claimed", "delta", "histogram", "classifier", "samples", "power", "verdict"});
  const auto shown = [](double x) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.4g", x);
    return std::string(buffer);
  };
  for (const audit::StatisticalRow& row : rows) {
    partial = partial || row.partial;
    ok = ok && !row.refuted;
    table.add(
        {Cell::words(row.mechanism), Cell::number(shown(row.claimed)),
         Cell::number(shown(row.delta)), Cell::number("≥ " + shown(row.histogram)),
         Cell::number("≥ " + shown(row.classifier)), Cell::number(std::to_string(row.samples)),
         Cell::words(row.power_runs == 0
                         ? "not measured"
                         : std::to_string(row.caught) + " of " + std::to_string(row.power_runs)),
         Cell::words(row.partial ? "PARTIAL" : (row.refuted ? "REFUTED" : "not refuted"))});
  }
  if (partial) mark_partial(table);
  DISCREET_TRY(write_all(streams.out, table.render(format)));
  if (partial) return say_partial(streams, "table");
  return ok ? 0 : describe(Code::kBug).exit_status;
}

}  // namespace

void add_audit_world(Program& program, CLI::App& group) {
  const auto rerun = std::make_shared<ReplayArguments>();
  CLI::App& rerun_app = program.command(
      group, "replay",
      {.summary = "the same question on your data and on a neighbour of it",
       .explanation =
           "Makes a copy of the tables without one person's rows, runs the question on both with\n"
           "the same secret and the mechanisms' outputs frozen, and compares: errors, plan, what\n"
           "the engine is sent, price, and how far every mechanism's input moved against its\n"
           "declared sensitivity. No value is printed and nothing is charged. Findings depend on\n"
           "the data: they are the owner's alone. The copy and the tape are gone afterwards.\n",
       .closing = std::string("Example:\n  ") + kReplayExample},
      [rerun](const Streams& streams) { return run_replay(*rerun, streams); });
  add_text(rerun_app, "sql", rerun->sql, "the question", "SQL");
  add_text(rerun_app, "--neighbour", rerun->neighbour, "whose rows are removed",
           "remove:COLUMN=VALUE");
  rerun->question.add_to(rerun_app);
  rerun->world.add_to(rerun_app);
  rerun->format.add_to(rerun_app);

  const auto conformance = std::make_shared<ConformanceArguments>();
  CLI::App& conformance_app = program.command(
      group, "conformance",
      {.summary = "a checklist in the spirit of NIST SP 800-226 for your policy",
       .explanation =
           "What an operator is asked about a system that claims differential privacy. Each line\n"
           "says where its answer comes from: a check that runs now, the policy, a test that "
           "every\n"
           "build passes, or the operator, who alone can answer it.\n",
       .closing = "Example:\n  discreet audit conformance --policy policy.yaml --format markdown"},
      [conformance](const Streams& streams) { return run_conformance(*conformance, streams); });
  add_text(conformance_app, "--policy", conformance->policy, "the policy (./policy.yaml)", "FILE");
  conformance->format.add_to(conformance_app);

  const auto statistical = std::make_shared<StatisticalArguments>();
  CLI::App& statistical_app = program.command(
      group, "statistical",
      {.summary = "lower bounds of epsilon from samples alone",
       .explanation =
           "Draws from two neighbours, chooses a set of outputs on one half of the samples (by\n"
           "histogram and by a classifier) and bounds epsilon on the other half. All bounds of a\n"
           "row hold together with confidence 0.999; a bound above the claim refutes it, one "
           "below\n"
           "proves nothing. --power N plants noise that is a fifth too small (of sv-laplace: a\n"
           "third) and says how often that is caught.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n  discreet audit statistical laplace --samples 1e6 --power 20"},
      [statistical](const Streams& streams) { return run_statistical(*statistical, streams); });
  add_text(statistical_app, "mechanism", statistical->name, "one only; all if left out", "NAME");
  add_text(statistical_app, "--samples", statistical->samples, "from each neighbour (200000)");
  add_text(statistical_app, "--power", statistical->power, "tries of the planted fault (none)");
  add_text(statistical_app, "--threads", statistical->threads, "as many as the machine has");
  add_text(statistical_app, "--seed", statistical->seed, "of the coins (1)");
  statistical->format.add_to(statistical_app);
}

}  // namespace discreet::cli
