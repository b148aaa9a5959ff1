// SPDX-License-Identifier: Apache-2.0
// The attacks of this folder on whole sessions, from SQL to the ledger, on both engines: the same
// attacker that beats a naive server. Noise is the system's, so every verdict on ours is at 1e-9.
#include "session/session.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "audit/attack/scene.h"
#include "audit/attack/subset_counts.h"
#include "engine/open.h"
#include "engine/postgres/postgres_for_tests.h"
#include "ledger/ledger_for_tests.h"
#include "mechanism/laplace.h"

namespace discreet::audit::session_test {
namespace {

using engine::postgres::PrivatePostgres;

constexpr int kPeople = 256;
constexpr int kWords = 52;  // public numbers of 20 random bits: each bit is a subset
constexpr int kBits = 20;
constexpr int kBob = 7;
constexpr int kAtOnce = 64;  // counts in one question; an answer has at most 100 columns

struct Person {
  int seat = 0;
  int bit = 0;
  std::vector<std::uint32_t> words;
};

std::vector<Person> people() {
  std::mt19937 random(20261116);
  std::vector<Person> all;
  for (int seat = 0; seat < kPeople; ++seat) {
    Person one{seat, static_cast<int>(random() % 2), {}};
    for (int w = 0; w < kWords; ++w) one.words.push_back(random() % (1U << kBits));
    all.push_back(std::move(one));
  }
  return all;
}

/// These people in an engine, with a budget.
class Server {
 public:
  Server(const std::string& engine, const std::vector<Person>& all, const char* cap = "1") {
    std::string policy =
        "version: 1\nsnapshot: a\nunits: {people: {budget: {epsilon: 1000}}}\ntables:\n  people:\n"
        "    unit: {namespace: people, column: person}\n    columns:\n"
        "      seat: {type: integer, range: [0, 300]}\n      bit: {type: integer, range: [0, 1]}\n";
    std::string header = "person,seat,bit";
    std::string columns = "person bigint, seat integer, bit integer";
    for (int w = 0; w < kWords; ++w) {
      const std::string name = "r" + std::to_string(w);
      policy += "      " + name + ": {type: integer, range: [0, 1048575]}\n";
      header += "," + name;
      columns += ", " + name + " integer";
    }
    std::string csv = header + "\n";
    std::string values;
    for (const Person& one : all) {
      std::string row = std::to_string(1000 + one.seat) + "," + std::to_string(one.seat) + "," +
                        std::to_string(one.bit);
      for (const std::uint32_t word : one.words) row += "," + std::to_string(word);
      csv += row + "\n";
      values += (values.empty() ? "(" : ", (") + row + ")";
    }
    if (engine == "duckdb") {
      std::ofstream(scratch_ / "people.csv") << csv;
      policy += "    source: people.csv\nengine: duckdb\n";
    } else {
      PrivatePostgres& server = PrivatePostgres::instance();
      const std::string table = server.fresh_schema() + ".people";
      server.must("CREATE TABLE " + table + " (" + columns + ")");
      server.must("INSERT INTO " + table + " VALUES " + values);
      policy += "    source: " + table + "\nengine: \"" + server.url() + "\"\n";
    }
    const policy::Reading reading = policy::read_policy(policy, (scratch_ / "").string());
    DISCREET_CHECK(reading.policy.has_value());
    policy_ = *reading.policy;
    ledger_ = std::move(ledger::Ledger::create({.path = scratch_ / "ledger",
                                                .key = scratch_ / "key",
                                                .witness = scratch_ / "witness"}))
                  .value();
    using ledger::fixture::price;
    DISCREET_CHECK(ledger_
                       ->add_namespace(
                           {.name = "people", .cap = price(cap), .analysts = {{"ann", price(cap)}}})
                       .has_value());
    auto opened = engine::open_engine(policy_, {});
    DISCREET_CHECK(opened.has_value());
    engine_ = *std::move(opened);
    session_ = std::make_unique<session::Session>(policy_, *ledger_, *engine_);
  }

  session::Request request(const std::string& sql, const Rational& epsilon) const {
    session::Request out{.sql = sql, .analyst = "ann"};
    out.options.epsilon = Epsilon::trusted(epsilon);
    return out;
  }
  Result<session::Answered> ask(const std::string& sql, const Rational& epsilon) {
    return session_->ask(request(sql, epsilon));
  }
  /// The numbers of a question without groups.
  std::vector<double> numbers(const std::string& sql, const Rational& epsilon) {
    const auto answered = ask(sql, epsilon);
    EXPECT_TRUE(answered.has_value()) << answered.error().message;
    std::vector<double> out;
    if (!answered) return out;
    for (const auto& cell : answered->sheet.rows.at(0)) out.push_back(std::stod(*cell.value));
    return out;
  }
  session::Session& session() { return *session_; }
  std::string spent() { return ledger::fixture::spent(*ledger_, "ann", "people"); }

 private:
  ledger::Scratch scratch_{ledger::Scratch::Place::kMemory};
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Session> session_;
};

/// A column of COUNTs, each where its condition holds.
std::string counts(const std::vector<std::string>& conditions) {
  std::string sql = "SELECT ";
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    sql += (i == 0 ? "COUNT(CASE WHEN " : ", COUNT(CASE WHEN ") + conditions[i] +
           " THEN 1 END) AS q" + std::to_string(i);
  }
  return sql + " FROM people";
}

mechanism::Laplace laplace(const Rational& epsilon) {
  return *mechanism::Laplace::make(
      {.sensitivity = Sensitivity::trusted(1), .epsilon = Epsilon::trusted(epsilon)});
}

void expect_stands(std::uint64_t right, std::uint64_t trials, const Rational& epsilon) {
  Measured ours = measured("ours", right, trials);
  ours.ours = true;
  ours.limit = guess_limit(epsilon);
  EXPECT_TRUE(ours.ok()) << ours.success << " of " << ours.limit;
}

void expect_falls(std::uint64_t right, std::uint64_t trials, double at_least) {
  Measured naive = measured("naive", right, trials);
  EXPECT_GT(naive.low, at_least) << naive.success;
}

class OnBothEngines : public testing::TestWithParam<std::string> {};

TEST_P(OnBothEngines, ReconstructionFailsWithinABudgetAndWorksWithoutOne) {
  const std::vector<Person> all = people();
  std::vector<Subset> subsets;
  std::vector<std::string> conditions;
  for (int q = 0; q < 4 * kPeople; ++q) {
    const auto word = static_cast<std::size_t>(q / kBits);
    const std::uint32_t low = 1U << (q % kBits);
    conditions.push_back("bit = 1 AND r" + std::to_string(word) + " % " + std::to_string(2 * low) +
                         " >= " + std::to_string(low));
    Subset subset;
    for (const Person& one : all) subset.push_back(one.words[word] % (2 * low) >= low ? 1 : 0);
    subsets.push_back(std::move(subset));
  }
  const auto right = [&](const std::vector<double>& answers) {
    const auto bits = bits_by_linear_program(subsets, answers, 120);
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) out += bits[i] == all[i].bit ? 1 : 0;
    return out;
  };
  const auto asked = [&](Server& server, const Rational& epsilon_each) {
    std::vector<double> answers;
    for (std::size_t first = 0; first < conditions.size(); first += kAtOnce) {
      const auto at = conditions.begin() + static_cast<std::ptrdiff_t>(first);
      for (const double x : server.numbers(counts({at, at + kAtOnce}), epsilon_each)) {
        answers.push_back(x);
      }
    }
    return answers;
  };
  // A naive server: noise of scale 1 on every count, and no budget.
  SeededBits coins(3);
  const mechanism::Laplace noise = laplace(1);
  std::vector<double> naive;
  for (const Subset& subset : subsets) {
    int count = 0;
    for (std::size_t i = 0; i < subset.size(); ++i) count += subset[i] & all[i].bit;
    naive.push_back(static_cast<double>(answer(noise, count, coins)));
  }
  expect_falls(right(naive), kPeople, 0.9);

  Server server(GetParam(), all, "1");
  const std::vector<double> answers = asked(server, Rational::ratio(1, 16));
  ASSERT_EQ(answers.size(), subsets.size());
  expect_stands(right(answers), kPeople, 1);
  EXPECT_EQ(server.spent(), "1 1");
  EXPECT_EQ(server.ask("SELECT COUNT(*) FROM people", Rational::ratio(1, 1000)).error().code,
            Code::kBudget);
  // The attack itself is sound: an owner who gives epsilon 4000 away gives the bits away.
  Server careless(GetParam(), all, "4000");
  expect_falls(right(asked(careless, 250)), kPeople, 0.9);
}

TEST_P(OnBothEngines, AveragingAndDifferencingStayWithinEpsilon) {
  constexpr std::uint64_t kTrials = 30;
  constexpr int kAsked = 64;
  std::vector<Person> all = people();
  all[kBob].bit = 0;
  std::vector<Person> without = all;
  without.erase(without.begin() + kBob);
  std::vector<Person> ill = all;
  ill[kBob].bit = 1;
  Server with_bob(GetParam(), all, "1000");
  Server no_bob(GetParam(), without, "1000");
  Server ill_bob(GetParam(), ill, "1000");
  std::mt19937 random(5);
  SeededBits coins(4);
  const mechanism::Laplace noise = laplace(1);
  std::uint64_t averaged = 0;
  std::uint64_t naive = 0;
  std::uint64_t told_apart = 0;
  std::uint64_t subtracted = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    // The same count in 64 other words, at epsilon 1 together.
    const bool is_there = random() % 2 == 0;
    std::vector<std::string> words;
    double fresh = 0;
    for (int i = 0; i < kAsked; ++i) {
      const std::string n = std::to_string(trial * 100 + static_cast<std::uint64_t>(i));
      words.push_back("seat + " + n + " >= " + n);
      fresh += static_cast<double>(answer(noise, is_there ? kPeople : kPeople - 1, coins));
    }
    double sum = 0;
    for (const double x : (is_there ? with_bob : no_bob).numbers(counts(words), 1)) sum += x;
    averaged += (sum / kAsked > kPeople - 0.5) == is_there ? 1 : 0;
    naive += (fresh / kAsked > kPeople - 0.5) == is_there ? 1 : 0;
    // Everybody, and everybody but Bob.
    const int bit = static_cast<int>(random() % 2);
    const std::string t = std::to_string(trial);
    const auto two = (bit == 1 ? ill_bob : with_bob)
                         .numbers(counts({"bit = 1 AND seat + " + t + " >= 0",
                                          "bit = 1 AND seat <> 7 AND seat + " + t + " >= 0"}),
                                  1);
    told_apart += (two.at(0) - two.at(1) > 0.5 ? 1 : 0) == bit ? 1 : 0;
    const int ones = static_cast<int>(
        std::count_if(without.begin(), without.end(), [](const Person& p) { return p.bit == 1; }));
    subtracted += (ones + bit) - ones == bit ? 1 : 0;  // exact counts
  }
  expect_falls(naive, kTrials, 0.75);
  expect_falls(subtracted, kTrials, 0.75);
  expect_stands(averaged, kTrials, 1);
  expect_stands(told_apart, kTrials, 1);
}

// What is left of the budget, prices and refusals are answers too: they must not know Bob. A naive
// server charges a group only if it has rows, and "how much is left?" tells who is there.
TEST_P(OnBothEngines, TheBudgetIsNoChannel) {
  const std::vector<Person> with_bob = people();
  std::vector<Person> no_bob = with_bob;
  no_bob.erase(no_bob.begin() + kBob);
  const auto naive_left = [](const std::vector<Person>& all) {
    const bool some =
        std::any_of(all.begin(), all.end(), [](const Person& one) { return one.seat == kBob; });
    return some ? "0.9" : "1";
  };
  EXPECT_STRNE(naive_left(with_bob), naive_left(no_bob));

  const auto trace = [&](const std::vector<Person>& all) {
    Server server(GetParam(), all, "1");
    std::vector<std::string> seen;
    for (const char* sql :
         {"SELECT COUNT(*) FROM people WHERE seat = 7",
          "SELECT seat, COUNT(*) FROM people WHERE seat IN (6, 7) GROUP BY seat",
          "SELECT COUNT(*) FROM people WHERE 1 / (seat - 7) > 0",
          "SELECT SUM(bit) FROM people WHERE seat = 7 HAVING COUNT(*) > 5",
          "SELECT AVG(r1) FROM people WHERE seat = 7 AND r0 > 5",
          "SELECT COUNT(*) FROM people p JOIN people q ON p.person = q.person WHERE q.seat = 7",
          "SELECT COUNT(*) FROM people WHERE seat = 7",  // a repeat: free on both
          "SELECT MEDIAN(r2) FROM people WHERE seat = 7", "SELECT nothing FROM people",
          "SELECT COUNT(*) FROM people WHERE bit > 0"}) {
      const auto told = server.session().explain(server.request(sql, Rational::ratio(1, 8)));
      seen.push_back(told ? told->price + " of " + told->left + (told->repeat ? " repeat" : "") +
                                (told->fits ? "" : " no")
                          : told.error().message);
      const auto answered = server.ask(sql, Rational::ratio(1, 8));
      seen.push_back(answered ? answered->sheet.epsilon + (answered->repeated ? " again" : "") +
                                    " columns " + std::to_string(answered->sheet.columns.size())
                              : answered.error().message);
      seen.push_back(server.spent());
    }
    return seen;
  };
  EXPECT_EQ(trace(with_bob), trace(no_bob));
}

INSTANTIATE_TEST_SUITE_P(Session, OnBothEngines, testing::Values("duckdb", "postgres"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace discreet::audit::session_test
