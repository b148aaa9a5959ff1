// SPDX-License-Identifier: Apache-2.0
// Does the time of a whole answer, from the question's first byte to the answer's last, tell D from
// D'? Two servers of the real program: D has 500 people, D' has one more, who has 50,000 rows, so
// that reading D' takes many times as long. Questions go to both in turns, in random order.
//
// Statistic: the two-sample Kolmogorov-Smirnov distance of the times. It is a leak if it reaches
// the limit that equal distributions pass with probability 1e-6. The instrument is tested first:
// servers that answer as soon as they can must be told apart.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/serve_for_tests.h"

namespace discreet::cli {

/// The largest gap between the two distribution functions.
inline double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double largest = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                         static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return largest;
}

/// Smirnov's limit for samples of n each at level `alpha`.
inline double kolmogorov_smirnov_limit(double n, double alpha) {
  return std::sqrt(-std::log(alpha / 2) / 2) * std::sqrt(2 / n);
}

/// The real program over the survey, perhaps with Bob.
class TimedServer {
 public:
  TimedServer(const std::string& folder, bool bob, const std::string& answer_ms,
              const std::string& tick_ms)
      : survey_("build/bin/discreet", made(folder), 1) {
    if (bob) {
      std::ofstream more(survey_.path("survey.csv"), std::ios::app);
      for (int i = 0; i < 50'000; ++i) more << "9999," << i << ",a\n";
    }
    std::vector<std::string> command = survey_.command();
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "--answer-ms") command[i + 1] = answer_ms;
      if (command[i] == "--tick-ms") command[i + 1] = tick_ms;
    }
    server_ = survey_.start(command);
    DISCREET_CHECK(server_ != nullptr);
    client_ = std::make_unique<ServedSurvey::Client>(server_->port());
  }
  ~TimedServer() { server_->end(SIGTERM); }

  /// Milliseconds until the answer is there. Every question is a new one.
  double ask() {
    const Json body = {
        {"sql", "SELECT COUNT(*) FROM survey WHERE income > " + std::to_string(++asked_)},
        {"epsilon", "0.01"}};
    const auto start = std::chrono::steady_clock::now();
    const auto got =
        ServedSurvey::ask(*client_, survey_.tokens[0], "POST", "/api/v1/query", body.dump());
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    DISCREET_CHECK(got.status == 200);
    return time.count();
  }

 private:
  static std::string made(const std::string& folder) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
  }
  ServedSurvey survey_;
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<ServedSurvey::Client> client_;
  int asked_ = 0;
};

/// The distance of the times on D and D'.
inline double response_distance(int questions, const std::string& answer_ms,
                                const std::string& tick_ms) {
  TimedServer without("build/soak-timing/without", false, answer_ms, tick_ms);
  TimedServer with_bob("build/soak-timing/with", true, answer_ms, tick_ms);
  std::mt19937 random(std::random_device{}());
  std::vector<double> times[2];
  for (int i = -5; i < questions; ++i) {
    const bool first = random() % 2 == 0;
    for (const bool bob : {first, !first}) {
      const double time = (bob ? with_bob : without).ask();
      if (i >= 0) times[bob ? 1 : 0].push_back(time);  // after some to warm up
    }
  }
  double means[2] = {0, 0};
  for (int side : {0, 1}) {
    for (const double time : times[side]) means[side] += time / questions;
  }
  const double distance = kolmogorov_smirnov(times[0], times[1]);
  std::printf("    mean %7.2f ms on D, %7.2f ms on D', distance %.3f\n", means[0], means[1],
              distance);
  return distance;
}

inline bool time_responses(int questions) {
  constexpr double kAlpha = 1e-6;
  const double limit = kolmogorov_smirnov_limit(questions, kAlpha);
  std::printf("whole answers over HTTP, %d questions on each, limit %.3f (level 1e-6):\n",
              questions, limit);
  std::printf("  as soon as they are there (a tick of 1 ms):\n");
  const bool caught = response_distance(questions, "1", "1") >= limit;
  std::printf("  %s\n", caught ? "told apart, as it must be" : "NOT told apart: blind");
  std::printf("  at ticks (--answer-ms 1000 --tick-ms 100):\n");
  const bool fine = response_distance(questions, "1000", "100") < limit;
  std::printf("  %s\n", fine ? "not told apart" : "LEAK");
  return caught && fine;
}

}  // namespace discreet::cli
