// SPDX-License-Identifier: Apache-2.0
// Bounding, slow and obvious, straight from bounding.md: the fast one keeps the same rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/bounding.h"
#include "engine/keyed_hash.h"
#include "engine/rows.h"

namespace discreet::engine {

struct PlainRow {
  std::vector<std::uint64_t> unit;  ///< one word, or two
  std::string key;                  ///< canonical bytes
  std::vector<std::optional<std::int64_t>> contents;
};

/// The words that a row's contents are hashed as: packed, without unit and key.
inline std::vector<std::uint64_t> content_words(const RowLayout& layout, const PlainRow& row) {
  std::vector<std::uint64_t> words(layout.words());
  for (std::size_t c = 0; c < row.contents.size(); ++c) {
    if (row.contents[c]) RowLayout::put(layout.field(c), words.data(), *row.contents[c]);
  }
  words[layout.unit_words()] >>= 32;
  return {words.begin() + static_cast<std::ptrdiff_t>(layout.unit_words()), words.end()};
}

inline std::uint64_t hash_of(const Secret& secret, const PlainRow& row,
                             const std::vector<std::uint64_t>& more) {
  SipState<> state(secret);
  for (std::uint64_t word : row.unit) state.add(word);
  state.add(keyed_hash(secret, row.key));
  for (std::uint64_t word : more) state.add(word);
  return state.finish();
}

/// Which rows are kept, by their place. Of rows that are equal in everything the first ones.
inline std::vector<std::size_t> reference_kept(const std::vector<PlainRow>& rows,
                                               const RowLayout& layout, std::size_t groups_most,
                                               std::size_t rows_most, const Secret& secret,
                                               std::size_t candidates = kCandidates) {
  const std::size_t candidates_most =
      std::max(rows_most, (candidates + groups_most - 1) / groups_most);
  std::map<std::vector<std::uint64_t>, std::map<std::string, std::vector<std::size_t>>> units;
  for (std::size_t i = 0; i < rows.size(); ++i) units[rows[i].unit][rows[i].key].push_back(i);
  std::vector<std::size_t> kept;
  for (const auto& [unit, groups] : units) {
    std::vector<std::pair<std::uint64_t, std::string>> group_order;
    for (const auto& [key, places] : groups) {
      group_order.emplace_back(UnitHash(secret, unit).of(keyed_hash(secret, key)), key);
    }
    std::sort(group_order.begin(), group_order.end());
    group_order.resize(std::min(group_order.size(), groups_most));
    for (const auto& [ignored, key] : group_order) {
      std::vector<std::tuple<std::uint64_t, std::vector<std::uint64_t>, std::size_t>> candidates_of;
      for (std::size_t place : groups.at(key)) {
        const std::vector<std::uint64_t> words = content_words(layout, rows[place]);
        candidates_of.emplace_back(hash_of(secret, rows[place], words), words, place);
      }
      std::sort(candidates_of.begin(), candidates_of.end());
      candidates_of.resize(std::min(candidates_of.size(), candidates_most));
      std::map<std::vector<std::uint64_t>, std::uint64_t> occurrences;
      std::vector<std::tuple<std::uint64_t, std::vector<std::uint64_t>, std::size_t>> row_order;
      for (const auto& [hash, of_row, place] : candidates_of) {
        std::vector<std::uint64_t> words = content_words(layout, rows[place]);
        words.push_back(occurrences[words]++);
        row_order.emplace_back(hash_of(secret, rows[place], words), words, place);
      }
      std::sort(row_order.begin(), row_order.end());
      row_order.resize(std::min(row_order.size(), rows_most));
      for (const auto& row : row_order) kept.push_back(std::get<2>(row));
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace discreet::engine
