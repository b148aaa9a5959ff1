// SPDX-License-Identifier: Apache-2.0
#include "publish/tables.h"

#include <algorithm>

#include "base/check.h"

namespace discreet::publish {
namespace {

// Takes the mean out along one axis of n values, `inner` cells apart.
void centre_axis(Cells& cells, std::size_t n, std::size_t inner) {
  const std::size_t outer = cells.size() / (n * inner);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      double mean = 0;
      for (std::size_t j = 0; j < n; ++j) mean += cells[(o * n + j) * inner + i];
      mean /= static_cast<double>(n);
      for (std::size_t j = 0; j < n; ++j) cells[(o * n + j) * inner + i] -= mean;
    }
  }
}

// Whether `index` names the first value along some axis; else its place among the other cells.
std::pair<bool, std::size_t> place_among_differences(const std::vector<std::int64_t>& sizes,
                                                     std::size_t index) {
  std::size_t place = 0;
  std::size_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    const std::size_t n = static_cast<std::size_t>(sizes[axis]);
    const std::size_t j = index % n;
    index /= n;
    if (j == 0) return {true, 0};
    place += (j - 1) * stride;
    stride *= n - 1;
  }
  return {false, place};
}

}  // namespace

std::vector<std::int64_t> sizes_of(const std::vector<Attribute>& attributes,
                                   const AttributeSet& set) {
  std::vector<std::int64_t> sizes;
  for (const int i : set) sizes.push_back(attributes[static_cast<std::size_t>(i)].values);
  return sizes;
}

Cells centred(const std::vector<Attribute>& attributes, const AttributeSet& set,
              std::span<const std::int64_t> released) {
  const std::vector<std::int64_t> sizes = sizes_of(attributes, set);
  std::size_t count = 1;
  for (const std::int64_t n : sizes) count *= static_cast<std::size_t>(n);
  // Any table with these differences will do: P does not see what the differences do not.
  Cells cells(count, 0);
  for (std::size_t index = 0; index < count; ++index) {
    const auto [is_first, place] = place_among_differences(sizes, index);
    if (!is_first) cells[index] = static_cast<double>(released[place]) / static_cast<double>(count);
  }
  std::size_t inner = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    const std::size_t n = static_cast<std::size_t>(sizes[axis]);
    centre_axis(cells, n, inner);
    inner *= n;
  }
  return cells;
}

Cells table(const std::vector<Attribute>& attributes, const AttributeSet& set,
            const std::map<AttributeSet, Cells>& residuals) {
  const std::vector<std::int64_t> sizes = sizes_of(attributes, set);
  std::size_t count = 1;
  for (const std::int64_t n : sizes) count *= static_cast<std::size_t>(n);
  Cells cells(count, 0);
  for (std::size_t mask = 0; mask < std::size_t{1} << set.size(); ++mask) {
    AttributeSet subset;
    double others = 1;
    for (std::size_t bit = 0; bit < set.size(); ++bit) {
      if (mask >> bit & 1) {
        subset.push_back(set[bit]);
      } else {
        others *= static_cast<double>(sizes[bit]);
      }
    }
    const auto found = residuals.find(subset);
    DISCREET_CHECK(found != residuals.end());
    for (std::size_t index = 0; index < count; ++index) {
      std::size_t rest = index;
      std::size_t place = 0;
      std::size_t stride = 1;
      for (std::size_t bit = set.size(); bit-- > 0;) {
        const std::size_t n = static_cast<std::size_t>(sizes[bit]);
        if (mask >> bit & 1) {
          place += rest % n * stride;
          stride *= n;
        }
        rest /= n;
      }
      cells[index] += found->second[place] / others;
    }
  }
  return cells;
}

Cells reordered(const std::vector<Attribute>& attributes, const std::vector<std::size_t>& axes,
                const Cells& cells, bool back) {
  std::vector<std::size_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> strides(axes.size());  // of each asked axis in the sorted table
  for (std::size_t k = 0; k < axes.size(); ++k) {
    strides[k] = 1;
    for (const std::size_t axis : sorted) {
      if (axis > axes[k]) strides[k] *= static_cast<std::size_t>(attributes[axis].values);
    }
  }
  Cells out(cells.size());
  std::vector<std::size_t> at(axes.size(), 0);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) place += at[k] * strides[k];
    (back ? out[place] : out[c]) = cells[back ? c : place];
    for (std::size_t k = axes.size(); k-- > 0;) {
      if (++at[k] < static_cast<std::size_t>(attributes[axes[k]].values)) break;
      at[k] = 0;
    }
  }
  return out;
}

}  // namespace discreet::publish
