// SPDX-License-Identifier: Apache-2.0
// Whoever floods a survey: limits of a place, tokens, a quota.
#include <gtest/gtest.h>

#include <cstring>

#include "base/json.h"
#include "ledger/scratch_for_tests.h"
#include "server/collect/collect_api.h"
#include "server/collect/estimate_json.h"
#include "server/collect/reports_for_tests.h"

namespace discreet::server::collect::limits_test {
namespace {

using ledger::Scratch;

const local::Survey kAsked = survey_for_tests();

http::Response send(Collector& collector, PeerLimits& peers, const std::string& body,
                    const std::string& peer = "192.0.2.1") {
  http::Request request;
  request.headers["content-type"] = "application/octet-stream";
  request.body = body;
  request.peer = peer;
  return take_reports(collector, peers, request);
}

std::unique_ptr<Collector> open(const Scratch& scratch,
                                std::shared_ptr<const local::TokenList> tokens = {},
                                std::optional<std::uint64_t> quota = {}) {
  return Collector::open({.survey = kAsked,
                          .folder = scratch / "store",
                          .tokens = std::move(tokens),
                          .quota = quota})
      .value();
}

TEST(PeerLimits, AreARateAndATotalOfAPlace) {
  std::int64_t now = 0;
  PeerLimits peers({.per_second = 10, .burst = 100, .total = 250}, [&] { return now; });
  EXPECT_EQ(peers.take("a", 101), PeerVerdict::kTooFast);
  EXPECT_EQ(peers.take("a", 100), PeerVerdict::kTaken);
  EXPECT_EQ(peers.take("a", 1), PeerVerdict::kTooFast);
  EXPECT_EQ(peers.take("b", 100), PeerVerdict::kTaken);  // another place has limits of its own
  now += 1'000;
  EXPECT_EQ(peers.take("a", 11), PeerVerdict::kTooFast);
  EXPECT_EQ(peers.take("a", 10), PeerVerdict::kTaken);
  now -= 60'000;  // a clock that goes back gives nothing
  EXPECT_EQ(peers.take("a", 1), PeerVerdict::kTooFast);
  now += 120'000;
  EXPECT_EQ(peers.take("a", 100), PeerVerdict::kTaken);
  now += 60'000;
  EXPECT_EQ(peers.take("a", 41), PeerVerdict::kTooMany);
  EXPECT_EQ(peers.take("a", ~std::uint64_t{0}), PeerVerdict::kTooMany);
  EXPECT_EQ(peers.take("a", 40), PeerVerdict::kTaken);
  now += 600'000;
  EXPECT_EQ(peers.take("a", 1), PeerVerdict::kTooMany);  // for good
}

TEST(PeerLimits, OfIPv6AreTheNetworks) {
  EXPECT_EQ(place_of("2001:db8:1:2::1"), place_of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_NE(place_of("2001:db8:1:2::1"), place_of("2001:db8:1:3::1"));
  EXPECT_NE(place_of("192.0.2.1"), place_of("192.0.2.2"));
  EXPECT_NE(place_of("::ffff:192.0.2.1"), place_of("::ffff:192.0.2.2"));
  EXPECT_EQ(place_of("unknown"), "unknown");
}

// 380,000 reports a second came from one place, and were all kept.
TEST(Collecting, AFloodFromOnePlaceEndsAtItsLimits) {
  const Scratch scratch(Scratch::Place::kMemory);
  const auto collector = open(scratch);
  std::int64_t now = 0;
  PeerLimits peers({.per_second = 10, .burst = 1'000, .total = 2'500}, [&] { return now; });
  std::uint64_t sent = 0;
  int refused = 0;
  for (int i = 0; i < 400; ++i, sent += 100) {
    now += 1'000;
    const http::Response got = send(*collector, peers, reports(kAsked, sent, 100));
    if (got.status == 200) continue;
    ++refused;
    EXPECT_EQ(got.status, 429);
    EXPECT_EQ(Json::parse(got.body).value()["error"], "too_many") << got.body;
  }
  EXPECT_GT(refused, 300);
  EXPECT_LE(collector->totals().accepted, 2'500U);
  EXPECT_GE(collector->totals().accepted, 2'000U);
  // Others are not touched by it.
  EXPECT_EQ(send(*collector, peers, reports(kAsked, sent, 100), "192.0.2.2").status, 200);
}

TEST(Collecting, ATokenCountsOnceAndNothingWithoutOne) {
  const Scratch scratch(Scratch::Place::kMemory);
  std::vector<local::ReportId> tokens(3);
  const std::string made = reports(kAsked, 0, 3);
  std::string_view rest = made;
  const local::Batch batch = local::take_batch(kAsked, rest).value();
  for (std::size_t i = 0; i < 3; ++i) std::memcpy(tokens[i].data(), batch.record(i).data(), 16);
  const auto list = std::make_shared<const local::TokenList>(
      local::TokenList::parse(kAsked, local::TokenList::write(kAsked, tokens)).value());
  {
    const auto collector = open(scratch, list);
    EXPECT_EQ(collector->most(), 3U);
    PeerLimits peers;
    EXPECT_EQ(send(*collector, peers, reports(kAsked, 0, 2)).status, 200);
    EXPECT_EQ(send(*collector, peers, reports(kAsked, 0, 2)).status, 200);  // the same again
    const http::Response got = send(*collector, peers, reports(kAsked, 3, 50));
    EXPECT_EQ(got.status, 403);
    EXPECT_EQ(Json::parse(got.body).value()["uninvited"], 50);
    EXPECT_EQ(collector->totals(), (Counts{.accepted = 2, .duplicate = 2, .uninvited = 50}));
  }
  // Which tokens were used is on disk.
  const auto again = open(scratch, list);
  EXPECT_EQ(again->accept(reports(kAsked, 0, 10)).value(),
            (Counts{.accepted = 1, .duplicate = 2, .uninvited = 7}));
  EXPECT_EQ(again->totals().accepted, 3U);
}

TEST(Collecting, AQuotaIsFullAndStaysFull) {
  const Scratch scratch(Scratch::Place::kMemory);
  {
    const auto collector = open(scratch, {}, 10);
    PeerLimits peers;
    EXPECT_EQ(collector->accept(reports(kAsked, 0, 8)).value(), (Counts{.accepted = 8}));
    EXPECT_EQ(collector->accept(reports(kAsked, 8, 8)).value(),
              (Counts{.accepted = 2, .over_quota = 6}));
    // A client that got no answer sends again, and is told what is true.
    EXPECT_EQ(collector->accept(reports(kAsked, 0, 8)).value(), (Counts{.duplicate = 8}));
    EXPECT_EQ(send(*collector, peers, reports(kAsked, 100, 1)).status, 403);
  }
  const auto again = open(scratch, {}, 10);
  EXPECT_EQ(again->accept(reports(kAsked, 200, 1)).value(), (Counts{.over_quota = 1}));
  // Kept under a larger quota before, or by a collector that had none.
  const auto less = Json::parse(estimate_json(*again).value()).value();
  EXPECT_TRUE(less["trusted"].flag()) << less;
}

/// Reports that all say the first choice, which honest people's never do.
std::string stuffed(std::uint64_t first, std::uint64_t count) {
  const std::size_t size = local::record_size(kAsked);
  const std::string honest = reports(kAsked, first, count);
  std::string_view rest = honest;
  const local::Batch batch = local::take_batch(kAsked, rest).value();
  std::vector<std::uint8_t> records(batch.records.begin(), batch.records.end());
  for (std::size_t i = 0; i < count; ++i) records[i * size + 16] = 0;
  return local::make_batch(kAsked, records);
}

TEST(Collecting, TheEstimateSaysThatItIsStuffed) {
  const Scratch scratch(Scratch::Place::kMemory);
  {
    const auto collector = open(scratch);
    ASSERT_TRUE(collector->accept(reports(kAsked, 0, 400)));
    EXPECT_TRUE(Json::parse(estimate_json(*collector).value()).value()["trusted"].flag());
    ASSERT_TRUE(collector->accept(stuffed(1'000, 4'000)));
    const Json got = Json::parse(estimate_json(*collector).value()).value();
    EXPECT_FALSE(got["trusted"].flag(true)) << got;
    ASSERT_GE(got["stuffed"].size(), 1U);
    EXPECT_TRUE(got["stuffed"][0].text().starts_with("impossible: stuffed.")) << got;
  }
  const auto limited = open(scratch, {}, 1'000);
  const Json got = Json::parse(estimate_json(*limited).value()).value();
  EXPECT_NE(got["stuffed"][0].text().find("4400 reports were counted where at most 1000"),
            std::string::npos)
      << got;
}

}  // namespace
}  // namespace discreet::server::collect::limits_test
