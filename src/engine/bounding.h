// SPDX-License-Identifier: Apache-2.0
// Bounding: of each unit at most l groups, of each of these at most r rows; then every measurement
// over what is kept.
//
// Which ones (bounding.md): a unit's groups in the order of hash(secret, unit, key), the first l;
// of a group with very many rows its candidates (candidates.h); of these in the order of
// hash(secret, unit, key, contents, occurrence) the first r, where equal contents are numbered 0,
// 1, ... Only what the plan reads of a row enters.
//
// Theorem. The kept rows of a unit, as a multiset of (key, contents), are a function of that unit's
// rows and the secret. So a neighbour's kept rows differ in those of one unit only (E2), whatever
// the number of threads and the order of rows (E3).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/candidates.h"
#include "engine/integer_map.h"
#include "engine/key_ids.h"
#include "engine/keyed_hash.h"
#include "engine/rows.h"
#include "mechanism/groups.h"
#include "mechanism/unit_rows.h"
#include "plan/plan.h"

namespace discreet::engine {

struct Measure {
  plan::MeasureKind kind = plan::MeasureKind::kRows;
  std::optional<std::size_t> content;  ///< index into BoundingTask::contents
  IntegerMap map;  ///< kSum, kSquares, kQuantile: content to z (plan/lowering.h)
};

/// So many rows of a unit are always candidates.
inline constexpr std::int64_t kCandidates = 16'384;

struct BoundingTask {
  std::int64_t groups_per_unit = 1;
  std::int64_t rows_per_unit_and_group = 1;
  bool wide_unit = false;  ///< units are 128 bits, else 64
  std::vector<KeyKind> keys;
  std::vector<Content> contents;
  std::vector<Measure> measures;
  std::int64_t candidates_per_unit = kCandidates;
};

class Bounding {
 public:
  /// What one thread fills: rows, and numbers for their keys.
  struct Worker {
    Worker(const Bounding& bounding, RowRoom& room);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    KeyIds keys;
    Intake rows;
  };

  /// Rows take memory without end; or `limit` bytes, and are written to `folder` beyond (spill.h).
  Bounding(BoundingTask task, const Secret& secret, std::size_t limit = RowRoom::kEndless,
           const std::string& folder = "", std::size_t least = RowRoom::kLeast);

  const BoundingTask& task() const { return task_; }
  const RowLayout& layout() const { return layout_; }
  const Secret& secret() const { return secret_; }

  /// May be called from several threads; the worker lives as long as this. What it takes in may
  /// throw std::bad_alloc.
  Worker& new_worker();

  /// Bounds and measures all rows, which are gone then. Nothing when `stop` turned true. Throws
  /// std::bad_alloc (NoRoom) when memory, or the disk, has no room or fails.
  std::optional<mechanism::Groups> finish(std::size_t threads, const std::atomic<bool>& stop);

  /// The kept rows themselves: for each measure its content less the content's low end, or `null`.
  /// `with_names`: and the units' hashes under the secret. Requires: no keys; every measure has a
  /// content.
  std::optional<mechanism::UnitRows> finish_rows(std::int64_t null, const std::atomic<bool>& stop,
                                                 bool with_names = false);

 private:
  BoundingTask task_;
  Secret secret_;
  RowLayout layout_;
  Candidates candidates_;
  RowRoom room_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace discreet::engine
