// SPDX-License-Identifier: Apache-2.0
// The real server with 1,000 analysts on loopback, each on a connection of their own: questions
// that were answered before, budget pages and new questions in between. bench/serve.py makes the
// table.
//
//   DISCREET_SERVE_SECONDS=150 build/bin/bench serve      how long the load lasts (20)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>

#include "base/json.h"
#include "bench.h"
#include "cli/serve_for_tests.h"

namespace discreet::cli::serve_bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kQuestions = 20;  // that were answered before

double resident_mb(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

struct Times {
  std::mutex mutex;
  std::vector<double> cached, budget, fresh;
  std::uint64_t failures = 0;
  std::map<std::string, std::int64_t> asked;  // new questions by analyst
};

double p99(std::vector<double> times) {
  if (times.empty()) return -1;
  std::sort(times.begin(), times.end());
  return times[times.size() * 99 / 100];
}

std::string question(int number) {
  return Json{{"sql", "SELECT COUNT(*) FROM survey WHERE income > " + std::to_string(number)},
              {"epsilon", "0.01"}}
      .dump();
}

/// One connection: a request, a pause, a request. One in 200 is a new question.
void visit(const ServedSurvey& survey, std::uint16_t port, int number, Steady::time_point end,
           Times& times) {
  ServedSurvey::Client client(port);
  const std::string& token = survey.tokens[static_cast<std::size_t>(number)];
  std::vector<double> cached, budget, fresh;
  std::uint64_t failures = client.is_open() ? 0 : 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(number * 7 % 1300));
  for (int i = 0; client.is_open() && Steady::now() < end; ++i) {
    const int kind = (i * 37 + number) % 200;
    const auto start = Steady::now();
    const auto got = kind % 4 == 1 ? ServedSurvey::ask(client, token, "GET", "/api/v1/budget")
                                   : ServedSurvey::ask(client, token, "POST", "/api/v1/query",
                                                       question(kind == 0 ? 1000 + number * 1000 + i
                                                                          : number % kQuestions));
    const std::chrono::duration<double, std::milli> took = Steady::now() - start;
    failures += got.status == 200 ? 0 : 1;
    (kind % 4 == 1 ? budget : kind == 0 ? fresh : cached).push_back(took.count());
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  }
  const std::lock_guard lock(times.mutex);
  times.cached.insert(times.cached.end(), cached.begin(), cached.end());
  times.budget.insert(times.budget.end(), budget.begin(), budget.end());
  times.fresh.insert(times.fresh.end(), fresh.begin(), fresh.end());
  times.failures += failures;
  times.asked["a" + std::to_string(number)] = static_cast<std::int64_t>(fresh.size());
}

/// Analysts who were not charged for just what they asked, once each.
int wrongly_charged(ServedSurvey& survey, std::uint16_t port, const Times& times) {
  ServedSurvey::Client client(port);
  const Json budget =
      Json::parse(ServedSurvey::ask(client, survey.owner_token, "GET", "/api/v1/budget").body)
          .value();
  int wrong = 0;
  for (const auto& account : budget["budgets"][0]["accounts"].items()) {
    const auto found = times.asked.find(account["account"].text());
    if (found == times.asked.end()) continue;
    const double spent = 100 * std::stod(account["spent"].text());
    wrong += std::lround(spent) == found->second + 1 ? 0 : 1;
  }
  return wrong;
}

void many_analysts(benchmark::State& state) {
  const int analysts = bench::sized(1000, 40);
  const std::string seconds = std::to_string(bench::sized(20, 1));
  const auto length =
      std::chrono::seconds(std::stoi(bench::from_environment("DISCREET_SERVE_SECONDS", seconds)));
  const bench::ScratchFolder folder("serve");
  for (auto _ : state) {
    ServedSurvey survey(bench::program(), folder.path(), analysts);
    survey.make_accounts();
    const auto server = survey.start();
    DISCREET_CHECK(server != nullptr);
    std::vector<std::thread> first;  // all ask once what is to be a repeat
    for (int t = 0; t < kQuestions; ++t) {
      first.emplace_back([&, t] {
        ServedSurvey::Client client(server->port());
        for (int i = t; i < analysts; i += kQuestions) {
          const auto got = ServedSurvey::ask(client, survey.tokens[static_cast<std::size_t>(i)],
                                             "POST", "/api/v1/query", question(t));
          DISCREET_CHECK(got.status == 200);
        }
      });
    }
    for (std::thread& each : first) each.join();
    Times times;
    double early = 0;
    std::vector<std::thread> visitors;
    const auto end = Steady::now() + length;
    for (int i = 0; i < analysts; ++i) {
      visitors.emplace_back([&, i] { visit(survey, server->port(), i, end, times); });
    }
    std::this_thread::sleep_for(length / 4);
    early = resident_mb(server->id());
    for (std::thread& visitor : visitors) visitor.join();
    const double late = resident_mb(server->id());
    state.counters["cached"] = p99(times.cached);
    state.counters["budget"] = p99(times.budget);
    state.counters["fresh"] = p99(times.fresh);
    state.counters["failures"] = static_cast<double>(times.failures);
    state.counters["requests"] =
        static_cast<double>(times.cached.size() + times.budget.size() + times.fresh.size());
    state.counters["wrong"] = wrongly_charged(survey, server->port(), times);
    state.counters["early"] = early;
    state.counters["late"] = late;
    DISCREET_CHECK(WEXITSTATUS(server->end(SIGTERM)) == 0);
  }
}

int run(const bench::Words& words) {
  benchmark::RegisterBenchmark("many analysts", many_analysts)->Iterations(1);
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("serve", run);

}  // namespace
}  // namespace discreet::cli::serve_bench
