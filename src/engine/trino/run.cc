// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/run.h"

#include <algorithm>
#include <new>
#include <unordered_map>

#include "engine/key.h"

namespace discreet::engine::trino {
namespace {

using mechanism::Groups;
using mechanism::Runs;

/// Reads the cells of a row one after the other; whatever is not what it must be is remembered.
class Reader {
 public:
  explicit Reader(const Row& row) : row_(row) {}

  std::string key(const std::vector<KeyKind>& kinds) {
    std::string out;
    for (const KeyKind kind : kinds) {
      const Cell& cell = next();
      if (std::holds_alternative<std::monostate>(cell)) {
        append_null(out);
      } else if (kind == KeyKind::kBoolean) {
        append_boolean(out, get<bool>(cell));
      } else if (kind == KeyKind::kNumber) {
        append_number(out, get<std::int64_t>(cell));
      } else {
        append_text(out, get<std::string>(cell));
      }
    }
    return out;
  }

  std::int64_t whole() { return get<std::int64_t>(next()); }
  std::optional<std::int64_t> whole_or_null() {
    const Cell& cell = next();
    if (std::holds_alternative<std::monostate>(cell)) return std::nullopt;
    return get<std::int64_t>(cell);
  }

  /// DECIMAL(38,0) comes as digits.
  Int128 wide() {
    const std::string digits = get<std::string>(next());
    const bool negative = digits.starts_with('-');
    Int128 value = 0;
    is_fine_ = is_fine_ && digits.size() > (negative ? 1U : 0U) && digits.size() <= 39;
    for (std::size_t i = negative ? 1 : 0; i < digits.size() && is_fine_; ++i) {
      is_fine_ = digits[i] >= '0' && digits[i] <= '9';
      value = value * 10 + (digits[i] - '0');
    }
    return negative ? -value : value;
  }

  bool is_fine() const { return is_fine_; }

 private:
  const Cell& next() {
    static const Cell none;
    is_fine_ = is_fine_ && at_ < row_.size();
    return at_ < row_.size() ? row_[at_++] : none;
  }
  template <typename T>
  T get(const Cell& cell) {
    const T* const value = std::get_if<T>(&cell);
    is_fine_ = is_fine_ && value != nullptr;
    return value != nullptr ? *value : T{};
  }

  const Row& row_;
  std::size_t at_ = 0;
  bool is_fine_ = true;
};

/// What a statement puts out, row by row, in any order.
class Gathering {
 public:
  Gathering(const Statement& statement, std::size_t measures)
      : statement_(statement), tallies_(statement.tallies.size()) {
    groups_.integers.resize(measures);
    groups_.runs.resize(measures);
  }

  void take(const Row& row) {
    Reader reader(row);
    if (!statement_.beside.empty()) {
      for (const std::string& key : statement_.beside) {
        const std::int64_t units = reader.whole();
        add(key, units, numbers(reader));
      }
      is_fine_ = is_fine_ && reader.is_fine();
      return;
    }
    std::string key = reader.key(statement_.keys);
    const std::int64_t units = reader.whole();
    const std::vector<Int128> measured = numbers(reader);
    if (!statement_.tallies.empty()) {
      std::vector<std::optional<std::int64_t>> values;
      for (std::size_t t = 0; t < tallies_.size(); ++t) values.push_back(reader.whole_or_null());
      const std::int64_t without = reader.whole();  // a bit for each value that was not grouped by
      const std::int64_t count = reader.whole();
      const std::int64_t all = (std::int64_t{1} << tallies_.size()) - 1;
      if (without != all) {
        for (std::size_t t = 0; t < tallies_.size(); ++t) {
          const bool of_this = (without >> (tallies_.size() - 1 - t) & 1) == 0;
          if (of_this && values[t]) tallies_[t][key].emplace_back(*values[t], count);
        }
        is_fine_ = is_fine_ && reader.is_fine();
        return;
      }
    }
    is_fine_ = is_fine_ && reader.is_fine();
    add(std::move(key), units, measured);
  }

  bool is_fine() const { return is_fine_; }

  Groups finish() {
    for (std::size_t t = 0; t < tallies_.size(); ++t) {
      std::vector<Runs> runs(groups_.keys.size());
      for (std::size_t g = 0; g < groups_.keys.size(); ++g) {
        if (const auto found = tallies_[t].find(groups_.keys[g]); found != tallies_[t].end()) {
          runs[g] = std::move(found->second);
        }
        std::sort(runs[g].begin(), runs[g].end());
      }
      for (const std::size_t step : statement_.tallies[t]) groups_.runs[step] = runs;
    }
    return std::move(groups_);
  }

 private:
  std::vector<Int128> numbers(Reader& reader) const {
    std::vector<Int128> out;
    for (std::size_t i = 0; i < statement_.steps.size(); ++i) out.push_back(reader.wide());
    return out;
  }

  void add(std::string key, std::int64_t units, const std::vector<Int128>& numbers) {
    if (units == 0) return;  // without keys, or with all side by side, SQL gives a row for no rows
    groups_.keys.push_back(std::move(key));
    groups_.units.push_back(units);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      groups_.integers[statement_.steps[i]].push_back(numbers[i]);
    }
  }

  const Statement& statement_;
  Groups groups_;
  std::vector<std::unordered_map<std::string, Runs>> tallies_;
  bool is_fine_ = true;
};

}  // namespace

Result<Groups> run_statement(Client& client, const Statement& statement, std::size_t measures,
                             const OwnerLog& log, Told* told) {
  try {
    Gathering gathering(statement, measures);
    DISCREET_TRY(client.query(
        statement.select.print(), log,
        [&](std::span<const Row> rows) {
          for (const Row& row : rows) gathering.take(row);
        },
        told));
    if (!gathering.is_fine()) {
      if (log.say) log.say("trino: a row that was not asked for");
      return engine_failed();
    }
    return gathering.finish();
  } catch (const std::bad_alloc&) {
    if (log.say) log.say("out of memory");
    return engine_failed();
  }
}

}  // namespace discreet::engine::trino
