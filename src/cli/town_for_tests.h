// SPDX-License-Identifier: Apache-2.0
// A folder with data, two policies and their ledgers, and the program: for tests of what is charged
// and to which ledger.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "cli/process_for_tests.h"

namespace discreet::cli {

/// `policy.yaml` counts in epsilon and pays from `l.ledger`; `rho.yaml` counts in rho, has a daily
/// question and pays from `rho.ledger`.
class Town {
 public:
  using Words = std::vector<std::string>;

  explicit Town(int people = 600)
      : folder_(::testing::TempDir() + "town_" + std::to_string(::getpid()) + "_" +
                std::to_string(++made_)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", at("state").c_str(), 1);
    std::string csv = "person,age,cost,clinic,smoker,day\n";
    for (int i = 0; i < people; ++i) {
      const int cost = (i * 37) % 1000;
      csv += std::to_string(i) + "," + std::to_string(20 + i % 60) + "," + std::to_string(cost) +
             (i % 2 == 0 ? ",north," : ",south,") + (cost > 500 ? "true," : "false,") +
             "2026-01-0" + std::to_string(1 + i % 3) + "\n";
    }
    put("survey.csv", csv);
    put("policy.yaml",
        policy("budget: {epsilon: 1000, delta: 1e-3}, analysts: {ann: {epsilon: 9}}"));
    put("rho.yaml", policy("notion: zcdp, budget: {rho: 100, delta: 1e-6}") +
                        "daily:\n  by_day: {table: survey, day: day, first: 2026-01-01, days: 3, "
                        "days_per_unit: 1, rows_per_day: 1, rho: 1}\n");
    put("w.yaml", "table: survey\nrho: 2\ntables:\n  total: []\n  by_clinic: [clinic]\n");
  }
  ~Town() { std::filesystem::remove_all(folder_); }
  Town(const Town&) = delete;
  Town& operator=(const Town&) = delete;

  static std::string policy(const std::string& people) {
    return "version: 1\nsnapshot: one   # the owner's label\nunits:\n  people: {" + people +
           "}\n"
           "tables:\n  survey:\n    source: survey.csv\n    unit: person\n    columns:\n"
           "      age:    {type: integer, range: [0, 120]}\n"
           "      cost:   {type: decimal, range: [0, 1000], step: 0.01}\n"
           "      clinic: {type: text, values: [north, south]}\n"
           "      smoker: {type: boolean}\n"
           "      day:    {type: date, range: [2026-01-01, 2026-12-31]}\n";
  }

  /// Makes both ledgers.
  void make_ledgers() const {
    for (const char* const name : {"policy.yaml", "rho.yaml"}) {
      const Finished made = discreet(with(name, {"ledger", "init"}));
      EXPECT_EQ(made.status, 0) << made.err;
    }
  }

  const std::string& folder() const { return folder_; }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
  }
  std::string get(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(at(name), std::ios::binary).rdbuf();
    return out.str();
  }
  /// A command with its policy and ledger.
  Words with(const std::string& name, Words words) const {
    const std::string ledger = name == "rho.yaml" ? "rho.ledger" : "l.ledger";
    words.insert(words.end(), {"--policy", at(name), "--ledger", at(ledger)});
    return words;
  }
  /// Where the ledger's id begins in a policy that names one: it may stand in quotes.
  static std::size_t id_in(const std::string& policy) {
    const std::size_t at = policy.rfind("ledger: ") + 8;
    return policy[at] == '"' ? at + 1 : at;
  }
  /// All balances of both ledgers.
  std::string spent() const {
    return discreet({"ledger", "show", "--ledger", at("l.ledger"), "--json"}).out +
           discreet({"ledger", "show", "--ledger", at("rho.ledger"), "--json"}).out;
  }

 private:
  static inline int made_ = 0;
  std::string folder_;
};

/// Runs `discreet words...` in another folder.
inline Finished discreet_in(const std::string& folder, const std::vector<std::string>& words) {
  std::vector<std::string> command = {"/usr/bin/env", "-C", folder, program_path()};
  command.insert(command.end(), words.begin(), words.end());
  return run_process(command, "");
}

}  // namespace discreet::cli
