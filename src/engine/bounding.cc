// SPDX-License-Identifier: Apache-2.0
#include "engine/bounding.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "engine/part.h"

namespace discreet::engine {
namespace {

using mechanism::Groups;

Groups to_groups(const BoundingTask& task, AllKeys& keys, Totals& totals) {
  std::vector<std::size_t> kept;  // a key whose rows were all left out is no group
  for (std::size_t key = 0; key < keys.bytes.size(); ++key) {
    if (totals.units[key] > 0) kept.push_back(key);
  }
  auto pick = [&](const auto& from, auto& to) {
    for (std::size_t key : kept) to.push_back(from[key]);
  };
  Groups groups;
  for (std::size_t key : kept) groups.keys.push_back(std::move(keys.bytes[key]));
  pick(totals.units, groups.units);
  const std::size_t count = task.measures.size();
  groups.integers.resize(count);
  groups.runs.resize(count);
  for (std::size_t m = 0; m < count; ++m) {
    const Measure& measure = task.measures[m];
    if (measure.kind == plan::MeasureKind::kQuantile) {
      pick(totals.tallies[*totals.tally_of[m]].runs(), groups.runs[m]);
    } else if (measure.kind == plan::MeasureKind::kDistinct) {
      pick(totals.tallies[*totals.tally_of[m]].distinct(), groups.integers[m]);
    } else {
      for (std::size_t key : kept) groups.integers[m].push_back(totals.sums[key * count + m]);
    }
  }
  return groups;
}

}  // namespace

Bounding::Bounding(BoundingTask task, const Secret& secret, std::size_t limit,
                   const std::string& folder, std::size_t least)
    : task_(std::move(task)),
      secret_(secret),
      layout_(task_.wide_unit, task_.contents),
      candidates_(task_.groups_per_unit, task_.rows_per_unit_and_group, task_.candidates_per_unit,
                  layout_, secret_),
      room_(limit, folder, least) {
  DISCREET_CHECK(task_.groups_per_unit >= 1 && task_.rows_per_unit_and_group >= 1);
  for (const Measure& measure : task_.measures) {
    DISCREET_CHECK(!measure.content || *measure.content < task_.contents.size());
  }
}

Bounding::Worker::Worker(const Bounding& bounding, RowRoom& room)
    : keys(bounding.task_.keys, bounding.secret_),
      rows(bounding.layout_, bounding.secret_, room, &bounding.candidates_,
           [this, &bounding](std::uint32_t key) {
             return keyed_hash(bounding.secret_, keys.bytes(key));
           }) {}

Bounding::Worker& Bounding::new_worker() {
  auto worker = std::make_unique<Worker>(*this, room_);
  std::lock_guard lock(mutex_);
  return *workers_.emplace_back(std::move(worker));
}

std::optional<Groups> Bounding::finish(std::size_t threads, const std::atomic<bool>& stop) {
  std::vector<const KeyIds*> seen;
  for (const auto& worker : workers_) seen.push_back(&worker->keys);
  KeyUnion all = unite(seen, secret_);
  std::vector<Source> sources;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    sources.push_back({&workers_[i]->rows, &all.numbers[i]});
  }
  threads = std::clamp<std::size_t>(threads, 1, kParts);
  std::vector<Totals> totals;
  for (std::size_t i = 0; i < threads; ++i) totals.emplace_back(task_, all.keys.bytes.size());
  std::atomic<std::size_t> next{0};
  auto work = [&](Totals& mine) {
    auto part = PartWorker::make(task_, layout_, candidates_, secret_, all.keys, mine);
    for (std::size_t i = next++; i < kParts && !stop; i = next++) part->run(i, sources);
  };
  // Out of memory in another thread is out of memory here: the caller has one answer for it.
  std::vector<std::exception_ptr> failed(threads);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back([&work, &totals, &failed, i] {
      try {
        work(totals[i]);
      } catch (const std::bad_alloc&) {
        failed[i] = std::current_exception();
      }
    });
  }
  work(totals[0]);
  others.clear();  // joins
  for (const std::exception_ptr& one : failed) {
    if (one) std::rethrow_exception(one);
  }
  workers_.clear();
  if (stop) return std::nullopt;
  for (std::size_t i = 1; i < threads; ++i) totals[0].merge(std::move(totals[i]));
  return to_groups(task_, all.keys, totals[0]);
}

}  // namespace discreet::engine
