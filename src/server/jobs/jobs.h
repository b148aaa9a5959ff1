// SPDX-License-Identifier: Apache-2.0
// Questions that read data, asked one after the other, and answered at ticks of the clock.
//
// J1  When an answer appears is decided before the data is read: at a public deadline, a tick at
//     least `answer_ms` after the question was taken, with at most `per_tick` answers on one tick.
//     What had not finished by then appears at twice the time, four times, and so on: all that the
//     clock can tell is how often a job had to double. A failure appears at the deadline too.
// J2  Whether a job runs does not depend on how long others take: cancelling hides the answer and
//     stops nothing, so what is charged is a function of the questions alone. The answer is in the
//     ledger and free to ask for again.
// J3  Until the deadline an analyst sees that the job waits and until when; how far the engine has
//     come is for the owner.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/http/message.h"

namespace discreet::server::jobs {

struct JobsOptions {
  int tick_ms = 100;
  int answer_ms = 500;
  std::size_t per_tick = 32;
  std::size_t waiting_max = 1000;  ///< in all; more are refused before anything is charged
  std::size_t waiting_per_analyst = 100;
  std::size_t kept_max = 10'000;                   ///< finished ones, the newest
  std::size_t kept_bytes = std::size_t{64} << 20;  ///< of their answers together
  Clock clock = system_time_ms;
};

enum class Stage { kWaiting, kDone, kCancelled };

std::string_view to_string(Stage stage);

struct JobFacts {
  std::string id;
  std::string analyst;
  Stage stage = Stage::kWaiting;
  std::int64_t due_ms = 0;  ///< the public deadline
  int percent = 0;          ///< the owner's
};

/// First tick at or after `time_ms`.
std::int64_t tick_at(std::int64_t time_ms, int tick_ms);

class Jobs {
 public:
  /// Called in the jobs' own thread, one at a time. What it returns is shown at the deadline.
  using Work = std::function<http::Response(const std::function<void(int percent)>& progress)>;

  explicit Jobs(JobsOptions options);
  /// Lets the work that is under way end; what waits is answered with kInterrupted.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  void stop();

  /// `delivered` is called once, when the deadline has passed with the work done; never when the
  /// server stops before. Fails with: kStorage when too many wait.
  Result<JobFacts> submit(const std::string& analyst, Work work,
                          std::function<void()> delivered = {});
  /// Fails with: kNotFound for another analyst's, too.
  Result<JobFacts> look(const std::string& analyst, const std::string& id) const;
  /// Replies with the work's response at the deadline, or at once when that has passed.
  void answer(const std::string& analyst, const std::string& id, const http::Reply& reply);
  Result<JobFacts> cancel(const std::string& analyst, const std::string& id);
  /// All that wait; for the owner.
  std::vector<JobFacts> waiting() const;

 private:
  struct Job {
    JobFacts facts;
    Work work;
    std::function<void()> delivered;
    std::int64_t taken_ms = 0;
    std::shared_ptr<http::Response> response;  // none: not finished
    std::vector<http::Reply> replies;
  };
  using Found = std::shared_ptr<Job>;

  Result<Found> find(const std::string& analyst, const std::string& id) const;
  void run_works();
  void run_ticks();
  void deliver(const Found& job);
  void schedule(const Found& job, std::int64_t from_ms);

  const JobsOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_due_;
  bool is_stopping_ = false;
  std::map<std::string, Found> jobs_;
  std::deque<Found> queue_;
  std::multimap<std::int64_t, Found> due_;
  std::deque<Found> kept_;
  std::size_t kept_bytes_ = 0;
  std::thread works_;
  std::thread ticks_;
};

/// What is said of a cancelled job.
http::Response cancelled_response();

}  // namespace discreet::server::jobs
