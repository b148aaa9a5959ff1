// SPDX-License-Identifier: Apache-2.0
// One trial: a ledger on a FaultDisk lives through a script of questions and owner's records, a
// fault strikes at a chosen operation, the power is cut, and the oracle judges what is left. A
// trial is a function of its Point, so a failed one can be run again alone.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ledger/crash_oracle_for_tests.h"
#include "ledger/fault_disk_for_tests.h"
#include "ledger/fault_vfs_for_tests.h"
#include "ledger/fault_witness_for_tests.h"
#include "ledger/ledger.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::ledger {

/// What somebody might get wrong.
enum class Mutant {
  kNone,
  kSendsBeforeStoring,
  kChargesAfterRelease,
  kForgetsASync,
  kRefundsOnError,
};

struct Point {
  std::uint64_t script = 1;       ///< the seed of what is asked
  PlannedFault fault = {};        ///< first
  std::uint64_t crash_again = 0;  ///< at this operation after the first recovery; 0: not
  bool is_killed = false;         ///< after a failed write or sync: killed, not closed
  Survival survival = Survival::kNothing;

  std::string name() const {
    static constexpr const char* kFaults[] = {"nothing", "crash", "full disk", "failed write",
                                              "failed sync"};
    static constexpr const char* kSurvivals[] = {"nothing", "everything", "some writes",
                                                 "some sectors"};
    return std::string(kFaults[static_cast<int>(fault.fault)]) + " at operation " +
           std::to_string(fault.at) + " of script " + std::to_string(script) +
           (crash_again > 0 ? ", crash at " + std::to_string(crash_again) + " after it" : "") +
           (is_killed ? ", killed" : "") + ", of unsynced writes " +
           kSurvivals[static_cast<int>(survival)] + " survives";
  }
};

/// A world with this disk and this witness, where it is always the same time.
inline World world_on(FaultDisk& disk, const FaultVfs& vfs, WitnessOnDisk& witness) {
  World world;
  world.clock = [] { return std::int64_t{1'800'000'000'000}; };
  world.witness = [&](const std::filesystem::path&) -> std::unique_ptr<Witness> {
    return std::make_unique<FaultWitness>(disk, witness);
  };
  world.sqlite_vfs = vfs.name();
  world.busy_ms = 0;
  return world;
}

/// A ledger that was created in peace, to start from.
struct Start {
  const Scratch scratch{Scratch::Place::kMemory};
  std::filesystem::path key;
  std::string file;
  WitnessOnDisk witness;

  WitnessOnDisk copy_to(const Scratch& place) const {
    spill(place / "ledger", file);
    std::filesystem::copy_file(key, place / "key");
    return witness;
  }
};

inline const Start& start_of(std::uint64_t witness_every) {
  static std::map<std::uint64_t, std::unique_ptr<Start>> starts;
  std::unique_ptr<Start>& start = starts[witness_every];
  if (start != nullptr) return *start;
  start = std::make_unique<Start>();
  start->key = start->scratch / "key";
  FaultDisk disk(1);
  {
    const FaultVfs vfs(disk);
    Created created{.path = start->scratch / "ledger",
                    .key = start->key,
                    .witness = start->scratch / "witness",
                    .witness_every = witness_every};
    created.world = world_on(disk, vfs, start->witness);
    auto ledger = Ledger::create(created);
    DISCREET_CHECK(ledger.has_value() && ledger.value()->add_namespace(patients()).has_value());
  }
  start->file = slurp(start->scratch / "ledger");
  return *start;
}

struct Verdict {
  bool has_struck = false;
  std::uint64_t operations = 0;
  std::uint64_t sent = 0;
  std::vector<std::string> complaints;
};

class Trial {
 public:
  explicit Trial(const Point& point, Mutant mutant = Mutant::kNone)
      : point_(point),
        mutant_(mutant),
        disk_(point.script * 1000003 + point.fault.at),
        vfs_(disk_) {
    if (mutant == Mutant::kForgetsASync) disk_.ignore_syncs();
    witness_ = start_of(point.script % 3 == 2 ? 3 : 1).copy_to(scratch_);
  }

  Verdict run() {
    disk_.plan(point_.fault);
    std::mt19937_64 random(point_.script);
    for (int step = 0; step < kSteps && !disk_.is_dead(); ++step) live(step, random);
    if (ledger_ == nullptr && !disk_.is_dead()) open();
    if (point_.is_killed) disk_.kill();
    ledger_.reset();
    verdict_.operations = disk_.operations();
    verdict_.has_struck = has_struck_ || (disk_.has_struck() && !point_.is_killed);
    power_cut(point_.survival);
    if (point_.fault.fault == Fault::kCrash && point_.crash_again > 0) crash_in_recovery();
    judge("after the first recovery");
    go_on();
    disk_.kill();
    ledger_.reset();
    power_cut(Survival::kNothing);
    judge("after the second");
    verdict_.sent = oracle_.all_sent().size();
    return std::move(verdict_);
  }

 private:
  static constexpr int kSteps = 9;

  Result<void> try_open() {
    auto opened = Ledger::open({.path = scratch_ / "ledger",
                                .key = scratch_ / "key",
                                .witness = scratch_ / "witness",
                                .world = world_on(disk_, vfs_, witness_)});
    if (!opened) return opened.error();
    ledger_ = std::move(opened).value();
    return {};
  }
  bool open() {
    const auto opened = try_open();
    if (!opened && !disk_.is_dead()) after_fault("it cannot be opened: ", opened.error());
    return ledger_ != nullptr;
  }

  // One step of the script. The draws do not depend on what happens, so that the same script meets
  // every fault.
  void live(int step, std::mt19937_64& random) {
    const std::uint64_t kind = random() % 20;
    const std::uint64_t who = random() % 3;
    const std::uint64_t key = random() % 6;
    const std::uint64_t again = random() % 3;
    if (ledger_ == nullptr && !open()) return;
    if (kind == 0) {
      ledger_.reset();
    } else if (kind == 1) {
      oracle_.topping_up("", 3);
      note(ledger_->top_up("patients", std::nullopt, tenths_of_epsilon(3), "more people"));
    } else if (kind == 2) {
      oracle_.topping_up("ann", 2);
      note(ledger_->top_up("patients", "ann", tenths_of_epsilon(2), "a grant"));
    } else if (kind == 3) {
      note(
          ledger_->add_analyst("patients", {"guest" + std::to_string(step), tenths_of_epsilon(5)}));
    } else if (kind == 4) {
      note(ledger_->add_block("patients", "block " + std::to_string(step)));
    } else {
      static constexpr const char* kAnalysts[] = {"ann", "bob", "eve"};
      Ask ask{"request " + std::to_string(step), kAnalysts[who], static_cast<int>(key)};
      if (again == 0 && !asked_.empty()) ask = asked_[key % asked_.size()];
      asked_.push_back(ask);
      if (!request(ask, kind == 5) && !disk_.is_dead() && (ledger_ != nullptr || open())) {
        request(ask, false);  // the client tries again under the same id
      }
    }
  }

  /// Whether there was a clear answer.
  bool request(const Ask& ask, bool forgets) {
    bool is_released = false;
    if (mutant_ == Mutant::kChargesAfterRelease) {
      const auto quote = ledger_->quote(ask.charge(), ask.question());
      is_released = quote.has_value() && quote->fits && !quote->repeat;
    }
    if (is_released) {
      oracle_.drew(ask);
      oracle_.sent(ask, draw());
    }
    auto outcome = ledger_->charge(ask.charge(), ask.question());
    if (!outcome) {
      if (!is_trouble(outcome.error())) return true;
      oracle_.may_have_charged(ask);
      note(outcome.error());
      return false;
    }
    if (const Answer* const answer = std::get_if<Answer>(&outcome.value())) {
      oracle_.repeated(ask, answer->bytes());
      return true;
    }
    if (!is_released) oracle_.drew(ask);
    if (forgets) return true;
    const std::string bytes = is_released ? oracle_.all_sent().back().bytes : draw();
    if (mutant_ == Mutant::kSendsBeforeStoring) oracle_.sent(ask, bytes);
    const auto answer = ledger_->store(std::get<Paid>(std::move(outcome).value()), bytes);
    if (!answer) {
      note(answer.error());
      if (mutant_ == Mutant::kRefundsOnError && (ledger_ != nullptr || open())) {
        (void)ledger_->top_up("patients", std::nullopt, tenths_of_epsilon(ask.tenths()), "refund")
            .has_value();
      }
      return false;
    }
    if (!is_released && mutant_ != Mutant::kSendsBeforeStoring) oracle_.sent(ask, answer->bytes());
    return true;
  }
  // Some answers are longer than a page.
  std::string draw() {
    ++draws_;
    return "noisy " + std::to_string(draws_) + std::string(draws_ % 3 == 0 ? 6000 : 40, '.');
  }

  static bool is_trouble(const Error& error) {
    return error.code == Code::kStorage || error.code == Code::kCorrupt;
  }
  void note(const Result<void>& done) {
    if (!done && is_trouble(done.error())) after_fault("", done.error());
  }
  void note(const Error& error) { after_fault("", error); }
  // The process ends, by itself or by force; the disk works again; somebody starts it anew.
  void after_fault(const std::string& what, const Error& error) {
    if (disk_.is_dead()) return;
    if (has_struck_ || !disk_.has_struck()) {
      verdict_.complaints.push_back("trouble without a fault: " + what + error.message);
    }
    has_struck_ = true;
    if (point_.is_killed) disk_.kill();
    ledger_.reset();
    disk_.restart();
    if (point_.crash_again > 0) disk_.plan({Fault::kCrash, point_.crash_again});
  }

  void power_cut(Survival survival) {
    witness_.power_cut(disk_, survival);
    disk_.power_cut(survival);
  }
  // The power goes off once more while the ledger recovers or takes its first new charge.
  void crash_in_recovery() {
    disk_.plan({Fault::kCrash, point_.crash_again});
    if (try_open().has_value()) request({"after", "ann", 1}, false);
    disk_.kill();
    ledger_.reset();
    power_cut(point_.survival);
  }

  void judge(const std::string& when) {
    if (const auto opened = try_open(); !opened) {
      verdict_.complaints.push_back(when + " it cannot be opened: " + opened.error().message);
      return;
    }
    for (const std::string& complaint : oracle_.complaints(*ledger_)) {
      verdict_.complaints.push_back(when + ": " + complaint);
    }
  }
  void go_on() {
    if (ledger_ == nullptr) return;
    oracle_.topping_up("", 100);
    oracle_.topping_up("ann", 100);
    for (const auto& analyst : {std::optional<std::string>(), std::optional<std::string>("ann")}) {
      const auto raised = ledger_->top_up("patients", analyst, tenths_of_epsilon(100), "go on");
      if (!raised) verdict_.complaints.push_back("no top-up: " + raised.error().message);
    }
    const std::size_t before = oracle_.all_sent().size();
    for (const int key : {100, 103}) request({"new" + std::to_string(key), "ann", key}, false);
    if (ledger_ == nullptr || oracle_.all_sent().size() < before + 2) {
      verdict_.complaints.push_back("the recovered ledger does not go on");
    }
  }

  const Point point_;
  const Mutant mutant_;
  const Scratch scratch_{Scratch::Place::kMemory};
  FaultDisk disk_;
  FaultVfs vfs_;
  WitnessOnDisk witness_;
  Oracle oracle_;
  std::unique_ptr<Ledger> ledger_;
  std::vector<Ask> asked_;
  Verdict verdict_;
  int draws_ = 0;
  bool has_struck_ = false;
};

}  // namespace discreet::ledger
