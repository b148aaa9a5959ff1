// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/jobs.h"

#include <algorithm>
#include <chrono>
#include <exception>
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
  works_ = std::thread([this] { run_works(); });
  ticks_ = std::thread([this] { run_ticks(); });
}

Jobs::~Jobs() { stop(); }

void Jobs::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
    is_stopping_ = true;
    has_work_.notify_all();
    has_due_.notify_all();
  }
  works_.join();
  ticks_.join();
  const std::lock_guard lock(mutex_);
  for (const auto& [due, job] : due_) {
    for (const http::Reply& reply : std::exchange(job->replies, {})) reply(interrupted());
  }
}

Result<JobFacts> Jobs::submit(const std::string& analyst, Work work,
                              std::function<void()> delivered) {
  DISCREET_ASSIGN(const std::string id, identity::fresh_secret());
  const std::lock_guard lock(mutex_);
  const auto own = std::count_if(due_.begin(), due_.end(), [&](const auto& entry) {
    return entry.second->facts.analyst == analyst;
  });
  if (is_stopping_ || due_.size() >= options_.waiting_max ||
      static_cast<std::size_t>(own) >= options_.waiting_per_analyst) {
    return Error{Code::kStorage, "too many questions wait"};
  }
  const Found job = std::make_shared<Job>();
  job->facts = {.id = id.substr(0, 22), .analyst = analyst};
  job->work = std::move(work);
  job->delivered = std::move(delivered);
  job->taken_ms = options_.clock();
  schedule(job, job->taken_ms + options_.answer_ms);
  jobs_[job->facts.id] = job;
  queue_.push_back(job);
  has_work_.notify_one();
  return job->facts;
}

/// The first tick from there on that has room (J1).
void Jobs::schedule(const Found& job, std::int64_t from_ms) {
  std::int64_t due = tick_at(from_ms, options_.tick_ms);
  while (due_.count(due) >= options_.per_tick) due += options_.tick_ms;
  job->facts.due_ms = due;
  due_.emplace(due, job);
  has_due_.notify_one();
}

void Jobs::run_works() {
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    if (is_stopping_) return;
    const Found job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const auto progress = [&](int percent) {
      const std::lock_guard again(mutex_);
      job->facts.percent = percent;
    };
    auto response = std::make_shared<http::Response>();
    try {
      *response = job->work(progress);
    } catch (const std::exception&) {  // a library's
      *response = http::refuse(Error{Code::kBug, ""});
    }
    lock.lock();
    job->work = {};
    job->response = std::move(response);
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
    if (job->response) {
      deliver(job);
    } else {
      schedule(job, job->facts.due_ms + (job->facts.due_ms - job->taken_ms));
    }
  }
}

void Jobs::deliver(const Found& job) {
  if (const auto delivered = std::exchange(job->delivered, {})) delivered();
  if (job->facts.stage == Stage::kWaiting) job->facts.stage = Stage::kDone;
  for (const http::Reply& reply : std::exchange(job->replies, {})) reply(*job->response);
  kept_.push_back(job);
  kept_bytes_ += job->response->body.size();
  // The newest stays, however large.
  while (kept_.size() > 1 &&
         (kept_.size() > options_.kept_max || kept_bytes_ > options_.kept_bytes)) {
    kept_bytes_ -= kept_.front()->response->body.size();
    jobs_.erase(kept_.front()->facts.id);
    kept_.pop_front();
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
  if (job.facts.stage == Stage::kDone) return reply(*job.response);
  if (is_stopping_) return reply(interrupted());
  job.replies.push_back(reply);
}

Result<JobFacts> Jobs::cancel(const std::string& analyst, const std::string& id) {
  const std::lock_guard lock(mutex_);
  DISCREET_ASSIGN(const Found job, find(analyst, id));
  if (job->facts.stage == Stage::kWaiting) {
    job->facts.stage = Stage::kCancelled;
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
