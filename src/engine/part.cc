// SPDX-License-Identifier: Apache-2.0
#include "engine/part.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace discreet::engine {
namespace {

using plan::MeasureKind;

constexpr int kRowsPerBucket = 8;
constexpr int kBucketBitsMax = 16;
constexpr std::size_t kInsertionMax = 24;
constexpr std::size_t kFewRows = 48;  // of a bucket
constexpr std::size_t kFewGroups = 8;

/// kUnit words of unit and kRest of key and contents: the layout's, rounded up with zeros.
template <std::size_t kUnit, std::size_t kRest>
struct NarrowRow {
  static constexpr std::size_t kUnitWords = kUnit;
  static constexpr std::size_t kWords = kUnit + kRest;
  std::array<std::uint64_t, kWords> words;

  static NarrowRow at(const std::uint64_t* from, std::size_t) {
    NarrowRow row;
    std::copy_n(from, kWords, row.words.begin());
    return row;
  }
};

/// Rows of more words stay where they are: what is sorted and moved is small, however wide they are.
template <std::size_t kUnit>
struct WideRow {
  static constexpr std::size_t kUnitWords = kUnit;
  std::span<const std::uint64_t> words;

  static WideRow at(const std::uint64_t* from, std::size_t size) { return {{from, size}}; }
};

template <class Words>
struct Row : Words {
  static Row at(const std::uint64_t* from, std::size_t size) { return {Words::at(from, size)}; }

  std::uint32_t key() const { return static_cast<std::uint32_t>(this->words[Words::kUnitWords]); }
  bool same_unit(const Row& other) const {
    return this->words[0] == other.words[0] &&
           (Words::kUnitWords == 1 || this->words[1] == other.words[1]);
  }
  bool same_words(const Row& other) const { return std::ranges::equal(this->words, other.words); }
  /// By unit, then by key.
  bool operator<(const Row& other) const {
    if (this->words[0] != other.words[0]) return this->words[0] < other.words[0];
    if (Words::kUnitWords == 2 && this->words[1] != other.words[1]) {
      return this->words[1] < other.words[1];
    }
    return key() < other.key();
  }
  static bool by_words(const Row& a, const Row& b) {
    return std::ranges::lexicographical_compare(a.words, b.words);
  }
};

template <class R>
void sort_rows(std::span<R> rows) {
  if (rows.size() > kInsertionMax) return std::sort(rows.begin(), rows.end());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    R row = rows[i];
    std::size_t at = i;
    for (; at > 0 && row < rows[at - 1]; --at) rows[at] = rows[at - 1];
    rows[at] = row;
  }
}

template <class Words>
class Worker final : public PartWorker {
 public:
  using R = Row<Words>;
  static constexpr std::size_t kUnit = Words::kUnitWords;
  static constexpr bool kIsWide = std::is_same_v<Words, WideRow<kUnit>>;

  Worker(const BoundingTask& task, const RowLayout& layout, const Candidates& candidates,
         const Secret& secret, const AllKeys& keys, Totals& totals)
      : task_(task),
        layout_(layout),
        candidates_(candidates),
        secret_(secret),
        keys_(keys),
        totals_(totals) {}

  void run(std::size_t part, const std::vector<Source>& sources) override {
    gather(part, sources);
    for (std::size_t bucket = 0; bucket + 1 < begins_.size(); ++bucket) {
      std::span<R> rows(rows_.data() + begins_[bucket], begins_[bucket + 1] - begins_[bucket]);
      if (rows.empty()) continue;
      if (few_groups_ && rows.size() <= kFewRows) {
        take_few_rows(rows);
        continue;
      }
      sort_rows(rows);
      for (std::size_t begin = 0; begin < rows.size();) {
        std::size_t end = begin + 1;
        while (end < rows.size() && rows[end].same_unit(rows[begin])) ++end;
        take_unit(rows.subspan(begin, end - begin));
        begin = end;
      }
    }
  }

 private:
  struct Group {
    std::uint32_t key;
    std::span<R> rows;
  };
  struct Ranked {
    std::uint64_t hash;
    std::size_t at;
  };

  /// Copies the part's rows to rows_, those of one unit into one bucket (a counting sort), with
  /// keys numbered among all.
  void gather(std::size_t part, const std::vector<Source>& sources) {
    const std::size_t words = layout_.words();
    std::vector<Intake::Part> parts;
    for (const Source& source : sources) parts.push_back(source.rows->part(part));
    std::size_t count = 0;
    for (const Intake::Part& one : parts) {
      one.for_each_block([&](auto block) { count += block.size() / words; });
    }
    int bits =
        std::clamp(static_cast<int>(std::bit_width(count / kRowsPerBucket)), 0, kBucketBitsMax);
    auto bucket_of = [&](const std::uint64_t* row) -> std::size_t {
      return bits == 0 ? 0 : spread(secret_, row[0]) << kPartBits >> (64 - bits);
    };
    begins_.assign((std::size_t{1} << bits) + 1, 0);
    for (const Intake::Part& one : parts) {
      one.for_each_block([&](std::span<const std::uint64_t> block) {
        for (std::size_t i = 0; i < block.size(); i += words) ++begins_[bucket_of(&block[i]) + 1];
      });
    }
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    if (rows_.size() < count) rows_ = std::vector<R>(count + count / 8);
    if (kIsWide && wide_.size() < count * words) wide_.resize(count * words);
    next_.assign(begins_.begin(), begins_.end() - 1);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const std::vector<std::uint32_t>& numbers = *sources[s].key_numbers;
      parts[s].for_each_block([&](std::span<const std::uint64_t> block) {
        for (std::size_t i = 0; i < block.size(); i += words) {
          const std::size_t at = next_[bucket_of(&block[i])]++;
          R& row = rows_[at];
          std::uint64_t* to = nullptr;
          if constexpr (kIsWide) {
            to = &wide_[at * words];
            row = R::at(to, words);
          } else {
            to = row.words.data();
            if (words != R::kWords) row.words.fill(0);
          }
          std::copy_n(&block[i], words, to);
          to[kUnit] = (to[kUnit] >> 32 << 32) | numbers[row.key()];
        }
      });
    }
  }

  /// A small bucket, and few groups to keep: no sorting. The units one after the other: their rows
  /// come to the front, the least hashes of their groups are found, the rows of these measured.
  void take_few_rows(std::span<R> rows) {
    while (!rows.empty()) {
      std::size_t count = 1;
      for (std::size_t i = 1; i < rows.size(); ++i) {
        if (!rows[i].same_unit(rows[0])) continue;
        std::swap(rows[i], rows[count]);
        ++count;
      }
      take_few_rows_of_unit(rows.first(count));
      rows = rows.subspan(count);
    }
  }

  void take_few_rows_of_unit(std::span<R> rows) {
    const auto most = static_cast<std::size_t>(task_.groups_per_unit);
    std::array<Ranked, kFewGroups + 1> least;  // sorted; at: the key's number
    std::size_t found = 0;
    const UnitHash unit = unit_hash(rows[0]);
    auto less = [this](const Ranked& a, const Ranked& b) {
      return a.hash != b.hash ? a.hash < b.hash : keys_.bytes[a.at] < keys_.bytes[b.at];
    };
    for (const R& row : rows) {
      const Ranked group{unit.of(keys_.hashes[row.key()]), row.key()};
      std::size_t place = found;
      while (place > 0 && less(group, least[place - 1])) --place;
      if (place == most || (place > 0 && least[place - 1].at == group.at)) continue;
      std::copy_backward(least.begin() + static_cast<std::ptrdiff_t>(place),
                         least.begin() + static_cast<std::ptrdiff_t>(found),
                         least.begin() + static_cast<std::ptrdiff_t>(found) + 1);
      least[place] = group;
      found = std::min(found + 1, most);
    }
    for (std::size_t g = 0; g < found; ++g) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].key() == least[g].at) std::swap(rows[i], rows[count++]);
      }
      const Group group{static_cast<std::uint32_t>(least[g].at), rows.first(count)};
      measure(group.key, keep_rows(group));
      rows = rows.subspan(count);
    }
  }

  void take_unit(std::span<R> rows) {
    groups_.clear();
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin + 1;
      while (end < rows.size() && rows[end].key() == rows[begin].key()) ++end;
      groups_.push_back({rows[begin].key(), rows.subspan(begin, end - begin)});
      begin = end;
    }
    const auto most = static_cast<std::size_t>(task_.groups_per_unit);
    if (groups_.size() <= most) {
      for (const Group& group : groups_) measure(group.key, keep_rows(group));
      return;
    }
    ranked_.clear();
    const UnitHash unit = unit_hash(rows[0]);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      rank(unit.of(keys_.hashes[groups_[i].key]), i, most, [this](std::size_t a, std::size_t b) {
        return keys_.bytes[groups_[a].key] < keys_.bytes[groups_[b].key];
      });
    }
    chosen_.swap(ranked_);
    for (const Ranked& chosen : chosen_) {
      const Group& group = groups_[chosen.at];
      measure(group.key, keep_rows(group));
    }
  }

  /// Puts `at` into ranked_, which keeps the `most` with the least hashes. Two hashes that are
  /// equal are told apart by `before`, which must not look at numbers that depend on other rows.
  template <class Before>
  void rank(std::uint64_t hash, std::size_t at, std::size_t most, Before before) {
    auto less = [&](const Ranked& a, const Ranked& b) {
      return a.hash != b.hash ? a.hash < b.hash : before(a.at, b.at);
    };
    const Ranked ranked{hash, at};
    if (ranked_.size() == most) {
      if (!less(ranked, ranked_.front())) return;
      std::pop_heap(ranked_.begin(), ranked_.end(), less);
      ranked_.back() = ranked;
    } else {
      ranked_.push_back(ranked);
    }
    std::push_heap(ranked_.begin(), ranked_.end(), less);
  }

  UnitHash unit_hash(const R& row) const {
    return UnitHash(secret_, std::span<const std::uint64_t>(row.words).template first<kUnit>());
  }

  /// At most r of a group's rows. Good until the next call.
  std::span<R> keep_rows(const Group& group) {
    const auto most = static_cast<std::size_t>(task_.rows_per_unit_and_group);
    std::span<R> rows = group.rows;
    if (rows.size() <= most) return rows;
    if (layout_.contents() == 0) return rows.subspan(0, most);
    if (rows.size() > candidates_.rows_per_group()) rows = choose(rows, keys_.hashes[group.key]);
    if (rows.size() <= most) return rows;
    std::sort(rows.begin(), rows.end(), R::by_words);
    SipState<> begin(secret_);
    for (std::size_t w = 0; w < kUnit; ++w) begin.add(rows[0].words[w]);
    begin.add(keys_.hashes[group.key]);
    ranked_.clear();
    std::uint64_t occurrence = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      occurrence = i > 0 && rows[i].same_words(rows[i - 1]) ? occurrence + 1 : 0;
      SipState<> state = begin;
      state.add(rows[i].words[kUnit] >> 32);  // without the key's number
      for (std::size_t w = kUnit + 1; w < layout_.words(); ++w) state.add(rows[i].words[w]);
      state.add(occurrence);
      rank(state.finish(), i, most, std::less<>());  // sorted by contents and occurrence
    }
    kept_.clear();
    for (const Ranked& ranked : ranked_) kept_.push_back(rows[ranked.at]);
    return kept_;
  }

  std::span<R> choose(std::span<R> rows, std::uint64_t key_hash) {
    std::vector<const std::uint64_t*> words;
    for (const R& row : rows) words.push_back(row.words.data());
    candidates_.choose(words, key_hash);
    candidates_of_group_.clear();
    for (const std::uint64_t* row : words) {
      candidates_of_group_.push_back(R::at(row, layout_.words()));
    }
    return candidates_of_group_;
  }

  void measure(std::uint32_t key, std::span<R> rows) {
    ++totals_.units[key];
    Int128* sums = &totals_.sums[key * task_.measures.size()];
    for (std::size_t m = 0; m < task_.measures.size(); ++m) {
      const Measure& wanted = task_.measures[m];
      if (!totals_.fills[m]) continue;
      if (wanted.kind == MeasureKind::kUnits) {
        sums[m] += 1;
      } else if (!wanted.content) {
        sums[m] += static_cast<Int128>(rows.size());
      } else {
        measure_content(wanted, totals_.tally_of[m], key, rows, sums[m]);
      }
    }
  }

  void measure_content(const Measure& wanted, const std::optional<std::size_t>& tally,
                       std::uint32_t key, std::span<R> rows, Int128& sum) {
    const RowLayout::Field& field = layout_.field(*wanted.content);
    for (const R& row : rows) {
      if (RowLayout::is_null(field, row.words.data())) continue;
      if (wanted.kind == MeasureKind::kRows) {
        sum += 1;
        continue;
      }
      std::int64_t value = RowLayout::get(field, row.words.data());
      if (wanted.kind != MeasureKind::kDistinct) value = wanted.map(value);
      if (wanted.kind == MeasureKind::kSquares) {
        sum += static_cast<Int128>(value) * value;
      } else if (tally) {
        totals_.tallies[*tally].add(key, value);
      } else {
        sum += value;
      }
    }
  }

  const BoundingTask& task_;
  const RowLayout& layout_;
  const Candidates& candidates_;
  const Secret secret_;
  const AllKeys& keys_;
  Totals& totals_;
  const bool few_groups_ = task_.groups_per_unit <= static_cast<std::int64_t>(kFewGroups);
  std::vector<R> rows_;
  std::vector<std::uint64_t> wide_;  // the words of wide rows, in the layout's width
  std::vector<std::size_t> begins_, next_;
  std::vector<Group> groups_;
  std::vector<Ranked> ranked_, chosen_;
  std::vector<R> candidates_of_group_;
  std::vector<R> kept_;
};

// What is moved of a row is small, whatever a question reads of it: one person's rows must not take
// memory that their words do not.
static_assert(sizeof(Row<WideRow<1>>) <= 16 && sizeof(Row<NarrowRow<2, 16>>) <= 18 * 8);

/// One, Two: NarrowRow or WideRow, of one or two words of unit.
template <class One, class Two>
std::unique_ptr<PartWorker> make_worker(const BoundingTask& task, const RowLayout& layout,
                                        const Candidates& candidates, const Secret& secret,
                                        const AllKeys& keys, Totals& totals) {
  if (layout.unit_words() == 2) {
    return std::make_unique<Worker<Two>>(task, layout, candidates, secret, keys, totals);
  }
  return std::make_unique<Worker<One>>(task, layout, candidates, secret, keys, totals);
}
template <std::size_t kRest>
constexpr auto make_narrow = make_worker<NarrowRow<1, kRest>, NarrowRow<2, kRest>>;
constexpr auto make_wide = make_worker<WideRow<1>, WideRow<2>>;

}  // namespace

Totals::Totals(const BoundingTask& task, std::size_t keys)
    : units(keys),
      sums(keys * task.measures.size()),
      tally_of(task.measures.size()),
      fills(task.measures.size(), true) {
  for (std::size_t m = 0; m < task.measures.size(); ++m) {
    const Measure& measure = task.measures[m];
    bool quantile = measure.kind == MeasureKind::kQuantile;
    if (!quantile && measure.kind != MeasureKind::kDistinct) continue;
    DISCREET_CHECK(measure.content.has_value());
    for (std::size_t earlier = 0; earlier < m && !tally_of[m]; ++earlier) {
      const Measure& other = task.measures[earlier];
      bool same = other.kind == measure.kind && other.content == measure.content &&
                  (!quantile || other.map.formula() == measure.map.formula());
      if (same) tally_of[m] = tally_of[earlier];
    }
    fills[m] = !tally_of[m].has_value();
    if (!fills[m]) continue;
    tally_of[m] = tallies.size();
    const Content& content = task.contents[*measure.content];
    const IntegerMap::Formula& formula = measure.map.formula();
    tallies.emplace_back(keys, quantile ? formula.low : content.low,
                         quantile ? formula.high : content.high);
  }
}

void Totals::merge(Totals&& other) {
  for (std::size_t i = 0; i < units.size(); ++i) units[i] += other.units[i];
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
  for (std::size_t i = 0; i < tallies.size(); ++i) tallies[i].merge(std::move(other.tallies[i]));
}

std::unique_ptr<PartWorker> PartWorker::make(const BoundingTask& task, const RowLayout& layout,
                                             const Candidates& candidates, const Secret& secret,
                                             const AllKeys& keys, Totals& totals) {
  const std::size_t rest = layout.words() - layout.unit_words();
  DISCREET_CHECK(rest <= kContentWordsMax);
  const auto make = rest <= 1    ? make_narrow<1>
                    : rest <= 2  ? make_narrow<2>
                    : rest <= 4  ? make_narrow<4>
                    : rest <= 16 ? make_narrow<16>
                                 : make_wide;
  return make(task, layout, candidates, secret, keys, totals);
}

}  // namespace discreet::engine
