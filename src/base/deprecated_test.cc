// SPDX-License-Identifier: Apache-2.0
#include "base/deprecated.h"

#include <gtest/gtest.h>

#include <array>

namespace discreet::deprecated_test {
namespace {

constexpr std::array<Deprecated, 2> kPlanted = {
    Deprecated{NameKind::kField, "eps", "epsilon", {0, 10}, {0, 12}},
    Deprecated{NameKind::kOption, "--eps", "--epsilon", {0, 11}, {1, 2}}};

TEST(Version, IsReadAndCompared) {
  EXPECT_EQ(Version::parse("0.9"), (Version{0, 9}));
  EXPECT_EQ(Version::parse("0.9.3"), (Version{0, 9}));
  EXPECT_EQ(Version::parse("12.345")->to_string(), "12.345");
  EXPECT_LT((Version{0, 9}), (Version{0, 10}));
  EXPECT_LT((Version{0, 10}), (Version{1, 0}));
  for (const char* const bad :
       {"", "1", "1.", ".1", "1.2.", "1.2.3.4", "a.b", "1.-2", "1.2.x", " 1.2", "9999999.1"}) {
    EXPECT_FALSE(Version::parse(bad)) << bad;
  }
}

TEST(OldNames, AnOldNameIsTheNewOneAndWarnsOnce) {
  OldNames names(NameKind::kField, kPlanted);
  EXPECT_EQ(names.current("eps", {"sql", "epsilon"}), "epsilon");
  EXPECT_EQ(names.current("eps", {"sql", "epsilon"}), "epsilon");
  EXPECT_EQ(names.take_warnings(),
            std::vector<std::string>{
                "'eps' is deprecated since version 0.10 and goes in 0.12; use 'epsilon'"});
  EXPECT_EQ(names.current("eps", {"sql", "epsilon"}), "epsilon");
  EXPECT_TRUE(names.take_warnings().empty());
  // Another reader is warned again: what one is told does not depend on others.
  OldNames others(NameKind::kField, kPlanted);
  others.current("eps", {"epsilon"});
  EXPECT_EQ(others.take_warnings().size(), 1U);
}

TEST(OldNames, TheSameWordCanMeanSomethingElse) {
  OldNames names(NameKind::kField, kPlanted);
  EXPECT_EQ(names.current("eps", {"eps", "epsilon"}), "eps");  // a name of today
  EXPECT_EQ(names.current("eps", {"sql"}), "eps");             // there is no epsilon here
  EXPECT_EQ(names.current("--eps", {"--epsilon"}), "--eps");   // of another kind
  EXPECT_EQ(names.current("epsilon", {"epsilon"}), "epsilon");
  EXPECT_EQ(names.current("x", {"epsilon"}), "x");
  EXPECT_TRUE(names.take_warnings().empty());
}

}  // namespace
}  // namespace discreet::deprecated_test
