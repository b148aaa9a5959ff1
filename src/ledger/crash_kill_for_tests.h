// SPDX-License-Identifier: Apache-2.0
// Real processes on a real ledger, killed with SIGKILL at random moments. Each tells through a pipe
// what it is about to ask, what it drew on and what it sent; the pipe outlives it, and the oracle
// judges the ledger by it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ledger/crash_oracle_for_tests.h"
#include "ledger/ledger.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::ledger {

class KillTrial {
 public:
  /// `place`: where the ledger is; a file of its own if nothing is said.
  explicit KillTrial(std::uint64_t seed, const std::filesystem::path& place = {})
      : path_(place.empty() ? scratch_ / "ledger" : place), random_(seed) {
    const auto created = Ledger::create({.path = path_,
                                         .key = scratch_ / "key",
                                         .witness = scratch_ / "witness",
                                         .witness_every = seed % 2 == 0 ? 1U : 8U});
    DISCREET_CHECK(created.has_value() && created.value()->add_namespace(patients()).has_value());
    top_up(*created.value());
  }

  /// Starts `processes`, kills each after a random while, and judges. Returns what is wrong.
  std::vector<std::string> kill(int processes) {
    std::vector<Child> children;
    for (int i = 0; i < processes; ++i) children.push_back(start());
    for (Child& child : children) {
      // Counted in what was said, so that a busy machine kills as late as an idle one; then a while
      // more, so that it falls anywhere between two words.
      const auto lines = static_cast<std::ptrdiff_t>(10 + random_() % 20);
      const auto said = [&child] {
        return std::count(child.words.begin(), child.words.end(), '\n');
      };
      while (said() < lines && read_some(child)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 4000));
      ::kill(child.process, SIGKILL);
      int status = 0;
      waitpid(child.process, &status, 0);
      if (!WIFSIGNALED(status)) complaints_.push_back("a process ended by itself: " + child.words);
    }
    for (Child& child : children) {
      while (read_some(child)) {
      }
      close(child.pipe);
    }
    // Who paid is told before who had a repeat, whatever process they spoke from.
    for (const bool repeats : {false, true}) {
      for (const Child& child : children) listen(child.words, repeats);
    }
    judge();
    kills_ += static_cast<std::uint64_t>(processes);
    return std::exchange(complaints_, {});
  }

  std::uint64_t kills() const { return kills_; }
  std::uint64_t sent() const { return oracle_.all_sent().size(); }

 private:
  struct Child {
    pid_t process;
    int pipe;
    std::string words;
  };

  Result<std::unique_ptr<Ledger>> open() {
    return Ledger::open({.path = path_, .key = scratch_ / "key", .witness = scratch_ / "witness"});
  }

  Child start() {
    int ends[2];
    DISCREET_CHECK(pipe2(ends, O_CLOEXEC) == 0);
    const int number = ++children_;
    const pid_t process = fork();
    DISCREET_CHECK(process >= 0);
    if (process == 0) {
      close(ends[0]);
      work(ends[1], number);
    }
    close(ends[1]);
    return {process, ends[0], ""};
  }

  // In the child: asks for ever. A line is one write, and shorter than a pipe tears.
  [[noreturn]] void work(int out, int number) {
    const auto tell = [out](const std::string& line) {
      if (write(out, line.data(), line.size()) < 0) _exit(1);
    };
    auto ledger = open();
    if (!ledger) {
      tell("wrong " + ledger.error().message + "\n");
      _exit(1);
    }
    tell("running\n");
    static constexpr const char* kAnalysts[] = {"ann", "bob"};
    for (int i = 0;; ++i) {
      // Now and then a question that others asked too.
      const int key = i % 4 == 3 ? i : 1000 * number + i;
      const Ask ask{"p" + std::to_string(number) + "-" + std::to_string(i), kAnalysts[i % 2], key};
      const std::string what = ask.id + " " + ask.analyst + " " + std::to_string(key);
      tell("try " + what + "\n");
      auto outcome = ledger.value()->charge(ask.charge(), ask.question());
      if (!outcome) {
        tell("wrong " + outcome.error().message + "\n");
        _exit(1);
      }
      if (const Answer* const answer = std::get_if<Answer>(&outcome.value())) {
        tell("repeat " + what + " " + answer->bytes() + "\n");
        continue;
      }
      tell("drew " + what + "\n");
      const std::string bytes = "noise-" + std::to_string(number) + "-" + std::to_string(i);
      const auto answer = ledger.value()->store(std::get<Paid>(std::move(*outcome)), bytes);
      if (!answer) {
        tell("wrong " + answer.error().message + "\n");
        _exit(1);
      }
      tell("sent " + what + " " + answer->bytes() + "\n");
    }
  }

  static bool read_some(Child& child) {
    char buffer[65536];
    const ssize_t got = read(child.pipe, buffer, sizeof(buffer));
    if (got > 0) child.words.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  void listen(const std::string& words, bool repeats) {
    std::istringstream lines(words);
    std::optional<Ask> open_end;  // tried, and nothing heard of it
    for (std::string line; std::getline(lines, line);) {
      std::istringstream parts(line);
      std::string what;
      Ask ask;
      std::string bytes;
      parts >> what >> ask.id >> ask.analyst >> ask.key >> bytes;
      open_end.reset();
      if (repeats) {
        if (what == "repeat") oracle_.repeated(ask, bytes);
        continue;
      }
      if (what == "wrong") complaints_.push_back(line);
      if (what == "try") open_end = ask;
      if (what == "drew") oracle_.drew(ask);
      if (what == "sent") oracle_.sent(ask, bytes);
    }
    if (open_end) oracle_.may_have_charged(*open_end);
  }

  void judge() {
    auto ledger = open();
    if (!ledger) {
      complaints_.push_back("it cannot be opened: " + ledger.error().message);
      return;
    }
    for (const std::string& wrong : oracle_.complaints(*ledger.value())) {
      complaints_.push_back(wrong);
    }
  }

  // Enough for every trial, so that no process runs out of questions to ask.
  void top_up(Ledger& ledger) {
    constexpr std::int64_t kMuch = 10'000'000;
    for (const std::string analyst : {"", "ann", "bob"}) {
      const auto account = analyst.empty() ? std::nullopt : std::optional(analyst);
      oracle_.topping_up(analyst, kMuch);
      DISCREET_CHECK(
          ledger.top_up("patients", account, tenths_of_epsilon(kMuch), "a trial").has_value());
    }
  }

  Scratch scratch_;
  std::filesystem::path path_;
  std::mt19937_64 random_;
  Oracle oracle_;
  std::vector<std::string> complaints_;
  std::uint64_t kills_ = 0;
  int children_ = 0;
};

}  // namespace discreet::ledger
