// SPDX-License-Identifier: Apache-2.0
// A worker of a real cluster is killed while a question runs, again and again: each question must
// fail with the one constant text, or give the bits that it gives when nothing happens.
//
//   ./dev soak trino [KILLS [SEED]]      10 kills
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "engine/key.h"
#include "engine/trino/run.h"
#include "engine/trino/sources.h"
#include "plan/checker.h"

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

policy::Policy shop() {
  policy::Policy policy;
  policy.engine = "trino://soak@127.0.0.1:" + first_line("port") + "?tls=no&timeout=600";
  policy.units["people"].name = "people";
  policy::Table orders;
  orders.name = "orders";
  orders.source = "tpch.sf1.orders";
  orders.unit = policy::UnitPath{"people", {}, "custkey", false};
  orders.columns.resize(2);
  orders.columns[0].name = "orderstatus";
  orders.columns[1].name = "totalprice";
  orders.columns[1].type = policy::Type::kDecimal;
  orders.columns[1].grid = policy::Grid{0, 600'000, 1};
  policy.tables["orders"] = orders;
  return policy;
}

/// Prices by status, of each customer at most 3 orders in each of 2 groups.
plan::Plan question() {
  plan::Plan plan;
  plan.source.tables = {{"orders", "", {}}};
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  plan.bounds = {2, 3, true};
  plan.keys = {{plan::Expr::column(0, "orderstatus"), "status"}};
  plan::Measurement sum;
  sum.kind = plan::MeasureKind::kSum;
  sum.argument = plan::Expr::column(0, "totalprice");
  plan.measurements = {sum};
  return plan;
}

using Answer = std::map<std::string, std::string>;

Answer answer_of(const mechanism::Groups& groups) {
  Answer out;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    out[groups.keys[g]] =
        std::to_string(groups.units[g]) + " " + discreet::to_string(groups.integers[0][g]);
  }
  return out;
}

int run(std::uint64_t kills, std::uint64_t seed) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  const policy::Policy policy = shop();
  const OwnerLog log{
      .say = [](const std::string& words) { std::printf("  %.160s\n", words.c_str()); },
      .progress = {}};
  auto client = std::move(Client::open(policy.engine, log).value());
  const auto schemas = open_sources(*client, policy, log);
  DISCREET_CHECK(schemas.has_value());
  const auto checked = plan::Checker::check(question(), policy, "q");
  DISCREET_CHECK(checked.has_value());
  const Statement statement = lower_statement(*checked, *schemas, Secret{{1, 2}});
  const auto start = std::chrono::steady_clock::now();
  const auto undisturbed = run_statement(*client, statement, 1, log);
  DISCREET_CHECK(undisturbed.has_value());
  const auto usual = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  const Answer truth = answer_of(*undisturbed);
  std::printf("%zu groups in %lld ms\n", truth.size(), static_cast<long long>(usual.count()));
  std::uint64_t wrong = 0;
  std::uint64_t failed = 0;
  for (std::uint64_t i = 0; i < kills; ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    const int worker = 1 + static_cast<int>(seed >> 40 & 1);
    const auto wait = std::chrono::milliseconds(
        static_cast<std::int64_t>((seed >> 33) % static_cast<std::uint64_t>(usual.count() + 1)));
    std::thread killer([&] {
      std::this_thread::sleep_for(wait);
      (void)script("kill", worker);
    });
    const auto groups = run_statement(*client, statement, 1, log);
    killer.join();
    if (!groups) {
      ++failed;
      if (groups.error().message != engine_failed().message) {
        ++wrong;
        std::printf("VIOLATION: another text: %s\n", groups.error().message.c_str());
      }
    } else if (answer_of(*groups) != truth) {
      ++wrong;
      std::printf("VIOLATION: a wrong answer\n");
    }
    DISCREET_CHECK(script("again", worker));
    std::printf("%llu kills, %llu failed questions, %llu violations\n",
                static_cast<unsigned long long>(i + 1), static_cast<unsigned long long>(failed),
                static_cast<unsigned long long>(wrong));
  }
  return wrong == 0 ? 0 : 1;
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
