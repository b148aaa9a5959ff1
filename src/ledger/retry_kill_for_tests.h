// SPDX-License-Identifier: Apache-2.0
// One request id after another, each asked again and again by processes that are killed with
// SIGKILL at random moments, until it is answered or refused. Each process tells through a pipe
// which try of which charge it draws noise for and what it sent; the pipe outlives it, and the
// ledger is judged by it (L11).
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ledger/ledger.h"
#include "ledger/scratch_for_tests.h"
#include "privacy/charge_for_tests.h"

namespace discreet::ledger {

/// Mistakes that the trial must find.
enum class RetryMutant {
  kNone,
  kChargesAgain,    ///< as before charges were taken over
  kRedrawsAtWill,   ///< a process draws again on what it has, without a try in the history
  kSendsFirst,      ///< sends what it drew before it is stored
  kDrawsAfterDraw,  ///< a failure after noise does not end the charge
};

class RetryTrial {
 public:
  RetryTrial(std::uint64_t seed, const std::filesystem::path& place,
             RetryMutant mutant = RetryMutant::kNone)
      : path_(place.empty() ? scratch_ / "ledger" : place), mutant_(mutant), random_(seed) {
    const auto created =
        Ledger::create({.path = path_, .key = scratch_ / "key", .witness = scratch_ / "witness"});
    NamespaceTerms terms{.name = "patients", .cap = tenths(1'000'000'000)};
    terms.analysts = {{"ann", tenths(1'000'000'000)}};
    DISCREET_CHECK(created.has_value() && created.value()->add_namespace(terms).has_value());
  }

  /// Kills until there were so many, and judges. Returns what is wrong.
  std::vector<std::string> run(std::uint64_t kills) {
    for (std::uint64_t id = 0; kills_ < kills; ++id) {
      while (kills_ < kills && !ask("id " + std::to_string(id))) {
      }
    }
    judge();
    return std::exchange(complaints_, {});
  }

  std::uint64_t kills() const { return kills_; }
  std::uint64_t answered() const { return sent_.size(); }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t taken_over() const { return taken_over_; }

 private:
  static Price tenths(std::int64_t n) {
    return *accounting::Filter::price(Rational::ratio(n, 10), Rational(0));
  }
  Charge charge(const std::string& id) const {
    return ChargeForTests::make({"patients", Neighbours::kAddRemove, {}},
                                {{{"laplace(0.1)"}, pure_cost(*Epsilon::parse("0.1"))}},
                                Hash{1, 2, 3}, id);
  }
  Question question(const std::string& id) const {
    return {.analyst = "ann",
            .key = "question of " + id,
            .snapshot = "s",
            .takes_over = mutant_ != RetryMutant::kChargesAgain};
  }

  /// One process that asks under this id; true: it was answered or refused for good.
  bool ask(const std::string& id) {
    int ends[2];
    DISCREET_CHECK(pipe2(ends, O_CLOEXEC) == 0);
    const std::uint64_t coins = random_();
    const pid_t process = fork();
    DISCREET_CHECK(process >= 0);
    if (process == 0) {
      close(ends[0]);
      work(ends[1], id, coins);
    }
    close(ends[1]);
    // Half of them while the ledger is opened and charged, half while noise is drawn and stored.
    std::string words;
    if (random_() % 2 == 0) {
      while (words.find("drew") == words.npos && read_some(ends[0], words)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1500));
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 12'000));
    }
    ::kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    if (WIFSIGNALED(status)) ++kills_;
    while (read_some(ends[0], words)) {
    }
    close(ends[0]);
    return listen(id, words);
  }

  static bool read_some(int pipe, std::string& words) {
    char bytes[4096];
    const ssize_t got = read(pipe, bytes, sizeof bytes);
    if (got > 0) words.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }

  // In the child. A line is one write, and shorter than a pipe tears.
  [[noreturn]] void work(int out, const std::string& id, std::uint64_t coins) {
    std::mt19937_64 random(coins);
    const auto tell = [out](const std::string& line) {
      const std::string whole = line + "\n";
      if (write(out, whole.data(), whole.size()) < 0) _exit(1);
    };
    const auto idle = [&] {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
    };
    auto ledger =
        Ledger::open({.path = path_, .key = scratch_ / "key", .witness = scratch_ / "witness"});
    if (!ledger) _exit(1);
    auto outcome = (*ledger)->charge(charge(id), question(id));
    if (!outcome) {
      tell((outcome.error().code == Code::kConflict ? "refused " : "wrong ") +
           outcome.error().message);
      _exit(0);
    }
    if (const Answer* const seen = std::get_if<Answer>(&*outcome)) {
      tell("sent " + seen->bytes());
      _exit(0);
    }
    Paid& paid = std::get<Paid>(*outcome);
    idle();
    if (random() % 4 == 0) _exit(0);  // the engine failed
    const std::string which = std::to_string(paid.charge());
    const std::string bytes = which + "-" + std::to_string(random());
    const int draws = mutant_ == RetryMutant::kRedrawsAtWill ? 4 : 1;
    if (mutant_ == RetryMutant::kDrawsAfterDraw) {
      tell("drew " + which);
      if (random() % 2 == 0) {
        tell("failed " + which);
        _exit(0);
      }
      tell("sent " + (*ledger)->store(std::move(paid), bytes)->bytes());
      _exit(0);
    }
    {
      auto drawing = (*ledger)->begin_drawing(paid);
      if (!drawing) _exit(1);
      for (int i = 0; i < draws; ++i) tell("drew " + which);
      idle();
      if (random() % 8 == 0) {  // something that saw the noise fails
        {
          const Drawing dies = std::move(*drawing);
        }
        tell("failed " + which);
        _exit(0);
      }
      if (mutant_ == RetryMutant::kSendsFirst) tell("sent " + bytes);
      idle();
      const auto answer = drawing->store(std::move(paid), bytes);
      if (!answer) _exit(1);
      tell("sent " + answer->bytes());
    }
    idle();
    _exit(0);
  }

  bool listen(const std::string& id, const std::string& words) {
    std::istringstream lines(words);
    bool is_over = false;
    for (std::string line; std::getline(lines, line);) {
      const std::string rest = line.substr(line.find(' ') + 1);
      if (line.starts_with("drew ")) {
        if (failed_.contains(rest))
          complain("record " + rest + " was drawn on after a draw failed");
        if (++drawn_[rest] > kTries) complain("record " + rest + " was drawn on too often");
      }
      if (line.starts_with("failed ")) failed_.insert(rest);
      if (line.starts_with("sent ")) {
        const auto [known, is_new] = sent_.emplace(id, rest);
        if (known->second != rest) complain(id + " was sent two answers");
        is_over = random_() % 2 == 0;  // else it is asked once more
      }
      if (line.starts_with("refused ")) {
        ++refused_;
        is_over = true;
      }
      if (line.starts_with("wrong ")) complain(line);
    }
    return is_over;
  }

  void judge() {
    auto ledger =
        Ledger::open({.path = path_, .key = scratch_ / "key", .witness = scratch_ / "witness"});
    if (!ledger) return complain(ledger.error().message);
    std::map<std::string, int> charges;  // by id
    std::map<Sequence, std::string> ids;
    std::map<Sequence, int> answers;
    const auto read = (*ledger)->history([&](const Record& record) {
      if (record.kind == Kind::kCharge && record.price != Price()) {
        if (++charges[record.request_id] > 1) complain(record.request_id + " was charged twice");
        ids[record.sequence] = record.request_id;
      }
      if (record.kind == Kind::kCharge && record.request_id.starts_with("try ")) ++taken_over_;
      if (record.kind == Kind::kAnswer && ++answers[record.about] > 1) {
        complain("record " + std::to_string(record.about) + " has two answers");
      }
      return Result<void>{};
    });
    if (!read) complain(read.error().message);
    if (const auto sound = (*ledger)->verify(); !sound) complain(sound.error().message);
    for (const auto& [id, bytes] : sent_) {
      auto outcome = (*ledger)->charge(charge(id), question(id));
      const Answer* const stored = outcome ? std::get_if<Answer>(&*outcome) : nullptr;
      if (stored == nullptr || stored->bytes() != bytes) complain(id + " lost what was sent");
    }
  }

  void complain(const std::string& what) { complaints_.push_back(what); }

  Scratch scratch_;
  std::filesystem::path path_;
  const RetryMutant mutant_;
  std::mt19937_64 random_;
  std::uint64_t kills_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t taken_over_ = 0;
  std::map<std::string, int> drawn_;  // by charge
  std::set<std::string> failed_;
  std::map<std::string, std::string> sent_;  // by id
  std::vector<std::string> complaints_;
};

}  // namespace discreet::ledger
