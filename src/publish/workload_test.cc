// SPDX-License-Identifier: Apache-2.0
// Workloads, designs, ranges, hierarchies, whole tables.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "mechanism/prefix_stream.h"
#include "publish/design.h"
#include "publish/nonnegative.h"
#include "publish/ranges.h"
#include "publish/sealed_file.h"
#include "publish/sheets.h"

namespace discreet::publish::workload_test {
namespace {

const char* const kPolicy = R"(version: 1
snapshot: s
units: {people: {notion: zcdp, budget: {rho: 10, delta: 1e-6}}}
tables:
  people:
    source: people.csv
    unit: {namespace: people, column: id}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 2}
    columns:
      age: {type: integer, range: [0, 99]}
      sex: {type: text, values: [f, m]}
      region: {type: text, values: [n, e, s, w]}
      income: {type: decimal, range: [0, 100000], step: 1}
      tract: {type: integer, range: [0, 5]}
      name: {type: text}
)";

policy::Policy the_policy() { return *policy::read_policy(kPolicy, ".").policy; }

std::string mistakes_in(const std::string& text) {
  const auto read = read_workload(text, "w.yaml", the_policy());
  return read ? "none" : read.error().message;
}

TEST(Workload, ReadsTablesRangesAndPrices) {
  const auto read = read_workload(R"(table: people
rho: 0.5
columns: {age: {edges: [18, 65]}, sex: {rest: true}, income: {bins: 10000}}
tables:
  total: []
  by_sex_and_region: {columns: [sex, region], weight: 3}
  income_by_region: {columns: [region], sum: income}
marginals: {columns: [age, sex, region], ways: 2}
ranges: {incomes: {column: income, by: [region]}}
objective: worst
confidence: 0.9
)",
                                  "w.yaml", the_policy());
  // The pair (sex, region) stands twice.
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("line 8"), std::string::npos) << read.error().message;
  const auto good = read_workload(R"(table: people
rho: 0.5
columns: {age: {edges: [18, 65]}, sex: {rest: true}, income: {bins: 10000}}
tables: {total: [], income_by_region: {columns: [region], sum: income}}
marginals: {columns: [age, sex, region], ways: 2}
ranges: {incomes: {column: income, by: [region]}}
)",
                                  "w.yaml", the_policy());
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->tables.size(), 5U);
  const auto& axes = good->axes;
  ASSERT_EQ(axes.size(), 4U);
  EXPECT_EQ(axes[1].name, "age");
  EXPECT_EQ(axes[1].label(0), "0 to 17");
  EXPECT_EQ(axes[1].label(2), "65 to 99");
  EXPECT_EQ(axes[2].label(2), "(rest)");
  EXPECT_EQ(axes[3].places(), 11);
  EXPECT_EQ(good->measures[1].weight->largest, 1021);  // 100000 in steps of 98
}

TEST(Workload, NamesLineAndFixOfWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"table: people\nrho: 1\n", "empty"},
      {"table: folk\nrho: 1\ntables: {t: []}\n", "line 1"},
      {"table: people\nrho: 1\ntables: {t: [aeg]}\n", "did you mean age?"},
      {"table: people\nrho: 1\ntables: {t: [name]}\n", "neither a range nor a list"},
      {"table: people\nrho: 1\ntables: {a: [sex, age], b: [age, sex]}\n", "the same cells"},
      {"table: people\nrho: 1\ntables: {a: [sex, sex]}\n", "twice"},
      {"table: people\nrho: 1\ntables: {a: [sex]}\nranges: {a: {column: age}}\n", "another name"},
      {"table: people\nrho: 1\ncolumns: {age: {edges: [40, 20]}}\ntables: {a: [age]}\n", "overlap"},
      {"table: people\nrho: 1\ncolumns: {age: {bins: 0.5}}\ntables: {a: [age]}\n", "multiple"},
      {"table: people\ntables: {a: [sex]}\n", "no price"},
      {"table: people\nrho: 1\nepsilon: 1\ntables: {a: [sex]}\n", "several prices"},
      {"table: people\nepsilon: 1\ntables: {a: [sex]}\n", "needs a delta"},
      {"table: people\nrho: 1\nranges: {r: {column: sex}}\n", "no order"},
      {"table: people\nrho: 1\nranges: {r: {column: income}}\n", "16384"},
      {"table: people\nrho: 1\ntables: {a: {columns: [sex], sum: sex}}\n", "added up"},
      {"table: people\nrho: 1\ntabels: {a: [sex]}\n", "did you mean tables?"},
      {"table: people\nrho: 1\ntables: {a: [sex]}\ninvariants: {b: 5}\n", "names no total"},
      {"table: people\nrho: 1\nranges: {r: {column: age, by: [sex, region]}, s: {column: age, "
       "kind: "
       "ranges, by: [region, sex]}}\n",
       "the same cells"},
      {"table: people\nrho: 1\ntables: {t: []}\ninvariants: {t: -5}\n", "below 0"},
      {"table: people\nrho: 1\nhierarchies: {h: {column: tract, parents: gone.csv}}\n", "gone.csv"},
      {"table: people\nrho: x\ntables: {a: [sex]}\n", "above 0"},
      {"- 1\n", "not a map"},
      {"", "mistake"},
  };
  for (const auto& [text, words] : cases) {
    EXPECT_NE(mistakes_in(text).find(words), std::string::npos)
        << text << " -> " << mistakes_in(text);
  }
}

std::vector<std::string> leaves(int n) {
  std::vector<std::string> out;
  for (int i = 0; i < n; ++i) out.push_back(std::to_string(i));
  return out;
}

TEST(Hierarchy, RefusesOrphansCyclesAndUnevenDepths) {
  const std::pair<std::string, std::string> cases[] = {
      {"c,p\n0,a\n1,a\n", "'2' is an orphan"},
      {"c,p\n0,a\n1,a\n2,b\na,top\n", "'b' is an orphan"},
      {"c,p\n0,a\n1,a\n2,b\na,b\nb,a\n", "cycle"},
      {"c,p\n0,a\n1,a\n2,a\na,a\n", "cycle"},
      {"c,p\n0,a\n1,a\n2,top\na,top\n", "at the same depth"},
      {"c,p\n0,a\n1,a\n2,a\n0,b\n", "second parent"},
      {"c,p\n0,1\n1,a\n2,a\n", "smallest areas and holds others"},
      {"c,p\n0,a\n1,a\n2,a\n9,a\n", "leads to none"},
      {"c\n0\n", "two columns"},
  };
  for (const auto& [text, words] : cases) {
    const auto tree = read_hierarchy(text, leaves(3));
    ASSERT_FALSE(tree) << text;
    EXPECT_NE(tree.error().message.find(words), std::string::npos)
        << text << " -> " << tree.error().message;
  }
}

// The estimate against least squares by its own normal equations (Gauss elimination), and its
// variances against their inverse.
TEST(Hierarchy, IsTheLeastSquaresEstimateAndSaysItsVariance) {
  const auto tree = read_hierarchy("c,p\n0,a\n1,a\n2,a\n3,b\n4,c\n5,c\na,t\nb,t\nc,t\n", leaves(6));
  ASSERT_TRUE(tree) << tree.error().message;
  ASSERT_EQ(tree->levels(), 3U);
  const LevelValues measured{{100}, {30, 20, 61}, {9, 8, 12, 25, 33, 27}};
  const int n = 6;
  std::vector<std::vector<double>> normal(n, std::vector<double>(2 * n + 1, 0));
  for (int i = 0; i < n; ++i) normal[i][n + 1 + i] = 1;
  const auto observe = [&](const std::vector<int>& sum, double value, double variance) {
    for (const int i : sum) {
      for (const int j : sum) normal[i][j] += 1 / variance;
      normal[i][n] += value / variance;
    }
  };
  observe({0, 1, 2, 3, 4, 5}, 100, 4);
  observe({0, 1, 2}, 30, 2);
  observe({3}, 20, 2);
  observe({4, 5}, 61, 2);
  for (int i = 0; i < n; ++i) observe({i}, measured[2][static_cast<std::size_t>(i)], 1);
  for (int i = 0; i < n; ++i) {
    const double pivot = normal[i][i];
    for (double& x : normal[i]) x /= pivot;
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const double factor = normal[j][i];
      for (int k = 0; k <= 2 * n; ++k) normal[j][k] -= factor * normal[i][k];
    }
  }
  std::vector<double> information = measured[2];
  for (std::size_t i = 0; i < information.size(); ++i) {
    information[i] += measured[1][static_cast<std::size_t>(tree->parents[1][i])] / 2 + 100.0 / 4;
  }
  const TreeFit fit(*tree, {1.0 / 4, 1.0 / 2, 1}, {});
  const LevelValues totals = fit.totals(information);
  const LevelValues estimate = fit.spread(totals, totals[0][0]);
  LevelValues errors = fit.within();
  for (std::size_t l = 0; l < errors.size(); ++l) {
    for (std::size_t i = 0; i < errors[l].size(); ++i) {
      errors[l][i] += std::pow(fit.response()[l][i], 2) * fit.total_variance();
    }
  }
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(estimate[2][static_cast<std::size_t>(i)], normal[i][n], 1e-9);
    EXPECT_NEAR(errors[2][static_cast<std::size_t>(i)], normal[i][n + 1 + i], 1e-9);
  }
  EXPECT_NEAR(estimate[0][0], std::accumulate(estimate[2].begin(), estimate[2].end(), 0.0), 1e-9);
  EXPECT_NEAR(errors[1][0],
              normal[0][n + 1] + normal[1][n + 2] + normal[2][n + 3] +
                  2 * (normal[0][n + 2] + normal[0][n + 3] + normal[1][n + 3]),
              1e-9);

  // Whole numbers: none below 0, parents equal the sums of their children, an area stays fixed.
  LevelValues low = estimate;
  low[2] = {-5.2, 3.4, 1.1, -7, 30.4, 20.2};
  const LevelValues whole = whole_hierarchy(*tree, low, {{{1, 1}, 12.0}}, 60);
  EXPECT_EQ(whole[1][1], 12);
  for (std::size_t l = 0; l < 2; ++l) {
    std::vector<double> sums(whole[l].size(), 0);
    for (std::size_t i = 0; i < whole[l + 1].size(); ++i) {
      EXPECT_GE(whole[l + 1][i], 0);
      EXPECT_EQ(whole[l + 1][i], std::floor(whole[l + 1][i]));
      sums[static_cast<std::size_t>(tree->parents[l][i])] += whole[l + 1][i];
    }
    EXPECT_EQ(sums, whole[l]);
  }
  const std::vector<double> shares = level_shares(*tree);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
}

TEST(WholeParts, AreTheNearestPointAndAddUp) {
  EXPECT_EQ(whole_parts({3, -1, 2}, 4), (std::vector<double>{3, 0, 1}));  // (2.5, 0, 1.5)
  EXPECT_EQ(whole_parts({0.2, 0.2, 0.2}, 1), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(whole_parts({-4, -5}, 0), (std::vector<double>{0, 0}));
  EXPECT_EQ(whole_parts({}, 0), (std::vector<double>{}));
}

TEST(Ranges, InvertTheMixingAndKnowTheirVariance) {
  for (const bool mixed : {true, false}) {
    const std::int64_t days = 40;
    const auto mixing =
        mixed ? mechanism::Toeplitz::square_root(days) : mechanism::Toeplitz::identity(days);
    const auto& c = mixing.coefficients();
    std::vector<std::int64_t> x(40), y(40, 0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 17);
    for (std::size_t t = 0; t < 40; ++t) {
      for (std::size_t s = 0; s <= t; ++s) {
        if (t - s < c.size()) y[t] += c[t - s] * x[s];
      }
    }
    // C^-1 y, summed up.
    const std::vector<double> inverse = inverse_series(mixing);
    const auto running_sums = [&](const std::vector<std::int64_t>& released) {
      std::vector<double> scaled(released.begin(), released.end());
      for (double& entry : scaled) entry /= static_cast<double>(mixing.unit());
      std::vector<double> out = series_product(inverse, scaled, scaled.size());
      std::partial_sum(out.begin(), out.end(), out.begin());
      return out;
    };
    const std::vector<double> sums = running_sums(y);
    double sum = 0;
    for (std::size_t t = 0; t < 40; ++t) {
      EXPECT_NEAR(sums[t], sum += static_cast<double>(x[t]), 1e-6);
    }
    // The row of A C^-1 for a range, entry by entry: the answer to a unit of noise on one day.
    const std::vector<double> series = running_sum_series(mixing);
    double variance = 0;
    for (std::size_t j = 0; j < 40; ++j) {
      std::vector<std::int64_t> unit(40, 0);
      unit[j] = mixing.unit();
      const std::vector<double> row = running_sums(unit);
      variance += std::pow(row[30] - row[9], 2);
    }
    EXPECT_NEAR(range_variance(series, 10, 30), variance, 1e-6);
  }
}

// Mean error against what no factorisation can beat, and against the tree.
TEST(Ranges, TheSquareRootIsNearTheBoundAndFarBelowTheTree) {
  const std::int64_t days = 1'024;
  const auto mixing = mechanism::Toeplitz::square_root(days);
  const std::vector<double> variances = running_sum_variances(running_sum_series(mixing));
  const double length = std::sqrt(Rational(mixing.length_squared(1)).to_double(Round::kUp)) / 65536;
  const double mean = length * std::sqrt(std::accumulate(variances.begin(), variances.end(), 0.0) /
                                         static_cast<double>(days));
  EXPECT_GT(mean, mean_error_bound(days));
  EXPECT_LT(mean, 1.2 * mean_error_bound(days));
  EXPECT_GT(binary_tree_error(days).mean, 2 * mean);
  EXPECT_LT(length * std::sqrt(variances.back()), 1.05 * best_known_error(days));
  // Three days of a tree over four: leaves 1 1 1, pairs 2 1, all 3.
  EXPECT_DOUBLE_EQ(binary_tree_error(4, 3).worst, std::sqrt(2.0 * (3 + 5 + 9)));
  EXPECT_DOUBLE_EQ(binary_tree_error(4).worst, std::sqrt(2.0 * 3));
}

// Tables, running sums and areas that hang together by their columns, and a hierarchy that shares
// only the number of rows.
TEST(WholeCounts, AgreeAcrossTablesRangesAndAreas) {
  const std::vector<Attribute> attributes{{"a", 3}, {"b", 4}, {"c", 2}, {"d", 5}, {"e", 4}};
  const Hierarchy tree = read_hierarchy("c,p\n0,x\n1,x\n2,y\n3,y\nx,t\ny,t\n", leaves(4)).value();
  std::mt19937_64 random(7);  // fixed: the same tables in every run
  std::normal_distribution<double> noise(0, 3);
  std::vector<WholeTarget> targets{{.set = {0, 1}},
                                   {.set = {1, 2}},
                                   {.set = {}},
                                   {.set = {2, 3}, .line = 3},
                                   {.set = {4}, .tree = &tree},
                                   {.set = {1}, .tree = &tree}};
  for (WholeTarget& target : targets) {
    std::size_t cells = 1;
    for (const std::int64_t n : sizes_of(attributes, target.set)) {
      cells *= static_cast<std::size_t>(n);
    }
    target.cells.resize(cells);
    for (double& cell : target.cells) cell = 24.0 / static_cast<double>(cells) + noise(random);
  }
  const std::vector<Cells> whole = whole_counts(attributes, targets, 50);
  for (const Cells& table : whole) {
    EXPECT_EQ(std::accumulate(table.begin(), table.end(), 0.0), 50);
    for (const double cell : table) {
      EXPECT_GE(cell, 0);
      EXPECT_EQ(cell, std::floor(cell));
    }
  }
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(whole[0][b] + whole[0][4 + b] + whole[0][8 + b],
              whole[1][2 * b] + whole[1][2 * b + 1]);
    EXPECT_EQ(whole[5][b], whole[1][2 * b] + whole[1][2 * b + 1]);
  }
  for (std::size_t c = 0; c < 2; ++c) {
    double first = 0;
    double second = 0;
    for (std::size_t b = 0; b < 4; ++b) first += whole[1][2 * b + c];
    for (std::size_t d = 0; d < 5; ++d) second += whole[3][5 * c + d];
    EXPECT_EQ(first, second);
  }
  // Tables that are whole and agree already stay as they are.
  std::vector<WholeTarget> exact{{.set = {0, 2}, .cells = {4, 0, 7, 1, 2, 9}},
                                 {.set = {2}, .cells = {13, 10}, .line = 2}};
  const std::vector<Cells> same = whole_counts(attributes, exact, 23);
  EXPECT_EQ(same[0], exact[0].cells);
  EXPECT_EQ(same[1], exact[1].cells);
}

Workload workload(const std::string& text) {
  return read_workload(text, "w.yaml", the_policy()).value();
}

// Persons in households of at most five: the dearest pays what was asked, and the noise says so.
TEST(Design, CostsNobodyMoreThanItsPriceWhereUnitsAreWithinLargerOnes) {
  const Workload asked = workload("table: people\nrho: 0.5\ntables: {t: [], by_sex: [sex]}\n");
  policy::Policy policy = the_policy();
  const Terms alone = terms_of(asked, policy).value();
  const std::string space = policy.find("people")->unit->space;
  policy.units.at(space).within = policy::Within{"households", "people.household", 5};
  const Terms within = terms_of(asked, policy).value();
  EXPECT_EQ(within.moves, 5);
  const Design one = design(asked, alone).value();
  const Design shared = design(asked, within).value();
  EXPECT_EQ(shared.rho, one.rho);
  Rational spent = 0;
  for (const auto& part : shared.tabulation.parts) spent = spent + part.rho * Rational(25);
  EXPECT_LE(spent, Rational::ratio(1, 2));
  EXPECT_GT(spent, Rational::ratio(49, 100));
  EXPECT_NEAR(shared.worst_width, 5 * one.worst_width, 1e-6 * one.worst_width);
}

TEST(Design, SpendsItsPriceAndSolvesForAnError) {
  const Workload asked = workload(
      "table: people\nrho: 0.5\ntables: {t: [], income: {columns: [region], sum: income}}\n"
      "marginals: {columns: [sex, region], ways: 2}\nranges: {ages: {column: age}}\n");
  const Terms terms = terms_of(asked, the_policy()).value();
  EXPECT_EQ(terms.rows_per_unit, 2);
  const Design one = design(asked, terms).value();
  Rational spent = 0;
  for (const auto& part : one.tabulation.parts) spent = spent + part.rho;
  EXPECT_LE(spent, Rational::ratio(1, 2));
  EXPECT_GT(spent, Rational::ratio(499'999, 1'000'000));
  EXPECT_TRUE(one.ranges[0].mixed);
  EXPECT_LT(one.total, one.independent);
  // The mechanisms have the variance that the design foresees: the total's own residual.
  const auto reach = plan::reach_of(one.tabulation, one.tabulation.parts[0], 2, terms.neighbours);
  EXPECT_EQ(*reach, 2);
  Workload wanted = asked;
  wanted.price = {.rho = {}, .epsilon = {}, .delta = 0, .error = 40};
  const Design solved = design(wanted, terms).value();
  EXPECT_NEAR(solved.worst_width, 40, 1e-4);
  wanted.price = {.rho = {}, .epsilon = Rational(1), .delta = Rational::parse("1e-6").value()};
  EXPECT_GT(design(wanted, terms)->rho, Rational(0));
  Workload large =
      workload("table: people\nrho: 1\nnonnegative: true\ntables: {t: [income, age]}\n");
  EXPECT_NE(design(large, terms).error().message.find("more than 4194304"), std::string::npos);
}

// What is measured does not depend on what is done afterwards, so that it is not paid for again.
TEST(Design, IsTheSameWithInvariantsAndWholeNumbers) {
  const std::string text =
      "table: people\nrho: 0.5\ntables: {t: [], a: [sex, region]}\nranges: {ages: {column: age}}\n";
  const Workload plain = workload(text);
  const Workload more = workload(text + "invariants: {t: 1000}\nnonnegative: true\n");
  const Terms terms = terms_of(plain, the_policy()).value();
  const Design one = design(plain, terms).value();
  const Design other = design(more, terms).value();
  ASSERT_EQ(one.tabulation.parts.size(), other.tabulation.parts.size());
  for (std::size_t i = 0; i < one.tabulation.parts.size(); ++i) {
    EXPECT_EQ(one.tabulation.parts[i].rho, other.tabulation.parts[i].rho);
  }
  EXPECT_EQ(other.tables[0].deviations[0], 0);
  EXPECT_LT(other.ranges[0].deviations.back(), one.ranges[0].deviations.back());
}

// What the kernel could not release exactly is said, of the measure that it concerns and no other.
TEST(Sheets, AtTheLimitAreMarked) {
  const Workload asked = workload(
      "table: people\nrho: 0.5\ntables: {t: [], income: {columns: [region], sum: income}}\n"
      "ranges: {ages: {column: age}}\n");
  const Terms terms = terms_of(asked, the_policy()).value();
  Publication publication;
  publication.design = design(asked, terms).value();
  for (std::size_t part = 0; part < publication.design.tabulation.parts.size(); ++part) {
    const auto noise =
        plan::noise_of(publication.design.tabulation, publication.design.tabulation.parts[part], 2)
            .value();
    std::size_t entries = 1;
    for (const std::size_t axis : publication.design.tabulation.parts[part].table.axes) {
      const auto places = static_cast<std::size_t>(publication.design.tabulation.axes[axis].places);
      entries *= std::holds_alternative<mechanism::ResidualTable>(noise) ? places - 1 : places;
    }
    publication.released.emplace_back(entries, 5);
  }
  const auto marked = [&] {
    std::string out;
    for (const Sheet& sheet : sheets_of(asked, publication)) {
      out += sheet.at_limit ? sheet.name + " " : "";
    }
    return out;
  };
  EXPECT_EQ(marked(), "");
  int counts = 0;
  int sums = 0;
  for (std::size_t part = 0; part < publication.released.size(); ++part) {
    const bool of_sum = publication.design.tabulation.parts[part].table.weight.has_value();
    for (const std::int64_t limit : {mechanism::kEntryMax, -mechanism::kEntryMax}) {
      publication.released[part].back() = limit;
      EXPECT_EQ(marked(), of_sum ? "income " : "t ages ") << part;
      publication.released[part].back() = limit - limit / mechanism::kEntryMax;  // one less
      EXPECT_EQ(marked(), "") << part;
    }
    publication.released[part].back() = 5;
    (of_sum ? sums : counts) += 1;
  }
  EXPECT_GT(counts, 1);
  EXPECT_GT(sums, 1);
  publication.released.back().back() = mechanism::kEntryMax;
  const std::string said = sheets_json(sheets_of(asked, publication), 0.95, "{}");
  EXPECT_NE(said.find("\"at_limit\": true"), said.npos) << said;
}

// One table asked alone: residuals together say exactly what noise in every cell would.
TEST(Design, ForeseesTheVarianceOfWhatIsPutTogether) {
  const Workload asked = workload("table: people\nrho: 0.5\ntables: {t: [sex, region]}\n");
  const Terms terms = terms_of(asked, the_policy()).value();
  const Design one = design(asked, terms).value();
  double variance = 0;
  const std::vector<Attribute> attributes = asked.attributes();
  for (std::size_t i = 0; i < one.residuals.size(); ++i) {
    const auto& set = one.residuals[i].second;
    const auto noise = plan::noise_of(one.tabulation, one.tabulation.parts[i], 2).value();
    const auto& residual = std::get<mechanism::ResidualTable>(noise);
    const double cells = static_cast<double>(residual.cells());
    double factor = precision_cost(attributes, set).to_double(Round::kUp) / cells / cells;
    for (int j = 0; j < 2; ++j) {
      if (std::find(set.begin(), set.end(), j) != set.end()) continue;
      factor /= static_cast<double>(attributes[static_cast<std::size_t>(j)].values *
                                    attributes[static_cast<std::size_t>(j)].values);
    }
    variance += residual.sigma_squared().value().to_double(Round::kUp) * factor;
  }
  EXPECT_NEAR(std::sqrt(variance), one.tables[0].deviations[0], 1e-6);
  EXPECT_NEAR(one.total, 8 * variance, 1e-4);
  EXPECT_NEAR(one.total, one.bound, 1e-4);
}

TEST(SealedFile, OpensWithItsKeyAndContextOnly) {
  const auto key = ledger::OwnerKey::generate().value();
  const auto other = ledger::OwnerKey::generate().value();
  const std::string sealed = encrypt(key, "a", "the noise").value();
  EXPECT_EQ(sealed.find("noise"), std::string::npos);
  EXPECT_TRUE(decrypt(key, "a", sealed));
  EXPECT_FALSE(decrypt(key, "b", sealed));
  EXPECT_FALSE(decrypt(other, "a", sealed));
  std::string bent = sealed;
  bent.back() = static_cast<char>(bent.back() ^ 1);
  EXPECT_FALSE(decrypt(key, "a", bent));
  EXPECT_FALSE(decrypt(key, "a", "short"));
  EXPECT_NE(encrypt(key, "a", "the noiso").value().substr(0, 12), sealed.substr(0, 12));
}

}  // namespace
}  // namespace discreet::publish::workload_test
