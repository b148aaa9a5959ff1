// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/jobs.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "server/identity/password.h"

namespace discreet::server::jobs {
namespace {

http::Response interrupted() {
  return http::refuse(Error{Code::kInterrupted, "the server is stopping"});
}

}  // namespace

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::kWaiting:
      return "waiting";
    case Stage::kDone:
      return "done";
    case Stage::kCancelled:
      return "cancelled";
  }
  return "";
}

http::Response cancelled_response() {
  return http::error_response(409, "cancelled",
                              "this job was cancelled; it is charged, and its answer is free to "
                              "ask for again");
}

std::int64_t tick_at(std::int64_t time_ms, int tick_ms) {
  return (time_ms + tick_ms - 1) / tick_ms * tick_ms;
}

Jobs::Jobs(JobsOptions options) : options_(std::move(options)) {
  try {
    threads_.emplace_back([this] { run_ticks(); });
    threads_.emplace_back([this] { run_works(Lane::kQuestions); });
    for (std::size_t i = 0; i < options_.long_threads; ++i) {
      threads_.emplace_back([this] { run_works(Lane::kLong); });
    }
  } catch (const std::system_error&) {
    stop();
    throw;
  }
}

void Jobs::Queue::add(Found job) {
  std::deque<Found>& own = waiting_[job->facts.analyst];
  if (own.empty()) turns_.push_back(job->facts.analyst);
  own.push_back(std::move(job));
}

Jobs::Found Jobs::Queue::take() {
  const auto turn = std::ranges::find_if(
      turns_, [&](const std::string& analyst) { return !running_.contains(analyst); });
  if (turn == turns_.end()) return nullptr;
  const std::string analyst = *turn;
  turns_.erase(turn);
  const auto own = waiting_.find(analyst);
  Found job = std::move(own->second.front());
  own->second.pop_front();
  if (own->second.empty()) {
    waiting_.erase(own);
  } else {
    turns_.push_back(analyst);  // behind all who wait now
  }
  running_.insert(analyst);
  return job;
}

Jobs::~Jobs() { stop(); }

void Jobs::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
    is_stopping_ = true;
    for (const auto& [due, job] : due_) {
      if (job->stop) *job->stop = true;
    }
    has_work_.notify_all();
    has_due_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  const std::lock_guard lock(mutex_);
  for (const auto& [due, job] : due_) {
    for (const http::Reply& reply : std::exchange(job->replies, {})) reply(interrupted());
  }
}

Result<JobFacts> Jobs::submit(Order order) {
  DISCREET_ASSIGN(const std::string id, identity::fresh_secret());
  const std::lock_guard lock(mutex_);
  const auto own = std::count_if(due_.begin(), due_.end(), [&](const auto& entry) {
    return entry.second->facts.analyst == order.analyst && entry.second->facts.lane == order.lane;
  });
  const std::size_t most =
      order.lane == Lane::kLong ? options_.long_per_analyst : options_.waiting_per_analyst;
  if (is_stopping_ || static_cast<std::size_t>(own) >= most) {
    return Error{Code::kStorage, "too many questions wait"};
  }
  const Found job = std::make_shared<Job>();
  job->facts = {.id = id.substr(0, 22),
                .analyst = std::move(order.analyst),
                .kind = std::move(order.kind),
                .lane = order.lane};
  job->work = std::move(order.work);
  job->delivered = std::move(order.delivered);
  job->stop = std::move(order.stop);
  job->taken_ms = options_.clock();
  job->number = next_++;
  schedule(job, job->taken_ms + (order.answer_ms == 0 ? options_.answer_ms : order.answer_ms));
  jobs_[job->facts.id] = job;
  queues_[order.lane].add(job);
  has_work_.notify_all();
  return job->facts;
}

/// The first tick from there on that has room (J1).
void Jobs::schedule(const Found& job, std::int64_t from_ms) {
  std::int64_t due = tick_at(from_ms, options_.tick_ms);
  const auto is_full = [&](std::int64_t tick) {
    const auto [first, last] = due_.equal_range(tick);
    const auto own = std::count_if(first, last, [&](const auto& entry) {
      return entry.second->facts.analyst == job->facts.analyst;
    });
    return static_cast<std::size_t>(own) >= options_.per_tick;
  };
  while (is_full(due)) due += options_.tick_ms;
  job->facts.due_ms = due;
  due_.emplace(due, job);
  has_due_.notify_one();
}

void Jobs::run_works(Lane lane) {
  std::unique_lock lock(mutex_);
  Queue& queue = queues_[lane];
  while (true) {
    Found job;
    has_work_.wait(lock, [&] { return is_stopping_ || (job = queue.take()) != nullptr; });
    if (is_stopping_) return;
    lock.unlock();
    const auto progress = [&](int percent) {
      const std::lock_guard again(mutex_);
      job->facts.percent = percent;
    };
    auto done = std::make_shared<Done>(http::refuse(Error{Code::kBug, ""}));
    try {
      if (job->stop && *job->stop) {
        *done = interrupted();
      } else {
        *done = job->work(progress);
      }
    } catch (const std::exception&) {  // a library's
    }
    lock.lock();
    job->work = {};
    job->done = std::move(done);
    queue.end(*job);
    has_work_.notify_all();  // another job of that analyst may have waited for this one
  }
}

void Jobs::run_ticks() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (due_.empty()) {
      has_due_.wait(lock);
      continue;
    }
    const std::int64_t left = due_.begin()->first - options_.clock();
    if (left > 0) {
      has_due_.wait_for(lock, std::chrono::milliseconds(left));
      continue;
    }
    const Found job = due_.begin()->second;
    due_.erase(due_.begin());
    if (job->done) {
      deliver(job);
    } else {
      schedule(job, job->facts.due_ms + (job->facts.due_ms - job->taken_ms));
    }
  }
}

void Jobs::deliver(const Found& job) {
  if (const auto delivered = std::exchange(job->delivered, {})) delivered();
  if (job->facts.stage == Stage::kWaiting) {
    job->facts.stage = Stage::kDone;
    job->facts.has_report = !job->done->report.empty();
  }
  for (const http::Reply& reply : std::exchange(job->replies, {})) reply(job->done->response);
  const auto bytes_of = [](const Job& each) {
    return each.done->response.body.size() + each.done->report.size();
  };
  Kept& kept = kept_[job->facts.analyst];
  kept.jobs.push_back(job);
  kept.bytes += bytes_of(*job);
  // The newest stays, however large.
  while (kept.jobs.size() > 1 &&
         (kept.jobs.size() > options_.kept_max || kept.bytes > options_.kept_bytes)) {
    kept.bytes -= bytes_of(*kept.jobs.front());
    jobs_.erase(kept.jobs.front()->facts.id);
    kept.jobs.pop_front();
  }
}

Result<Jobs::Found> Jobs::find(const std::string& analyst, const std::string& id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->facts.analyst != analyst) {
    return Error{Code::kNotFound, "there is no such job; ask again with the request's id"};
  }
  return found->second;
}

Result<JobFacts> Jobs::look(const std::string& analyst, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  DISCREET_ASSIGN(const Found job, find(analyst, id));
  return job->facts;
}

void Jobs::answer(const std::string& analyst, const std::string& id, const http::Reply& reply) {
  const std::lock_guard lock(mutex_);
  const Result<Found> found = find(analyst, id);
  if (!found) return reply(http::refuse(found.error()));
  Job& job = **found;
  if (job.facts.stage == Stage::kCancelled) return reply(cancelled_response());
  if (job.facts.stage == Stage::kDone) return reply(job.done->response);
  if (is_stopping_) return reply(interrupted());
  job.replies.push_back(reply);
}

Result<std::string> Jobs::report(const std::string& analyst, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  DISCREET_ASSIGN(const Found job, find(analyst, id));
  if (!job->facts.has_report) return Error{Code::kNotFound, "this job has no report, or not yet"};
  return job->done->report;
}

std::vector<JobFacts> Jobs::of(const std::string& analyst, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<Found> own;
  for (const auto& [id, job] : jobs_) {
    if (job->facts.analyst == analyst) own.push_back(job);
  }
  std::sort(own.begin(), own.end(),
            [](const Found& a, const Found& b) { return a->number > b->number; });
  if (own.size() > most) own.resize(most);
  std::vector<JobFacts> out;
  for (const Found& job : own) {
    out.push_back(job->facts);
    out.back().percent = 0;  // the owner's
  }
  return out;
}

Result<JobFacts> Jobs::cancel(const std::string& analyst, const std::string& id) {
  const std::lock_guard lock(mutex_);
  DISCREET_ASSIGN(const Found job, find(analyst, id));
  if (job->facts.stage == Stage::kWaiting) {
    job->facts.stage = Stage::kCancelled;
    if (job->stop) *job->stop = true;
    for (const http::Reply& reply : std::exchange(job->replies, {})) reply(cancelled_response());
  }
  return job->facts;
}

std::vector<JobFacts> Jobs::waiting() const {
  const std::lock_guard lock(mutex_);
  std::vector<JobFacts> all;
  for (const auto& [due, job] : due_) all.push_back(job->facts);
  return all;
}

}  // namespace discreet::server::jobs
