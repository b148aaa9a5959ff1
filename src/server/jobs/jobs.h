// SPDX-License-Identifier: Apache-2.0
// Questions that read data, asked one after the other, and answered at ticks of the clock.
//
// J1  When an answer appears is decided before the data is read: at a public deadline, a tick at
//     least `answer_ms` after the question was taken, with at most `per_tick` answers to one
//     analyst on one tick.
//     What had not finished by then appears at twice the time, four times, and so on: all that the
//     clock can tell is how often a job had to double. A failure appears at the deadline too.
// J2  Whether a job runs does not depend on how long others take: cancelling hides the answer and
//     stops nothing, so what is charged is a function of the questions alone. The answer is in the
//     ledger and free to ask for again.
// J3  Until the deadline an analyst sees that the job waits and until when; how far the engine has
//     come is for the owner.
// J4  What takes long (a model, a publication, an audit) has a lane and threads of its own, so that
//     questions do not wait for it; its asker chooses how long it takes, in public.
// J5  A lane serves the analysts who wait in turn, one job of each, and runs one job of an analyst
//     at a time. So where every job ends within T, and n other analysts wait, an analyst's next job
//     begins after (n + 1) T at the latest, however many jobs the others have (one thread).
// J7  But for how often a job had to double, nothing here depends on what other analysts do:
//     deadlines, limits and what is kept are each analyst's own.
// J6  What is free of charge stops when it is cancelled, and when the server stops (Order::stop).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "server/clock.h"
#include "server/http/message.h"

namespace discreet::server::jobs {

struct JobsOptions {
  int tick_ms = 100;
  int answer_ms = 500;
  // All limits are an analyst's own, so that nobody is told by them what others do.
  std::size_t per_tick = 32;
  std::size_t waiting_per_analyst = 100;  ///< more are refused before anything is charged
  std::size_t long_per_analyst = 3;
  std::size_t long_threads = 2;
  std::size_t kept_max = 1'000;                    ///< finished ones, the newest
  std::size_t kept_bytes = std::size_t{16} << 20;  ///< of their answers together
  Clock clock = unstepped();
};

enum class Stage { kWaiting, kDone, kCancelled };

std::string_view to_string(Stage stage);

enum class Lane { kQuestions, kLong };

struct JobFacts {
  std::string id;
  std::string analyst;
  std::string kind = "query";
  Lane lane = Lane::kQuestions;
  Stage stage = Stage::kWaiting;
  bool has_report = false;  ///< known when it is done
  std::int64_t due_ms = 0;  ///< the public deadline
  int percent = 0;          ///< the owner's
};

/// First tick at or after `time_ms`.
std::int64_t tick_at(std::int64_t time_ms, int tick_ms);

/// What a job has to show.
struct Done {
  Done(http::Response answer, std::string page = {})  // NOLINT: most have no page
      : response(std::move(answer)), report(std::move(page)) {}
  http::Response response;
  std::string report;  ///< HTML; "" for none
};

class Jobs {
 public:
  /// Called in its lane's own thread, one at a time. What it returns is shown at the deadline.
  using Work = std::function<Done(const std::function<void(int percent)>& progress)>;

  struct Order {
    std::string analyst;
    Work work;
    /// Called once, when the deadline has passed with the work done; never when the server stops
    /// before.
    std::function<void()> delivered = {};
    std::string kind = "query";
    Lane lane = Lane::kQuestions;
    std::int64_t answer_ms = 0;  ///< 0: as the options say
    /// Set when nobody wants it any more; the work looks at it. Null for what is charged: that runs
    /// to its end (J2).
    std::shared_ptr<std::atomic<bool>> stop = {};
  };

  /// Throws std::system_error when there are no threads.
  explicit Jobs(JobsOptions options);
  /// Lets the work that is under way end; what waits is answered with kInterrupted.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  void stop();

  /// Fails with: kStorage when too many wait.
  Result<JobFacts> submit(Order order);
  Result<JobFacts> submit(const std::string& analyst, Work work) {
    return submit({.analyst = analyst, .work = std::move(work)});
  }
  /// Fails with: kNotFound for another analyst's, too.
  Result<JobFacts> look(const std::string& analyst, const std::string& id) const;
  /// Replies with the work's response at the deadline, or at once when that has passed.
  void answer(const std::string& analyst, const std::string& id, const http::Reply& reply);
  /// Its page. Fails with: kNotFound, also when it has none or is not done.
  Result<std::string> report(const std::string& analyst, const std::string& id) const;
  Result<JobFacts> cancel(const std::string& analyst, const std::string& id);
  /// The newest of theirs, waiting or not.
  std::vector<JobFacts> of(const std::string& analyst, std::size_t most) const;
  /// All that wait; for the owner.
  std::vector<JobFacts> waiting() const;

 private:
  struct Job {
    JobFacts facts;
    Work work;
    std::function<void()> delivered;
    std::shared_ptr<std::atomic<bool>> stop;
    std::int64_t taken_ms = 0;
    std::uint64_t number = 0;    // in the order of asking
    std::shared_ptr<Done> done;  // none: not finished
    std::vector<http::Reply> replies;
  };
  using Found = std::shared_ptr<Job>;

  /// Jobs that wait for a thread, by analyst (J5).
  class Queue {
   public:
    void add(Found job);
    /// The next one of an analyst who has none running; null: there is none.
    Found take();
    void end(const Job& job) { running_.erase(job.facts.analyst); }

   private:
    std::map<std::string, std::deque<Found>> waiting_;  // none is empty
    std::list<std::string> turns_;                      // who waits, whose turn it is first
    std::set<std::string> running_;
  };

  Result<Found> find(const std::string& analyst, const std::string& id) const;
  void run_works(Lane lane);
  void run_ticks();
  void deliver(const Found& job);
  void schedule(const Found& job, std::int64_t from_ms);

  const JobsOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_due_;
  bool is_stopping_ = false;
  std::map<std::string, Found> jobs_;
  std::uint64_t next_ = 0;
  std::map<Lane, Queue> queues_;
  std::multimap<std::int64_t, Found> due_;
  struct Kept {
    std::deque<Found> jobs;
    std::size_t bytes = 0;
  };
  std::map<std::string, Kept> kept_;  // by analyst
  std::vector<std::thread> threads_;
};

/// What is said of a cancelled job.
http::Response cancelled_response();

}  // namespace discreet::server::jobs
