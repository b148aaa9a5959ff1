// SPDX-License-Identifier: Apache-2.0
// A worker of a real cluster is killed while a question runs, again and again. Sums, quantiles and
// whole questions with a ledger take turns: each must fail with the one constant text, or give what
// it gives when nothing happens, to the bit; and a question is charged once, whatever came of it.
// Of several kills at least one must fail and one must not, or nothing was tried.
//
//   ./dev soak trino [KILLS [SEED]]      10 kills
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "accounting/filter.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/key.h"
#include "engine/open.h"
#include "engine/trino/run.h"
#include "engine/trino/sources.h"
#include "ledger/scratch_for_tests.h"
#include "plan/checker.h"
#include "policy/policy.h"
#include "session/session.h"

namespace discreet::engine::trino {
namespace {

std::string folder() {
  const char* const named = std::getenv("DISCREET_TRINO");
  DISCREET_CHECK(named != nullptr);  // ./dev soak trino says where its cluster is
  return named;
}

std::string first_line(const std::string& name) {
  std::ifstream file(folder() + "/" + name);
  std::string out;
  std::getline(file, out);
  return out;
}

bool script(const std::string& action, int worker) {
  const std::string command =
      "tests/trino.sh " + action + " " + folder() + " " + std::to_string(worker) + " > /dev/null";
  return std::system(command.c_str()) == 0;
}

/// Orders, and a hundredth of them for the median, which takes its time over each.
policy::Policy shop() {
  const auto read =
      policy::read_policy("version: 1\nengine: trino://soak@127.0.0.1:" + first_line("port") +
                              "?tls=no&timeout=600\nsnapshot: 2026-11\n"
                              "units:\n  people: {budget: {epsilon: 10}}\n"
                              "tables:\n"
                              "  orders:\n    source: tpch.sf1.orders\n"
                              "    unit: {namespace: people, column: custkey}\n"
                              "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 3}\n"
                              "    columns:\n      orderstatus: {type: text}\n"
                              "      totalprice: {type: decimal, range: [0, 600000], step: 1}\n"
                              "  few:\n    source: tpch.tiny.orders\n"
                              "    unit: {namespace: people, column: custkey}\n"
                              "    columns:\n      orderstatus: {type: text}\n"
                              "      totalprice: {type: decimal, range: [0, 600000], step: 1000}\n",
                          ".");
  for (const policy::Mistake& one : read.mistakes) std::printf("%s\n", one.message.c_str());
  return read.policy.value();
}

/// Prices by status, of each customer at most 3 orders in each of 2 groups; and their median, for
/// which rows are chosen.
plan::Plan question(bool median) {
  plan::Plan plan;
  plan.source.tables = {{median ? "few" : "orders", "", {}}};
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  plan.bounds = {2, 3, true};
  plan.keys = {{plan::Expr::column(0, "orderstatus"), "status"}};
  plan::Measurement sum;
  sum.kind = plan::MeasureKind::kSum;
  sum.argument = plan::Expr::column(0, "totalprice");
  plan.measurements = {sum};
  if (median) {
    plan::Measurement quantile = sum;
    quantile.kind = plan::MeasureKind::kQuantile;
    quantile.fractions = {Rational::ratio(1, 2)};
    plan.measurements.push_back(quantile);
  }
  return plan;
}

using Answer = std::map<std::string, std::string>;

Answer answer_of(const mechanism::Groups& groups) {
  Answer out;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    out[groups.keys[g]] =
        std::to_string(groups.units[g]) + " " + discreet::to_string(groups.integers[0][g]);
    if (groups.runs.size() < 2) continue;
    for (const auto& [value, count] : groups.runs[1][g]) {
      out[groups.keys[g]] += " " + std::to_string(value) + "x" + std::to_string(count);
    }
  }
  return out;
}

/// A question, what it gives when nothing happens, and how long that takes.
struct Asked {
  Statement statement;
  std::size_t measures;
  Answer truth = {};
  std::chrono::milliseconds usual{0};
};

Asked undisturbed(Client& client, const plan::Checked& checked, const lowering::Schemas& schemas,
                  const OwnerLog& log) {
  Asked asked{lower_statement(checked, schemas, Secret{{1, 2}}), checked.steps().size()};
  const auto start = std::chrono::steady_clock::now();
  const auto groups = run_statement(client, asked.statement, asked.measures, log);
  DISCREET_CHECK(groups.has_value());
  asked.usual = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  asked.truth = answer_of(*groups);
  std::printf("%zu groups in %lld ms\n", asked.truth.size(),
              static_cast<long long>(asked.usual.count()));
  return asked;
}

/// A worker that was killed counts as active for a while: whole again is what answers again.
bool is_whole_again(Client& client, const Asked& asked, const OwnerLog& log) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < until) {
    const auto groups = run_statement(client, asked.statement, asked.measures, log);
    if (groups) return answer_of(*groups) == asked.truth;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return false;
}

/// Questions as an analyst asks them.
class Charged {
 public:
  explicit Charged(const policy::Policy& policy)
      : policy_(policy),
        engine_(open_engine(policy, {}).value()),
        ledger_(ledger::Ledger::create({.path = scratch_ / "ledger",
                                        .key = scratch_ / "key",
                                        .witness = scratch_ / "witness"})
                    .value()),
        session_(policy_, *ledger_, *engine_) {
    ledger::NamespaceTerms terms{.name = "people", .cap = price(100'000)};
    terms.analysts.push_back({"ann", price(100'000)});
    ledger_->add_namespace(terms).value();
  }

  /// A question that was not asked before, with the same answer.
  Result<std::int64_t> ask() {
    session::Request request;
    request.sql = "SELECT COUNT(*) FROM orders WHERE totalprice >= -" + std::to_string(++asked_);
    request.analyst = "ann";
    request.options.epsilon = Epsilon::trusted(Rational(Integer(kEpsilon)));
    DISCREET_ASSIGN(const session::Answered answered, session_.ask(request));
    return std::stoll(answered.sheet.rows.at(0).at(0).value.value());
  }

  /// Every question, failed or not, and nothing else.
  bool is_charged_once_each() {
    const ledger::State state = ledger_->state().value();
    const ledger::NamespaceState& space = *state.find("people").value();
    return space.charges == asked_ && space.total.spent() == price(kEpsilon * asked_);
  }

 private:
  static constexpr std::uint64_t kEpsilon = 5;
  static ledger::Price price(std::uint64_t amount) {
    return accounting::Filter::price(Rational(Integer(amount))).value();
  }

  ledger::Scratch scratch_{ledger::Scratch::Place::kDisk};
  const policy::Policy& policy_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ledger::Ledger> ledger_;
  session::Session session_;
  std::uint64_t asked_ = 0;
};

int run(std::uint64_t kills, std::uint64_t seed) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  const policy::Policy policy = shop();
  const OwnerLog log{
      .say = [](const std::string& words) { std::printf("  %.160s\n", words.c_str()); },
      .progress = {}};
  auto client = std::move(Client::open(policy.engine, log).value());
  const auto schemas = open_sources(*client, policy, log);
  DISCREET_CHECK(schemas.has_value());
  std::vector<Asked> questions;
  for (const bool median : {false, true}) {
    const auto checked = plan::Checker::check(question(median), policy, "q");
    DISCREET_CHECK(checked.has_value());
    questions.push_back(undisturbed(*client, *checked, *schemas, log));
  }
  Charged charged(policy);
  const auto began = std::chrono::steady_clock::now();
  const std::int64_t truth = charged.ask().value();
  const auto usual_count = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  std::printf("a count of %lld in %lld ms\n", static_cast<long long>(truth),
              static_cast<long long>(usual_count.count()));
  std::uint64_t wrong = 0;
  std::uint64_t failed = 0;
  std::uint64_t correct = 0;
  for (std::uint64_t i = 0; i < kills; ++i) {
    const bool with_ledger = i % 3 == 2;
    const Asked& asked = questions[i % 3 % 2];
    const auto usual = with_ledger ? usual_count : asked.usual;
    seed = seed * 6364136223846793005 + 1442695040888963407;
    const int worker = 1 + static_cast<int>(seed >> 40 & 1);
    const auto wait = std::chrono::milliseconds(
        static_cast<std::int64_t>((seed >> 33) % static_cast<std::uint64_t>(usual.count() + 1)));
    std::thread killer([&] {
      std::this_thread::sleep_for(wait);
      (void)script("kill", worker);
    });
    bool is_right = false;
    std::optional<Error> error;
    if (with_ledger) {
      const auto count = charged.ask();
      if (!count) error = count.error();
      // A customer adds 3 at most, so two answers differ by 100 one time in e^80; half of the rows
      // are a hundred thousand.
      is_right = count && std::abs(*count - truth) < 100;
    } else {
      const auto groups = run_statement(*client, asked.statement, asked.measures, log);
      if (!groups) error = groups.error();
      is_right = groups && answer_of(*groups) == asked.truth;
    }
    killer.join();
    if (!charged.is_charged_once_each()) {
      ++wrong;
      std::printf("VIOLATION: not charged once for each question\n");
    }
    if (error) {
      ++failed;
      if (error->message.find(engine_failed().message) != 0) {
        ++wrong;
        std::printf("VIOLATION: another text: %s\n", error->message.c_str());
      }
    } else if (is_right) {
      ++correct;
    } else {
      ++wrong;
      std::printf("VIOLATION: a wrong answer\n");
    }
    DISCREET_CHECK(script("again", worker));
    if (!is_whole_again(*client, asked, log)) {
      ++wrong;
      std::printf("VIOLATION: no right answer after all nodes were back\n");
    }
    std::printf("%llu kills, %llu failed questions, %llu correct, %llu violations\n",
                static_cast<unsigned long long>(i + 1), static_cast<unsigned long long>(failed),
                static_cast<unsigned long long>(correct), static_cast<unsigned long long>(wrong));
  }
  const bool tried = kills < 5 || (failed > 0 && correct > 0);
  if (!tried) std::printf("no question failed, or none was answered: nothing was tried\n");
  return wrong == 0 && tried ? 0 : 1;
}

}  // namespace
}  // namespace discreet::engine::trino

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto number = [&](int place, std::uint64_t otherwise) {
    return count > place ? std::strtoull(words[place], nullptr, 10) : otherwise;
  };
  const auto now = static_cast<std::uint64_t>(discreet::system_time_ms());
  return discreet::engine::trino::run(number(1, 10), number(2, now % 1000000));
}
