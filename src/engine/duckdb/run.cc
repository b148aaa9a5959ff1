// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/run.h"

#include <algorithm>
#include <new>
#include <unordered_map>

#include "base/check.h"
#include "engine/census.h"
#include "engine/key.h"

namespace discreet::engine::duckdb {
namespace {

using lowering::BoundedRun;
using lowering::CensusRun;
using lowering::PushedRun;
using lowering::TallyQuery;
using mechanism::Groups;

std::string key_of(const Chunk& chunk, const std::vector<KeyKind>& kinds, idx_t row) {
  std::string key;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Column values = column(chunk, k);
    if (values.is_null(row)) {
      append_null(key);
    } else if (kinds[k] == KeyKind::kBoolean) {
      append_boolean(key, values.values<bool>()[row]);
    } else if (kinds[k] == KeyKind::kNumber) {
      append_number(key, values.values<std::int64_t>()[row]);
    } else {
      append_text(key, values.text(row));
    }
  }
  return key;
}

/// keep() and census() reach what a run fills only while the run lasts.
template <class Filled>
class Targeted {
 public:
  Targeted(std::atomic<Filled*>& target, Filled& filled) : target_(target) { target_ = &filled; }
  Targeted(const Targeted&) = delete;
  Targeted& operator=(const Targeted&) = delete;
  ~Targeted() { target_ = nullptr; }

 private:
  std::atomic<Filled*>& target_;
};

Result<Groups> run_bounded(Connection& connection, const BoundedRun& run, const Secret& secret,
                           const OwnerLog& log) {
  Bounding bounding(run.task, secret, connection.limits().for_rows(), connection.limits().spill);
  {
    Targeted targeted(connection.target().bounding, bounding);
    DISCREET_TRY(connection.query(run.rows.print(), log));
  }
  std::optional<Groups> groups = bounding.finish(connection.threads(), connection.stopped());
  if (!groups) return interrupted();
  return *std::move(groups);
}

/// `census`: where the numbers of the groups' Census::Groups go, the last of the outputs.
Result<Groups> run_pushed(Connection& connection, const PushedRun& run, std::size_t measures,
                          const OwnerLog& log, std::vector<std::int64_t>* census = nullptr) {
  Groups groups;
  groups.integers.resize(measures);
  groups.runs.resize(measures);
  const std::size_t keys = run.keys.size();
  DISCREET_TRY(connection.query(run.groups.print(), log, [&](const Chunk& chunk) {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.get()); ++row) {
      const std::int64_t units = column(chunk, keys).values<std::int64_t>()[row];
      if (units == 0) continue;  // without keys SQL gives a row for no rows
      groups.keys.push_back(key_of(chunk, run.keys, row));
      groups.units.push_back(units);
      for (std::size_t i = 0; i < run.steps.size(); ++i) {
        groups.integers[run.steps[i]].push_back(
            wide(column(chunk, keys + 1 + i).values<duckdb_hugeint>()[row]));
      }
      if (census == nullptr) continue;
      census->push_back(column(chunk, keys + 1 + run.steps.size()).values<std::int64_t>()[row]);
    }
  }));
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t g = 0; g < groups.keys.size() && !run.tallies.empty(); ++g) {
    places.emplace(groups.keys[g], g);
  }
  for (const TallyQuery& tally : run.tallies) {
    std::vector<mechanism::Runs> runs(groups.keys.size());
    DISCREET_TRY(connection.query(tally.select.print(), log, [&](const Chunk& chunk) {
      const auto* values = column(chunk, keys).values<std::int64_t>();
      const auto* counts = column(chunk, keys + 1).values<std::int64_t>();
      for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.get()); ++row) {
        auto place = places.find(key_of(chunk, run.keys, row));
        if (place != places.end()) runs[place->second].emplace_back(values[row], counts[row]);
      }
    }));
    for (mechanism::Runs& sorted : runs) std::sort(sorted.begin(), sorted.end());
    for (std::size_t step : tally.steps) groups.runs[step] = runs;
  }
  return groups;
}

/// Nothing where something is cut.
Result<std::optional<Groups>> run_counted(Connection& connection, const CensusRun& run,
                                          const BoundingTask& task, const OwnerLog& log) {
  Census census(task);
  Targeted targeted(connection.target().census, census);
  DISCREET_TRY(connection.query(run.owners.print(), log));
  if (!census.begin()) return std::optional<Groups>();
  std::string said;  // of no interest where the census ended the statement
  OwnerLog later = log;
  later.say = [&](const std::string& words) { said = words; };
  std::vector<std::int64_t> numbers;
  Result<Groups> groups = run_pushed(connection, run.sums, task.measures.size(), later, &numbers);
  if (!groups && census.abandoned() && !connection.stopped()) return std::optional<Groups>();
  if (!groups && log.say && !said.empty()) log.say(said);
  if (!groups) return groups.error();
  std::vector<std::pair<std::string, const Census::Group*>> counted;
  for (std::size_t g = 0; g < numbers.size(); ++g) {
    counted.emplace_back(groups->keys[g], &census.group(static_cast<std::size_t>(numbers[g])));
  }
  const auto units = census.finish(counted, run.listed);
  if (!units || !units->complete(*groups, run.unit_steps, run.listed)) {
    return std::optional<Groups>();
  }
  return std::optional(*std::move(groups));
}

}  // namespace

Result<Groups> run_lowered(Connection& connection, const lowering::LoweredPlan& lowered,
                           std::size_t measures, const Secret& secret, const OwnerLog& log) {
  try {
    if (lowered.census && connection.limits().endless()) {  // owners are held in memory
      DISCREET_ASSIGN(std::optional<Groups> groups,
                      run_counted(connection, *lowered.census, lowered.bounded->task, log));
      if (groups) return *std::move(groups);
    }
    if (lowered.bounded) return run_bounded(connection, *lowered.bounded, secret, log);
    return run_pushed(connection, *lowered.pushed, measures, log);
  } catch (const std::bad_alloc& fault) {
    if (log.say) log.say(std::string("out of memory: ") + fault.what());
    return engine_failed();
  }
}

Result<mechanism::UnitRows> run_rows(Connection& connection, const BoundedRun& run,
                                     const Secret& secret, bool with_names, const OwnerLog& log) {
  try {
    Bounding bounding(run.task, secret, connection.limits().for_rows(), connection.limits().spill);
    {
      Targeted targeted(connection.target().bounding, bounding);
      DISCREET_TRY(connection.query(run.rows.print(), log));
    }
    auto rows = bounding.finish_rows(Engine::kNoValue, connection.stopped(), with_names);
    if (!rows) return interrupted();
    return *std::move(rows);
  } catch (const std::bad_alloc& fault) {
    if (log.say) log.say(std::string("out of memory: ") + fault.what());
    return engine_failed();
  }
}

}  // namespace discreet::engine::duckdb
