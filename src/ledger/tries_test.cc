// SPDX-License-Identifier: Apache-2.0
// Charges without an answer are taken over by the same question (L11): one price, at most three
// tries, one answer.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "ledger/ledger_for_tests.h"
#include "ledger/retry_kill_for_tests.h"

namespace discreet::ledger::tries_test {
namespace {

using fixture::Ask;
using fixture::Home;
using fixture::spent;

Result<Outcome> retry(Ledger& ledger, const Ask& what = {}) {
  Question question = what.question();
  question.takes_over = true;
  return ledger.charge(what.charge(), question);
}

/// "try 2 of record 5", "answer BYTES", or the error.
std::string text_of(const Result<Outcome>& outcome) {
  if (!outcome) return outcome.error().message;
  if (const Answer* const answer = std::get_if<Answer>(&*outcome)) {
    return "answer " + answer->bytes();
  }
  const Paid& paid = std::get<Paid>(*outcome);
  EXPECT_EQ(paid.receipts.size(), paid.is_share() ? 0U : 1U);
  return "try " + std::to_string(paid.number_of_try()) + " of record " +
         std::to_string(paid.charge());
}

bool is_used_up(const Result<Outcome>& outcome) {
  return !outcome && outcome.error().code == Code::kConflict &&
         outcome.error().message.find("tries are used up") != std::string::npos;
}

std::string store(Ledger& ledger, Result<Outcome> outcome, const std::string& bytes) {
  auto& paid = std::get<Paid>(*outcome);
  auto drawing = ledger.begin_drawing(paid);
  EXPECT_TRUE(drawing) << drawing.error().message;
  const auto answer = drawing->store(std::move(paid), bytes);
  return answer ? answer->bytes() : answer.error().message;
}

Quote quote_of(Ledger& ledger, const Ask& what = {}) {
  Question question = what.question();
  question.takes_over = true;
  return ledger.quote(what.charge(), question).value();
}

// Whoever asked under such an id would use up a try, the end or a part of a charge.
TEST(Tries, IdsOfTheLedgersOwnAreNobodyElses) {
  Home home;
  auto ledger = home.create();
  for (const char* id : {"try 1 of 2", "try 12 of 309", "end of 1", "part 1 of 2", "answer of 3"}) {
    const auto refused = retry(*ledger, {.id = id});
    ASSERT_FALSE(refused) << id;
    EXPECT_EQ(refused.error().code, Code::kInvalidInput) << id;
  }
  EXPECT_EQ(spent(*ledger), "0 0");
  for (const char* id : {"try of 2", "try 1 of", "end of", "one try 1 of 2"}) {
    EXPECT_TRUE(retry(*ledger, {.id = id, .key = id})) << id;
  }
}

TEST(Tries, TenRetriesOfOneIdCostOnePrice) {
  Home home;
  auto ledger = home.create();
  const std::string charge = std::to_string(ledger->state()->next());
  EXPECT_EQ(text_of(retry(*ledger)), "try 1 of record " + charge);
  EXPECT_EQ(text_of(retry(*ledger)), "try 2 of record " + charge);
  ledger = nullptr;
  ledger = home.open();  // they are counted in the history
  EXPECT_TRUE(quote_of(*ledger).retry);
  EXPECT_EQ(quote_of(*ledger).pays, Price());
  EXPECT_EQ(text_of(retry(*ledger)), "try 3 of record " + charge);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(is_used_up(retry(*ledger))) << text_of(retry(*ledger));
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
  // Another id is another wish to pay.
  EXPECT_FALSE(quote_of(*ledger, {.id = "another"}).retry);
  EXPECT_TRUE(text_of(retry(*ledger, {.id = "another"})).starts_with("try 1 "));
  EXPECT_EQ(spent(*ledger), "1 1");
  EXPECT_EQ(store(*ledger, retry(*ledger, {.id = "third"}), "42"), "42");
  EXPECT_EQ(text_of(retry(*ledger)), "answer 42");  // what was asked for first is there now
  EXPECT_EQ(spent(*ledger), "1 1");
  EXPECT_TRUE(ledger->verify());
}

TEST(Tries, WithoutTakingOverEachRetryIsCharged) {
  Home home;
  const auto ledger = home.create();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(fixture::ask(*ledger, {}));
  EXPECT_EQ(spent(*ledger), "1.5 1.5");
}

TEST(Tries, OnlyTheSameQuestionOfTheSameAnalystTakesOver) {
  Home home;
  const auto ledger = home.create();
  ASSERT_TRUE(retry(*ledger));
  const Ask others[] = {{.analyst = "press", .id = "a"},
                        {.id = "b", .key = "SELECT sum(cost)"},
                        {.id = "c", .snapshot = "2026-12"},
                        {.id = "d", .lines = {fixture::line("0.25")}}};
  for (const Ask& other : others) {
    EXPECT_FALSE(quote_of(*ledger, other).retry) << other.id;
    EXPECT_TRUE(text_of(retry(*ledger, other)).starts_with("try 1 ")) << other.id;
  }
  EXPECT_TRUE(text_of(retry(*ledger, {.id = "e"})).starts_with("try 2 "));
  // What an earlier version of the program charged is the same question under its older key.
  EXPECT_TRUE(
      text_of(retry(*ledger, {.id = "f", .key = "another text", .older_keys = {"SELECT count(*)"}}))
          .starts_with("try 3 "));
}

TEST(Tries, NothingIsLeftToPayWithAndARetryIsStillFree) {
  Home home;
  const auto ledger = home.create();
  ASSERT_TRUE(retry(*ledger, {.lines = {fixture::line("2")}}));
  EXPECT_EQ(retry(*ledger, {.id = "more", .key = "more"}).error().code, Code::kBudget);
  EXPECT_TRUE(quote_of(*ledger, {.lines = {fixture::line("2")}}).fits);
  EXPECT_EQ(store(*ledger, retry(*ledger, {.lines = {fixture::line("2")}}), "42"), "42");
}

TEST(Tries, AFailureAfterADrawEndsTheCharge) {
  Home home;
  const auto ledger = home.create();
  {
    auto outcome = retry(*ledger);
    const auto drawing = ledger->begin_drawing(std::get<Paid>(*outcome));
    ASSERT_TRUE(drawing);
  }
  EXPECT_TRUE(is_used_up(retry(*ledger)));
  EXPECT_TRUE(text_of(retry(*ledger, {.id = "another"})).starts_with("try 1 "));
  EXPECT_EQ(spent(*ledger), "1 1");
}

TEST(Tries, ATimeLimitEndsTheCharge) {
  Home home;
  const auto ledger = home.create();
  {
    const auto outcome = retry(*ledger);
    ASSERT_TRUE(ledger->end_charge(std::get<Paid>(*outcome)));
    ASSERT_TRUE(ledger->end_charge(std::get<Paid>(*outcome)));  // once is enough
  }
  EXPECT_FALSE(quote_of(*ledger, {.id = "another"}).retry);
  EXPECT_TRUE(is_used_up(retry(*ledger)));
  EXPECT_TRUE(text_of(retry(*ledger, {.id = "another"})).starts_with("try 1 "));
}

// The words do not say what failed; the numbers are the history's.
TEST(Tries, AllFailuresSayTheSame) {
  Home home;
  const auto ledger = home.create();
  const Error error{Code::kEngine, "it failed"};
  std::string first;
  {
    const auto outcome = retry(*ledger);
    first = std::get<Paid>(*outcome).failed(error).message;
    ASSERT_TRUE(ledger->end_charge(std::get<Paid>(*outcome)));
    EXPECT_EQ(std::get<Paid>(*outcome).failed(error).message, first);
  }
  EXPECT_NE(first.find("at most 2 times"), std::string::npos) << first;
}

// What others have shows in nothing but the bytes (L12).
TEST(Tries, WhoWasNotAnsweredTriesAgainAndHasTheBytesOfOthers) {
  Home home;
  const auto ledger = home.create();
  ASSERT_TRUE(retry(*ledger));
  EXPECT_EQ(store(*ledger, retry(*ledger, {.analyst = "press", .id = "p"}), "42"), "42");
  EXPECT_EQ(spent(*ledger), "1 0.5");
  EXPECT_FALSE(quote_of(*ledger).repeat);
  EXPECT_TRUE(quote_of(*ledger).retry);
  EXPECT_EQ(quote_of(*ledger).pays, Price());
  EXPECT_EQ(store(*ledger, retry(*ledger), "43"), "42");
  EXPECT_EQ(text_of(retry(*ledger, {.id = "again"})), "answer 42");
  EXPECT_EQ(spent(*ledger), "1 0.5");
  EXPECT_EQ(ledger->verify()->answers, 2U);
}

TEST(Tries, AnAnswerUnderAnOlderKeyIsNotMixedWithOnesUnderANewer) {
  Home home;
  const auto ledger = home.create();
  const Ask older{.id = "older", .key = "first text"};
  const Ask newer{.id = "newer", .key = "second text", .older_keys = {"first text"}};
  ASSERT_TRUE(retry(*ledger, older));  // not answered
  EXPECT_EQ(
      store(*ledger, retry(*ledger, {.analyst = "press", .id = "p", .key = "second text"}), "42"),
      "42");
  EXPECT_EQ(store(*ledger, retry(*ledger, newer), "43"), "43");  // what was charged then
  EXPECT_EQ(spent(*ledger), "1 0.5");
  EXPECT_EQ(text_of(retry(*ledger, older)), "answer 43");
  EXPECT_EQ(text_of(retry(*ledger, newer)), "answer 43");
}

// A share is asked for as a charge is: tries, an end, an answer of its own (L12).
TEST(Tries, AShareIsTriedAsAChargeIs) {
  Home home;
  auto ledger = home.create();
  EXPECT_EQ(store(*ledger, retry(*ledger), "42"), "42");
  const Ask theirs{.analyst = "press", .id = "p"};
  EXPECT_FALSE(quote_of(*ledger, theirs).repeat);
  EXPECT_FALSE(quote_of(*ledger, theirs).retry);
  {
    const auto first = retry(*ledger, theirs);
    EXPECT_TRUE(text_of(first).starts_with("try 1 "));
    EXPECT_TRUE(std::get<Paid>(*first).is_share());
  }
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");
  EXPECT_TRUE(quote_of(*ledger, theirs).retry);
  EXPECT_TRUE(text_of(retry(*ledger, theirs)).starts_with("try 2 "));
  ledger = nullptr;
  ledger = home.open();
  EXPECT_TRUE(text_of(retry(*ledger, {.analyst = "press", .id = "q"})).starts_with("try 3 "));
  EXPECT_TRUE(is_used_up(retry(*ledger, theirs)));
  {
    auto again = retry(*ledger, {.analyst = "press", .id = "r"});  // paid again, as by others
    EXPECT_TRUE(text_of(again).starts_with("try 1 "));
    EXPECT_EQ(spent(*ledger, "press"), "0.5 1");
    EXPECT_EQ(ledger->store(std::get<Paid>(std::move(*again)), "")->bytes(), "42");
  }
  EXPECT_EQ(text_of(retry(*ledger, theirs)), "answer 42");
  EXPECT_TRUE(quote_of(*ledger, theirs).repeat);
  ledger = nullptr;
  ledger = home.open();
  EXPECT_EQ(text_of(retry(*ledger, {.analyst = "press", .id = "s"})), "answer 42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 1");
  EXPECT_TRUE(ledger->verify());
}

TEST(Tries, ATimeLimitEndsAShareToo) {
  Home home;
  const auto ledger = home.create();
  EXPECT_EQ(store(*ledger, retry(*ledger), "42"), "42");
  const Ask theirs{.analyst = "press", .id = "p"};
  {
    const auto outcome = retry(*ledger, theirs);
    ASSERT_TRUE(ledger->end_charge(std::get<Paid>(*outcome)));
  }
  EXPECT_TRUE(is_used_up(retry(*ledger, theirs)));
  EXPECT_TRUE(text_of(retry(*ledger, {.analyst = "press", .id = "q"})).starts_with("try 1 "));
  EXPECT_EQ(spent(*ledger, "press"), "0.5 1");
}

// As programs up to 0.9 wrote them.
TEST(Tries, AShareThatWasGivenAtOnceIsFree) {
  Home home;
  const auto ledger = home.create();
  EXPECT_EQ(store(*ledger, retry(*ledger), "42"), "42");
  const Ask theirs{.analyst = "press", .id = "p"};
  ASSERT_TRUE(fixture::ask(*ledger, theirs));  // which does not take over
  EXPECT_TRUE(quote_of(*ledger, theirs).repeat);
  EXPECT_EQ(text_of(retry(*ledger, {.analyst = "press", .id = "q"})), "answer 42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");
}

// Where caps are shared the namespace closes once, for all, and says no number (L12).
TEST(Closing, IsOneEventForAllWhatOthersBoughtIncluded) {
  Home home;
  const auto ledger =
      home.create({.name = "patients",
                   .cap = fixture::price("2"),
                   .analysts = {{"ann", fixture::price("2")}, {"press", fixture::price("2")}}});
  ledger->close_early({.declared = {{"patients", fixture::price("0.5")}}});
  const auto of_press = [](std::string id, std::string key = "k") {
    return Ask{.analyst = "press", .id = std::move(id), .key = std::move(key)};
  };
  EXPECT_EQ(store(*ledger, retry(*ledger, of_press("0", "mine")), "1"), "1");
  for (const char* key : {"a", "b"}) {
    EXPECT_TRUE(quote_of(*ledger, of_press("x")).fits) << key;
    EXPECT_EQ(store(*ledger, retry(*ledger, {.id = key, .key = key}), "42"), "42");
  }
  EXPECT_EQ(spent(*ledger), "1.5 1");
  EXPECT_TRUE(quote_of(*ledger, of_press("x")).fits);
  EXPECT_EQ(store(*ledger, retry(*ledger, {.id = "c", .lines = {fixture::line("0.1")}}), "42"),
            "42");
  // Now 0.4 is left, and a question that costs 0.1 is refused like any other.
  const std::string closed = text_of(retry(*ledger, of_press("y")));
  EXPECT_NE(closed.find("used up"), std::string::npos) << closed;
  EXPECT_EQ(closed.find_first_of("0123456789"), std::string::npos) << closed;
  for (const Ask& other :
       {of_press("z", "a"), Ask{.id = "d", .key = "d"},
        Ask{.analyst = "press", .id = "e", .key = "e", .lines = {fixture::line("0.1")}}}) {
    EXPECT_EQ(text_of(retry(*ledger, other)), closed);
    EXPECT_FALSE(quote_of(*ledger, other).fits);
    EXPECT_FALSE(quote_of(*ledger, other).is_open);
  }
  EXPECT_EQ(text_of(retry(*ledger, of_press("f", "mine"))), "answer 1");  // what is bought is free
  EXPECT_TRUE(quote_of(*ledger, of_press("f", "mine")).fits);
}

TEST(Closing, RefusesWhatIsLargerThanTheLargestQuestion) {
  Home home;
  const auto ledger = home.create({.name = "patients",
                                   .cap = fixture::price("10", "1e-6"),
                                   .analysts = {{"ann", fixture::price("2")}}});
  ledger->close_early({.declared = {{"patients", fixture::price("0.25", "1e-7")}}});
  EXPECT_TRUE(retry(*ledger));
  ASSERT_TRUE(ledger->add_analyst("patients", {"bob", fixture::price("10", "1e-6")}));  // shared
  const auto refused = retry(*ledger, {.id = "2", .key = "k"});
  EXPECT_EQ(refused.error().code, Code::kRefused) << refused.error().message;
  EXPECT_TRUE(retry(*ledger, {.id = "3", .key = "k", .lines = {fixture::line("0.25")}}));
  // A quarter where nothing is declared.
  ledger->close_early({});
  EXPECT_EQ(
      retry(*ledger, {.analyst = "bob", .id = "4", .lines = {fixture::line("2.51")}}).error().code,
      Code::kRefused);
  EXPECT_TRUE(retry(*ledger, {.analyst = "bob", .id = "4", .lines = {fixture::line("2.5")}}));
}

// Reserved caps: what one analyst is told of their own budget comes before what all have left.
TEST(Closing, WithReservedCapsNobodyIsToldTheTotal) {
  Home home;
  const auto ledger =
      home.create({.name = "patients",
                   .cap = fixture::price("1"),
                   .analysts = {{"ann", fixture::price("0.5")}, {"press", fixture::price("0.5")}}});
  ledger->close_early({});
  const Ask large{.analyst = "press", .id = "p", .key = "p", .lines = {fixture::line("0.6")}};
  const std::string before = text_of(retry(*ledger, large));
  EXPECT_NE(before.find("analyst 'press'"), std::string::npos) << before;
  EXPECT_TRUE(retry(*ledger));
  EXPECT_EQ(text_of(retry(*ledger, large)), before);
  EXPECT_TRUE(retry(*ledger, {.analyst = "press", .id = "q", .key = "p"}));
}

TEST(Tries, OfEightAtOnceOneIsChargedAndAllAreAnswered) {
  for (const bool first_fails : {false, true}) {
    Home home;
    const auto ledger = home.create();
    std::atomic<int> draws = 0;
    std::atomic<bool> fails = first_fails;
    std::mutex mutex;
    std::multiset<std::string> seen;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        auto outcome = retry(*ledger, {.id = i % 2 == 0 ? "one id" : "id " + std::to_string(i)});
        ASSERT_TRUE(outcome) << outcome.error().message;
        std::string bytes;
        if (Paid* const paid = std::get_if<Paid>(&*outcome)) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          if (fails.exchange(false)) return;
          ++draws;
          bytes = ledger->begin_drawing(*paid)->store(std::move(*paid), std::to_string(i))->bytes();
        } else {
          bytes = std::get<Answer>(*outcome).bytes();
        }
        const std::lock_guard lock(mutex);
        seen.insert(bytes);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(draws, 1);
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.count(*seen.begin()), first_fails ? 7U : 8U);
    EXPECT_EQ(spent(*ledger), "0.5 0.5");
  }
}

// Two processes at one charge where neither can tell whether the other one lives (try_lock.h).
TEST(Tries, OfTwoProcessesTheFirstToStoreAnswersBoth) {
  Home home;
  home.create().reset();
  if (!is_postgres(home.path)) std::filesystem::create_directory(home.path.string() + ".tries");
  int go[2];
  int out[2];
  ASSERT_EQ(pipe(go), 0);
  ASSERT_EQ(pipe(out), 0);
  const pid_t process = fork();
  ASSERT_GE(process, 0);
  if (process == 0) {
    auto ledger = home.try_open();
    auto outcome = ledger ? retry(**ledger) : Result<Outcome>(ledger.error());
    char byte = outcome ? 'y' : 'n';
    if (write(out[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) _exit(1);
    const auto answer = (*ledger)->store(std::get<Paid>(*std::move(outcome)), "child");
    byte = answer && answer->bytes() == "parent" ? 'y' : 'n';
    _exit(write(out[1], &byte, 1) == 1 ? 0 : 1);
  }
  char byte = 'n';
  ASSERT_EQ(read(out[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  const auto ledger = home.open();
  auto outcome = retry(*ledger);
  EXPECT_TRUE(text_of(outcome).starts_with("try 2 ")) << text_of(outcome);
  EXPECT_EQ(store(*ledger, std::move(outcome), "parent"), "parent");
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  ASSERT_EQ(read(out[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  int status = 0;
  waitpid(process, &status, 0);
  for (const int end : {go[0], go[1], out[0], out[1]}) close(end);
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
  EXPECT_EQ(ledger->verify()->answers, 1U);
}

// The answer may be among the records that were lost.
TEST(Tries, NothingFromBeforeARecoveryIsTakenOver) {
  Home home;
  {
    const auto ledger = home.create();
    ASSERT_TRUE(retry(*ledger));
  }
  {
    const auto ledger = home.open(Access::kRepair);
    const auto done = ledger->recover("a disk was lost");
    ASSERT_TRUE(done) << done.error().message;
  }
  const auto ledger = home.open();
  EXPECT_TRUE(is_used_up(retry(*ledger)));
  EXPECT_EQ(retry(*ledger, {.id = "another"}).error().code, Code::kBudget);
}

TEST(Tries, NothingFromBeforeANewWitnessIsTakenOver) {
  Home home;
  Head receipt;
  {
    const auto ledger = home.create();
    ASSERT_TRUE(retry(*ledger));
    receipt = ledger->signed_head().value();
  }
  std::filesystem::remove(home.witness);
  {
    const auto ledger = home.open(Access::kRepair);
    const auto done = ledger->replace_witness("it was lost", receipt);
    ASSERT_TRUE(done) << done.error().message;
  }
  const auto ledger = home.open();
  EXPECT_TRUE(is_used_up(retry(*ledger)));
}

TEST(Tries, ARunInPartsIsNotBegunAgain) {
  Home home;
  const auto ledger = home.create();
  const Ask run;
  const Sequence charge = std::get<Paid>(*retry(*ledger, run)).charge();
  EXPECT_TRUE(text_of(retry(*ledger, run)).starts_with("try 2 "));  // no part was taken yet
  ASSERT_TRUE(ledger->take_part(run.charge(), run.question(), charge, 1));
  EXPECT_TRUE(is_used_up(retry(*ledger, run)));
}

TEST(Tries, OnBentCoinsThereIsOneTry) {
  Home home;
  NamespaceTerms terms = fixture::patients();
  terms.gamma = Rational::ratio(1, 20);
  const auto ledger = home.create(terms);
  const Ask what{.lines = {{{"sv-laplace(sensitivity=1,gamma=0.05,epsilon=0.5,fair-epsilon=0.4,"
                             "period=7,halvings=2,bits=12,cell=5)[0,9]"},
                            pure_cost(*Epsilon::parse("0.5"))}}};
  {
    const auto first = retry(*ledger, what);
    ASSERT_TRUE(first) << first.error().message;
  }
  EXPECT_NE(text_of(retry(*ledger, what)).find("one answer"), std::string::npos);
}

TEST(Tries, ADiskThatIsAlmostFullIsFoundBeforeTheChargeInTheFile) {
  Home home;
  home.create().reset();
  World world = home.world();
  std::uint64_t free = kLeastRoom - 1;
  world.room = [&](const std::filesystem::path&) { return Result<std::uint64_t>(free); };
  const auto ledger =
      Ledger::open({.path = home.path, .key = home.key, .witness = home.witness, .world = world});
  ASSERT_TRUE(ledger);
  EXPECT_EQ(retry(**ledger).error().code, Code::kStorage);
  EXPECT_EQ(spent(**ledger), "0 0");
  free = kLeastRoom;
  auto outcome = retry(**ledger);
  ASSERT_TRUE(outcome);
  // For a long answer room is looked for; what it fails on may be the noise, so that is the end.
  free = 0;
  {
    Paid& paid = std::get<Paid>(*outcome);
    auto drawing = (*ledger)->begin_drawing(paid);
    EXPECT_FALSE(drawing->store(std::move(paid), std::string(Drawing::kRoom, 'x')));
  }
  free = kLeastRoom;
  EXPECT_TRUE(is_used_up(retry(**ledger)));
}

// Random histories against a model that keeps what it saw: who may try what, and what was paid.
TEST(Tries, RandomHistoriesAreAsTheModelSays) {
  struct Charged {
    int tries = 1;
    bool is_ended = false;
    bool is_share = false;
  };
  for (const bool misleads : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Home home;
      home.index_misleads = misleads;
      NamespaceTerms terms = fixture::patients();
      terms.cap = fixture::price("1000");
      terms.analysts = {{"ann", fixture::price("1000")}, {"bob", fixture::price("1000")}};
      auto ledger = home.create(terms);
      std::mt19937_64 random(seed);
      std::map<std::pair<std::string, int>, std::vector<Charged>> charged;  // analyst and question
      std::map<std::pair<std::string, std::string>, bool> ids;              // of charges
      std::map<int, std::string> stored;
      std::set<std::pair<std::string, int>> has;  // who can have it free
      double paid_by_all = 0;
      for (int step = 0; step < 120; ++step) {
        const std::string analyst = random() % 2 == 0 ? "ann" : "bob";
        const int question = static_cast<int>(random() % 3);
        const std::string id = std::to_string(question) + "/" + std::to_string(random() % 3);
        const Ask what{.analyst = analyst, .id = id, .key = std::to_string(question)};
        std::vector<Charged>& own = charged[{analyst, question}];
        Charged* open = nullptr;
        for (Charged& one : own) {
          if (open == nullptr && !one.is_ended && one.tries < kTries) open = &one;
        }
        const bool is_known = ids[{analyst, id}];
        auto outcome = retry(*ledger, what);
        if (has.contains({analyst, question})) {
          ASSERT_EQ(text_of(outcome), "answer " + stored[question]);
          continue;
        }
        if (open == nullptr && is_known) {
          ASSERT_TRUE(is_used_up(outcome)) << text_of(outcome);
          continue;
        }
        ASSERT_TRUE(outcome) << outcome.error().message;
        if (open == nullptr) {
          open = &own.emplace_back(Charged{.is_share = stored.contains(question)});
          ids[{analyst, id}] = true;
          if (!open->is_share) paid_by_all += 0.5;  // whoever has it already bought it
        } else {
          ++open->tries;
        }
        Paid& paid = std::get<Paid>(*outcome);
        ASSERT_EQ(paid.number_of_try(), open->tries);
        ASSERT_EQ(paid.is_share(), open->is_share);
        switch (random() % 12) {
          case 0:
            stored.try_emplace(question, std::to_string(step));
            has.insert({analyst, question});
            ASSERT_EQ(store(*ledger, std::move(outcome), std::to_string(step)), stored[question]);
            break;
          case 1:
            ASSERT_TRUE(ledger->end_charge(paid));
            open->is_ended = true;
            break;
          case 2: {
            const auto drawing = ledger->begin_drawing(paid);
            open->is_ended = true;
            break;
          }
          case 3:
            ledger = nullptr;
            ledger = home.open();
            break;
          default:
            break;
        }
      }
      const State state = *ledger->state();
      EXPECT_EQ((*state.find("patients"))->total.spent().amount.value().to_double(Round::kUp),
                paid_by_all);
      EXPECT_TRUE(ledger->verify());
    }
  }
}

// On a busy machine a round of kills may leave nothing answered: then another one follows.
TEST(RetryKill, OneChargeOneAnswerAtMostThreeDraws) {
  std::uint64_t answered = 0;
  std::uint64_t taken_over = 0;
  for (std::uint64_t seed = 1; seed <= 20 && (answered == 0 || taken_over == 0); ++seed) {
    const Scratch scratch;
    RetryTrial trial(seed, fixture::place_in(scratch, "ledger"));
    for (const std::string& wrong : trial.run(60)) ADD_FAILURE() << wrong;
    answered += trial.answered();
    taken_over += trial.taken_over();
    std::printf("kills: %d, answered: %d, taken over: %d, refused: %d\n",
                static_cast<int>(trial.kills()), static_cast<int>(trial.answered()),
                static_cast<int>(trial.taken_over()), static_cast<int>(trial.refused()));
  }
  EXPECT_GT(answered, 0U);
  EXPECT_GT(taken_over, 0U);
}

TEST(RetryKill, PlantedMistakesAreFound) {
  const std::pair<RetryMutant, const char*> all[] = {
      {RetryMutant::kChargesAgain, "was charged twice"},
      {RetryMutant::kRedrawsAtWill, "was drawn on too often"},
      {RetryMutant::kSendsFirst, "two answers"},
      {RetryMutant::kDrawsAfterDraw, "after a draw failed"},
  };
  for (const auto& [mutant, words] : all) {
    std::string said;
    for (std::uint64_t seed = 1; seed <= 5 && said.find(words) == said.npos; ++seed) {
      const Scratch scratch;
      RetryTrial trial(seed, fixture::place_in(scratch, "ledger"), mutant);
      for (const std::string& wrong : trial.run(40)) said += wrong + "\n";
    }
    EXPECT_NE(said.find(words), std::string::npos) << words << "; said: " << said;
  }
}

}  // namespace
}  // namespace discreet::ledger::tries_test
