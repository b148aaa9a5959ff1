// SPDX-License-Identifier: Apache-2.0
// What a collector keeps of many reports: counts of a fixed size, in any order and any grouping.
//
//   Aggregate aggregate(survey);
//   SeenIds seen;
//   DISCREET_ASSIGN(Batch batch, take_batch(survey, bytes));
//   aggregate.add(batch);                 // all of it, or one by one:
//   for (i ..) if (seen.insert(batch.record(i))) aggregate.add(batch.record(i));
//
// Whatever its sender did, a report moves an estimate by at most what an honest one can: what
// cannot come from the randomizer is left out and counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "local/bit_counts.h"
#include "local/client/report.h"
#include "local/shard.h"
#include "numeric/int128.h"

namespace discreet::local {

/// What became of a report.
enum class Verdict : std::uint8_t {
  kCounted,
  kOutOfRange,   ///< the payload is no output of the randomizer
  kImplausible,  ///< an honest client sends this with probability below 10^-12
};

struct Tally {
  std::uint64_t counted = 0;
  std::uint64_t out_of_range = 0;
  std::uint64_t implausible = 0;
  std::uint64_t duplicate = 0;  ///< filled in by whoever keeps the ids

  std::uint64_t seen() const { return counted + out_of_range + implausible + duplicate; }
  friend bool operator==(const Tally&, const Tally&) = default;
};

class Aggregate {
 public:
  /// Requires: check(survey). Of reports of that shard, each added once.
  explicit Aggregate(Survey survey, Shard shard = {});

  const Survey& survey() const { return survey_; }
  const Tally& tally() const { return tally_; }
  void count_duplicates(std::uint64_t more) { tally_.duplicate += more; }

  /// Requires: a whole record of this survey. `id` and `payload` lie behind each other.
  Verdict add(Bytes record);
  /// All records, fast.
  void add(const Batch& batch);
  /// Adds what another collector of the same survey kept, of other shards: the same reports are
  /// never added up twice. Fails with: kConflict for another survey, a shard that is here already
  /// or shards of another whole.
  Result<void> merge(const Aggregate& other);

  /// Sufficient statistics; how they are laid out is for the estimators (aggregate.cc, cells_of).
  std::vector<std::uint64_t> cells() const;
  /// Numbers: sums of payloads and of their squares, as whole numbers.
  Int128 sum() const { return sum_; }
  Uint128 squares() const { return squares_; }

  /// A few bytes a cell. The bytes of equal aggregates are equal.
  std::string serialize() const;
  /// Fails with: kInvalidInput, kConflict (another survey), kCorrupt (checksum).
  static Result<Aggregate> parse(const Survey& survey, std::string_view bytes);

 private:
  Verdict judge(Bytes payload) const;
  void count(Bytes record);

  Survey survey_;
  std::uint32_t shard_count_;
  std::vector<std::uint32_t> shards_;  // increasing
  std::size_t record_size_;
  std::uint64_t ones_low_ = 0;  // plausible numbers of ones
  std::uint64_t ones_high_ = 0;
  Tally tally_;
  std::vector<std::uint64_t> cells_;
  std::vector<BitCounts> bits_;  // unary, subset: one; bloom: one a cohort
  Int128 sum_ = 0;
  Uint128 squares_ = 0;
};

/// Whether bytes are what serialize() writes, of any version, rather than reports.
bool is_counts(std::string_view bytes);

/// Ids that were counted already.
class SeenIds {
 public:
  SeenIds();
  /// True when the record's id is new; it is then remembered.
  bool insert(Bytes record);
  bool contains(Bytes record) const;
  std::size_t size() const { return size_; }

 private:
  struct Id {
    std::uint64_t low, high;
  };
  std::size_t slot_of(const Id& id) const;
  void grow();

  std::vector<Id> slots_;  // open addressing; (0, 0) is free
  std::size_t size_ = 0;
  bool zero_ = false;
  std::uint64_t secret_ = 1;
};

}  // namespace discreet::local
