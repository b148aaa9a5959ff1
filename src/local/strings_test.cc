// SPDX-License-Identifier: Apache-2.0
// Strings: RAPPOR against candidates, and frequent strings that nobody listed. Fixed seeds; with
// fresh ones the tests would fail with probability about 10^-6 (the betas below).
#include <gtest/gtest.h>

#include <cmath>

#include "local/aggregate.h"
#include "local/client/answering.h"
#include "local/client/seeded_bits_for_tests.h"
#include "local/design.h"
#include "local/heavy_hitters.h"
#include "local/rappor.h"

namespace discreet::local::strings_test {
namespace {

// n people of whom a share holds each of the named strings, the others one of many rare ones.
struct Crowd {
  std::vector<std::pair<std::string, double>> named;
  std::string rare;  // followed by a number

  std::string of(std::size_t i, std::size_t n) const {
    double u = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    for (const auto& [text, share] : named) {
      if (u < share) return text;
      u -= share;
    }
    std::string text = rare;
    for (std::size_t k = i * 7919 % 676; text.size() < rare.size() + 2; k /= 26) {
      text += static_cast<char>('a' + k % 26);
    }
    return text;
  }
};

Aggregate collect(const Survey& survey, const Crowd& crowd, std::size_t n, std::uint64_t seed) {
  SeededBits bits{seed};
  const Randomizer randomizer(survey);
  Aggregate aggregate(survey);
  std::vector<std::uint8_t> record(record_size(survey));
  for (std::size_t i = 0; i < n; ++i) {
    draw_record(randomizer, read_answer(survey, crowd.of(i, n)).value(), bits, record);
    EXPECT_EQ(aggregate.add(record), Verdict::kCounted);
  }
  return aggregate;
}

const Crowd kSites{{{"one.org", 0.3}, {"two.net", 0.15}, {"three.com", 0.05}}, "rare"};

Survey rappor() {
  return design_bloom({.name = "home",
                       .epsilon = Epsilon::parse("4").value(),
                       .bits = 64,
                       .hashes = 2,
                       .cohorts = 16,
                       .quiet = 0,
                       .loud = 1 << 16})
      .value();
}

TEST(Rappor, FindsTheFrequentCandidatesAndNotTheAbsentOnes) {
  const Aggregate aggregate = collect(rappor(), kSites, 60000, 11);
  std::vector<std::string> candidates = {"one.org", "two.net", "three.com"};
  for (int i = 0; i < 60; ++i) candidates.push_back("absent" + std::to_string(i));
  const Decoded decoded = decode(aggregate, candidates, 1e-6).value();
  EXPECT_FALSE(decoded.screened);
  ASSERT_EQ(decoded.shares.size(), candidates.size());
  const double truth[] = {0.3, 0.15, 0.05};
  for (const DecodedShare& s : decoded.shares) {
    const double share = s.candidate < 3 ? truth[s.candidate] : 0;
    EXPECT_EQ(s.significant, s.candidate < 3) << candidates[s.candidate];
    EXPECT_LE(s.all_bounds.low, share) << candidates[s.candidate];
    EXPECT_GE(s.all_bounds.high, share) << candidates[s.candidate];
  }
  EXPECT_NEAR(decoded.others, 0.5, 0.1);
}

TEST(Rappor, ScreensLongListsAndTestsOnOtherPeople) {
  const Aggregate aggregate = collect(rappor(), kSites, 60000, 12);
  std::vector<std::string> candidates;
  for (int i = 0; i < 800; ++i) candidates.push_back("absent" + std::to_string(i));
  candidates.insert(candidates.end(), {"one.org", "two.net"});
  const Decoded decoded = decode(aggregate, candidates, 1e-6).value();
  EXPECT_TRUE(decoded.screened);
  std::vector<std::string> found;
  for (const DecodedShare& s : decoded.shares) {
    if (s.significant) found.push_back(candidates[s.candidate]);
  }
  EXPECT_EQ(found, (std::vector<std::string>{"one.org", "two.net"}));
}

TEST(Rappor, SeesWhatTheSecondStepLeaves) {
  Survey survey = rappor();
  survey.parameters.quiet = 16384;
  survey.parameters.loud = 49152;
  const Aggregate aggregate = collect(survey, kSites, 80000, 13);
  const Decoded decoded = decode(aggregate, {"one.org", "absent"}, 1e-6).value();
  EXPECT_TRUE(decoded.shares[0].significant);
  EXPECT_NEAR(decoded.shares[0].share, 0.3, 6 * decoded.shares[0].deviation);
  EXPECT_FALSE(decoded.shares[1].significant);
}

TEST(HeavyHitters, FindsFrequentStringsThatNobodyListed) {
  const Survey survey = design_tree({.name = "words",
                                     .epsilon = Epsilon::parse("3").value(),
                                     .alphabet = "abcdefghijklmnopqrstuvwxyz",
                                     .length = 4,
                                     .buckets = 1024,
                                     .cohorts = 16})
                            .value();
  const Crowd crowd{{{"cat", 0.3}, {"horse", 0.2}, {"ox", 0.15}}, "zq"};
  const Aggregate aggregate = collect(survey, crowd, 80000, 14);
  const HeavyHitters found = heavy_hitters(aggregate, 1e-3).value();
  ASSERT_EQ(found.strings.size(), 3u);
  const double truth[] = {0.3, 0.2, 0.15};
  const char* const text[] = {"cat", "hors", "ox"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.strings[i].text, text[i]);
    EXPECT_EQ(found.strings[i].cut, i == 1);
    EXPECT_LE(found.strings[i].all_bounds.low, truth[i]);
    EXPECT_GE(found.strings[i].all_bounds.high, truth[i]);
  }
}

// A prefix that shares rows with other heavy ones is estimated from fewer people, and says so.
TEST(HeavyHitters, BoundsCountTheCohortsThatWereUsed) {
  const Survey survey = design_tree({.name = "letters",
                                     .epsilon = Epsilon::parse("5").value(),
                                     .alphabet = "abcd",
                                     .length = 1,
                                     .buckets = 32,
                                     .cohorts = 16})
                            .value();
  const Parameters& p = survey.parameters;
  const Crowd crowd{{{"a", 0.45}, {"b", 0.3}, {"c", 0.25}}, "d"};
  const HeavyHitters found = heavy_hitters(collect(survey, crowd, 40000, 16), 1e-3).value();
  ASSERT_EQ(found.strings.size(), 3u);
  int wider = 0;
  for (const HeavyHitter& one : found.strings) {
    std::uint64_t shared = 0;
    for (std::uint64_t cohort = 0; cohort < p.depth; ++cohort) {
      bool alone = true;
      for (const HeavyHitter& other : found.strings) {
        alone = alone && (other.text == one.text ||
                          tree_row(p, 0, cohort, other.text) != tree_row(p, 0, cohort, one.text));
      }
      shared += !alone;
    }
    const double half = (one.all_bounds.high - one.all_bounds.low) / 2;
    EXPECT_EQ(half > found.threshold * (1 + 1e-9), shared > 0) << one.text;
    wider += shared > 0;
  }
  EXPECT_GT(wider, 0);
}

TEST(HeavyHitters, FindsNothingWhereNothingIsFrequent) {
  const Survey survey =
      design_tree({.name = "words", .epsilon = Epsilon::parse("1").value(), .length = 3}).value();
  const Crowd crowd{{}, ""};
  EXPECT_TRUE(heavy_hitters(collect(survey, crowd, 3000, 15), 1e-6).value().strings.empty());
}

}  // namespace
}  // namespace discreet::local::strings_test
