// SPDX-License-Identifier: Apache-2.0
// The kept rows themselves, for learning: the same rows that bounding.md keeps of a unit when there
// are no keys, as integers.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "engine/bounding.h"

namespace discreet::engine {
namespace {

using mechanism::UnitRows;

/// Of the candidates of one unit, sorted, the first `most` in the order of hash(secret, unit, contents,
/// occurrence).
std::vector<const std::uint64_t*> keep_rows(std::vector<const std::uint64_t*> rows,
                                            std::size_t most, const RowLayout& layout,
                                            const Secret& secret) {
  if (rows.size() <= most) return rows;
  const RowOrder order(layout);
  std::vector<std::pair<std::uint64_t, std::size_t>> ranked;
  std::uint64_t occurrence = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    occurrence = i > 0 && order.same(rows[i], rows[i - 1]) ? occurrence + 1 : 0;
    SipState<> state(secret);
    for (std::size_t w = 0; w < layout.words(); ++w) state.add(order.word(rows[i], w));
    state.add(occurrence);
    ranked.emplace_back(state.finish(), i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<const std::uint64_t*> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(rows[ranked[i].second]);
  return out;
}

/// A unit's hash: a text's is in the row; a number's is that of its decimal text.
Hash128 name_of(const std::uint64_t* row, const RowLayout& layout, const Secret& secret) {
  if (layout.unit_words() == 2) return {.low = row[0], .high = row[1]};
  return keyed_hash_wide(secret, std::to_string(static_cast<std::int64_t>(row[0])));
}

}  // namespace

std::optional<UnitRows> Bounding::finish_rows(std::int64_t null, const std::atomic<bool>& stop,
                                              bool with_names) {
  DISCREET_CHECK(task_.keys.empty());
  const RowOrder order(layout_);
  UnitRows out{.columns = task_.measures.size(), .cells = {}, .ends = {}};
  std::vector<const std::uint64_t*> rows;
  for (std::size_t part = 0; part < kParts; ++part) {
    if (stop) return std::nullopt;
    rows.clear();
    std::vector<Intake::Part> parts;
    for (const auto& worker : workers_) parts.push_back(worker->rows.part(part));
    for (const Intake::Part& one : parts) {
      one.for_each_block([&](std::span<const std::uint64_t> block) {
        for (std::size_t i = 0; i < block.size(); i += layout_.words()) rows.push_back(&block[i]);
      });
    }
    std::sort(rows.begin(), rows.end(), order);
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin + 1;
      while (end < rows.size() && order.same_unit(rows[end], rows[begin])) ++end;
      std::vector<const std::uint64_t*> of_unit(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                                rows.begin() + static_cast<std::ptrdiff_t>(end));
      candidates_.choose(of_unit, keyed_hash(secret_, ""));
      const auto kept =
          keep_rows(std::move(of_unit), static_cast<std::size_t>(task_.rows_per_unit_and_group),
                    layout_, secret_);
      for (const std::uint64_t* row : kept) {
        for (const Measure& measure : task_.measures) {
          const RowLayout::Field& field = layout_.field(*measure.content);
          out.cells.push_back(
              RowLayout::is_null(field, row) ? null : RowLayout::get(field, row) - field.low);
        }
      }
      out.ends.push_back((out.ends.empty() ? 0 : out.ends.back()) + kept.size());
      if (with_names) out.names.push_back(name_of(rows[begin], layout_, secret_));
      begin = end;
    }
  }
  workers_.clear();
  return out;
}

}  // namespace discreet::engine
