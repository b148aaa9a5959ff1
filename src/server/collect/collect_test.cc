// SPDX-License-Identifier: Apache-2.0
// C1 to C3 and R1 to R4: each report once, whatever happens to the process and its files.
#include <sys/resource.h>

#include <csignal>
#include <thread>

#include "ledger/scratch_for_tests.h"
#include "server/collect/collect_api.h"
#include "server/collect/reports_for_tests.h"
#include "server/http/client_for_tests.h"
#include "server/http/server.h"

namespace discreet::server::collect::collect_test {
namespace {

using ledger::Scratch;
using ledger::slurp;
using ledger::spill;

const local::Survey kSurvey = survey_for_tests();

Result<std::unique_ptr<Collector>> open(const Scratch& scratch, std::uint64_t segment = 1 << 20,
                                        const local::Survey& survey = kSurvey) {
  return Collector::open({.survey = survey,
                          .folder = scratch / "store",
                          .reports_max = 10'000,
                          .segment_bytes = segment,
                          .heal_ms = 0});
}

std::filesystem::path segment(const Scratch& scratch, int number) {
  return scratch / ("store/0000000" + std::to_string(number) + ".log");
}

std::string all_cells(const Collector& collector) {
  std::string out;
  for (const std::uint64_t cell : collector.aggregate().cells()) out += std::to_string(cell) + " ";
  return out;
}

// Three collectors of one survey that are all sent everything: together they count each once.
TEST(Collector, CountsItsOwnShardOnly) {
  const Scratch scratch(Scratch::Place::kMemory);
  std::optional<local::Aggregate> all;
  std::uint64_t accepted = 0;
  for (std::uint32_t s = 1; s <= 3; ++s) {
    const CollectorOptions options{
        .survey = kSurvey, .folder = scratch / ("store" + std::to_string(s)), .shard = {s, 3}};
    auto collector = Collector::open(options).value();
    const Counts counts = collector->accept(reports(kSurvey, 0, 100)).value();
    EXPECT_EQ(counts.accepted + counts.elsewhere, 100U);
    EXPECT_EQ(collector->accept(reports(kSurvey, 0, 100)).value(),
              (Counts{.duplicate = counts.accepted, .elsewhere = counts.elsewhere}));
    accepted += counts.accepted;
    const local::Aggregate one = collector->aggregate();
    if (all) {
      ASSERT_TRUE(all->merge(one).has_value());
    } else {
      all = one;
    }
    EXPECT_FALSE(all->merge(one).has_value());
    collector = nullptr;
    // Nor does it take up another shard's log.
    for (const local::Shard other : {local::Shard{1, 1}, local::Shard{s % 3 + 1, 3}}) {
      CollectorOptions moved = options;
      moved.shard = other;
      EXPECT_FALSE(Collector::open(moved).has_value());
    }
  }
  EXPECT_EQ(accepted, 100U);
  const Scratch alone(Scratch::Place::kMemory);
  auto single = open(alone).value();
  EXPECT_EQ(single->accept(reports(kSurvey, 0, 100)).value().accepted, 100U);
  EXPECT_EQ(all->cells(), single->aggregate().cells());
}

TEST(Collector, CountsEachReportOnceAndSaysWhatBecameOfTheRest) {
  const Scratch scratch(Scratch::Place::kMemory);
  auto collector = open(scratch).value();
  EXPECT_EQ(collector->accept(reports(kSurvey, 0, 100)).value(), (Counts{.accepted = 100}));
  EXPECT_EQ(collector->accept(reports(kSurvey, 50, 100)).value(),
            (Counts{.accepted = 50, .duplicate = 50}));
  EXPECT_EQ(collector->accept(reports(kSurvey, 200, 5, false)).value(),
            (Counts{.out_of_range = 5}));
  // Impossible ones are remembered too: they are not counted as impossible twice.
  EXPECT_EQ(collector->accept(reports(kSurvey, 200, 5, false)).value(), (Counts{.duplicate = 5}));
  std::string why;
  const std::string other = reports(survey_for_tests("2"), 300, 7);
  EXPECT_EQ(collector->accept(other + reports(kSurvey, 300, 7), &why).value(),
            (Counts{.accepted = 7, .wrong_survey = 7}));
  EXPECT_NE(why.find("epsilon"), why.npos) << why;
  EXPECT_EQ(collector->accept(reports(kSurvey, 400, 3) + "rubbish").value(),
            (Counts{.accepted = 3, .malformed = 1}));
  EXPECT_EQ(collector->accept("").value(), (Counts{.malformed = 1}));
  const Counts totals = collector->totals();
  EXPECT_EQ(
      totals,
      (Counts{
          .accepted = 160, .duplicate = 55, .out_of_range = 5, .wrong_survey = 7, .malformed = 2}));
  const std::string cells = all_cells(*collector);
  collector = nullptr;
  collector = open(scratch).value();
  EXPECT_EQ(all_cells(*collector), cells);
  // The last malformed piece came after the last frame.
  EXPECT_EQ(collector->totals().accepted, totals.accepted);
  EXPECT_EQ(collector->totals().duplicate, totals.duplicate);
  EXPECT_EQ(collector->accept(reports(kSurvey, 0, 100)).value(), (Counts{.duplicate = 100}));
}

TEST(Collector, TruncatedAndChangedBatchesAreRefusedWhole) {
  const Scratch scratch(Scratch::Place::kMemory);
  auto collector = open(scratch).value();
  const std::string batch = reports(kSurvey, 0, 3);
  for (std::size_t size = 1; size < batch.size(); ++size) {
    const Counts counts = collector->accept(batch.substr(0, size)).value();
    EXPECT_EQ(counts.accepted + counts.malformed, 1U) << size;
    EXPECT_EQ(counts.malformed, 1U) << size;
  }
  // A claim of 4 billion reports in 80 bytes.
  std::string claims = batch;
  const std::size_t count_at = local::report_header(kSurvey).size();
  for (std::size_t i = 0; i < 4; ++i) claims[count_at + i] = '\xff';
  EXPECT_EQ(collector->accept(claims).value(), (Counts{.malformed = 1}));
  EXPECT_EQ(collector->totals().accepted, 0U);
  // As many as there is memory for, and no more.
  EXPECT_EQ(collector->accept(reports(kSurvey, 0, 10'001)).error().code, Code::kStorage);
  EXPECT_EQ(collector->accept(reports(kSurvey, 0, 10'000)).value().accepted, 10'000U);
}

TEST(Collector, ThreadsShareFramesAndNothingIsCountedTwice) {
  const Scratch scratch(Scratch::Place::kMemory);
  auto collector = open(scratch).value();
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> accepted{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 50; ++i) {  // everybody sends everything, from another place on
        const std::uint64_t first = (i + static_cast<std::uint64_t>(t) * 7) % 50 * 100;
        accepted += collector->accept(reports(kSurvey, first, 100)).value().accepted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accepted, 5000U);
  EXPECT_EQ(collector->totals(), (Counts{.accepted = 5000, .duplicate = 7 * 5000}));
}

// R2, C1: the last frame is cut at every byte, and the ones before it stand.
TEST(Collector, ATornTailIsCutAndSaid) {
  const Scratch scratch(Scratch::Place::kMemory);
  {
    auto collector = open(scratch).value();
    ASSERT_TRUE(collector->accept(reports(kSurvey, 0, 10)));
  }
  const std::string before = slurp(segment(scratch, 1));
  {
    auto collector = open(scratch).value();
    ASSERT_TRUE(collector->accept(reports(kSurvey, 10, 2)));
  }
  const std::string whole = slurp(segment(scratch, 1));
  for (std::size_t size = before.size(); size < whole.size(); ++size) {
    spill(segment(scratch, 1), whole.substr(0, size));
    auto collector = open(scratch).value();
    EXPECT_EQ(collector->torn_bytes(), size - before.size());
    EXPECT_EQ(collector->totals().accepted, 10U);
    EXPECT_EQ(collector->accept(reports(kSurvey, 0, 12)).value(),
              (Counts{.accepted = 2, .duplicate = 10}));
  }
  // Blocks of a torn frame may be there in any order.
  for (std::size_t at = before.size(); at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    spill(segment(scratch, 1), bytes);
    auto collector = open(scratch).value();
    EXPECT_EQ(collector->totals().accepted, 10U) << at;
    EXPECT_GT(collector->torn_bytes(), 0U);
  }
  // The making of a segment can be interrupted too.
  for (std::size_t size = 0; size < 32; ++size) {
    spill(segment(scratch, 1), whole.substr(0, size));
    EXPECT_EQ(open(scratch).value()->totals().accepted, 0U);
  }
}

// R2: damage that is not at the end is not cut off silently.
TEST(Collector, DamageElsewhereIsRefused) {
  const Scratch scratch(Scratch::Place::kMemory);
  {
    auto collector = open(scratch, 100).value();
    for (std::uint64_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(collector->accept(reports(kSurvey, 10 * i, 10)));
    }
  }
  const std::string first = slurp(segment(scratch, 1));
  EXPECT_TRUE(std::filesystem::exists(segment(scratch, 3)));
  for (std::size_t at = 0; at < first.size(); ++at) {
    std::string bytes = first;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    spill(segment(scratch, 1), bytes);
    const auto opened = open(scratch, 100);
    ASSERT_FALSE(opened.has_value()) << at;
    EXPECT_TRUE(opened.error().code == Code::kCorrupt || opened.error().code == Code::kConflict);
  }
  spill(segment(scratch, 1), first);
  EXPECT_EQ(open(scratch, 100).value()->totals().accepted, 30U);

  const Scratch one(Scratch::Place::kMemory);
  {
    auto collector = open(one).value();
    for (std::uint64_t i = 0; i < 3; ++i)
      ASSERT_TRUE(collector->accept(reports(kSurvey, 9 * i, 9)));
  }
  const std::string whole = slurp(segment(one, 1));
  const std::size_t frame = (whole.size() - 32) / 3;
  for (std::size_t at = 32; at < 32 + 2 * frame; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    spill(segment(one, 1), bytes);
    const auto opened = open(one);
    ASSERT_FALSE(opened.has_value()) << at;
    EXPECT_EQ(opened.error().code, Code::kCorrupt);
  }
}

// R2: without one of its segments it is not the log that was written.
TEST(Collector, AMissingSegmentIsRefused) {
  const Scratch scratch(Scratch::Place::kMemory);
  {
    auto collector = open(scratch, 100).value();
    for (std::uint64_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(collector->accept(reports(kSurvey, 10 * i, 10)));
    }
  }
  spill(scratch / "store/notes.log", "somebody's own");
  for (const int gone : {1, 2}) {
    const std::string bytes = slurp(segment(scratch, gone));
    std::filesystem::remove(segment(scratch, gone));
    EXPECT_EQ(open(scratch, 100).error().code, Code::kCorrupt) << gone;
    EXPECT_FALSE(std::filesystem::exists(segment(scratch, gone)));
    spill(segment(scratch, gone), bytes);
  }
  EXPECT_EQ(open(scratch, 100).value()->totals().accepted, 30U);
}

// R3: a frame that could not be synced may be read from the system's memory and still be lost.
TEST(ReportLog, ReadingAgainEndsWhereTheDiskIsKnown) {
  const Scratch scratch(Scratch::Place::kMemory);
  const LogOptions options{.folder = scratch / "store"};
  std::vector<std::string> seen;
  const ReportLog::Visit visit = [&](std::string_view frame) -> Result<void> {
    seen.emplace_back(frame);
    return {};
  };
  auto log = ReportLog::open(options, visit).value();
  ASSERT_TRUE(log->append("one"));
  const std::string known = slurp(segment(scratch, 1));
  ASSERT_TRUE(log->append("two"));
  const std::string cached = slurp(segment(scratch, 1));
  log = nullptr;
  spill(segment(scratch, 1), known);
  log = ReportLog::open(options, visit).value();
  spill(segment(scratch, 1), cached);  // as a write whose sync failed leaves it
  seen.clear();
  // A reading that fails does not move the end.
  const auto refuse = [](std::string_view) { return Result<void>(invalid_input("no")); };
  EXPECT_FALSE(log->read_again(refuse));
  EXPECT_FALSE(log->is_sound());
  EXPECT_FALSE(log->append("lost"));
  ASSERT_TRUE(log->read_again(visit));
  EXPECT_EQ(seen, std::vector<std::string>{"one"});
  EXPECT_EQ(log->torn_bytes(), cached.size() - known.size());
  EXPECT_EQ(slurp(segment(scratch, 1)), known);
  ASSERT_TRUE(log->append("three"));
  log = nullptr;
  seen.clear();
  ASSERT_TRUE(ReportLog::open(options, visit));
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "three"}));
}

// R3: a new segment that cannot be made, and one that somebody put there, is not written over.
TEST(ReportLog, ANewSegmentIsNew) {
  const Scratch scratch(Scratch::Place::kMemory);
  const ReportLog::Visit visit = [](std::string_view) { return Result<void>(); };
  auto log = ReportLog::open({.folder = scratch / "store", .segment_bytes = 1}, visit).value();
  spill(segment(scratch, 2), "not mine");
  EXPECT_FALSE(log->append("one"));
  EXPECT_FALSE(log->is_sound());
  EXPECT_EQ(slurp(segment(scratch, 2)), "not mine");
}

// R3: a disk that is full takes nothing and loses nothing, and once there is room it goes on.
TEST(Collector, AFullDiskIsSaidAndSurvived) {
  const Scratch scratch(Scratch::Place::kMemory);
  auto collector = open(scratch).value();
  ASSERT_TRUE(collector->accept(reports(kSurvey, 0, 10)));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{.rlim_cur = std::filesystem::file_size(segment(scratch, 1)) + 40,
                     .rlim_max = old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(collector->accept(reports(kSurvey, 10, 10)).error().code, Code::kStorage);
    EXPECT_FALSE(collector->is_healthy());
  }
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(collector->accept(reports(kSurvey, 0, 20)).value(),
            (Counts{.accepted = 10, .duplicate = 10}));
  EXPECT_TRUE(collector->is_healthy());
  EXPECT_EQ(collector->torn_bytes(), 0U);
}

TEST(Collector, AFolderHasOneSurveyAndOneCollector) {
  const Scratch scratch(Scratch::Place::kMemory);
  auto collector = open(scratch).value();
  EXPECT_EQ(open(scratch).error().code, Code::kConflict);
  collector = nullptr;
  EXPECT_EQ(open(scratch, 1 << 20, survey_for_tests("2")).error().code, Code::kConflict);
}

TEST(CollectApi, TakesReportsOverHttp) {
  const Scratch scratch(Scratch::Place::kMemory);
  const auto collector = open(scratch).value();
  http::Router router;
  PeerLimits peers;
  add_routes(router, *collector, peers,
             [](const Collector& c) { return std::to_string(c.totals().accepted); });
  const auto server = http::Server::listen({}, [&](http::Request request, http::Reply reply) {
                        router.handle(std::move(request), std::move(reply));
                      }).value();
  http::Client client(server->port());
  const std::string binary = "Content-Type: application/octet-stream\r\n";
  const http::Got got = client.ask("POST", "/v1/reports", reports(kSurvey, 0, 1000), binary);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, to_json({.accepted = 1000}));
  EXPECT_EQ(client.ask("POST", "/v1/reports", reports(kSurvey, 0, 1)).status, 415);
  const std::string other = reports(survey_for_tests("2"), 0, 1);
  EXPECT_EQ(client.ask("POST", "/v1/reports", other, binary).status, 409);
  EXPECT_EQ(client.ask("POST", "/v1/reports", "x", binary).status, 400);
  EXPECT_EQ(client.ask("GET", "/v1/estimate").body, "1000");
  EXPECT_EQ(client.ask("GET", "/v1/survey").body, local::encode(kSurvey));
  EXPECT_EQ(client.ask("GET", "/v1/counts").body, to_json(collector->totals()));
  EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
  EXPECT_NE(client.ask("GET", "/metrics").body.find("{fate=\"accepted\"} 1000\n"),
            std::string::npos);
  const auto aggregate = local::Aggregate::parse(kSurvey, client.ask("GET", "/v1/aggregate").body);
  EXPECT_EQ(aggregate.value().tally().counted, 1000U);
}

}  // namespace
}  // namespace discreet::server::collect::collect_test
