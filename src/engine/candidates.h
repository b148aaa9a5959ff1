// SPDX-License-Identifier: Apache-2.0
// Which of a unit's rows can still be kept. A unit's rows wait until all of them have come. Of a
// unit that has most of a part, what can no longer be kept is dropped meanwhile, so that a question
// alone bounds how many rows of one unit wait, however many it has.
//
// A unit's candidates (bounding.md): the rows of its first l groups, in each of them the first R in
// the order of (hash(secret, unit, key, contents), contents), R = max(r, C / l).
//
// Lemma (dropping early). Let S be some of a unit's rows. Drop those of groups that have l groups
// of S before them, and those that have R rows of their group in S before them. With whatever rows
// come later, the candidates are the same multiset. (Proof: bounding.md.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/keyed_hash.h"
#include "engine/rows.h"

namespace discreet::engine {

/// The words of a row without its key's number, which depends on other rows; in their order.
class RowOrder {
 public:
  explicit RowOrder(const RowLayout& layout) : unit_(layout.unit_words()), words_(layout.words()) {}

  bool same_unit(const std::uint64_t* a, const std::uint64_t* b) const {
    return a[0] == b[0] && (unit_ == 1 || a[1] == b[1]);
  }
  bool same(const std::uint64_t* a, const std::uint64_t* b) const {
    return !(*this)(a, b) && !(*this)(b, a);
  }
  /// By unit, then by contents.
  bool operator()(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t w = 0; w < words_; ++w) {
      if (word(a, w) != word(b, w)) return word(a, w) < word(b, w);
    }
    return false;
  }
  std::uint64_t word(const std::uint64_t* row, std::size_t w) const {
    return w == unit_ ? row[w] >> 32 : row[w];
  }
  std::uint32_t key(const std::uint64_t* row) const {
    return static_cast<std::uint32_t>(row[unit_]);
  }
  std::size_t words() const { return words_; }
  std::size_t unit_words() const { return unit_; }

 private:
  std::size_t unit_;
  std::size_t words_;
};

class Candidates {
 public:
  /// `of_unit`: C, at least as many rows of a unit with l groups.
  Candidates(std::int64_t groups_per_unit, std::int64_t rows_per_unit_and_group,
             std::int64_t of_unit, const RowLayout& layout, const Secret& secret);

  /// R.
  std::size_t rows_per_group() const { return rows_; }
  /// Words of one unit's rows that wait, at the most, but for what came since they were looked at.
  std::size_t words_per_unit() const { return words_per_unit_; }

  /// Leaves the candidates of one group, whose key's bytes have this hash; sorted, if there are
  /// fewer than before.
  void choose(std::vector<const std::uint64_t*>& rows, std::uint64_t key_hash) const;

  /// The unit that has more than half of these rows and more words than words_per_unit();
  /// nullptr: none has. `for_each_block`: calls f(words of whole rows), twice.
  template <class ForEachBlock>
  const std::uint64_t* heavy_unit(ForEachBlock for_each_block) const;

  /// Drops what can no longer be kept of the unit of `row`. `key_hash`: of a number in `rows`.
  void thin(std::vector<std::uint64_t>& rows, const std::uint64_t* row,
            const std::function<std::uint64_t(std::uint32_t)>& key_hash) const;

 private:
  Secret secret_;
  RowOrder order_;
  std::size_t groups_;
  std::size_t rows_;
  std::size_t words_per_unit_;
};

// A majority by Boyer and Moore: one pass finds the only unit that can have one, one counts it.
template <class ForEachBlock>
const std::uint64_t* Candidates::heavy_unit(ForEachBlock for_each_block) const {
  const std::uint64_t* candidate = nullptr;
  std::size_t lead = 0;
  std::size_t all = 0;
  const auto for_each_row = [&](auto f) {
    for_each_block([&](auto block) {
      for (std::size_t i = 0; i < block.size(); i += order_.words()) f(&block[i]);
    });
  };
  for_each_row([&](const std::uint64_t* row) {
    ++all;
    if (lead == 0) candidate = row;
    order_.same_unit(row, candidate) ? ++lead : --lead;
  });
  if (lead == 0) return nullptr;
  std::size_t count = 0;
  for_each_row(
      [&](const std::uint64_t* row) { count += order_.same_unit(row, candidate) ? 1 : 0; });
  return 2 * count > all && count * order_.words() > words_per_unit_ ? candidate : nullptr;
}

}  // namespace discreet::engine
