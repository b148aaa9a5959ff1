// SPDX-License-Identifier: Apache-2.0
#include "mechanism/counted_days.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/check.h"

namespace discreet::mechanism {

template <class Number>
std::vector<CountedDays::Found> CountedDays::found(const UnitRows& rows, Number number) {
  DISCREET_CHECK(rows.columns == 1 && rows.names.size() == rows.ends.size());
  std::vector<Found> out;
  std::size_t begin = 0;
  for (std::size_t u = 0; u < rows.ends.size(); ++u) {
    const std::span<const std::int64_t> days(rows.cells.data() + begin, rows.ends[u] - begin);
    if (const std::int64_t n = number(days); n > 0) out.push_back({rows.names[u], n});
    begin = rows.ends[u];
  }
  std::sort(out.begin(), out.end(), [](const Found& a, const Found& b) { return a.unit < b.unit; });
  std::size_t last = 0;  // units of one hash are one unit
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[i].unit == out[last].unit) {
      out[last].n += out[i].n;
    } else {
      out[++last] = out[i];
    }
  }
  if (!out.empty()) out.resize(last + 1);
  return out;
}

Result<CountedDays> CountedDays::from(const Sensitive<std::string>& kept, std::int64_t days) {
  const std::string& bytes = kept.reveal(Unseal());
  const Error corrupt{Code::kCorrupt, "the kept counts of units do not belong to this stream"};
  if (bytes.size() % kBytes != 0) return corrupt;
  std::vector<Entry> entries(bytes.size() / kBytes);
  bool is_sound = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const char* const at = bytes.data() + i * kBytes;
    Entry& entry = entries[i];
    std::memcpy(&entry.unit.low, at, 8);
    std::memcpy(&entry.unit.high, at + 8, 8);
    std::memcpy(&entry.days, at + 16, 4);
    is_sound = is_sound && entry.days >= 1 && entry.days <= days &&
               (i == 0 || entries[i - 1].unit < entry.unit);
  }
  CountedDays out(std::move(entries));
  if (!is_sound) return corrupt;
  return out;
}

CountedDays CountedDays::presumed(const Sensitive<UnitRows>& rows, const DayRule& rule) {
  std::vector<std::int64_t> before;
  std::vector<Found> earlier =
      found(rows.reveal(Unseal()), [&](std::span<const std::int64_t> days) -> std::int64_t {
        before.clear();
        for (const std::int64_t day : days) {
          if (day != kMissing && day >= rule.first && day < rule.day) before.push_back(day);
        }
        std::sort(before.begin(), before.end());
        return std::unique(before.begin(), before.end()) - before.begin();
      });
  std::vector<Entry> entries;
  entries.reserve(earlier.size());
  for (const Found& one : earlier) {
    entries.push_back({one.unit, static_cast<std::uint32_t>(std::min(one.n, rule.days))});
  }
  wipe(before);
  wipe(earlier);
  return CountedDays(std::move(entries));
}

Sensitive<Int128> CountedDays::count(const Sensitive<UnitRows>& rows, const DayRule& rule) {
  std::vector<Found> today =
      found(rows.reveal(Unseal()), [&](std::span<const std::int64_t> days) -> std::int64_t {
        return std::count(days.begin(), days.end(), rule.day);
      });
  const std::vector<Entry>& before = entries_.reveal(Unseal());
  std::vector<Entry> after;
  after.reserve(before.size() + today.size());
  Int128 total = 0;
  std::size_t b = 0;
  for (const Found& one : today) {
    while (b < before.size() && before[b].unit < one.unit) after.push_back(before[b++]);
    Entry entry{.unit = one.unit};
    if (b < before.size() && before[b].unit == one.unit) entry = before[b++];
    if (entry.days < rule.days) {
      total += std::min(one.n, rule.rows);
      ++entry.days;
    }
    after.push_back(entry);
  }
  after.insert(after.end(), before.begin() + static_cast<std::ptrdiff_t>(b), before.end());
  wipe(today);
  entries_ = Sensitive(std::move(after));
  return Sensitive(total);
}

Result<std::string> CountedDays::sealed(const Encrypt& encrypt) const {
  const std::vector<Entry>& entries = entries_.reveal(Unseal());
  std::string bytes(entries.size() * kBytes, '\0');
  for (std::size_t i = 0; i < entries.size(); ++i) {
    char* const at = bytes.data() + i * kBytes;
    std::memcpy(at, &entries[i].unit.low, 8);
    std::memcpy(at + 8, &entries[i].unit.high, 8);
    std::memcpy(at + 16, &entries[i].days, 4);
  }
  Result<std::string> out = encrypt(bytes);
  wipe(bytes);
  return out;
}

}  // namespace discreet::mechanism
