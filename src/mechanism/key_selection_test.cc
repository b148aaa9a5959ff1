// SPDX-License-Identifier: Apache-2.0
#include "mechanism/key_selection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::key_selection_test {
namespace {

using Keys = std::vector<std::string>;

KeySelection make(const char* epsilon, const char* delta, std::int64_t keys_per_unit) {
  return *KeySelection::make(
      {.epsilon = epsilon_of(epsilon), .delta = delta_of(delta), .keys_per_unit = keys_per_unit});
}

Tabulated<Keys> table(const KeySelection& mechanism, const KeyCounts& counts, int depth = 20) {
  return tabulate<2>(depth, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<KeyCounts>(counts), tape).outcome();
  });
}

Keys released(const KeySelection& mechanism, KeyCounts counts) {
  return Door::release(mechanism, Sensitive<KeyCounts>(std::move(counts)),
                       cli::OwnValues::for_use_of(mechanism))
      ->value();
}

TEST(KeySelection, AllTapesGiveTheProductOfTheKeysProbabilities) {
  const auto mechanism = make("2", "0.2", 2);
  const PartitionSelection each =
      *PartitionSelection::make({.epsilon = epsilon_of("1"), .delta = delta_of("0.1")});
  const KeyCounts counts{{"b", "a"}, {1, 3}};
  const auto seen = table(mechanism, counts);
  EXPECT_LT(seen.cut_off, ratio(1, 1000));
  const auto shown = [&](int n) { return each.show_probability(n)(kTestPrecision); };
  const auto hidden = [&](int n) { return interval(1) - shown(n); };
  EXPECT_TRUE(agrees(seen, Keys{"a", "b"}, shown(3) * shown(1)));
  EXPECT_TRUE(agrees(seen, Keys{"a"}, shown(3) * hidden(1)));
  EXPECT_TRUE(agrees(seen, Keys{"b"}, hidden(3) * shown(1)));
  EXPECT_TRUE(agrees(seen, Keys{}, hidden(3) * hidden(1)));
  // The planted fault: each key decided at the price of the whole release.
  EXPECT_FALSE(agrees(table(make("2", "0.2", 1), counts), Keys{"a"}, shown(3) * hidden(1)));
}

TEST(KeySelection, NeighboursStayWithinEpsilonAndDelta) {
  const auto mechanism = make("2", "0.2", 2);
  const Epsilon epsilon = epsilon_of("2");
  const KeyCounts before[] = {{{}, {}}, {{"a"}, {1}}, {{"a", "b"}, {1, 2}}, {{"b"}, {2}}};
  const KeyCounts after[] = {
      {{"a", "b"}, {1, 1}}, {{"a", "b"}, {2, 1}}, {{"a", "b"}, {2, 3}}, {{"b", "c"}, {3, 1}}};
  for (std::size_t i = 0; i < std::size(before); ++i) {
    const Rational delta =
        delta_between(table(mechanism, before[i]), table(mechanism, after[i]), epsilon);
    EXPECT_LE(delta, ratio(1, 5)) << i;
  }
  // Two keys by a mechanism that was told one: too far apart.
  const auto wrong = make("2", "0.2", 1);
  EXPECT_GT(delta_between(table(wrong, before[0]), table(wrong, after[0]), epsilon), ratio(1, 5));
  // And delta is about used up: a unit that is alone in two keys.
  EXPECT_GT(delta_between(table(mechanism, before[0]), table(mechanism, after[0]), epsilon),
            ratio(18, 100));
}

TEST(KeySelection, ComesInByteOrderWhateverTheOrderOfTheInput) {
  const auto mechanism = make("1", "0.001", 1);
  const std::string nul("a\0", 2);
  const Keys sorted = {"", "a", nul, "a\x01", "aaaaaaaaa", "aaaaaaaaab", "b", "\xff"};
  Keys keys = sorted;
  do {
    const KeyCounts counts{keys, std::vector<std::int64_t>(keys.size(), 1'000'000)};
    ASSERT_EQ(released(mechanism, counts), sorted);
    std::rotate(keys.begin(), keys.begin() + 3, keys.end());
  } while (keys != sorted);
}

RC_GTEST_PROP(KeySelection, SortsAnyKeys, ()) {
  const auto mechanism = make("1", "0.001", 1);
  const auto prefix = *rc::gen::arbitrary<std::string>();
  auto keys = *rc::gen::unique<Keys>(rc::gen::map(
      rc::gen::arbitrary<std::string>(), [&](const std::string& text) { return prefix + text; }));
  const KeyCounts counts{keys, std::vector<std::int64_t>(keys.size(), 1'000'000)};
  std::sort(keys.begin(), keys.end());
  RC_ASSERT(released(mechanism, counts) == keys);
}

TEST(KeySelection, KeysWithoutUnitsNeverAppearAndHugeOnesAlways) {
  const auto mechanism = make("3", "1e-6", 3);
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(released(mechanism, {{"none", "less", "many"}, {0, kMin, kMax}}), Keys{"many"});
  }
  EXPECT_EQ(released(mechanism, {{}, {}}), Keys{});
}

// Of 300,000 keys with n units each, p(n) are kept: within six standard deviations (false alarm
// below 1e-8), which half a unit more or less is not.
TEST(KeySelection, KeepsTheRightShareOfManyKeys) {
  const auto mechanism = make("1", "1e-2", 1);
  constexpr int kKeys = 300'000;
  KeyCounts counts;
  for (int i = 0; i < kKeys; ++i) counts.keys.push_back(std::to_string(i));
  for (const int n : {1, 3, 5, 6, 8}) {
    counts.units.assign(kKeys, n);
    const auto kept = static_cast<double>(released(mechanism, counts).size());
    const auto share = [&](int m) {
      return mechanism.each().show_probability(m)(64).low().to_double(Round::kDown);
    };
    const double spread = 6 * std::sqrt(kKeys * share(n) * (1 - share(n)));
    EXPECT_LT(std::abs(kept - kKeys * share(n)), spread) << n;
    EXPECT_GT(kKeys * (share(n + 1) - share(n)), 2 * spread) << n;
  }
}

TEST(KeySelection, CostsTheWholeReleaseAndDividesRhoByTheKeys) {
  const auto mechanism = make("1/2", "1e-6", 4);
  EXPECT_EQ(mechanism.cost().epsilon->value(), ratio(1, 2));
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 32));
  EXPECT_EQ(mechanism.cost().delta.value(), ratio(1, 1000000));
  EXPECT_EQ(mechanism.noise().text, "key-selection(epsilon=0.5,delta=0.000001,keys_per_unit=4)");
  EXPECT_EQ(mechanism.each().noise().text, "partition-selection(epsilon=0.125,delta=0.00000025)");
}

TEST(KeySelection, RefusesNoKeysAndNoDeltaNamingTheFix) {
  const auto no_keys = KeySelection::make(
      {.epsilon = epsilon_of("1"), .delta = delta_of("1e-6"), .keys_per_unit = 0});
  ASSERT_FALSE(no_keys);
  EXPECT_EQ(no_keys.error().code, Code::kInvalidInput);
  const auto no_delta =
      KeySelection::make({.epsilon = epsilon_of("1"), .delta = delta_of("0"), .keys_per_unit = 1});
  ASSERT_FALSE(no_delta);
  EXPECT_NE(no_delta.error().message.find("such as 1e-6"), std::string::npos);
}

TEST(KeySelection, DescribesKeysSoThatNoTwoAnswersLookAlike) {
  EXPECT_NE(KeySelection::describe({"a b"}), KeySelection::describe({"a", "b"}));
  EXPECT_NE(KeySelection::describe({"a", "1:b"}), KeySelection::describe({"a 1:b"}));
  EXPECT_NE(KeySelection::describe({}), KeySelection::describe({""}));
}

TEST(KeySelection, RecordsAsManyCoordinatesForAnyKeys) {
  const auto one = KeySelection::coordinates({{"a"}, {3}});
  const auto two = KeySelection::coordinates({{"a", "b"}, {3, 1}});
  ASSERT_EQ(one.size(), two.size());
  Int128 distance = 0;
  for (std::size_t i = 0; i < one.size(); ++i) distance += two[i] - one[i];
  EXPECT_EQ(distance, 1);
}

}  // namespace
}  // namespace discreet::mechanism::key_selection_test
