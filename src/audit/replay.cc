// SPDX-License-Identifier: Apache-2.0
#include "audit/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>

#include "audit/neighbour_data.h"
#include "audit/record.h"
#include "audit/seeded_bits.h"
#include "engine/duckdb/connection.h"
#include "engine/duckdb/dialect.h"
#include "engine/duckdb/run.h"
#include "engine/duckdb/sources.h"
#include "engine/key.h"
#include "engine/keyed_hash.h"
#include "engine/lowering/plan.h"
#include "mechanism/door.h"
#include "plan/checker.h"

namespace discreet::audit {
namespace {

using mechanism::Groups;
using mechanism::KeyCounts;
using mechanism::KeySums;
using mechanism::Runs;

/// One side: what the question became, and what the engine brought back, or the error.
struct Side {
  std::optional<plan::Checked> checked;
  std::string sent;
  std::optional<Groups> groups;
  std::optional<Error> error;
};

Result<void> run_side(const policy::Policy& policy, const ReplayQuestion& question,
                      const engine::Secret& secret, const engine::OwnerLog& log, Side& side) {
  Result<sql::Query> query = sql::bind(question.sql, question.options, policy);
  if (!query) return query.error();
  DISCREET_ASSIGN(plan::Checked checked, plan::Checker::check(query->plan, policy, "replay"));
  DISCREET_ASSIGN(const auto connection, engine::duckdb::Connection::open(0, log));
  DISCREET_ASSIGN(const auto schemas, engine::duckdb::open_sources(*connection, policy, log));
  const auto lowered = engine::lowering::lower_plan(checked, engine::duckdb::dialect(), schemas);
  side.sent = lowered.print();
  side.checked.emplace(std::move(checked));
  DISCREET_ASSIGN(
      side.groups,
      engine::duckdb::run_lowered(*connection, lowered, side.checked->steps().size(), secret, log));
  return {};
}

/// Counts of all keys of both, in one order: a key that one side lacks has count 0.
KeyCounts aligned(const Groups& groups, const std::map<std::string, int>& all) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [key, unused] : all) counts[key] = 0;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) counts[groups.keys[g]] = groups.units[g];
  KeyCounts out;
  for (const auto& [key, count] : counts) {
    out.keys.push_back(key);
    out.units.push_back(count);
  }
  return out;
}

/// What the threshold's mechanism gets. Requires: there is one.
KeySums sums_of(const plan::Checked& checked, const Groups& groups) {
  const plan::Threshold& threshold = *checked.threshold();
  return {groups.keys, groups.units, groups.integers[threshold.step],
          to_int128(threshold.noise.options().capacity)};
}

/// The input of a step's mechanism for these keys.
template <class M>
std::optional<std::vector<Int128>> input_of(const Groups& groups, std::size_t measurement,
                                            const std::vector<std::string>& keys) {
  std::map<std::string, std::size_t> place;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) place[groups.keys[g]] = g;
  using Input = typename M::Input;
  if constexpr (std::is_same_v<Input, std::vector<std::int64_t>>) {
    std::vector<Int128> column;
    for (const std::string& key : keys) {
      const auto at = place.find(key);
      column.push_back(at == place.end() ? 0 : groups.integers[measurement][at->second]);
    }
    return column;
  } else if constexpr (std::is_same_v<Input, Int128>) {
    const auto at = place.find(keys.front());
    return M::coordinates(at == place.end() ? 0 : groups.integers[measurement][at->second]);
  } else if constexpr (std::is_same_v<Input, std::vector<Runs>>) {
    Input runs;
    for (const std::string& key : keys) {
      const auto at = place.find(key);
      runs.push_back(at == place.end() ? Runs{} : groups.runs[measurement][at->second]);
    }
    return M::coordinates(runs);
  } else {
    return std::nullopt;
  }
}

/// All of a side's mechanism calls, with `keys` frozen.
Recordings recorded(const Side& side, const std::map<std::string, int>& all_keys,
                    const std::vector<std::string>& keys) {
  Recordings out;
  const plan::Checked& checked = *side.checked;
  if (checked.selection()) {
    out.record({checked.selection()->noise(),
                Sensitive(mechanism::KeySelection::coordinates(aligned(*side.groups, all_keys))),
                ""});
  }
  if (checked.threshold()) {
    out.record(
        {checked.threshold()->noise.noise(),
         Sensitive(mechanism::ThresholdedGroups::coordinates(sums_of(checked, *side.groups))), ""});
  }
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    std::visit(
        [&](const auto& noise) {
          using M = std::decay_t<decltype(noise)>;
          std::optional<std::vector<Int128>> input = input_of<M>(*side.groups, i, keys);
          if (!input) return;
          out.record({noise.noise(), Sensitive(std::move(*input)), ""});
        },
        checked.steps()[i].noise);
    // Rows around quantiles: any cells do, since a row is in one of them.
    const auto& counts = checked.steps()[i].counts;
    if (!counts) continue;
    out.record({plan::line_of(*counts).noise,
                Sensitive(*input_of<mechanism::Quantiles>(*side.groups, i, keys)), ""});
  }
  return out;
}

std::string price_of(const plan::Checked& checked) {
  std::string text;
  for (const ChargeLine& line : checked.charge().lines()) {
    text += line.noise.text + " " + to_string(line.cost) + "\n";
  }
  return text;
}

void add(ReplayReport& report, std::string what, bool ok, std::string finding) {
  report.ok = report.ok && ok;
  report.checks.push_back({std::move(what), ok, ok ? "" : std::move(finding)});
}

}  // namespace

Result<Neighbour> parse_neighbour(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (!text.starts_with("remove:") || equals == std::string::npos || equals == 7 ||
      equals + 1 == text.size()) {
    return invalid_input("a neighbour is written remove:COLUMN=VALUE, for example " +
                         in_quotes("remove:patient_id=7") + "; got " + in_quotes(text));
  }
  return Neighbour{text.substr(7, equals - 7), text.substr(equals + 1)};
}

Result<ReplayReport> replay_question(const policy::Policy& policy, const ReplayQuestion& question,
                                     const Neighbour& neighbour, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const NeighbourData data, NeighbourData::make(policy, neighbour, log));
  // The same secret on both sides: which rows of a unit are kept is then the same but for the unit
  // that was removed (E2). It is as good as the product's, and forgotten with this run.
  DISCREET_ASSIGN(const engine::Secret secret, engine::Secret::fresh());
  Side sides[2];
  const policy::Policy* const policies[2] = {&policy, &data.policy()};
  for (int i = 0; i < 2; ++i) {
    const Result<void> ran = run_side(*policies[i], question, secret, log, sides[i]);
    if (!ran) sides[i].error = ran.error();
  }
  ReplayReport report;
  const Side& a = sides[0];
  const Side& b = sides[1];
  const bool same_error =
      a.error.has_value() == b.error.has_value() &&
      (!a.error || (a.error->code == b.error->code && a.error->message == b.error->message));
  add(report, "answered, or the same error", same_error,
      "one side fails where the other does not, or with other words");
  if (a.error || b.error) {
    if (same_error) return *a.error;  // it is the caller's question that is at fault
    return report;
  }
  add(report, "the same plan", a.checked->charge().plan() == b.checked->charge().plan(),
      "the plans have different hashes");
  // The copy's place differs from the original's; what is sent names views, not files.
  add(report, "the engine is sent the same", a.sent == b.sent, "the statements differ");
  add(report, "the same mechanisms at the same price", price_of(*a.checked) == price_of(*b.checked),
      "the charges differ");

  std::map<std::string, int> all_keys;
  for (const Side& side : sides) {
    for (const std::string& key : side.groups->keys) all_keys[key] = 0;
  }
  std::vector<std::string> keys;
  if (a.checked->listed()) {
    for (const auto& tuple : *a.checked->listed()) {
      keys.push_back(engine::encode_key(tuple, a.checked->key_shapes()));
    }
  } else if (a.checked->threshold()) {
    DISCREET_ASSIGN(SeededBits tape, SeededBits::fresh());
    const Sensitive<KeySums> sums(sums_of(*a.checked, *a.groups));
    keys = mechanism::Door::replay(a.checked->threshold()->noise, sums, tape).outcome().keys;
  } else {
    DISCREET_ASSIGN(SeededBits tape, SeededBits::fresh());
    const Sensitive<KeyCounts> counts(KeyCounts{a.groups->keys, a.groups->units});
    keys = mechanism::Door::replay(*a.checked->selection(), counts, tape).outcome();
  }
  const RecordComparison compared =
      compare_recordings(recorded(a, all_keys, keys), recorded(b, all_keys, keys));
  std::string findings;
  for (const std::string& one : compared.findings) findings += (findings.empty() ? "" : "; ") + one;
  add(report, "every input moves by at most the declared sensitivity", compared.ok, findings);
  return report;
}

}  // namespace discreet::audit
