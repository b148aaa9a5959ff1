// SPDX-License-Identifier: Apache-2.0
// Honest crowds are never accused; made-up reports are. Seeds are fixed; with fresh ones an honest
// crowd here would be accused with probability below 10^-6.
#include "local/stuffing.h"

#include <gtest/gtest.h>

#include <functional>

#include "local/aggregate.h"
#include "local/client/answering.h"
#include "local/client/seeded_bits_for_tests.h"
#include "local/design.h"
#include "local/numbers.h"
#include "local/support.h"
#include "local/tokens.h"

namespace discreet::local::stuffing_test {
namespace {

using Record = std::vector<std::uint8_t>;

Epsilon epsilon(const char* text) { return Epsilon::parse(text).value(); }

/// A survey by every mechanism that is looked at.
std::vector<Survey> surveys() {
  std::vector<Survey> out;
  for (const Mechanism mechanism :
       {Mechanism::kResponse, Mechanism::kUnary, Mechanism::kHash, Mechanism::kHadamard,
        Mechanism::kSubset, Mechanism::kProjective}) {
    for (const std::uint64_t k : {2, 9}) {
      for (const char* const e : {"0.3", "2"}) {
        out.push_back(
            design_choices(
                {.name = "q", .epsilon = epsilon(e), .choices = k, .mechanism = mechanism})
                .value());
      }
    }
  }
  for (const Mechanism mechanism : {Mechanism::kLaplace, Mechanism::kPiecewise}) {
    out.push_back(design_number({.name = "q",
                                 .epsilon = epsilon("1"),
                                 .low = -5'000'000,
                                 .high = 20'000'000,
                                 .mechanism = mechanism})
                      .value());
  }
  return out;
}

bool is_number(const Survey& survey) {
  return survey.parameters.mechanism > Mechanism::kProjective;
}

Record draw(const Survey& survey, const std::string& answer, SeededBits& bits) {
  Record record(record_size(survey));
  draw_record(Randomizer(survey), read_answer(survey, answer).value(), bits, record);
  return record;
}

// The ends of the domain, where estimates lie outside of it half of the time, and the middle.
TEST(Stuffing, HonestCrowdsAreNotAccused) {
  SeededBits bits{15};
  for (const Survey& survey : surveys()) {
    const std::vector<std::string> answers = is_number(survey)
                                                 ? std::vector<std::string>{"-5", "20", "0", "3.5"}
                                                 : std::vector<std::string>{"0", "1"};
    for (std::size_t kinds = 1; kinds <= answers.size(); ++kinds) {
      for (const std::size_t first : {std::size_t{0}, answers.size() - kinds}) {
        Aggregate aggregate(survey);
        EXPECT_TRUE(find_stuffing(aggregate, 0).empty());
        for (std::size_t n = 1; n <= 1'000; ++n) {
          aggregate.add(draw(survey, answers[first + n % kinds], bits));
          const bool looks = n <= 20 || n == 100 || n == 1'000;
          if (!looks) continue;
          const auto found = find_stuffing(aggregate, n);
          EXPECT_TRUE(found.empty())
              << name_of(survey.parameters.mechanism) << " " << n << " " << to_text(found.front());
        }
      }
    }
  }
}

/// Whether a single report, by itself, pulls the estimate as far up as it can.
bool pulls(const Survey& survey, const Record& record) {
  Aggregate one(survey);
  if (one.add(record) != Verdict::kCounted) return false;
  if (is_number(survey)) return estimate_mean(one, 0.5).value().mean > 20;
  return supports(one)[0] > 0.5;
}

// Whoever makes up reports chooses payloads that honest clients send too, all for one answer.
TEST(Stuffing, PlantedReportsAreFoundAmongHonestOnes) {
  SeededBits bits{16};
  for (const Survey& survey : surveys()) {
    Aggregate aggregate(survey);
    const std::string target = is_number(survey) ? "20" : "0";
    const int honest = 500;
    for (int i = 0; i < honest; ++i) {
      aggregate.add(draw(survey, is_number(survey) ? "3" : "1", bits));
    }
    ASSERT_TRUE(find_stuffing(aggregate, {}).empty());
    std::vector<Record> fakes;
    while (fakes.size() < 50) {
      Record record = draw(survey, target, bits);
      if (pulls(survey, record)) fakes.push_back(std::move(record));
    }
    int planted = 0;
    while (find_stuffing(aggregate, {}).empty() && planted < 40'000) {
      for (const Record& fake : fakes) aggregate.add(fake);
      planted += static_cast<int>(fakes.size());
    }
    const auto found = find_stuffing(aggregate, {});
    ASSERT_FALSE(found.empty()) << name_of(survey.parameters.mechanism);
    const std::string words = to_text(found.front());
    EXPECT_TRUE(words.starts_with("impossible: stuffed. ")) << words;
    EXPECT_EQ(words.find("nan"), words.npos);
  }
}

TEST(Stuffing, MoreReportsThanCouldBeSentAreSaid) {
  SeededBits bits{17};
  const Survey survey = surveys().front();
  Aggregate aggregate(survey);
  for (int i = 0; i < 5; ++i) aggregate.add(draw(survey, i % 2 == 0 ? "0" : "1", bits));
  EXPECT_TRUE(find_stuffing(aggregate, 5).empty());
  const auto found = find_stuffing(aggregate, 4);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Stuffing::Kind::kReports);
  EXPECT_NE(to_text(found[0]).find("5 reports were counted where at most 4"), std::string::npos);
}

TEST(Tokens, AreListedByHashesAndForOneSurvey) {
  const std::vector<Survey> all = surveys();
  const std::vector<ReportId> tokens = make_tokens(200).value();
  const std::string text = TokenList::write(all[0], tokens);
  const TokenList list = TokenList::parse(all[0], text).value();
  EXPECT_EQ(list.size(), 200U);
  for (const ReportId& token : tokens) {
    EXPECT_TRUE(list.holds(token));
    EXPECT_EQ(parse_token(token_text(token)).value(), token);
    EXPECT_EQ(text.find(token_text(token)), text.npos);  // the list lets nobody report
    ReportId other = token;
    other[5] ^= 1;
    EXPECT_FALSE(list.holds(other));
  }
  EXPECT_EQ(TokenList::parse(all[1], text).error().code, Code::kConflict);
  const std::size_t title = text.find('\n') + 1;
  for (std::size_t cut = 0; cut < text.size(); cut += 5) {
    const std::size_t rest = cut < title ? 1 : (cut - title) % 33;
    const bool is_whole = rest == 0 || rest == 32;
    EXPECT_EQ(TokenList::parse(all[0], text.substr(0, cut)).has_value(), is_whole) << cut;
  }
  for (const char* const wrong :
       {"", "xyz", "0123456789abcdef0123456789abcde", "0123456789ABCDEF0123456789ABCDEF",
        "0123456789abcdef0123456789abcdef0"}) {
    EXPECT_FALSE(parse_token(wrong)) << wrong;
  }
}

// With a token the report has its id, and everything else is as without.
TEST(Tokens, AreTheIdsOfTheirReports) {
  SeededBits bits{18};
  const Survey survey = surveys().front();
  const ReportId token = make_tokens(1).value()[0];
  Record record(record_size(survey));
  draw_record(Randomizer(survey), read_answer(survey, "1").value(), bits, record, token);
  EXPECT_TRUE(std::equal(token.begin(), token.end(), record.begin()));
}

}  // namespace
}  // namespace discreet::local::stuffing_test
