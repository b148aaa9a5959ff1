// SPDX-License-Identifier: Apache-2.0
#include "server/time_limit.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/engine_around.h"

namespace discreet::server {
namespace {

using engine::Engine;
using engine::OwnerLog;
using Steady = std::chrono::steady_clock;

/// A thread that stops what has begun and does not end in time.
class Guard {
 public:
  Guard(Engine& engine, std::chrono::milliseconds most)
      : engine_(engine), most_(most), thread_([this] { watch(); }) {}
  ~Guard() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// As long as it lives something runs.
  class Watched {
   public:
    explicit Watched(Guard& guard) : guard_(guard) {
      const std::lock_guard lock(guard_.mutex_);
      guard_.is_late_ = false;
      guard_.end_ = Steady::now() + guard_.most_;
      guard_.changed_.notify_all();
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() {
      const std::lock_guard lock(guard_.mutex_);
      guard_.end_.reset();
    }

   private:
    Guard& guard_;
  };
  /// Whether what ran last was stopped.
  bool was_late() {
    const std::lock_guard lock(mutex_);
    return is_late_;
  }

 private:
  void watch() {
    // Again and again: between two of its statements an engine may not notice.
    constexpr std::chrono::milliseconds kAgain{10};
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      if (!end_) {
        changed_.wait(lock);
      } else if (Steady::now() < *end_) {
        changed_.wait_until(lock, *end_);
      } else {
        is_late_ = true;
        engine_.interrupt();
        changed_.wait_for(lock, kAgain);
      }
    }
  }

  Engine& engine_;
  const std::chrono::milliseconds most_;
  std::mutex mutex_;  // guards what follows; held while the engine is told to stop
  std::condition_variable changed_;
  bool is_over_ = false;
  bool is_late_ = false;
  std::optional<Steady::time_point> end_;  // of what runs; none: nothing does
  std::thread thread_;                     // last: it uses the rest
};

// What is asked about public tables, in short statements that are often remembered, has no limit.
class Limited final : public engine::EngineAround {
 public:
  Limited(Engine& engine, std::chrono::milliseconds most)
      : EngineAround(engine), guard_(engine, most) {}

  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const OwnerLog& log) override {
    return limited(log, [&] { return EngineAround::run(checked, log); });
  }

 protected:
  Result<Sensitive<mechanism::UnitRows>> read_rows(const plan::CheckedRows& question,
                                                   const random::Secret* names,
                                                   const OwnerLog& log) override {
    return limited(log, [&] { return EngineAround::read_rows(question, names, log); });
  }

 private:
  template <class Run>
  auto limited(const OwnerLog& log, const Run& run) -> decltype(run()) {
    const std::lock_guard lock(turn_);
    auto done = [&] {
      const Guard::Watched watched(guard_);  // also when a library throws
      return run();
    }();
    if (!done && guard_.was_late() && log.out_of_time) log.out_of_time();
    return done;
  }

  std::mutex turn_;
  Guard guard_;
};

}  // namespace

Result<std::unique_ptr<Engine>> with_time_limit(Engine& engine, std::chrono::milliseconds most) {
  try {
    return std::unique_ptr<Engine>(std::make_unique<Limited>(engine, most));
  } catch (const std::system_error&) {
    return Error{Code::kStorage,
                 "the system has no thread left; end other processes, or raise their limit"};
  }
}

}  // namespace discreet::server
