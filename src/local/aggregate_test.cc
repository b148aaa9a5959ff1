// SPDX-License-Identifier: Apache-2.0
// Reports from end to end: drawn, packed, taken apart, counted, estimated. Seeds are fixed; with
// fresh ones a run would fail with probability below 10^-6 (every bound is asked for at beta =
// 10^-9).
#include "local/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "local/client/answering.h"
#include "local/client/seeded_bits_for_tests.h"
#include "local/design.h"
#include "local/frequencies.h"
#include "local/numbers.h"

namespace discreet::local::aggregate_test {
namespace {

constexpr Mechanism kForChoices[] = {Mechanism::kResponse, Mechanism::kUnary,
                                     Mechanism::kHash,     Mechanism::kHadamard,
                                     Mechanism::kSubset,   Mechanism::kProjective};

Epsilon epsilon(const char* text) { return Epsilon::parse(text).value(); }

Survey choices(Mechanism mechanism, std::uint64_t k, const char* e = "1") {
  return design_choices({.name = "q", .epsilon = epsilon(e), .choices = k, .mechanism = mechanism})
      .value();
}

std::string reports(const Survey& survey, const std::vector<std::string>& answers,
                    SeededBits& bits) {
  const Randomizer randomizer(survey);
  const std::size_t size = record_size(survey);
  std::vector<std::uint8_t> records(answers.size() * size);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    draw_record(randomizer, read_answer(survey, answers[i]).value(), bits,
                std::span(records).subspan(i * size, size));
  }
  return make_batch(survey, records);
}

Aggregate collect(const Survey& survey, std::string_view bytes, Shard shard = {}) {
  Aggregate aggregate(survey, shard);
  while (!bytes.empty()) aggregate.add(take_batch(survey, bytes).value());
  return aggregate;
}

// Choice x is held by a share proportional to k - x.
std::vector<std::string> falling(std::uint64_t k, std::size_t n) {
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    const double x = static_cast<double>(k) * (1 - std::sqrt(1 - u));
    answers.push_back(std::to_string(std::min(k - 1, static_cast<std::uint64_t>(x))));
  }
  return answers;
}

std::vector<double> shares_of(const std::vector<std::string>& answers, std::uint64_t k) {
  std::vector<double> shares(k);
  for (const std::string& a : answers) shares[std::stoul(a)] += 1;
  for (double& s : shares) s /= static_cast<double>(answers.size());
  return shares;
}

TEST(Shares, AreFoundByEveryMechanismInAllItsBounds) {
  SeededBits bits{1};
  for (const std::uint64_t k : {2, 5, 40, 256}) {
    const auto answers = falling(k, 20000);
    const auto truth = shares_of(answers, k);
    for (const Mechanism mechanism : kForChoices) {
      const Survey survey = choices(mechanism, k);
      const Aggregate aggregate = collect(survey, reports(survey, answers, bits));
      EXPECT_EQ(aggregate.tally().counted, answers.size()) << name_of(mechanism);
      const auto shares = estimate_shares(aggregate, 1e-9).value();
      double error = 0;
      for (std::size_t x = 0; x < k; ++x) {
        EXPECT_LE(shares[x].all_bounds.low, truth[x]) << name_of(mechanism) << " " << k;
        EXPECT_GE(shares[x].all_bounds.high, truth[x]) << name_of(mechanism) << " " << k;
        error += (shares[x].share - truth[x]) * (shares[x].share - truth[x]);
      }
      // The mean square error is what the formula says: within a half, at k = 256 (about 11 sigma).
      if (k == 256) {
        const Support s = support_of(survey.parameters);
        EXPECT_NEAR(error * 20000 / (256 * s.variance(1.0 / 256)), 1, 0.5) << name_of(mechanism);
      }
    }
  }
}

// A wrong p or q is caught by the same comparison: reports made at epsilon 2, read as epsilon 1.
TEST(Shares, ReportsReadWithTheWrongOddsAreOutsideTheirBounds) {
  SeededBits bits{2};
  for (const Mechanism mechanism : kForChoices) {
    const auto answers = falling(4, 20000);
    Survey survey = choices(mechanism, 4);
    Survey bent = survey;
    bent.parameters.epsilon = 2 * kNano;
    bent.parameters.odds = odds_below(2 * kNano);
    std::string bytes = reports(bent, answers, bits);
    bytes.replace(0, report_header(bent).size(), report_header(survey));
    const auto shares = estimate_shares(collect(survey, bytes), 1e-9).value();
    const auto truth = shares_of(answers, 4);
    bool outside = false;
    for (std::size_t x = 0; x < 4; ++x) {
      outside |= shares[x].all_bounds.low > truth[x] || shares[x].all_bounds.high < truth[x];
    }
    EXPECT_TRUE(outside) << name_of(mechanism);
  }
}

// Exact: all numbers of supporting reports, with their binomial probabilities.
TEST(Shares, BoundsCoverAsStatedByExactEnumeration) {
  const Support s{0.6, 0.2};
  for (const int n : {1, 10, 60, 400}) {
    for (const double share : {0.0, 0.1, 0.5, 1.0}) {
      const int held = static_cast<int>(std::lround(share * n));
      const auto pmf = [](int trials, double p) {
        std::vector<double> out{1};
        for (int i = 0; i < trials; ++i) {
          std::vector<double> next(out.size() + 1);
          for (std::size_t j = 0; j < out.size(); ++j) {
            next[j] += out[j] * (1 - p);
            next[j + 1] += out[j] * p;
          }
          out = next;
        }
        return out;
      };
      const auto a = pmf(held, s.p);
      const auto b = pmf(n - held, s.q);
      std::vector<double> all(static_cast<std::size_t>(n) + 1);
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) all[i + j] += a[i] * b[j];
      }
      for (const double beta : {0.2, 0.05, 0.001}) {
        double covered = 0;
        for (std::size_t c = 0; c < all.size(); ++c) {
          const Bounds bounds = share_bounds(s, static_cast<double>(c), n, beta);
          const double truth = static_cast<double>(held) / n;
          if (bounds.low <= truth && truth <= bounds.high) covered += all[c];
        }
        EXPECT_GE(covered, 1 - beta) << n << " " << share << " " << beta;
      }
    }
  }
}

TEST(Shares, BoundsComeNearTheNormalOnesForManyReports) {
  const Support s{0.6, 0.2};
  const double n = 1e8;
  const Bounds bounds = share_bounds(s, n * (0.2 + 0.1 * 0.4), n, 0.05);
  const double normal = 1.96 * std::sqrt(s.variance(0.1) / n);
  EXPECT_NEAR((bounds.high - bounds.low) / 2 / normal, 1, 0.01);
}

// Sums of estimated shares: the proved bound against the exact variance of the compiled mechanism's
// supports, for every set of choices and every held choice.
TEST(SumVariance, BoundsEverySumOfSharesByEnumeration) {
  for (const Mechanism mechanism :
       {Mechanism::kResponse, Mechanism::kHadamard, Mechanism::kSubset, Mechanism::kProjective}) {
    const std::uint64_t k = 7;
    const Survey survey = choices(mechanism, k);
    const Parameters& p = survey.parameters;
    const Support s = support_of(p);
    // Outputs with their supported choices and whether they are likely under each held choice.
    std::vector<std::vector<double>> outputs;  // supports of each output
    if (mechanism == Mechanism::kSubset) {
      for (unsigned set = 0; set < 1u << k; ++set) {
        if (static_cast<std::uint64_t>(std::popcount(set)) != p.width) continue;
        std::vector<double> row;
        for (unsigned x = 0; x < k; ++x) row.push_back(set >> x & 1);
        outputs.push_back(row);
      }
    } else {
      const std::uint64_t all = mechanism == Mechanism::kResponse ? k
                                : mechanism == Mechanism::kHadamard
                                    ? hadamard_order(k)
                                    : projective_points(p.width, p.depth);
      for (std::uint64_t y = 0; y < all; ++y) {
        Aggregate one(survey);
        std::vector<std::uint8_t> record(record_size(survey));
        write_little(y, std::span(record).subspan(kIdBytes));
        ASSERT_EQ(one.add(record), Verdict::kCounted);
        outputs.push_back(supports(one));
      }
    }
    const double weight = static_cast<double>(p.odds) / static_cast<double>(kUnit);
    for (std::uint64_t held = 0; held < k; ++held) {
      double total = 0;
      for (const auto& row : outputs) total += row[held] > 0.5 ? weight : 1;
      for (unsigned set = 1; set < 1u << k; ++set) {
        double mean = 0;
        double square = 0;
        for (const auto& row : outputs) {
          double z = 0;
          for (unsigned x = 0; x < k; ++x) z += (set >> x & 1) != 0 ? row[x] : 0;
          const double w = (row[held] > 0.5 ? weight : 1) / total;
          mean += w * z;
          square += w * z * z;
        }
        const double variance = (square - mean * mean) / ((s.p - s.q) * (s.p - s.q));
        EXPECT_LE(variance, sum_variance(p, static_cast<std::uint64_t>(std::popcount(set))) + 1e-9)
            << name_of(mechanism) << " " << set << " " << held;
      }
    }
  }
}

TEST(Quantiles, AndMeansOfBinsAreInsideTheirBounds) {
  SeededBits bits{3};
  const Survey survey =
      design_choices({.name = "age",
                      .epsilon = epsilon("2"),
                      .choices = 20,
                      .range = std::pair{std::int64_t{0}, std::int64_t{100'000'000}}})
          .value();
  std::vector<std::string> answers;
  for (int i = 0; i < 40000; ++i) answers.push_back(std::to_string(i % 80) + ".5");
  const Aggregate aggregate = collect(survey, reports(survey, answers, bits));
  const auto quantiles = estimate_quantiles(aggregate, {0.25, 0.5, 0.9}, 1e-9).value();
  const double truth[] = {20, 40, 72};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(quantiles[i].bounds.low, truth[i]);
    EXPECT_GE(quantiles[i].bounds.high, truth[i]);
    EXPECT_NEAR(quantiles[i].value, truth[i], 10);
    EXPECT_LT(quantiles[i].bounds.high - quantiles[i].bounds.low, 40);
  }
  const auto mean = mean_of_bins(aggregate, 1e-9).value();
  EXPECT_LE(mean.bounds.low, 40);
  EXPECT_GE(mean.bounds.high, 40);
  EXPECT_NEAR(mean.share, 40, 6);
}

TEST(TopChoices, NameTheMostFrequentAndSayWhichAreCertain) {
  SeededBits bits{4};
  const Survey survey = choices(Mechanism::kProjective, 30, "3");
  std::vector<std::string> answers;
  for (int i = 0; i < 30000; ++i)
    answers.push_back(std::to_string(i % 3 == 0 ? 7 : i % 3 == 1 ? 11 : i % 30));
  const auto top = top_choices(collect(survey, reports(survey, answers, bits)), 3, 0.01).value();
  EXPECT_EQ(top.choices[0].choice + top.choices[1].choice, 18u);
  EXPECT_TRUE(top.certain[0] && top.certain[1]);
  EXPECT_FALSE(top.certain[2]);
}

TEST(NearestDistribution, IsOneAndLeavesDistributionsAlone) {
  const auto projected = nearest_distribution({0.7, -0.1, 0.5, 0.02});
  EXPECT_NEAR(std::accumulate(projected.begin(), projected.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(projected[1], 0);
  EXPECT_NEAR(projected[0] - projected[2], 0.2, 1e-12);
  EXPECT_EQ(nearest_distribution({0.25, 0.75}), (std::vector<double>{0.25, 0.75}));
}

TEST(Means, OfNumbersAreFoundByBothMechanisms) {
  SeededBits bits{5};
  for (const Mechanism mechanism : {Mechanism::kLaplace, Mechanism::kPiecewise}) {
    for (const char* e : {"0.5", "2"}) {
      const Survey survey = design_number({.name = "n",
                                           .epsilon = epsilon(e),
                                           .low = -10'000'000,
                                           .high = 30'000'000,
                                           .mechanism = mechanism})
                                .value();
      std::vector<std::string> answers;
      for (int i = 0; i < 4000; ++i) answers.push_back(i % 4 == 0 ? "-9.75" : "12.3");
      const Aggregate aggregate = collect(survey, reports(survey, answers, bits));
      const MeanEstimate mean = estimate_mean(aggregate, 1e-9).value();
      EXPECT_LE(mean.bounds.low, 6.7875);
      EXPECT_GE(mean.bounds.high, 6.7875);
      EXPECT_NEAR(mean.mean, 6.7875, 6 * mean.noise_deviation);
      // The sums of squares say how far the reports really scatter.
      const NumberRule rule = number_rule(survey.parameters);
      const double n = 4000;
      const double y = static_cast<double>(aggregate.sum()) / n;
      const double scatter =
          (static_cast<double>(aggregate.squares()) / n - y * y) * rule.slope * rule.slope;
      EXPECT_LT(scatter, 1.3 * number_spread(survey.parameters).most + 0.1);
    }
  }
}

TEST(Means, PiecewiseIsWithinTwoPercentOfItsPublishedVariance) {
  for (const char* e : {"0.5", "1", "2", "4"}) {
    const Survey survey = design_number({.name = "n",
                                         .epsilon = epsilon(e),
                                         .low = -1'000'000,
                                         .high = 1'000'000,
                                         .mechanism = Mechanism::kPiecewise})
                              .value();
    const double h = std::exp(std::stod(e) / 2);
    const double published = 1 / (h - 1) + (h + 3) / (3 * (h - 1) * (h - 1));  // at |x| = 1
    EXPECT_NEAR(4 * number_spread(survey.parameters).most / published, 1, 0.02) << e;
  }
}

TEST(BitCounts, AgreeWithCountingOneByOne) {
  SeededBits bits{6};
  for (const std::size_t width : {1, 7, 64, 200, 256, 1024}) {
    const std::size_t bytes = (width + 7) / 8;
    const std::size_t stride = bytes + 5;
    const std::size_t n = width == 256 ? 70000 : 333;
    std::vector<std::uint8_t> data(n * stride);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(bits.take(8));
    BitCounts counts(width);
    counts.add_many(data.data(), stride, n);
    std::vector<std::uint64_t> got(width);
    counts.add_to(got);
    std::vector<std::uint64_t> want(width);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < width; ++b) want[b] += data[i * stride + b / 8] >> b % 8 & 1;
    }
    EXPECT_EQ(got, want) << width;
  }
}

TEST(Batch, IsTakenApartAsItWasMadeAndNothingElseIs) {
  SeededBits bits{7};
  const Survey survey = choices(Mechanism::kResponse, 1000);
  const std::string one = reports(survey, {"1", "999"}, bits);
  std::string bytes = one + one;
  std::string_view rest = bytes;
  EXPECT_EQ(take_batch(survey, rest).value().count, 2u);
  EXPECT_EQ(take_batch(survey, rest).value().count, 2u);
  EXPECT_TRUE(rest.empty());
  const auto code = [&](const Survey& s, std::string_view b) {
    const Result<Batch> batch = take_batch(s, b);
    return batch.has_value() ? std::string("taken")
                             : std::string(describe(batch.error().code).name);
  };
  for (std::size_t cut = 0; cut < one.size(); ++cut) {
    EXPECT_EQ(code(survey, std::string_view(one).substr(0, cut)), "invalid_input") << cut;
  }
  std::string huge = one;  // 10^9 reports claimed
  huge.replace(report_header(survey).size(), 4, std::string("\x00\xca\x9a\x3b", 4));
  EXPECT_EQ(code(survey, huge), "invalid_input");
  std::string other = one;
  other[3] = '2';
  EXPECT_EQ(code(survey, other), "unsupported");
  Survey later = survey;
  later.name = "another";
  EXPECT_EQ(code(later, one), "conflict");
  const Survey dearer = choices(Mechanism::kResponse, 1000, "2");
  std::string_view view = one;
  const Result<Batch> mismatch = take_batch(dearer, view);
  ASSERT_FALSE(mismatch.has_value());
  EXPECT_NE(mismatch.error().message.find("epsilon"), std::string::npos);
}

TEST(Aggregate, LeavesOutWhatNoHonestClientSends) {
  SeededBits bits{8};
  for (const Mechanism mechanism : {Mechanism::kResponse, Mechanism::kUnary, Mechanism::kHash,
                                    Mechanism::kSubset, Mechanism::kProjective}) {
    const Survey survey = choices(mechanism, 999, "2");
    std::string bytes = reports(survey, falling(999, 64), bits);
    std::vector<std::uint8_t> poison(record_size(survey), 0xff);
    std::string forged = make_batch(survey, poison);
    Aggregate aggregate = collect(survey, bytes + forged + bytes);
    EXPECT_EQ(aggregate.tally().counted, 128u) << name_of(mechanism);
    EXPECT_EQ(aggregate.tally().out_of_range + aggregate.tally().implausible, 1u)
        << name_of(mechanism);
  }
  // A unary report of the right length with far too many ones is implausible, not out of range.
  const Survey survey = choices(Mechanism::kUnary, 1024);
  Aggregate aggregate(survey);
  EXPECT_EQ(aggregate.add(std::vector<std::uint8_t>(record_size(survey), 0xff)),
            Verdict::kImplausible);
}

TEST(Aggregate, MergesAndSerializesInAnyOrder) {
  SeededBits bits{9};
  std::vector<Survey> surveys;
  for (const Mechanism mechanism : kForChoices) surveys.push_back(choices(mechanism, 37));
  surveys.push_back(
      design_number({.name = "n", .epsilon = epsilon("1"), .low = 0, .high = 36'000'000}).value());
  surveys.push_back(
      design_bloom({.name = "b", .epsilon = epsilon("4"), .bits = 32, .hashes = 2, .cohorts = 4})
          .value());
  surveys.push_back(design_tree({.name = "t",
                                 .epsilon = epsilon("1"),
                                 .alphabet = "0123456789",
                                 .length = 2,
                                 .buckets = 16,
                                 .cohorts = 2})
                        .value());
  for (const Survey& survey : surveys) {
    const std::string a = reports(survey, falling(37, 100), bits);
    const std::string b = reports(survey, falling(37, 50), bits);
    const Aggregate whole = collect(survey, b + a);
    Aggregate merged = collect(survey, a, {1, 2});
    ASSERT_TRUE(merged.merge(collect(survey, b, {2, 2})).has_value());
    Aggregate turned = collect(survey, b, {2, 2});
    ASSERT_TRUE(turned.merge(collect(survey, a, {1, 2})).has_value());
    EXPECT_EQ(merged.serialize(), turned.serialize());
    EXPECT_EQ(merged.cells(), whole.cells());
    EXPECT_EQ(merged.tally(), whole.tally());
    EXPECT_TRUE(merged.sum() == whole.sum() && merged.squares() == whole.squares());
    // Nothing is added up twice: not a shard, nor a whole and its part.
    const std::string before = merged.serialize();
    for (const Shard again : {Shard{1, 2}, Shard{2, 2}, Shard{1, 1}, Shard{3, 4}}) {
      const auto refused = merged.merge(collect(survey, b, again));
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code, Code::kConflict);
    }
    EXPECT_FALSE(Aggregate(merged).merge(merged).has_value());
    EXPECT_EQ(merged.serialize(), before);
    EXPECT_EQ(Aggregate::parse(survey, before).value().serialize(), before);
    const std::string bytes = whole.serialize();
    EXPECT_EQ(Aggregate::parse(survey, bytes).value().serialize(), bytes);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 50) {
      std::string bent = bytes;
      bent[i] = static_cast<char>(bent[i] ^ 1);
      EXPECT_FALSE(Aggregate::parse(survey, bent).has_value()) << i;
    }
    EXPECT_EQ(whole.tally().counted, 150u);
  }
}

// Every id falls into one shard, whatever its bytes.
TEST(Shard, HoldsWhatNoOtherHolds) {
  SeededBits bits{11};
  const Survey survey = choices(Mechanism::kResponse, 3);
  std::string_view bytes;
  const std::string made = reports(survey, falling(3, 200), bits);
  bytes = made;
  while (!bytes.empty()) {
    const Batch batch = take_batch(survey, bytes).value();
    for (std::size_t i = 0; i < batch.count; ++i) {
      for (const std::uint32_t count : {1U, 2U, 7U, kShardsMax}) {
        std::uint32_t holders = 0;
        for (std::uint32_t s = 1; s <= count; ++s) {
          holders += Shard{s, count}.holds(batch.record(i)) ? 1 : 0;
        }
        EXPECT_EQ(holders, 1U);
      }
    }
  }
  EXPECT_EQ(parse_shard("2/8").value(), (Shard{2, 8}));
  for (const char* wrong : {"", "2", "0/8", "9/8", "2/", "/8", "2/8 ", "-1/8", "2/65537", "1/0"}) {
    EXPECT_FALSE(parse_shard(wrong).has_value()) << wrong;
  }
}

TEST(SeenIds, KnowWhatTheySaw) {
  SeenIds seen;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t i = 0; i < 5000; ++i) {
      ReportId id{};
      write_little(i, std::span(id).first(8));
      EXPECT_EQ(seen.insert(id), pass == 0);
    }
  }
}

TEST(Design, ChoosesNearTheOptimumWithinTheReportSize) {
  const auto chosen = [](const char* e, std::uint64_t k, std::uint64_t bytes) {
    return design_choices({.name = "q", .epsilon = epsilon(e), .choices = k, .bytes_max = bytes})
        .value()
        .parameters;
  };
  for (const char* e : {"0.5", "1", "2", "4"}) {
    for (const std::uint64_t k : {2, 10, 100, 1024, 5000}) {
      const ChoicesDesign design{.name = "q", .epsilon = epsilon(e), .choices = k};
      double least = HUGE_VAL;
      for (const Candidate& c : candidates(design)) least = std::min(least, c.variance);
      const Parameters p = chosen(e, k, 1 << 20);
      const double kd = static_cast<double>(k);
      EXPECT_LE(kd * support_of(p).variance(1 / kd), 1.01 * least) << e << " " << k;
    }
  }
  EXPECT_EQ(chosen("1", 2, 256).mechanism, Mechanism::kResponse);
  EXPECT_EQ(chosen("1", 1024, 256).mechanism, Mechanism::kProjective);
  EXPECT_LE(payload_size(chosen("1", 1024, 1)), 1u);
  EXPECT_FALSE(
      design_choices({.name = "q", .epsilon = epsilon("1"), .labels = {"a", "a"}}).has_value());
}

TEST(Survey, SurvivesItsBytesAndRefusesBentOnes) {
  const Survey survey =
      design_choices(
          {.name = "colour", .epsilon = epsilon("0.3"), .labels = {"red", "green", "blue"}})
          .value();
  const std::string bytes = encode(survey);
  EXPECT_EQ(parse_survey(bytes).value(), survey);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(parse_survey(std::string_view(bytes).substr(0, cut)).has_value());
  }
  EXPECT_FALSE(parse_survey(bytes + "x").has_value());
  Survey greedy = survey;
  greedy.parameters.odds += greedy.parameters.odds / 100;
  const Result<Survey> refused = parse_survey(encode(greedy));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kRefused);
}

TEST(Survey, RefusesWhatWouldTakeTooLongOrTooMuchRoom) {
  // q^(t+1) numbers for the sums over hyperplanes: 5^11 < 2^26 < 7^10.
  Parameters p{.mechanism = Mechanism::kProjective,
               .epsilon = 2 * kNano,
               .odds = odds_below(2 * kNano),
               .domain = 1 << 20,
               .width = 5,
               .depth = 10};
  EXPECT_TRUE(check(p).has_value());
  p.width = 7;
  p.depth = 9;
  EXPECT_EQ(check(p).error().code, Code::kInvalidInput);
  for (const char* e : {"1", "2", "3", "5"}) {
    for (const Candidate& c :
         candidates({.name = "q", .epsilon = epsilon(e), .choices = 1 << 20})) {
      EXPECT_TRUE(check(c.parameters).has_value());
    }
  }
  // Noise whose coins hardly ever stop.
  Parameters slow{.mechanism = Mechanism::kLaplace,
                  .epsilon = kNano,
                  .odds = kUnit + (1 << 12),
                  .domain = 64,
                  .width = 1 << 20};
  EXPECT_TRUE(check(slow).has_value());
  --slow.odds;
  EXPECT_EQ(check(slow).error().code, Code::kInvalidInput);
  Survey wordy =
      design_number({.name = "n", .epsilon = epsilon("1"), .low = 0, .high = 1'000'000}).value();
  wordy.labels.resize((1 << 20) + 1);
  const Result<Survey> parsed = parse_survey(encode(wordy));
  ASSERT_FALSE(parsed.has_value());
  EXPECT_NE(parsed.error().message.find("labels"), std::string::npos);
}

TEST(Response, ByBiasCostsTheLogarithmOfItsOdds) {
  const Survey survey = design_biased_response("w", Rational::ratio(1, 4)).value();
  EXPECT_EQ(survey.parameters.odds, 3 * kUnit);
  EXPECT_NEAR(static_cast<double>(survey.parameters.epsilon), std::log(3.0) * 1e9, 1);
  EXPECT_GE(static_cast<double>(survey.parameters.epsilon), std::log(3.0) * 1e9 - 1e-6);
  EXPECT_FALSE(design_biased_response("w", Rational::ratio(1, 2)).has_value());
}

}  // namespace
}  // namespace discreet::local::aggregate_test
