// SPDX-License-Identifier: Apache-2.0
// A daily question whose program is killed at a chosen moment, and everything that must hold
// afterwards: what was paid stays paid, no day has two answers, noise that was kept is used, nobody
// is counted twice.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "cli/killed_for_tests.h"

namespace discreet::cli {

class DailyTrial {
 public:
  using Words = std::vector<std::string>;
  using Wrongs = std::vector<std::string>;

  explicit DailyTrial(const std::string& folder)
      : folder_(std::filesystem::absolute(folder).string()), kept_(folder_ + ".kept") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
    write_people(1);
    write("policy.yaml",
          "version: 1\nsnapshot: s\n"
          "units: {people: {notion: zcdp, budget: {rho: 100, delta: 1e-6}}}\n"
          "tables:\n  people:\n    source: people.csv\n"
          "    unit: {namespace: people, column: id}\n"
          "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}\n"
          "    columns: {day: {type: date, range: [2026-01-01, 2026-12-31]}}\n"
          "daily:\n  by_day: {table: people, day: day, first: 2026-01-01, days: 8, "
          "days_per_unit: 1, rows_per_day: 1, rho: 1}\n");
    must(discreet({"ledger", "init", "--policy", at("policy.yaml"), "--ledger", at("l.ledger")}));
  }
  ~DailyTrial() {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove_all(kept_);
  }

  /// How many moments a command has.
  int moments(const std::string& verb) {
    keep();
    const int calls = discreet_killed_at(words(verb), 0).calls;
    restore();
    return calls;
  }

  /// The same of a second day's step.
  int step_moments() {
    keep();
    must(run("register"));
    must(run("step"));
    const int calls = discreet_killed_at(words("step"), 0).calls;
    restore();
    return calls;
  }

  /// Registration, killed before its nth change of a file.
  Wrongs register_killed_at(int nth) {
    keep();
    Wrongs wrong;
    (void)discreet_killed_at(words("register"), nth);
    const double paid = spent();
    if (paid != 0 && paid != 1) wrong.push_back("a registration cost " + std::to_string(paid));
    const Finished again = run("register");
    if (again.status != 0) wrong.push_back("it cannot be registered: " + again.err);
    // Lost between charge and state, it is paid again; never is it had for nothing.
    if (spent() < 1 || spent() > 2) wrong.push_back("both cost " + std::to_string(spent()));
    if (spent() == 2) ++paid_twice_;
    const Finished step = run("step");
    if (step.status != 0) wrong.push_back("no first day: " + step.err);
    restore();
    return wrong;
  }

  /// The second day, killed before its nth change of a file. `forgetful` plants a fault: the noise
  /// that was kept is thrown away, as a program without it would.
  Wrongs step_killed_at(int nth, bool forgetful = false) {
    keep();
    Wrongs wrong;
    must(run("register"));
    must(run("step"));
    write_people(2);
    const std::string first = read("daily/by_day.noise");
    const double paid = spent();
    const Killed killed = discreet_killed_at(words("step"), nth);
    const std::string noise = read("daily/by_day.noise");
    const Words seen = days();
    if (seen.empty()) wrong.push_back("the days cannot be shown");
    if (seen.size() > 2) wrong.push_back("more days than were asked for");
    if (!killed.end.out.empty() && seen.size() < 2) wrong.push_back("an answer that is not kept");
    if (forgetful) write("daily/by_day.noise", first);
    write_people(static_cast<int>(seen.size()) + 1);
    const Finished step = run("step");
    if (step.status != 0) wrong.push_back("it does not go on: " + step.err);
    const Words after = days();
    if (after.size() != seen.size() + 1) wrong.push_back("a step is not one day");
    for (std::size_t i = 0; i < std::min(seen.size(), after.size()); ++i) {
      if (seen[i] != after[i]) wrong.push_back("a day has another answer now");
    }
    // Noise that is drawn and not used yet is used next: the file stays as it is.
    if (noise != first && seen.size() == 1 && read("daily/by_day.noise") != noise) {
      wrong.push_back("kept noise was drawn again");
    }
    if (spent() != paid) wrong.push_back("a step was charged");
    if (after.size() == 2) {
      write_people(3);
      if (run("step").status != 0) wrong.push_back("no third day");
    }
    // 300 people on the first day, and a hundred new ones on each further day; all come every day.
    // A deviation is about 2: 40 is never passed by luck.
    if (std::abs(total() - 500) > 40) {
      wrong.push_back("somebody was counted twice, or not at all: " + std::to_string(total()));
    }
    restore();
    return wrong;
  }

  /// Registrations that had to be paid again so far.
  int paid_twice() const { return paid_twice_; }

 private:
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(at(name), std::ios::binary).rdbuf();
    return out.str();
  }
  /// The table of a day: its rows alone. On the first day 300 people; from then on these again, and
  /// a hundred more each day.
  void write_people(int day) const {
    std::string rows = "id,day\n";
    for (int i = 0; i < 200 + 100 * day; ++i) {
      rows += std::to_string(i) + ",2026-01-0" + std::to_string(day) + "\n";
    }
    write("people.csv", rows);
  }
  /// Of all days.
  double total() const {
    const Finished shown = run("show");
    if (shown.status != 0) return -1e9;
    const Json days = Json::parse(shown.out).value();
    return days.back()["total"].number();
  }
  Words words(const std::string& verb) const {
    return {"publish",  "daily",           verb,       "by_day",      "--json",
            "--policy", at("policy.yaml"), "--ledger", at("l.ledger")};
  }
  Finished run(const std::string& verb) const { return discreet(words(verb)); }
  static void must(const Finished& finished) {
    if (finished.status != 0) {
      std::fputs(finished.err.c_str(), stderr);
      std::abort();
    }
  }
  double spent() const {
    const Finished budget = discreet({"budget", "--ledger", at("l.ledger"), "--json"});
    must(budget);
    const Json total = Json::parse(budget.out).value()[0];
    return total["cap"].number() - total["left"].number();
  }
  /// One text a released day.
  Words days() const {
    const Finished shown = run("show");
    if (shown.status != 0) return {};
    Words out;
    const Json days = Json::parse(shown.out).value();
    for (const Json& day : days.items()) out.push_back(day.dump());
    return out;
  }
  void keep() const {
    std::filesystem::remove_all(kept_);
    std::filesystem::copy(folder_, kept_, std::filesystem::copy_options::recursive);
  }
  void restore() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::rename(kept_, folder_);
  }

  std::string folder_, kept_;
  int paid_twice_ = 0;
};

}  // namespace discreet::cli
