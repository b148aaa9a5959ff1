// SPDX-License-Identifier: Apache-2.0
// The estimate and its variances against least squares over the joint table by its own normal
// equations.
#include "publish/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "mechanism/toeplitz.h"

namespace discreet::publish::agreement_test {
namespace {

using Matrix = std::vector<std::vector<double>>;

const std::vector<Attribute> kAttributes = {{"sex", 2}, {"age", 5}, {"town", 4}};
constexpr std::size_t kCells = 40;

std::vector<std::size_t> places_of(std::size_t cell) { return {cell / 20, cell / 4 % 5, cell % 4}; }

/// The sums that make up the table on `set`: one row a cell.
Matrix margin_rows(const AttributeSet& set) {
  std::size_t cells = 1;
  for (const std::int64_t n : sizes_of(kAttributes, set)) cells *= static_cast<std::size_t>(n);
  Matrix rows(cells, std::vector<double>(kCells, 0));
  for (std::size_t c = 0; c < kCells; ++c) {
    std::size_t place = 0;
    for (const int axis : set) {
      const auto a = static_cast<std::size_t>(axis);
      place = place * static_cast<std::size_t>(kAttributes[a].values) + places_of(c)[a];
    }
    rows[place][c] = 1;
  }
  return rows;
}

/// Takes the mean out along one axis of rows of a table on `set`.
void centre_rows(const AttributeSet& set, int axis, Matrix& rows) {
  std::size_t inner = 1;
  for (const int each : set) {
    if (each > axis) inner *= static_cast<std::size_t>(kAttributes[std::size_t(each)].values);
  }
  const auto n = static_cast<std::size_t>(kAttributes[static_cast<std::size_t>(axis)].values);
  const Matrix old = rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t first = r - r / inner % n * inner;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t c = 0; c < kCells; ++c) {
        rows[r][c] -= old[first + j * inner][c] / static_cast<double>(n);
      }
    }
  }
}

/// Numbers of rows.
std::vector<double> times(const Matrix& rows, const std::vector<double>& x) {
  std::vector<double> out;
  for (const auto& row : rows) {
    out.push_back(std::inner_product(row.begin(), row.end(), x.begin(), 0.0));
  }
  return out;
}

/// Least squares over the joint table.
class Reference {
 public:
  Reference() : normal_(kCells, Row(kCells, 0)), right_(kCells, 0) {
    for (std::size_t i = 0; i < kCells; ++i) normal_[i][i] = 1e-8;  // what nothing tells
  }
  void observe(const Matrix& rows, const std::vector<double>& values, double variance) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < kCells; ++i) {
        right_[i] += static_cast<long double>(rows[r][i]) * values[r] / variance;
        for (std::size_t j = 0; j < kCells; ++j) {
          normal_[i][j] += static_cast<long double>(rows[r][i]) * rows[r][j] / variance;
        }
      }
    }
  }
  void solve() {
    inverse_.assign(kCells, Row(kCells, 0));
    for (std::size_t i = 0; i < kCells; ++i) inverse_[i][i] = 1;
    for (std::size_t i = 0; i < kCells; ++i) {
      std::size_t best = i;
      for (std::size_t r = i; r < kCells; ++r) {
        if (std::abs(normal_[r][i]) > std::abs(normal_[best][i])) best = r;
      }
      std::swap(normal_[i], normal_[best]);
      std::swap(inverse_[i], inverse_[best]);
      const long double pivot = normal_[i][i];
      for (std::size_t c = 0; c < kCells; ++c) {
        normal_[i][c] /= pivot;
        inverse_[i][c] /= pivot;
      }
      for (std::size_t r = 0; r < kCells; ++r) {
        if (r == i) continue;
        const long double factor = normal_[r][i];
        for (std::size_t c = 0; c < kCells; ++c) {
          normal_[r][c] -= factor * normal_[i][c];
          inverse_[r][c] -= factor * inverse_[i][c];
        }
      }
    }
    estimate_ = solved(right_);
  }
  void expect(const Matrix& rows, const std::vector<double>& values,
              const std::vector<double>& variances) const {
    ASSERT_EQ(rows.size(), values.size());
    ASSERT_EQ(rows.size(), variances.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Row row(rows[r].begin(), rows[r].end());
      const Row half = solved(row);
      const double value =
          double(std::inner_product(row.begin(), row.end(), estimate_.begin(), 0.0L));
      const double variance =
          double(std::inner_product(row.begin(), row.end(), half.begin(), 0.0L));
      EXPECT_NEAR(values[r], value, 2e-4);
      EXPECT_NEAR(variances[r], variance, 2e-5 * (1 + variance));
    }
  }

 private:
  std::vector<long double> solved(const std::vector<long double>& right) const {
    std::vector<long double> out;
    for (const auto& row : inverse_) {
      out.push_back(std::inner_product(row.begin(), row.end(), right.begin(), 0.0L));
    }
    return out;
  }

  using Row = std::vector<long double>;  // what is nearly fixed stands beside what is nearly open
  std::vector<Row> normal_, inverse_;
  Row right_, estimate_;
};

/// Sums of each line up to every place, or over all ranges, from the rows of its table.
Matrix range_rows(const Matrix& cells, const MeasuredLine& line, bool ranges) {
  AttributeSet set = line.by;
  set.push_back(line.axis);
  std::sort(set.begin(), set.end());
  const auto n = static_cast<std::size_t>(kAttributes[std::size_t(line.axis)].values);
  std::size_t inner = 1;
  for (const int axis : set) {
    if (axis > line.axis) inner *= static_cast<std::size_t>(kAttributes[std::size_t(axis)].values);
  }
  Matrix out;
  for (std::size_t group = 0; group < cells.size() / n; ++group) {
    for (std::size_t from = 0; from < (ranges ? n : 1); ++from) {
      std::vector<double> sum(kCells, 0);
      for (std::size_t to = from; to < n; ++to) {
        const auto& row = cells[(group / inner * n + to) * inner + group % inner];
        for (std::size_t c = 0; c < kCells; ++c) sum[c] += row[c];
        out.push_back(sum);
      }
    }
  }
  return out;
}

struct Case {
  Measurements measured;
  std::vector<AttributeSet> tables;
};

void check(const Case& asked, unsigned seed) {
  std::mt19937_64 random(seed);  // fixed: the same numbers in every run
  std::normal_distribution<double> noise(0, 5);
  const auto drawn = [&](std::size_t n) {
    std::vector<double> out(n);
    for (double& x : out) x = 20 + noise(random);
    return out;
  };
  const auto agreement = Agreement::make(kAttributes, asked.measured);
  ASSERT_TRUE(agreement) << agreement.error().message;
  Reference reference;
  Measured seen;
  for (const auto& [set, variance] : asked.measured.residuals) {
    Matrix rows = margin_rows(set);
    for (const int axis : set) centre_rows(set, axis, rows);
    // Any table, centred: what the kernel's residuals are.
    const std::vector<double> values = times(rows, drawn(kCells));
    reference.observe(rows, values, variance);
    seen.residuals[set] = values;
  }
  for (const MeasuredLine& line : asked.measured.lines) {
    AttributeSet set = line.by;
    set.push_back(line.axis);
    std::sort(set.begin(), set.end());
    const Matrix cells = margin_rows(set);
    Matrix rows = cells;
    if (line.mixed) {
      const auto n = static_cast<std::size_t>(kAttributes[std::size_t(line.axis)].values);
      const auto mixing = mechanism::Toeplitz::square_root(static_cast<std::int64_t>(n));
      std::size_t inner = 1;
      for (const int axis : set) {
        if (axis > line.axis) inner *= std::size_t(kAttributes[std::size_t(axis)].values);
      }
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::size_t t = r / inner % n;
        std::fill(rows[r].begin(), rows[r].end(), 0.0);
        for (std::size_t s = 0; s <= t; ++s) {
          const double c = static_cast<double>(mixing.coefficients()[t - s]) /
                           static_cast<double>(mixing.unit());
          for (std::size_t i = 0; i < kCells; ++i) rows[r][i] += c * cells[r - (t - s) * inner][i];
        }
      }
    }
    const std::vector<double> values = drawn(rows.size());
    reference.observe(rows, values, line.variance);
    seen.lines.push_back(values);
  }
  std::vector<std::vector<Matrix>> areas;
  for (const MeasuredTree& tree : asked.measured.trees) {
    auto& levels = areas.emplace_back(tree.tree->levels());
    seen.trees.emplace_back(tree.tree->levels());
    levels.back() = margin_rows({tree.axis});
    for (std::size_t l = tree.tree->levels(); l-- > 0;) {
      if (l + 1 < tree.tree->levels()) {
        levels[l].assign(static_cast<std::size_t>(tree.tree->nodes(l)),
                         std::vector<double>(kCells, 0));
        for (std::size_t i = 0; i < levels[l + 1].size(); ++i) {
          auto& sum = levels[l][static_cast<std::size_t>(tree.tree->parents[l][i])];
          for (std::size_t c = 0; c < kCells; ++c) sum[c] += levels[l + 1][i][c];
        }
      }
      const std::vector<double> values = drawn(levels[l].size());
      reference.observe(levels[l], values, tree.variances[l]);
      seen.trees.back()[l] = values;
    }
    for (const auto& [node, value] : tree.fixed) {
      reference.observe({levels[node.first][static_cast<std::size_t>(node.second)]}, {value}, 1e-7);
    }
  }
  if (asked.measured.total) {
    reference.observe(margin_rows({}), {*asked.measured.total}, 1e-7);
  }
  reference.solve();
  const auto residuals = agreement->estimate(seen);
  for (const AttributeSet& set : asked.tables) {
    reference.expect(margin_rows(set), table(kAttributes, set, residuals),
                     agreement->table_variances(set));
  }
  for (std::size_t i = 0; i < asked.measured.lines.size(); ++i) {
    const MeasuredLine& line = asked.measured.lines[i];
    AttributeSet set = line.by;
    set.push_back(line.axis);
    std::sort(set.begin(), set.end());
    for (const bool ranges : {false, true}) {
      const Matrix rows = range_rows(margin_rows(set), line, ranges);
      // The values are the tables'; here the variances count.
      const Cells cells = table(kAttributes, set, residuals);
      const std::vector<double> variances = agreement->line_variances(i, ranges);
      const auto n = static_cast<std::size_t>(kAttributes[std::size_t(line.axis)].values);
      std::size_t inner = 1;
      for (const int axis : set) {
        if (axis > line.axis) inner *= std::size_t(kAttributes[std::size_t(axis)].values);
      }
      std::vector<double> values;
      for (std::size_t group = 0; group < cells.size() / n; ++group) {
        for (std::size_t from = 0; from < (ranges ? n : 1); ++from) {
          double sum = 0;
          for (std::size_t to = from; to < n; ++to) {
            values.push_back(sum += cells[(group / inner * n + to) * inner + group % inner]);
          }
        }
      }
      reference.expect(rows, values, variances);
    }
  }
  for (std::size_t i = 0; i < asked.measured.trees.size(); ++i) {
    const MeasuredTree& tree = asked.measured.trees[i];
    const LevelValues values = level_sums(*tree.tree, table(kAttributes, {tree.axis}, residuals));
    const LevelValues variances = agreement->tree_variances(i);
    for (std::size_t l = 0; l < values.size(); ++l) {
      reference.expect(areas[i][l], values[l], variances[l]);
    }
  }
}

std::map<AttributeSet, double> pairs_and_below() {
  return {{{}, 3}, {{0}, 2}, {{1}, 5}, {{2}, 1.5}, {{0, 1}, 4}, {{1, 2}, 2.5}, {{0, 2}, 6}};
}
const std::vector<AttributeSet> kAll = {{}, {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}};

Hierarchy towns() {
  return read_hierarchy("c,p\n0,a\n1,a\n2,a\n3,b\na,t\nb,t\n", {"0", "1", "2", "3"}).value();
}
Hierarchy ages() {
  return read_hierarchy("c,p\n0,x\n1,y\n2,x\n3,y\n4,y\nx,t\ny,t\n", {"0", "1", "2", "3", "4"})
      .value();
}

TEST(Agreement, OfTablesAlone) { check({{pairs_and_below(), {}, {}, {}}, kAll}, 1); }

TEST(Agreement, OfTablesAndLines) {
  check({{pairs_and_below(),
          {{.by = {}, .axis = 1, .mixed = true, .variance = 2},
           {.by = {0}, .axis = 1, .mixed = true, .variance = 7},
           {.by = {0}, .axis = 2, .mixed = false, .variance = 3}},
          {},
          {}},
         kAll},
        2);
}

TEST(Agreement, OfLinesByAColumnThatHasLinesOfItsOwn) {
  check({{pairs_and_below(),
          {{.by = {0, 2}, .axis = 1, .mixed = true, .variance = 2},
           {.by = {0}, .axis = 2, .mixed = true, .variance = 3}},
          {},
          {}},
         kAll},
        3);
}

TEST(Agreement, OfLinesAloneByTheirSeries) {
  check({{{}, {{.by = {0}, .axis = 1, .mixed = true, .variance = 2}}, {}, {}},
         {{0, 1}, {0}, {1}, {}}},
        4);
}

TEST(Agreement, OfTablesLinesAndAreas) {
  const Hierarchy tree = towns();
  check({{pairs_and_below(),
          {{.by = {2}, .axis = 1, .mixed = true, .variance = 2}},
          {{.axis = 2, .tree = &tree, .variances = {4, 1, 3}}},
          {}},
         kAll},
        5);
  // The tree alone, and beside a single table that shares only the total.
  check({{{{{}, 3}, {{0}, 2}}, {}, {{.axis = 2, .tree = &tree, .variances = {4, 1, 3}}}, {}},
         {{}, {0}, {2}}},
        6);
}

TEST(Agreement, OfRangesAndAreasOfOneColumn) {
  const Hierarchy tree = ages();
  const Hierarchy other =
      read_hierarchy("c,p\n0,x\n1,x\n2,x\n3,y\n4,y\nx,t\ny,t\n", {"0", "1", "2", "3", "4"}).value();
  check({{pairs_and_below(),
          {{.by = {0}, .axis = 1, .mixed = true, .variance = 2}},
          {{.axis = 1, .tree = &tree, .variances = {4, 1, 3}},
           {.axis = 1, .tree = &other, .variances = {2, 1, 3}}},
          {}},
         kAll},
        7);
}

TEST(Agreement, KeepsWhatIsPublishedAsItIs) {
  const Hierarchy tree = towns();
  auto everything = pairs_and_below();  // so that the reference has no open directions
  everything[{0, 1, 2}] = 2;
  check({{everything,
          {{.by = {0}, .axis = 1, .mixed = true, .variance = 2}},
          {{.axis = 2, .tree = &tree, .variances = {4, 1, 3}}},
          800.0},
         kAll},
        8);
  check({{everything,
          {},
          {{.axis = 2, .tree = &tree, .variances = {4, 1, 3}, .fixed = {{{1, 0}, 555.0}}}},
          {}},
         kAll},
        9);
}

TEST(Agreement, RefusesWhatItCannotPutTogether) {
  const auto crossed =
      Agreement::make(kAttributes, {{},
                                    {{.by = {2}, .axis = 1, .mixed = true, .variance = 2},
                                     {.by = {1}, .axis = 2, .mixed = true, .variance = 2}},
                                    {},
                                    {}});
  ASSERT_FALSE(crossed);
  EXPECT_NE(crossed.error().message.find("'town' by 'age'"), std::string::npos)
      << crossed.error().message;
  const auto wide = Agreement::make(
      {{"age", 2'000}},
      {{{{}, 1}, {{0}, 1}}, {{.by = {}, .axis = 0, .mixed = true, .variance = 2}}, {}, {}});
  ASSERT_FALSE(wide);
  EXPECT_NE(wide.error().message.find("wider bins"), std::string::npos) << wide.error().message;
}

}  // namespace
}  // namespace discreet::publish::agreement_test
