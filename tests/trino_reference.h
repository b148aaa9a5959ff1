// SPDX-License-Identifier: Apache-2.0
// Which rows Trino keeps, slow and obvious, straight from src/engine/trino/statement.md, with
// xxHash64 from its specification; and what a question must then give.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/questions_for_tests.h"
#include "engine/trino/statement.h"

namespace discreet::engine::trino {

inline std::uint64_t xxhash64(std::string_view bytes) {
  constexpr std::uint64_t kP1 = 0x9E3779B185EBCA87, kP2 = 0xC2B2AE3D27D4EB4F,
                          kP3 = 0x165667B19E3779F9, kP4 = 0x85EBCA77C2B2AE63,
                          kP5 = 0x27D4EB2F165667C5;
  const auto word = [&](std::size_t at, std::size_t size) {
    std::uint64_t out = 0;
    for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
    return out;
  };
  const auto mix = [&](std::uint64_t lane, std::uint64_t input) {
    return std::rotl(lane + input * kP2, 31) * kP1;
  };
  std::size_t at = 0;
  std::uint64_t hash = kP5;
  if (bytes.size() >= 32) {
    std::uint64_t lanes[4] = {kP1 + kP2, kP2, 0, 0 - kP1};
    for (; at + 32 <= bytes.size(); at += 32) {
      for (std::size_t i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], word(at + 8 * i, 8));
    }
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
           std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = (hash ^ mix(0, lane)) * kP1 + kP4;
  }
  hash += bytes.size();
  for (; at + 8 <= bytes.size(); at += 8) {
    hash = std::rotl(hash ^ mix(0, word(at, 8)), 27) * kP1 + kP4;
  }
  for (; at + 4 <= bytes.size(); at += 4) {
    hash = std::rotl(hash ^ word(at, 4) * kP1, 23) * kP2 + kP3;
  }
  for (; at < bytes.size(); ++at) hash = std::rotl(hash ^ word(at, 1) * kP5, 11) * kP1;
  hash = (hash ^ hash >> 33) * kP2;
  hash = (hash ^ hash >> 29) * kP3;
  return hash ^ hash >> 32;
}

inline std::string big_endian(std::uint64_t word) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 255);
  return out;
}

/// What a value is for the hash.
inline std::string hashed_bytes(const Value& value, const Shape& shape) {
  if (value.is_null()) return "null";
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "1" : "0";
  if (shape.grid) {
    return big_endian(static_cast<std::uint64_t>(
        Rational(value.number() / shape.grid->step).numerator().get_si()));
  }
  return big_endian(xxhash64(value.text()));
}

/// A unit's rows of one key.
struct ChosenGroup {
  std::string bytes;                                         // of secret, unit and key
  std::map<std::string, std::vector<std::size_t>> contents;  // how they are hashed -> rows
};

/// Of a unit's rows the first so many, in the order of their contents' hashes.
inline void cut_unit(std::map<std::string, ChosenGroup>& groups, std::size_t most) {
  std::multimap<std::int64_t, std::pair<ChosenGroup*, std::string>> order;
  for (auto& [key, group] : groups) {
    for (const auto& [contents, places] : group.contents) {
      order.emplace(static_cast<std::int64_t>(xxhash64(group.bytes + contents)),
                    std::pair(&group, contents));
    }
  }
  for (const auto& [hash, one] : order) {
    std::vector<std::size_t>& places = one.first->contents.at(one.second);
    places.resize(std::min(places.size(), most));
    most -= places.size();
    if (places.empty()) one.first->contents.erase(one.second);
  }
  std::erase_if(groups, [](const auto& group) { return group.second.contents.empty(); });
}

/// Of each unit the groups that count. `most`: of its rows, where rows are kept.
inline std::vector<ChosenGroup> groups_of_trino(
    const Checked& checked, const std::vector<OwnedRow>& rows, bool text_unit,
    std::size_t most = std::numeric_limits<std::size_t>::max()) {
  const Interpreter interpreter(checked.plan().source, checked.policy());
  std::map<std::string, std::map<std::string, ChosenGroup>> units;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = unit_text(rows[i].unit);
    std::string key =
        big_endian(kSecret.words[0]) + big_endian(kSecret.words[1]) +
        big_endian(text_unit ? xxhash64(name) : static_cast<std::uint64_t>(std::stoll(name)));
    for (std::size_t k = 0; k < rows[i].key.size(); ++k) {
      key += hashed_bytes(rows[i].key[k], checked.key_shapes()[k]);
    }
    std::string contents;
    std::vector<Expr> seen;
    for (const plan::Step& step : checked.steps()) {
      if (!step.measurement.argument) continue;
      if (std::find(seen.begin(), seen.end(), *step.measurement.argument) != seen.end()) continue;
      seen.push_back(*step.measurement.argument);
      contents += hashed_bytes(interpreter.evaluate(seen.back(), rows[i].row), step.shape);
    }
    ChosenGroup& group = units[rows[i].unit][encode_key(rows[i].key, checked.key_shapes())];
    group.bytes = key;
    group.contents[contents].push_back(i);
  }
  std::vector<ChosenGroup> chosen;
  for (auto& [unit, groups] : units) {
    cut_unit(groups, most);
    std::multimap<std::int64_t, const ChosenGroup*> order;
    for (const auto& [key, group] : groups) {
      order.emplace(static_cast<std::int64_t>(xxhash64(group.bytes)), &group);
    }
    std::int64_t left = checked.plan().bounds.groups_per_unit;
    for (const auto& [hash, group] : order) {
      if (left-- > 0) chosen.push_back(*group);
    }
  }
  return chosen;
}

/// Of each group the rows that count.
inline std::vector<OwnedRow> kept_by_trino(const Checked& checked,
                                           const std::vector<OwnedRow>& rows, bool text_unit,
                                           std::size_t most) {
  std::vector<OwnedRow> kept;
  for (const ChosenGroup& group : groups_of_trino(checked, rows, text_unit, most)) {
    std::multimap<std::int64_t, std::size_t> order;
    for (const auto& [contents, places] : group.contents) {
      for (std::size_t o = 0; o < places.size(); ++o) {
        order.emplace(
            static_cast<std::int64_t>(xxhash64(group.bytes + contents + big_endian(o + 1))),
            places[o]);
      }
    }
    std::int64_t left = checked.plan().bounds.rows_per_unit_and_group;
    for (const auto& [hash, place] : order) {
      if (left-- > 0) kept.push_back(rows[place]);
    }
  }
  return kept;
}

/// Where nothing but sums is asked: of each group what its rows, or r of them on average, add up
/// to.
inline std::map<std::string, MeasuredGroup> averaged_by_trino(const Checked& checked,
                                                              const std::vector<OwnedRow>& rows,
                                                              bool text_unit) {
  std::map<std::string, MeasuredGroup> out;
  for (const ChosenGroup& group : groups_of_trino(checked, rows, text_unit)) {
    std::vector<OwnedRow> own;
    for (const auto& [contents, places] : group.contents) {
      for (const std::size_t place : places) own.push_back(rows[place]);
    }
    const Integer n(static_cast<unsigned long>(own.size()));
    const Integer r(static_cast<long>(checked.plan().bounds.rows_per_unit_and_group));
    for (auto& [name, part] : measure(checked, own)) {
      MeasuredGroup& whole = out[name];
      whole.key = part.key;
      whole.units.insert(part.units.begin(), part.units.end());
      whole.integers.resize(part.integers.size());
      whole.runs.resize(part.integers.size());
      for (std::size_t m = 0; m < part.integers.size(); ++m) {
        const bool units = checked.steps()[m].measurement.kind == MeasureKind::kUnits;
        whole.integers[m] += units || n <= r
                                 ? part.integers[m]
                                 : Rational::ratio(Integer(part.integers[m] * r), n).round();
      }
    }
  }
  return out;
}

inline std::map<std::string, MeasuredGroup> measured_by_trino(const Checked& checked,
                                                              const Database& database,
                                                              bool text_unit, std::size_t most) {
  const std::vector<OwnedRow> rows = owned_rows(checked, database);
  if (checked.unit_column().empty() || checked.pair()) return measure(checked, rows);
  for (const plan::Step& step : checked.steps()) {
    if (step.measurement.kind == MeasureKind::kQuantile ||
        step.measurement.kind == MeasureKind::kDistinct) {
      return measure(checked, kept_by_trino(checked, rows, text_unit, most));
    }
  }
  return averaged_by_trino(checked, rows, text_unit);
}

/// As text, like shown(). `most`: how many rows of a unit are looked at, where rows are kept.
inline std::map<std::string, std::string> expected_of_trino(const Checked& checked,
                                                            const Database& database,
                                                            bool text_unit = false,
                                                            std::size_t most = kRowsOfUnit) {
  std::map<std::string, std::string> out;
  for (const auto& [name, group] : measured_by_trino(checked, database, text_unit, most)) {
    std::string line = "units " + std::to_string(group.units.size());
    for (std::size_t m = 0; m < group.integers.size(); ++m) {
      line += " | ";
      if (checked.steps()[m].measurement.kind != MeasureKind::kQuantile) {
        line += group.integers[m].get_str();
      }
      for (const auto& [value, count] : group.runs[m]) {
        line += std::to_string(value) + "x" + std::to_string(count) + " ";
      }
    }
    out.emplace(encode_key(group.key, checked.key_shapes()), line);
  }
  return out;
}

}  // namespace discreet::engine::trino
