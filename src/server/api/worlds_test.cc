// SPDX-License-Identifier: Apache-2.0
// What an analyst is shown does not depend on what others do: each way in which it once did, and a
// sample of random worlds (./dev soak worlds has more).
#include <gtest/gtest.h>

#include "server/api/worlds_for_tests.h"
#include "server/api/worlds_script_for_tests.h"

namespace discreet::server::api::worlds_test {
namespace {

using namespace worlds;  // NOLINT: the test's own words

constexpr const char* kCount = "SELECT COUNT(*) FROM visits";
constexpr const char* kSum = "SELECT SUM(age) FROM visits";
constexpr const char* kLoud = "100000000";
/// Of a total of 1e12: more than is left when somebody else has spent it too.
constexpr const char* kSixTenths = "600000000000";

class Worlds : public testing::Test {
 protected:
  static void SetUpTestSuite() { ground_ = std::make_unique<Ground>(); }
  static void TearDownTestSuite() { ground_ = nullptr; }

  static std::string asking(const std::string& sql, const std::string& epsilon = kLoud,
                            bool waits = false) {
    return Json{{"sql", sql}, {"epsilon", epsilon}, {"wait", waits}}.dump();
  }
  static Act query(const std::string& sql, const std::string& epsilon = kLoud) {
    return [=](Player& who) { who.ask("POST", "/api/v1/query", asking(sql, epsilon)); };
  }
  static Act explain(const std::string& sql, const std::string& epsilon = kLoud) {
    return [=](Player& who) {
      who.ask("POST", "/api/v1/explain", Json{{"sql", sql}, {"epsilon", epsilon}}.dump());
    };
  }
  static Act get(const std::string& path) {
    return [=](Player& who) { who.ask("GET", path); };
  }
  static Act answer() {
    return [](Player& who) { ask_for_answer(who); };
  }
  static Act psql(const std::string& sql, const std::string& epsilon = kLoud) {
    return
        [=](Player& who) { who.converse({"SET discreet.epsilon = '" + epsilon + "'", sql}, true); };
  }
  static Act soon() { return let_pass(10 * kAnswerMs); }
  /// Of everything that a question leaves.
  static Script look() {
    return {get("/api/v1/history"), get("/api/v1/budget"), get("/api/v1/jobs"), answer()};
  }
  static Script joined(const std::vector<Script>& parts) {
    Script all;
    for (const Script& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  /// Bob's script, alone and with others who act before some of its acts.
  static std::string told_apart(const Script& script,
                                const std::map<std::size_t, std::vector<Step>>& others,
                                const Rules& rules = {}) {
    Others all(script.size() + 1);
    for (const auto& [place, steps] : others) all.at(place) = steps;
    return difference(play(*ground_, rules, script), play(*ground_, rules, script, all));
  }
  static std::vector<Step> all_ask(const std::string& sql, int times = 1) {
    std::vector<Step> steps;
    for (int i = 0; i < times; ++i) {
      for (const char* const who : {"ann", "carl", "owner"}) steps.push_back({who, query(sql)});
    }
    return steps;
  }

  static inline std::unique_ptr<Ground> ground_;
};

TEST_F(Worlds, BobAsksEveryRouteOfTheTable) {
  Stage stage(*ground_, {});
  Player bob(stage, "bob", "127.0.0.2");
  bob.is_watched = true;
  query(kCount)(bob);
  bob.pass(10 * kAnswerMs);
  Draws draws(1);
  std::set<std::string> all;
  for (const ApiRoute& route : routes()) {
    const std::string name = route.method + " " + route.pattern;
    all.insert(name);
    ASSERT_TRUE(ways().contains(name)) << "bob does not know how to ask " << name;
    const bool is_refused =
        route.roles != kAnybody && (route.roles & bit(identity::Role::kAnalyst)) == 0;
    EXPECT_EQ(refused_routes().contains(name), is_refused) << name;
    const std::size_t before = bob.told.size();
    ask_route(name, draws)(bob);
    bob.pass(10 * kAnswerMs);
    for (std::size_t i = before; i < bob.told.size(); ++i) {
      const bool says_so = bob.told[i].find("your role may not do this") != std::string::npos;
      EXPECT_EQ(says_so, is_refused) << bob.told[i];
    }
  }
  EXPECT_EQ(bob.routes, all);
}

TEST_F(Worlds, TheSameScriptTwiceIsToldTheSame) {
  for (const bool is_shared : {false, true}) {
    const Rules rules{.is_shared = is_shared};
    const Script script = draw_script(7, rules);
    EXPECT_EQ(difference(play(*ground_, rules, script), play(*ground_, rules, script)), "");
  }
}

// With caps that are reserved.
TEST_F(Worlds, OthersAreNotSeen) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Rules rules{.has_postgres = seed == 1};
    const Script script = draw_script(seed, rules);
    const Told alone = play(*ground_, rules, script);
    for (std::uint64_t i = 0; i < 3; ++i) {
      const Others others = draw_others(10 * seed + i, script.size(), rules);
      EXPECT_EQ(difference(alone, play(*ground_, rules, script, others)), "") << seed << " " << i;
    }
  }
}

// With caps that are shared, up to the closing; which is the same for everybody.
TEST_F(Worlds, OfSharedCapsOnlyTheClosingIsSeen) {
  const Rules rules{.is_shared = true, .has_postgres = false};
  std::size_t closings = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Script script = draw_script(seed, rules);
    const Told alone = play(*ground_, rules, script);
    for (std::uint64_t i = 0; i < 3; ++i) {
      const Others others = draw_others(10 * seed + i, script.size(), rules);
      const Told among = play(*ground_, rules, script, others);
      EXPECT_EQ(difference(alone, among) + among.complaint, "") << seed << " " << i;
      closings += among.closed_at == kNever ? 0 : 1;
    }
  }
  EXPECT_GT(closings, 0U);
}

TEST_F(Worlds, FitsDoesNotTellWhatAllHaveLeft) {
  const Script script = {explain(kCount, kSixTenths), [](Player& bob) {
                           bob.ask("POST", "/api/v1/learn/explain",
                                   R"({"task":"distribution","table":"visits","features":"age",)"
                                   R"("epsilon":"600000000000"})");
                         }};
  EXPECT_EQ(told_apart({soon(), script[0]}, {{0, {{"ann", query(kSum, kSixTenths)}}}},
                       {.is_shared = true}),
            "");
  EXPECT_EQ(told_apart({soon(), script[1]}, {{0, {{"ann", query(kSum, kSixTenths)}}}},
                       {.is_shared = true}),
            "");
}

TEST_F(Worlds, NotesDoNotTellWhatLargerUnitsHaveLeft) {
  EXPECT_EQ(told_apart({soon(), explain("SELECT COUNT(*) FROM persons")},
                       {{0, {{"ann", query("SELECT SUM(age) FROM persons")}}}}),
            "");
}

TEST_F(Worlds, WhatOthersBoughtIsNew) {
  EXPECT_EQ(told_apart({soon(), explain(kCount)}, {{0, all_ask(kCount)}}), "") << "explained";
  EXPECT_EQ(told_apart(joined({{soon(), query(kCount)}, look(), {soon()}, look()}),
                       {{0, all_ask(kCount)}}),
            "")
      << "asked";
  EXPECT_EQ(told_apart({soon(), psql(kCount)}, {{0, all_ask(kCount)}}), "") << "over PostgreSQL";
  const Json lesson = {{"task", "distribution"},
                       {"table", "visits"},
                       {"features", "age"},
                       {"epsilon", kLoud},
                       {"deadline_ms", "40"}};
  const Act learn = [=](Player& who) { who.ask("POST", "/api/v1/learn", lesson.dump()); };
  EXPECT_EQ(told_apart(joined({{soon(), learn, soon()}, look()}), {{0, {{"ann", learn}}}}), "")
      << "learned";
  Draws draws(1);
  const Json workload = with(draw_publication(draws), "deadline_ms", "40");
  const Act publish = [=](Player& who) { who.ask("POST", "/api/v1/publish", workload.dump()); };
  EXPECT_EQ(told_apart(joined({{soon(), publish, soon()}, look()}), {{0, {{"ann", publish}}}}), "")
      << "published";
}

TEST_F(Worlds, TheEngineRunsForEachAsker) {
  Stage stage(*ground_, {});
  Player ann(stage, "ann", "127.0.0.2");
  Player bob(stage, "bob", "127.0.0.3");
  const int before = ground_->engine().runs;
  query(kCount)(ann);
  ann.pass(10 * kAnswerMs);
  query(kCount)(bob);
  bob.pass(10 * kAnswerMs);
  EXPECT_EQ(ground_->engine().runs - before, 2);
}

TEST_F(Worlds, WhatOthersHaveInFlightIsNotSeen) {
  const auto close = [](Player& bob) { bob.stage().close_gate(); };
  EXPECT_EQ(told_apart(joined({{query(kCount), soon(), close, explain(kCount), query(kCount)},
                               look(),
                               {soon()},
                               look()}),
                       {{3, all_ask(kCount)}}, {.per_tick = 32}),
            "")
      << "what bob has bought before";
  EXPECT_EQ(told_apart(joined({{close, query(kCount), explain(kCount)}, look(), {soon()}, look()}),
                       {{1, all_ask(kCount)}}, {.per_tick = 32}),
            "")
      << "what bob asks too";
}

// How long the questions of others keep a lane busy.
TEST_F(Worlds, WhichLaneWasFasterIsNotSeen) {
  const Act learn = [](Player& who) {
    who.ask("POST", "/api/v1/learn",
            R"({"task":"distribution","table":"visits","features":"age",)"
            R"("epsilon":"100000000","deadline_ms":"40"})");
  };
  const Script script = {query(kCount), learn, soon(), get("/api/v1/history"), answer()};
  EXPECT_EQ(difference(play(*ground_, {}, script), play(*ground_, {.is_long_first = true}, script)),
            "");
}

TEST_F(Worlds, RecordsAreNumberedForEachAnalyst) {
  const auto others = all_ask(kSum);
  EXPECT_EQ(told_apart({soon(), query(kCount), soon(), answer()}, {{0, others}}), "")
      << "in the answer";
  EXPECT_EQ(told_apart({soon(), query(kCount), soon(), get("/api/v1/history")}, {{0, others}}), "")
      << "in the history";
}

TEST_F(Worlds, IdsDoNotCount) {
  const auto ids_of = [](const std::vector<Step>& steps) {
    const Told told = play(*ground_, {}, {soon(), query(kCount), soon(), get("/api/v1/history")},
                           {steps, {}, {}, {}, {}});
    std::vector<std::string> ids;
    const std::string name = "\"request_id\":";
    const std::string& text = told.texts.back();
    for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; ++at) {
      ids.push_back(text.substr(at, text.find(',', at) - at));
    }
    EXPECT_FALSE(ids.empty()) << text;
    return ids;
  };
  EXPECT_EQ(ids_of({}), ids_of(all_ask(kSum, 2)));
}

TEST_F(Worlds, TheBudgetIsBobsOwn) {
  EXPECT_EQ(
      told_apart({soon(), get("/api/v1/budget")}, {{0, all_ask(kCount)}}, {.is_shared = true}), "");
}

TEST_F(Worlds, AReloadDoesNotTellWhatOthersAsked) {
  const Act change = [](Player& bob) { bob.stage().reload(true); };
  const std::map<std::size_t, std::vector<Step>> others = {{0, all_ask(kCount)}};
  EXPECT_EQ(told_apart({soon(), change, explain(kCount)}, others), "");
  EXPECT_EQ(told_apart(joined({{soon(), change, query(kCount), soon()}, look()}), others), "");
}

TEST_F(Worlds, OthersFailuresDoNotRestBob) {
  Script script;
  std::map<std::size_t, std::vector<Step>> others;
  for (std::size_t i = 0; i < 3; ++i) {
    others[i] = all_ask("SELECT COUNT(*) FROM stays");
    script.push_back(soon());
  }
  script.push_back(query(kCount));
  EXPECT_EQ(told_apart(script, others), "");
}

TEST_F(Worlds, OthersTriesAreNotBobs) {
  Script script;
  std::map<std::size_t, std::vector<Step>> others;
  for (std::size_t i = 0; i < 2; ++i) {
    others[i] = {{"ann", query("SELECT COUNT(*) FROM labs")}};
    script.push_back(soon());
  }
  for (int i = 0; i < 2; ++i) {
    for (const Act& act : {explain("SELECT COUNT(*) FROM labs"), query("SELECT COUNT(*) FROM labs"),
                           soon(), get("/api/v1/history")}) {
      script.push_back(act);
    }
  }
  EXPECT_EQ(told_apart(script, others), "");
}

TEST_F(Worlds, OthersJobsDoNotMoveBobs) {
  const auto others = all_ask(kCount, 3);
  EXPECT_EQ(told_apart(joined({{query(kCount)}, look(), {soon()}, look()}), {{0, others}},
                       {.per_tick = 2}),
            "")
      << "ticks";
  EXPECT_EQ(told_apart({query(kCount), soon(), answer()}, {{1, others}}, {.kept_max = 22}), "")
      << "kept answers";
}

TEST_F(Worlds, OthersLinksDoNotTakeBobs) {
  const Act attack = [](Player& who) {
    who.ask("POST", "/api/v1/attacks",
            R"({"attack":"difference","seed":"7","trials":"3","size":"20","deadline_ms":"40"})");
  };
  const auto link = [](int times) -> Act {
    return [=](Player& who) {
      const std::string path = "/api/v1/jobs/" + who.job(0) + "/report-link";
      for (int i = 0; i < times; ++i) who.ask("POST", path);
    };
  };
  EXPECT_EQ(
      told_apart({attack, soon(), link(1)}, {{0, {{"ann", attack}}}, {2, {{"ann", link(1001)}}}}),
      "");
}

TEST_F(Worlds, RefusalsTellNothingOfOthers) {
  const std::map<std::size_t, std::vector<Step>> others = {
      {0, {{"ann", query(kCount, kSixTenths)}}}};
  EXPECT_EQ(
      told_apart({soon(), query(kSum, kSixTenths), soon(), answer()}, others, {.is_shared = true}),
      "");
  // Nor do they name anybody.
  const Told told = play(*ground_, {},
                         {query(kCount, kSixTenths), query("SELECT COUNT(*) FROM nowhere"), soon(),
                          psql("SELECT COUNT(*) FROM nowhere"), psql(kCount, kSixTenths)});
  for (const std::string& text : told.texts) {
    for (const std::string name : {"ann", "carl", "households"}) {
      EXPECT_EQ(text.find(name), text.npos) << text;
    }
  }
}

TEST_F(Worlds, PostgresExplainsBobsOwn) {
  for (const char* const sql : {kCount, "SELECT COUNT(*) FROM persons"}) {
    EXPECT_EQ(told_apart({soon(), psql("EXPLAIN " + std::string(sql))}, {{0, all_ask(sql)}}), "");
  }
  EXPECT_EQ(told_apart({soon(), psql("EXPLAIN " + std::string(kCount), kSixTenths)},
                       {{0, {{"ann", query(kSum, kSixTenths)}}}}, {.is_shared = true}),
            "");
}

// Planted: a desk that tells how many accounts there are.
TEST_F(Worlds, ADifferenceIsSeen) {
  const auto leak = [](Player& bob) {
    bob.ask("GET", "/nothing/" + std::to_string(bob.stage().service().accounts().list()->size()));
  };
  const Step add = {"owner", [](Player& owner) {
                      owner.ask("POST", "/api/v1/accounts", R"({"name":"dora","role":"analyst"})");
                    }};
  EXPECT_NE(told_apart({leak}, {{0, {add}}}), "");
}

}  // namespace
}  // namespace discreet::server::api::worlds_test
