// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/run.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <new>
#include <thread>
#include <unordered_map>

#include "engine/census.h"
#include "engine/key.h"
#include "engine/postgres/binary.h"
#include "engine/postgres/feed.h"

namespace discreet::engine::postgres {
namespace {

using lowering::BoundedRun;
using lowering::CensusRun;
using lowering::PushedRun;
using mechanism::Groups;

std::string key_of(FieldReader& row, const std::vector<KeyKind>& kinds) {
  std::string key;
  for (const KeyKind kind : kinds) {
    const std::optional<std::string_view> bytes = row.next();
    if (kind == KeyKind::kBoolean) {
      const std::optional<bool> value = truth(bytes);
      value ? append_boolean(key, *value) : append_null(key);
    } else if (kind == KeyKind::kNumber) {
      const auto value = fixed<std::int64_t>(bytes);
      value ? append_number(key, *value) : append_null(key);
    } else {
      bytes ? append_text(key, *bytes) : append_null(key);
    }
  }
  return key;
}

/// Totals that a statement of ours asked for: each is a whole number. One that is not, which no
/// PostgreSQL sends, makes the question fail.
class Totals {
 public:
  std::int64_t whole(FieldReader& row) { return taken(fixed<std::int64_t>(row.next())); }
  Int128 wide(FieldReader& row) { return taken(numeric_integer(row.next())); }
  bool broken() const { return broken_; }

 private:
  template <class T>
  T taken(std::optional<T> value) {
    broken_ |= !value;
    return value.value_or(0);
  }
  bool broken_ = false;
};

Result<void> fill(Bounding& bounding, Connection& connection, const BoundedRun& run,
                  const OwnerLog& log) {
  Feed feed(bounding, run);
  return connection.copy(run.rows, Intake::kRowsMax, log,
                         [&](std::span<const CopyRow> rows) { feed.take(rows); });
}

Result<Groups> run_bounded(Connection& connection, const BoundedRun& run, const Secret& secret,
                           const OwnerLog& log) {
  Bounding bounding(run.task, secret);
  DISCREET_TRY(fill(bounding, connection, run, log));
  std::optional<Groups> groups =
      bounding.finish(std::max(1U, std::thread::hardware_concurrency()), connection.stopped());
  if (!groups) return interrupted();
  return *std::move(groups);
}

Result<Groups> run_pushed(Connection& connection, const PushedRun& run, std::size_t measures,
                          const OwnerLog& log) {
  Groups groups;
  groups.integers.resize(measures);
  groups.runs.resize(measures);
  Totals totals;
  DISCREET_TRY(
      connection.copy(run.groups, Intake::kRowsMax, log, [&](std::span<const CopyRow> rows) {
        for (const CopyRow bytes : rows) {
          FieldReader row(bytes);
          std::string key = key_of(row, run.keys);
          const std::int64_t units = totals.whole(row);
          if (units == 0) continue;  // without keys SQL gives a row for no rows
          groups.keys.push_back(std::move(key));
          groups.units.push_back(units);
          for (const std::size_t step : run.steps) {
            groups.integers[step].push_back(totals.wide(row));
          }
        }
      }));
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t g = 0; g < groups.keys.size() && !run.tallies.empty(); ++g) {
    places.emplace(groups.keys[g], g);
  }
  for (const lowering::TallyQuery& tally : run.tallies) {
    std::vector<mechanism::Runs> runs(groups.keys.size());
    DISCREET_TRY(
        connection.copy(tally.select, Intake::kRowsMax, log, [&](std::span<const CopyRow> rows) {
          for (const CopyRow bytes : rows) {
            FieldReader row(bytes);
            const auto place = places.find(key_of(row, run.keys));
            const std::int64_t value = totals.whole(row);
            const std::int64_t count = totals.whole(row);
            if (place != places.end()) runs[place->second].emplace_back(value, count);
          }
        }));
    for (mechanism::Runs& sorted : runs) std::sort(sorted.begin(), sorted.end());
    for (const std::size_t step : tally.steps) groups.runs[step] = runs;
  }
  if (totals.broken()) return engine_failed();
  return groups;
}

/// How many rows the server thinks a statement has.
Result<double> estimate(Connection& connection, const lowering::Select& select,
                        const OwnerLog& log) {
  DISCREET_ASSIGN(const std::vector<TextRow> rows,
                  connection.query("EXPLAIN " + select.print(), log));
  const std::string line = rows.empty() ? "" : rows[0][0].value_or("");
  const std::size_t at = line.find(" rows=");
  return at == line.npos ? 0 : std::strtod(line.c_str() + at + 6, nullptr);
}

/// The sums, added up while rows are counted: by another session on the same snapshot, or, where
/// that cannot be had, when they are asked for.
class SumsMeanwhile {
 public:
  SumsMeanwhile(Connection& connection, const PushedRun& run, std::size_t measures)
      : connection_(connection), run_(run), measures_(measures) {
    Result<Connection*> other = connection.beside();
    if (!other) return;
    other_ = *other;
    early_ = std::async(std::launch::async,
                        [this] { return run_pushed(*other_, run_, measures_, OwnerLog()); });
  }
  SumsMeanwhile(const SumsMeanwhile&) = delete;
  SumsMeanwhile& operator=(const SumsMeanwhile&) = delete;
  /// Nobody wants them.
  ~SumsMeanwhile() {
    if (!early_.valid()) return;
    other_->interrupt();
    early_.wait();
  }

  /// Once.
  Result<Groups> get(const OwnerLog& log) {
    if (early_.valid()) {
      Result<Groups> groups = early_.get();
      if (groups) return groups;
    }
    return run_pushed(connection_, run_, measures_, log);
  }

 private:
  Connection& connection_;
  const PushedRun& run_;
  std::size_t measures_;
  Connection* other_ = nullptr;
  std::future<Result<Groups>> early_;
};

/// Nothing where something is cut, or where the rows are so few that the join costs less than
/// reading all owners.
Result<std::optional<Groups>> run_counted(Connection& connection, const CensusRun& run,
                                          const BoundingTask& task, const Secret& secret,
                                          const OwnerLog& log) {
  DISCREET_ASSIGN(const double owners, estimate(connection, run.owners, log));
  DISCREET_ASSIGN(const double rows, estimate(connection, *run.rows, log));
  if (rows < owners) return std::optional<Groups>();
  SumsMeanwhile sums(connection, run.sums, task.measures.size());
  Census census(task);
  std::vector<std::int64_t> keys, units;
  Totals totals;
  DISCREET_TRY(
      connection.copy(run.owners, Intake::kRowsMax, log, [&](std::span<const CopyRow> pairs) {
        keys.clear();
        units.clear();
        for (const CopyRow bytes : pairs) {
          FieldReader row(bytes);
          keys.push_back(totals.whole(row));
          units.push_back(totals.whole(row));
        }
        census.add_owners(keys, units.data());
      }));
  if (totals.broken() || !census.begin()) return std::optional<Groups>();
  CensusFeed feed(census, task, run.fields, secret);
  DISCREET_TRY(
      connection.copy(*run.rows, Intake::kRowsMax, log, [&](std::span<const CopyRow> some) {
        if (!census.abandoned()) feed.take(some);
      }));
  const std::optional<Census::Counted> counted = census.finish(feed.groups(), run.listed);
  if (!counted) return std::optional<Groups>();
  DISCREET_ASSIGN(Groups groups, sums.get(log));
  if (!counted->complete(groups, run.unit_steps, run.listed)) return std::optional<Groups>();
  return std::optional(std::move(groups));
}

}  // namespace

Result<Groups> run_lowered(Connection& connection, const lowering::LoweredPlan& lowered,
                           std::size_t measures, const Secret& secret, const OwnerLog& log) {
  try {
    if (lowered.census) {
      DISCREET_ASSIGN(std::optional<Groups> groups,
                      run_counted(connection, *lowered.census, lowered.bounded->task, secret, log));
      if (groups) return *std::move(groups);
    }
    if (lowered.bounded) return run_bounded(connection, *lowered.bounded, secret, log);
    return run_pushed(connection, *lowered.pushed, measures, log);
  } catch (const std::bad_alloc&) {
    if (log.say) log.say("out of memory");
    return engine_failed();
  }
}

Result<mechanism::UnitRows> run_rows(Connection& connection, const BoundedRun& run,
                                     const Secret& secret, bool with_names, const OwnerLog& log) {
  try {
    Bounding bounding(run.task, secret);
    DISCREET_TRY(fill(bounding, connection, run, log));
    auto rows = bounding.finish_rows(Engine::kNoValue, connection.stopped(), with_names);
    if (!rows) return interrupted();
    return *std::move(rows);
  } catch (const std::bad_alloc&) {
    if (log.say) log.say("out of memory");
    return engine_failed();
  }
}

}  // namespace discreet::engine::postgres
