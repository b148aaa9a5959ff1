// SPDX-License-Identifier: Apache-2.0
#include "audit/exhibits.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "audit/conformance.h"
#include "audit/source/randomness.h"
#include "audit/statistical.h"
#include "base/suggest.h"

namespace discreet::audit {
namespace {

using report::Cell;

bool is_stopped(const Watch& watch) { return watch.stopped && watch.stopped(); }

/// Where a part of several stands among all.
Progress part_of_watch(const Watch& watch, const std::string& name, std::size_t done,
                       std::size_t all) {
  if (watch.next) watch.next(name);
  return [progress = watch.progress, done, all](int permille) {
    if (!progress) return;
    progress(static_cast<int>((1000 * done + static_cast<std::size_t>(permille)) / all));
  };
}

}  // namespace

Result<std::vector<std::string>> chosen(const std::vector<std::string>& all,
                                        const std::string& only) {
  if (only.empty()) return all;
  if (std::ranges::count(all, only) > 0) return std::vector<std::string>{only};
  return Error{Code::kNotFound, "nothing there is called " + in_quotes(only) +
                                    did_you_mean(only, all) + "; known are " + one_of(all)};
}

Result<Finding> exact_exhibit(const std::string& only, const Watch& watch) {
  Finding out{.exhibit = {.title = "Claimed and measured, from the compiled code"}};
  report::Section section{.heading = "All coin tapes to a depth",
                          .words = {"On two neighbours, with small parameters; brackets are exact: "
                                    "no samples and no p-values. The share of its "
                                    "claim that a pair certainly uses up is 0.9 or more, or a "
                                    "reason says why not."},
                          .columns = {"case", "mechanism", "neighbours", "claimed", "measured",
                                      "share", "delta", "unresolved", "verdict", "reason"}};
  DISCREET_ASSIGN(const auto names, chosen(case_names(), only));
  for (std::size_t i = 0; i < names.size() && !out.exhibit.partial; ++i) {
    DISCREET_ASSIGN(const AuditRow row,
                    run_case(names[i], part_of_watch(watch, names[i], i, names.size())));
    out.ok = out.ok && row.ok;
    section.rows.push_back({Cell::words(names[i]), Cell::words(row.mechanism),
                            Cell::words(row.neighbours), Cell::words(row.claimed),
                            Cell::words(row.measured), Cell::number(row.share),
                            Cell::words(row.delta), Cell::number(row.unresolved),
                            Cell::words(row.verdict), Cell::words(row.reason)});
    out.exhibit.partial = is_stopped(watch);
  }
  out.exhibit.sections.push_back(std::move(section));
  return out;
}

Result<Finding> mutant_exhibit(const std::string& only, const Watch& watch) {
  Finding out{.exhibit = {.title = "Planted faults, and whether the audit catches them"}};
  report::Section section{.heading = "Mutants",
                          .columns = {"mutant", "fault", "found", "intact", "verdict"}};
  DISCREET_ASSIGN(const auto names, chosen(mutant_names(), only));
  for (std::size_t i = 0; i < names.size() && !out.exhibit.partial; ++i) {
    DISCREET_ASSIGN(const MutantRow row,
                    run_mutant(names[i], part_of_watch(watch, names[i], i, names.size())));
    out.ok = out.ok && row.ok;
    section.rows.push_back({Cell::words(row.name), Cell::words(row.fault), Cell::words(row.caught),
                            Cell::words(row.intact), Cell::words(row.ok ? "caught" : "MISSED")});
    out.exhibit.partial = is_stopped(watch);
  }
  out.exhibit.sections.push_back(std::move(section));
  return out;
}

Result<Finding> statistical_exhibit(const std::string& only, const Watch& watch) {
  Finding out{.exhibit = {.title = "Lower bounds of epsilon from samples alone"}};
  report::Section section{
      .heading = "Bounds",
      .words = {"All bounds of a row hold together with confidence 0.999; one above the claim "
                "refutes it, one below proves nothing."},
      .columns = {"mechanism", "claimed", "histogram", "classifier", "samples", "verdict"}};
  DISCREET_ASSIGN(const auto names, chosen(statistical_names(), only));
  const auto brief = [](double x) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g", x);
    return std::string(text);
  };
  for (std::size_t i = 0; i < names.size() && !out.exhibit.partial; ++i) {
    StatisticalOptions options{.threads = 1,
                               .progress = part_of_watch(watch, names[i], i, names.size())};
    options.stopped = watch.stopped;
    DISCREET_ASSIGN(const StatisticalRow row, run_statistical(names[i], options));
    out.exhibit.partial = row.partial;
    out.ok = out.ok && !row.refuted;
    section.rows.push_back({Cell::words(row.mechanism), Cell::number(brief(row.claimed)),
                            Cell::number("≥ " + brief(row.histogram)),
                            Cell::number("≥ " + brief(row.classifier)),
                            Cell::number(std::to_string(row.samples)),
                            Cell::words(row.refuted ? "REFUTED" : "not refuted")});
  }
  out.exhibit.sections.push_back(std::move(section));
  return out;
}

Result<Finding> randomness_exhibit(const std::string& only, const Watch& watch) {
  Finding out{.exhibit = {.title = "Randomness that is not perfect"}};
  std::vector<std::string> known;
  for (const RandomnessPart& part : randomness_parts()) known.push_back(part.name);
  DISCREET_ASSIGN(const auto names, chosen(known, only));
  for (const RandomnessPart& part : randomness_parts()) {
    if (std::ranges::count(names, part.name) == 0) continue;
    if (is_stopped(watch)) {
      out.exhibit.partial = true;
      break;
    }
    part_of_watch(watch, part.name, out.exhibit.sections.size(), names.size())(0);
    DISCREET_ASSIGN(report::Section section, part.run());
    out.exhibit.sections.push_back(std::move(section));
  }
  return out;
}

Result<Finding> conformance_exhibit(const policy::Policy& policy, const Watch& watch) {
  Finding out{.exhibit = {.title = "A checklist for this policy"}};
  report::Section section{.heading = "Conformance",
                          .words = {"In the spirit of NIST SP 800-226. Each line says where its "
                                    "answer comes from."},
                          .columns = {"#", "layer", "question", "answer", "evidence", "standing"}};
  for (const ConformanceLine& line :
       conformance(policy, part_of_watch(watch, "conformance", 0, 1))) {
    out.ok = out.ok && line.standing != Standing::kFails;
    section.rows.push_back({Cell::number(std::to_string(line.number)), Cell::words(line.layer),
                            Cell::words(line.question), Cell::words(line.answer),
                            Cell::words(to_string(line.evidence)),
                            Cell::words(to_string(line.standing))});
  }
  out.exhibit.sections.push_back(std::move(section));
  return out;
}

Result<Finding> replay_exhibit(const policy::Policy& policy, const ReplayQuestion& question,
                               const Neighbour& neighbour, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const ReplayReport replayed, replay_question(policy, question, neighbour, log));
  Finding out{.exhibit = {.title = "One question on the data and on a neighbour"},
              .ok = replayed.ok};
  report::Section section{
      .heading = "What moved",
      .words = {"The same secret, the mechanisms' outputs frozen; one person's rows taken away. "
                "Findings depend on the data: they are the owner's alone."},
      .columns = {"check", "verdict", "finding"}};
  for (const ReplayCheck& check : replayed.checks) {
    section.rows.push_back({Cell::words(check.what), Cell::words(check.ok ? "holds" : "FINDING"),
                            Cell::words(check.finding)});
  }
  out.exhibit.sections.push_back(std::move(section));
  return out;
}

}  // namespace discreet::audit
