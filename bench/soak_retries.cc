// SPDX-License-Identifier: Apache-2.0
// Retries under kills (ledger.md, L11): processes on one ledger killed with SIGKILL at random
// moments, and the real program killed before random ones of its changes of files, each request id
// asked again until it is answered or refused; and the real program with its data away. Fails when
// an id is charged twice, an answer changes, or a charge is drawn on more than three times.
//
//   ./dev soak retries [KILLS [KILLS_OF_THE_PROGRAM [SEED]]]      1,000 and 100
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/killed_for_tests.h"
#include "ledger/retry_kill_for_tests.h"

namespace discreet {
namespace {

using cli::discreet;
using Words = std::vector<std::string>;

int violations = 0;

void complain(const std::string& what) {
  ++violations;
  std::printf("VIOLATION: %s\n", what.c_str());
}

class Program {
 public:
  Program() : folder_(std::filesystem::absolute("build/bench/retries").string()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
    std::string csv = "id,age\n";
    for (int i = 0; i < 300; ++i) {
      csv += std::to_string(i) + "," + std::to_string(20 + i % 60) + "\n";
    }
    std::ofstream(data()) << csv;
    std::ofstream(at("policy.yaml"))
        << "version: 1\nsnapshot: s\nunits: {people: {budget: {epsilon: 1000}}}\n"
           "tables:\n  people:\n    source: people.csv\n"
           "    unit: {namespace: people, column: id}\n"
           "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}\n"
           "    columns: {age: {type: integer, range: [0, 120]}}\n";
    const auto made =
        discreet({"ledger", "init", "--policy", at("policy.yaml"), "--ledger", ledger()});
    if (made.status != 0) complain(made.err);
  }
  ~Program() { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string data() const { return at("people.csv"); }
  std::string ledger() const { return at("l.ledger"); }
  Words query(int id) const {
    return {"query",
            "SELECT COUNT(*) FROM people WHERE age > " + std::to_string(id % 100) + " AND age <> " +
                std::to_string(id / 100),
            "--json",
            "--epsilon",
            "1",
            "--request-id",
            "id " + std::to_string(id),
            "--policy",
            at("policy.yaml"),
            "--ledger",
            ledger()};
  }
  /// How often each id was charged.
  std::map<std::string, int> charges() const {
    std::map<std::string, int> count;
    auto opened = ledger::Ledger::open({.path = ledger(), .access = ledger::Access::kLook});
    if (!opened) complain(opened.error().message);
    if (!opened) return count;
    const auto read = (*opened)->history([&](const ledger::Record& record) {
      if (record.kind == ledger::Kind::kCharge && record.price != ledger::Price()) {
        ++count[record.request_id];
      }
      return Result<void>{};
    });
    if (!read) complain(read.error().message);
    if (const auto sound = (*opened)->verify(); !sound) complain(sound.error().message);
    return count;
  }

 private:
  std::string folder_;
};

/// Asks under one id after another, each until it is answered or refused.
int kill_the_program(const Program& program, int kills, std::mt19937_64& random) {
  const int moments = cli::discreet_killed_at(program.query(1000), 0).calls;
  int killed = 0;
  int answered = 0;
  for (int id = 0; id < 100 && killed < kills; ++id) {
    for (int tries = 0; tries < 8 && killed < kills; ++tries) {
      const int nth = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(moments));
      const cli::Killed end = cli::discreet_killed_at(program.query(id), nth);
      killed += end.killed ? 1 : 0;
      if (!end.killed) break;
    }
    const cli::Finished first = discreet(program.query(id));
    const cli::Finished again = discreet(program.query(id));
    answered += first.status == 0 ? 1 : 0;
    if (first.status != again.status) complain("id " + std::to_string(id) + " changed its mind");
  }
  for (const auto& [id, count] : program.charges()) {
    if (count > 1) complain(id + " was charged " + std::to_string(count) + " times");
  }
  std::printf("program: %d kills at %d moments, %d ids answered\n", killed, moments, answered);
  return killed;
}

void take_the_data_away(const Program& program) {
  const std::size_t before = program.charges().size();
  std::filesystem::rename(program.data(), program.data() + ".away");
  for (int i = 0; i < 10; ++i) {
    if (discreet(program.query(2000)).status == 0) complain("answered without data");
  }
  std::filesystem::rename(program.data() + ".away", program.data());
  const std::size_t charged = program.charges().size() - before;
  if (charged > 0) complain("questions without data were charged");
  if (discreet(program.query(2000)).status != 0) complain("not answered when the data was back");
  std::printf("data away: 10 retries, %zu charges\n", charged);
}

int run(int argc, char** argv) {
  const auto number = [&](int at, std::uint64_t usual) {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : usual;
  };
  const std::uint64_t kills = number(1, 1000);
  const auto kills_of_program = static_cast<int>(number(2, 100));
  const std::uint64_t seed = number(3, static_cast<std::uint64_t>(system_time_ms()));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ledger::RetryTrial trial(seed, {});
  for (const std::string& wrong : trial.run(kills)) complain(wrong);
  std::printf("processes: %llu kills, %llu ids answered, %llu refused, %llu tries taken over\n",
              static_cast<unsigned long long>(trial.kills()),
              static_cast<unsigned long long>(trial.answered()),
              static_cast<unsigned long long>(trial.refused()),
              static_cast<unsigned long long>(trial.taken_over()));
  std::mt19937_64 random(seed);
  const Program program;
  kill_the_program(program, kills_of_program, random);
  take_the_data_away(program);
  std::printf("%d violations\n", violations);
  return violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace discreet

int main(int argc, char** argv) { return discreet::run(argc, argv); }
