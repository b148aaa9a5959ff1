// SPDX-License-Identifier: Apache-2.0
// What one unit's rows do to the work of a question. Random questions with joins, self-joins and
// subqueries (session/random_joins_for_tests.h), the joins that once told on a person, and
// questions of a single table are asked in two clinics that differ in one unit, which has as many
// rows as the policy allows; joins along ids also in two where that unit chose ids of one place in
// DuckDB's hash tables, so many or as many as are joined without a secret. Each is asked in a
// process of its own, twice, since the first question of a table knows less of it; the process
// measures the longer of both times and its own peak of memory. A violation is both more than 4 times and more than 50 ms, or
// 64 MB, of what it takes without the unit. What took too long once is measured five times in all,
// and the least of each counts.
//
//   ./dev soak work [QUESTIONS [SEED]]      400
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/duckdb/collisions_for_tests.h"
#include "engine/lowering/relation.h"
#include "engine/open.h"
#include "session/random_joins_for_tests.h"

namespace discreet::session {
namespace {

constexpr double kTimes = 4;
constexpr double kMs = 50;
constexpr double kMb = 64;

struct Work {
  std::string outcome;  ///< "answered", or the error
  double ms = 0;
  double mb = 0;
};

/// The child: asks one question of a folder's files and prints what came of it.
int ask_once(const std::string& folder, const std::string& sql) {
  policy::Reading reading = policy::read_policy(kClinicPolicy, folder);
  DISCREET_CHECK(reading.policy.has_value());
  auto engine = engine::open_engine(*reading.policy, {});
  DISCREET_CHECK(engine.has_value());
  const ledger::Scratch scratch(ledger::Scratch::Place::kMemory);
  auto ledger = ledger::Ledger::create(
      {.path = scratch / "l", .key = scratch / "key", .witness = scratch / "witness"});
  DISCREET_CHECK(ledger.has_value());
  using ledger::fixture::price;
  for (const char* units : {"patients", "people"}) {
    const auto added = (*ledger)->add_namespace({.name = units,
                                                 .cap = price("1e12", "1e-3"),
                                                 .analysts = {{"ann", price("1e12", "1e-3")}}});
    DISCREET_CHECK(added.has_value());
  }
  Session session(*reading.policy, **ledger, **engine);
  double most = 0;
  std::string outcome;
  for (int i = 0; i < 2; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto answered = session.ask(request(sql, "1e-6"));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    most = std::max(most, took.count());
    outcome = answered ? "answered" : answered.error().message;
  }
  std::printf("%.3f %s\n", most, outcome.c_str());
  return 0;
}

Work work_of(const std::string& program, const std::string& folder, const std::string& sql) {
  int ends[2];
  DISCREET_CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    execl(program.c_str(), program.c_str(), "ask", folder.c_str(), sql.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  Work work{"ended with status " + std::to_string(status), 0, 0};
  if (status == 0) {
    const std::size_t space = said.find(' ');
    work = {said.substr(space + 1), std::stod(said.substr(0, space)), 0};
  }
  work.mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return work;
}

/// Bob, with so many visits of ids that meet in a hash table, and two lab values of each.
std::vector<std::string> bob_with_chosen_ids(int visits) {
  std::string ids;
  for (int i = 0; i < visits; ++i) {
    const auto id =
        static_cast<std::int64_t>(engine::duckdb::crowded(static_cast<std::uint64_t>(i)));
    ids += (i == 0 ? "(" : ", (") + std::to_string(i) + ", CAST('" + std::to_string(id) +
           "' AS BIGINT))";
  }
  const std::string chosen = "(VALUES " + ids + ") c(i, id)";
  return {
      "INSERT INTO visits SELECT v.* REPLACE (c.id AS id, 1000 AS patient_id, 'Bob' AS name, "
      "CAST(i % 7 AS INTEGER) * 10 AS age, CAST(i % 50 AS DECIMAL(12, 2)) AS cost) FROM visits "
      "v, " +
          chosen + " WHERE v.id = 0",
      "INSERT INTO patients SELECT 1000, 'x'",
      "INSERT INTO labs SELECT c.id, j FROM range(2) r(j), " + chosen};
}

/// Of the parent: folders with and without a unit, and what was found.
class Trial {
 public:
  explicit Trial(std::string program) : program_(std::move(program)) {}

  void ask(const std::string& sql) { ask(sql, with_); }
  void ask_of_chosen_ids(const std::string& sql) {
    ask(sql, crowd_);
    ask(sql, few_);
  }

  void ask(const std::string& sql, const Clinic& clinic) {
    Work without = work_of(program_, without_.folder(), sql);
    Work with = work_of(program_, clinic.folder(), sql);
    for (int again = 0; again < 4 && more(with, without); ++again) {
      without = least(without, work_of(program_, without_.folder(), sql));
      with = least(with, work_of(program_, clinic.folder(), sql));
    }
    ++asked;
    answered += with.outcome == "answered\n" ? 1 : 0;
    most_ms = std::max(most_ms, with.ms - without.ms);
    most_mb = std::max(most_mb, with.mb - without.mb);
    if (with.ms - without.ms > kMs) times = std::max(times, with.ms / without.ms);
    if (with.mb - without.mb > kMb) times_mb = std::max(times_mb, with.mb / without.mb);
    if (with.outcome == without.outcome && !more(with, without)) return;
    ++violations;
    std::printf("VIOLATION: %s\n  without: %.0f ms, %.0f MB, %s  with: %.0f ms, %.0f MB, %s",
                sql.c_str(), without.ms, without.mb, without.outcome.c_str(), with.ms, with.mb,
                with.outcome.c_str());
  }

  int asked = 0;
  int answered = 0;
  int violations = 0;
  double most_ms = 0;
  double most_mb = 0;
  double times = 0;     ///< the largest ratio where it is more than 50 ms
  double times_mb = 0;  ///< ... than 64 MB

 private:
  static bool more(const Work& with, const Work& without) {
    return (with.ms > kTimes * without.ms && with.ms - without.ms > kMs) ||
           (with.mb > kTimes * without.mb && with.mb - without.mb > kMb);
  }
  static Work least(const Work& a, const Work& b) {
    return {a.outcome, std::min(a.ms, b.ms), std::min(a.mb, b.mb)};
  }

  std::string program_;
  Clinic without_;
  Clinic with_{bob_with(static_cast<int>(policy::kRowsPerUnit))};
  Clinic crowd_{bob_with_chosen_ids(static_cast<int>(policy::kRowsPerUnit))};
  Clinic few_{bob_with_chosen_ids(static_cast<int>(engine::lowering::kFewRows) / 2)};
};

/// Joins along ids that Bob chose; a filter lets his rows pass.
std::vector<std::string> joins_along_ids() {
  const std::string bob = " v.name = 'Bob'";
  std::vector<std::string> all = {
      "SELECT COUNT(*) FROM labs",
      "SELECT SUM(result) FROM labs WHERE result > -50",
      "SELECT COUNT(*) FROM labs l JOIN visits v ON l.visit_id = v.id WHERE" + bob,
      "SELECT COUNT(*), SUM(result) FROM visits v JOIN labs l ON l.visit_id = v.id WHERE" + bob,
      "SELECT MEDIAN(result) FROM labs l JOIN visits v ON l.visit_id = v.id JOIN patients p ON "
      "v.patient_id = p.id WHERE" +
          bob,
      "SELECT COUNT(*) FROM visits v JOIN visits w ON v.id = w.id WHERE" + bob,
      "SELECT COUNT(*) FROM labs a JOIN visits v ON a.visit_id = v.id JOIN labs b ON "
      "b.visit_id = v.id WHERE" +
          bob,
      "SELECT COUNT(*) FROM labs a JOIN labs b ON a.visit_id = b.visit_id JOIN visits v ON "
      "a.visit_id = v.id WHERE" +
          bob,
      "SELECT COUNT(*) FROM visits v LEFT JOIN (SELECT visit_id, result FROM labs) l ON "
      "l.visit_id = v.id WHERE" +
          bob,
  };
  const std::string some = "EXISTS (SELECT 1 FROM labs l WHERE l.visit_id = v.id";
  for (const char* more : {")", " AND l.result > 0)", " AND l.result < v.age)"}) {
    for (const char* no : {"", "NOT "}) {
      all.push_back("SELECT COUNT(*) FROM visits v WHERE" + bob + " AND " + no + some + more);
    }
  }
  return all;
}

/// What the attacks of 2026-11-18 did, and what asks much of one table.
std::vector<std::string> chosen() {
  std::vector<std::string> all;
  std::string pub = "SELECT COUNT(*) FROM visits v";
  for (const char* t : {"a", "b", "c"}) {
    pub += std::string(" JOIN zips ") + t + " ON v.zip = " + t + ".zip";
    all.push_back(pub + " WHERE v.name = 'Bob' AND v.age = 0");
  }
  std::string self = "SELECT COUNT(*) FROM visits t0";
  for (int i = 1; i <= 12; ++i) {
    const std::string t = "t" + std::to_string(i);
    self += " JOIN visits " + t + " ON t0.patient_id = " + t + ".patient_id";
    all.push_back(self + " WHERE t0.name = 'Bob'");
  }
  for (const char* what : {"COUNT(*)", "MEDIAN(cost)", "COUNT(DISTINCT code)", "HISTOGRAM(age)",
                           "BOXPLOT(cost)", "AVG(score), SUM(cost), COUNT(DISTINCT cost)"}) {
    const std::string select = std::string("SELECT ") + what + " FROM visits WHERE name = 'Bob'";
    all.push_back(select);
    all.push_back(select + " AND code LIKE '%1%'");
  }
  std::string many;  // words of a row
  for (int i = 1; i <= 40; ++i) {
    many += (i == 1 ? "COUNT(DISTINCT a.age + " : ", COUNT(DISTINCT a.age + ") + std::to_string(i) +
            ")";
  }
  all.push_back("SELECT " + many + " FROM visits a WHERE a.name = 'Bob'");
  all.push_back("SELECT " + many +
                " FROM visits a JOIN visits b ON a.patient_id = b.patient_id WHERE a.name = 'Bob'");
  const auto any = [](const std::string& one, int count) {
    std::string sql = "SELECT COUNT(*) FROM visits WHERE CASE WHEN name = 'Bob' THEN ";
    for (int i = 0; i < count; ++i) {
      sql += i == 0 ? "" : " OR ";
      for (const char c : one) sql += c == '#' ? std::to_string(i) : std::string(1, c);
    }
    return sql + " ELSE FALSE END";
  };
  all.push_back(any("code || name LIKE '%a#%b'", 60));
  all.push_back(any("code LIKE '%a#%b'", 250));
  all.push_back(any("code ILIKE '%a#%b'", 250));
  all.push_back(any("LOWER(name) = 'x#'", 64));
  all.push_back(any("age * # = -1", 1400));
  std::string parts = "SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits";
  for (int i = 1; i < 8; ++i) parts += " UNION ALL SELECT patient_id, age FROM visits";
  all.push_back(parts + ") t WHERE age > 20");
  all.push_back("SELECT code, COUNT(*) FROM visits GROUP BY code");
  all.push_back(
      "SELECT city, zip, code, COUNT(*), MEDIAN(cost) FROM visits GROUP BY city, zip, code");
  all.push_back(
      "SELECT AVG(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) t");
  return all;
}

int run(const std::string& program, int questions, std::uint64_t seed) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Trial trial(program);
  for (const std::string& sql : joins_along_ids()) trial.ask_of_chosen_ids(sql);
  for (const std::string& sql : chosen()) trial.ask(sql);
  RandomJoins random(seed);
  while (trial.asked < questions) {
    if (trial.asked % 10 == 0) std::fprintf(stderr, "\r%d of %d questions", trial.asked, questions);
    trial.ask(random.next().sql);
  }
  std::printf(
      "\n%d questions, %d answered: with the unit at most %.0f ms and %.0f MB more; at most %.1f "
      "times where it is more than 50 ms, %.1f times where it is more than 64 MB; %d violations\n",
      trial.asked, trial.answered, trial.most_ms, trial.most_mb, trial.times, trial.times_mb,
      trial.violations);
  return trial.violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace discreet::session

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "ask") {
    return discreet::session::ask_once(argv[2], argv[3]);
  }
  const int questions = argc > 1 ? std::atoi(argv[1]) : 400;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return discreet::session::run(program, questions, seed);
}
