// SPDX-License-Identifier: Apache-2.0
// V1, V3 and V4 from the outside: what each role may, and what is refused. What an analyst sees of
// two databases that differ in one person, and when, is in hidden_test.cc.
#include <set>

#include "learn/course.h"
#include "server/api/house_for_tests.h"
#include "server/api/json_body.h"

namespace discreet::server::api::api_test {
namespace {

using http::Client;
using identity::Role;

TEST(Api, AQuestionFromLoginToRefusal) {
  House house;
  const Got first = house.query("ann", kCount);
  ASSERT_EQ(first.status, 200) << first.body;
  const Json answer = Json::parse(first.body).value();
  EXPECT_FALSE(answer["repeated"].flag());
  EXPECT_EQ(answer["answer"]["epsilon"], "0.5");
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");
  const Json again = Json::parse(house.query("ann", kCount).body).value();
  EXPECT_TRUE(again["repeated"].flag());
  EXPECT_EQ(again["answer"], answer["answer"]);
  EXPECT_EQ(house.clinic.spent(), "0.5 0.5");

  // A retry by request id; another's id of the same letters is another id.
  const std::string with_id =
      R"({"sql":"SELECT SUM(age) FROM visits","epsilon":"0.5","request_id":"r1"})";
  const Json one = Json::parse(house.query("ann", with_id).body).value();
  EXPECT_EQ(Json::parse(house.query("ann", with_id).body).value()["answer"], one["answer"]);
  EXPECT_EQ(house
                .query("ann", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"0.5",)"
                              R"("request_id":"r1"})")
                .status,
            409);
  EXPECT_EQ(house.clinic.spent(), "1 1");
  EXPECT_EQ(house
                .query("press", R"({"sql":"SELECT AVG(age) FROM visits","epsilon":"1",)"
                                R"("request_id":"r1"})")
                .status,
            200);
  // press has 2; 1 is left.
  const Got refused =
      house.query("press", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"1.5"})");
  EXPECT_EQ(refused.status, 402);
  EXPECT_EQ(Json::parse(refused.body).value()["error"], "budget");

  const Json explained =
      Json::parse(house.ask("ann", "POST", "/api/v1/explain", kCount).body).value();
  EXPECT_TRUE(explained["repeat"].flag());
  const Json curve = Json::parse(house.ask("ann", "POST", "/api/v1/curve", kCount).body).value();
  EXPECT_EQ(curve["points"].size(), 25U);
  EXPECT_NE(house.ask("ann", "GET", "/api/v1/catalog").body.find("north"), std::string::npos);
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/catalog").body.find("undeclared"), std::string::npos);

  // Everybody sees their own, the owner and the auditor all.
  const auto analysts = [&](const std::string& who, const std::string& path) {
    std::set<std::string> found;
    const Json got = Json::parse(house.ask(who, "GET", path).body).value();
    if (got.contains("records")) {
      for (const Json& record : got["records"].items()) found.insert(record["analyst"].text());
    } else {
      for (const Json& budget : got["budgets"].items()) {
        for (const Json& account : budget["accounts"].items()) {
          found.insert(account["account"].text());
        }
      }
    }
    found.erase("");
    return found;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(analysts("press", "/api/v1/history"), (Names{"press"}));
  EXPECT_EQ(analysts("owner", "/api/v1/history?last=1000"), (Names{"ann", "press"}));
  EXPECT_EQ(analysts("press", "/api/v1/budget"), (Names{"press"}));
  EXPECT_EQ(analysts("audit", "/api/v1/budget"), (Names{"all together", "ann", "press"}));
  EXPECT_TRUE(
      Json::parse(house.ask("audit", "POST", "/api/v1/verify").body).value()["sound"].flag());
  // V4
  EXPECT_EQ(house.logged().find("SELECT"), std::string::npos);
  EXPECT_EQ(house.logged().find(house.tokens["ann"]), std::string::npos);
  EXPECT_NE(house.ask("owner", "GET", "/metrics").body.find("discreet_questions_total 4"),
            std::string::npos)
      << house.ask("owner", "GET", "/metrics").body;
}

TEST(Api, JobsWaitAreCancelledAndStayCharged) {
  House house;
  const Got made =
      house.query("ann", R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5","wait":false})");
  ASSERT_EQ(made.status, 202);
  const std::string id = Json::parse(made.body).value()["job"].text();
  EXPECT_EQ(house.ask("press", "GET", "/api/v1/jobs/" + id).status, 404);
  EXPECT_EQ(house.ask("press", "DELETE", "/api/v1/jobs/" + id).status, 404);
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/jobs/" + id + "/answer").status, 200);
  EXPECT_EQ(Json::parse(house.ask("ann", "GET", "/api/v1/jobs/" + id).body).value()["stage"],
            "done");
  const Got second =
      house.query("ann", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"0.5","wait":false})");
  const std::string other = Json::parse(second.body).value()["job"].text();
  const Got cancelled = house.ask("ann", "DELETE", "/api/v1/jobs/" + other);
  const bool in_time = Json::parse(cancelled.body).value()["stage"] == "cancelled";
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/jobs/" + other + "/answer").status,
            in_time ? 409 : 200);
  // Charged either way, and then free.
  while (house.clinic.spent() != "1 1") std::this_thread::yield();
  while (!house.service->jobs().waiting().empty()) std::this_thread::yield();
  EXPECT_EQ(house.query("ann", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"0.5"})").status,
            200);
  EXPECT_EQ(house.clinic.spent(), "1 1");
}

// K1: what is kept ready is one analyst's own; another pays for the same bytes from their cap.
TEST(Api, ARepeatThatIsReadyIsForWhoPaid) {
  House house;
  const std::string first = house.query("ann", kCount).body;
  const std::string second = house.query("ann", kCount).body;  // from the ledger
  const std::string third = house.query("ann", kCount).body;   // ready
  EXPECT_TRUE(Json::parse(second).value()["repeated"].flag());
  EXPECT_EQ(second, third);
  EXPECT_EQ(Json::parse(first).value()["answer"], Json::parse(third).value()["answer"]);
  EXPECT_EQ(house.clinic.spent("press"), "0.5 0");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Json::parse(house.query("press", kCount).body).value()["answer"],
              Json::parse(first).value()["answer"]);
    EXPECT_EQ(house.clinic.spent("press"), "0.5 0.5");
  }
  EXPECT_EQ(house.clinic.spent("ann"), "0.5 0.5");
  // A request id is compared every time, and another text is another question.
  const std::string used =
      R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"0.5","request_id":"once"})";
  EXPECT_EQ(house.query("ann", used).status, 200);
  EXPECT_EQ(house
                .query("ann", R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5",)"
                              R"("request_id":"once"})")
                .status,
            409);
  EXPECT_EQ(house.query("ann", R"({"sql":"SELECT COUNT(*) FROM visits"})").status, 400);
  EXPECT_NE(house.ask("owner", "GET", "/metrics").body.find("discreet_repeats_total 4"),
            std::string::npos);
  // A policy that was read again begins with nothing ready.
  const std::shared_ptr<World> before = house.service->world();
  EXPECT_EQ(house.ask("owner", "POST", "/api/v1/reload").status, 200);
  EXPECT_NE(house.service->world(), before);
  EXPECT_EQ(house.query("ann", kCount).body, third);
}

/// Waits for a job of `who`: its answer.
Got finished(House& house, const std::string& who, const Got& made) {
  EXPECT_EQ(made.status, 202) << made.body;
  const Json job = Json::parse(made.body).value();
  EXPECT_EQ(job["stage"], "waiting");
  EXPECT_GT(job["due_ms"].number(), 0);
  return house.ask(who, "GET", "/api/v1/jobs/" + job["job"].text() + "/answer");
}

TEST(Api, LessonsAreChargedOnceAndTheSameAsElsewhere) {
  House house;
  const std::string wanted =
      R"({"task":"regress","table":"survey","target":"income","features":"region","epsilon":"0.5")";
  const Json price =
      Json::parse(house.ask("ann", "POST", "/api/v1/learn/explain", wanted + "}").body).value();
  EXPECT_EQ(price["price"], "epsilon 0.5") << price;
  EXPECT_FALSE(price["repeat"].flag());
  EXPECT_EQ(house.clinic.spent("ann", "people"), "0 0");
  const std::string body = wanted + R"(,"deadline_ms":"20"})";
  const Got got = finished(house, "ann", house.ask("ann", "POST", "/api/v1/learn", body));
  ASSERT_EQ(got.status, 200) << got.body;
  const Json learned = Json::parse(got.body).value();
  EXPECT_FALSE(learned["repeated"].flag());
  EXPECT_EQ(learned["learned"]["certificate"]["epsilon"], "0.5") << learned;
  EXPECT_EQ(house.clinic.spent("ann", "people"), "0.5 0.5");
  // The command line's way to the same lesson finds the same bytes, free.
  const learn::Wish wish{.task = "regress",
                         .options = {{"table", "survey"},
                                     {"target", "income"},
                                     {"features", "region"},
                                     {"epsilon", "0.5"}},
                         .analyst = "ann"};
  const auto course = learn::course_of(house.clinic.policy(), wish);
  ASSERT_TRUE(course.has_value()) << course.error().message;
  const auto taught = learn::teach(house.clinic.policy(), house.clinic.ledger(),
                                   house.service->world()->engine(), *course, {}, {});
  ASSERT_TRUE(taught.has_value()) << taught.error().message;
  EXPECT_TRUE(taught->repeated);
  EXPECT_EQ(Json::parse(taught->bytes).value(), learned["learned"]);
  // Cancelled: charged all the same.
  const std::string other =
      R"({"task":"distribution","table":"survey","features":"income","epsilon":"0.25",)"
      R"("deadline_ms":"400"})";
  const Json job = Json::parse(house.ask("ann", "POST", "/api/v1/learn", other).body).value();
  const std::string id = job["job"].text();
  const Json cancelled = Json::parse(house.ask("ann", "DELETE", "/api/v1/jobs/" + id).body).value();
  while (house.clinic.spent("ann", "people") != "0.75 0.75") std::this_thread::yield();
  if (cancelled["stage"] == "cancelled") {
    EXPECT_EQ(house.ask("ann", "GET", "/api/v1/jobs/" + id + "/answer").status, 409);
  }
  while (!house.service->jobs().waiting().empty()) std::this_thread::yield();
  const Json again =
      Json::parse(finished(house, "ann", house.ask("ann", "POST", "/api/v1/learn", other)).body)
          .value();
  EXPECT_TRUE(again["repeated"].flag()) << again;
  EXPECT_EQ(house.clinic.spent("ann", "people"), "0.75 0.75");
  // What does not fit the cap is refused before anything is charged; so is what makes no sense.
  const auto refused = [&](const std::string& who, const std::string& asked, int status) {
    EXPECT_EQ(house.ask(who, "POST", "/api/v1/learn", asked).status, status) << asked;
  };
  refused("press", R"({"task":"cluster","table":"survey","features":"income","epsilon":"3"})", 402);
  refused("ann", R"({"task":"regres","epsilon":"1"})", 404);
  refused("ann", R"({"task":"regress","epsilon":"1"})", 400);
  refused("ann", R"({"task":"regress","target":"income","epsilon":"-1"})", 400);
  refused("ann", R"({"task":"cluster","table":"survey","epsilon":"1","deadline_ms":"1"})", 400);
  refused("ann", R"({"task":"cluster","table":"nowhere","epsilon":"1"})", 404);
  EXPECT_EQ(house.clinic.spent("press", "people"), "0.75 0");
}

TEST(Api, PublicationsNameNoFilesAndHaveAPage) {
  House house({.is_zcdp = true});
  const auto spent = [&] {
    return ledger::fixture::spent(house.service->world()->ledger(), "ann", "people");
  };
  const auto body = [](const std::string& workload, const std::string& more = "") {
    return Json{{"workload", workload + more}, {"deadline_ms", "20"}}.dump();
  };
  const std::string workload = "table: survey\nrho: 0.25\ntables: {by_region: [region]}\n";
  const Got designed =
      house.ask("ann", "POST", "/api/v1/publish/explain", Json{{"workload", workload}}.dump());
  ASSERT_EQ(designed.status, 200) << designed.body;
  EXPECT_NE(Json::parse(designed.body).value()["design"].text().find("by_region"),
            std::string::npos);
  const Got made = house.ask("ann", "POST", "/api/v1/publish", body(workload));
  const Got got = finished(house, "ann", made);
  ASSERT_EQ(got.status, 200) << got.body;
  const Json published = Json::parse(got.body).value();
  EXPECT_FALSE(published["repeated"].flag());
  const std::string paid = spent();
  EXPECT_TRUE(paid.starts_with("0.2")) << paid;
  const std::string id = Json::parse(made.body).value()["job"].text();
  const std::string path = "/api/v1/jobs/" + id;
  EXPECT_TRUE(Json::parse(house.ask("ann", "GET", path).body).value()["report"].flag());
  const Got page = house.ask("ann", "GET", path + "/report");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<h1>Publication from survey</h1>"), page.body.npos);
  EXPECT_EQ(house.ask("press", "GET", path + "/report").status, 404);
  EXPECT_EQ(house.ask("press", "POST", path + "/report-link").status, 404);
  // A browser opens it by a secret of its own, for a while; the page can do nothing.
  const Json link = Json::parse(house.ask("ann", "POST", path + "/report-link").body).value();
  const std::string ticket = link["path"].text();
  EXPECT_GE(ticket.size(), std::string("/reports/").size() + 32);
  const Got opened = house.ask("", "GET", ticket);
  EXPECT_EQ(opened.body, page.body);
  const std::string policy = opened.headers.at("content-security-policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; style-src 'sha256-")) << policy;
  EXPECT_NE(policy.find("sandbox"), policy.npos);
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  EXPECT_EQ(house.ask("", "GET", "/reports/" + std::string(43, 'A')).status, 404);
  house.later_ms = 11 * 60 * 1000;
  EXPECT_EQ(house.ask("", "GET", ticket).status, 404);
  // Files of the server cannot be named; what is wrong is said with its line.
  for (const char* const file : {"/etc/passwd", "../policy.yaml", "places.csv"}) {
    const Got refused = house.ask(
        "ann", "POST", "/api/v1/publish",
        body(workload,
             "hierarchies: {places: {column: region, parents: " + std::string(file) + "}}\n"));
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_NE(refused.body.find("cannot name files"), refused.body.npos) << refused.body;
  }
  EXPECT_EQ(house.ask("ann", "POST", "/api/v1/publish", body("table: nowhere")).status, 400);
  // More than the cap allows is refused before anything is charged.
  const std::string dear = "table: survey\nrho: 0.3\ntables: {by_region: [region]}\n";
  const Got refused = house.ask("ann", "POST", "/api/v1/publish", body(dear));
  EXPECT_EQ(refused.status, 402) << refused.body;
  EXPECT_EQ(spent(), paid);
}

TEST(Api, AuditsAreForThoseWhoOverseeAndReplaysForTheOwner) {
  House house;
  const Got checklist = finished(house, "audit",
                                 house.ask("audit", "POST", "/api/v1/audits",
                                           R"({"audit":"conformance","deadline_ms":"20"})"));
  EXPECT_EQ(checklist.status, 200) << checklist.body;
  EXPECT_NE(checklist.body.find("\"ok\":"), checklist.body.npos);
  const Got exact =
      finished(house, "owner",
               house.ask("owner", "POST", "/api/v1/audits",
                         R"({"audit":"exact","case":"randomized-response","deadline_ms":"20"})"));
  EXPECT_NE(exact.body.find("holds"), exact.body.npos) << exact.body;
  const std::string replay =
      R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"1","neighbour":"remove:patient_id=7",)"
      R"("deadline_ms":"20"})";
  EXPECT_EQ(house.ask("audit", "POST", "/api/v1/audits/replay", replay).status, 403);
  EXPECT_EQ(house.ask("ann", "POST", "/api/v1/audits/replay", replay).status, 403);
  const std::string before = house.clinic.spent("ann");
  const Got replayed =
      finished(house, "owner", house.ask("owner", "POST", "/api/v1/audits/replay", replay));
  EXPECT_EQ(replayed.status, 200) << replayed.body;
  EXPECT_EQ(house.clinic.spent("ann"), before);
  const Got attacked = finished(
      house, "ann",
      house.ask("ann", "POST", "/api/v1/attacks",
                R"({"attack":"difference","seed":"1","trials":"200","deadline_ms":"20"})"));
  EXPECT_EQ(attacked.status, 200) << attacked.body;
  EXPECT_NE(attacked.body.find("Synthetic data"), attacked.body.npos);
  const Json own = Json::parse(house.ask("ann", "GET", "/api/v1/jobs").body).value();
  EXPECT_EQ(own["jobs"].size(), 1U);
  EXPECT_EQ(own["jobs"][0]["kind"], "attack");
  EXPECT_TRUE(own["jobs"][0]["report"].flag());
  EXPECT_FALSE(own.contains("waiting"));  // how far engines are is the owner's
  EXPECT_TRUE(
      Json::parse(house.ask("owner", "GET", "/api/v1/jobs").body).value().contains("waiting"));
  EXPECT_EQ(house.ask("ann", "POST", "/api/v1/attacks", R"({"attack":"none"})").status, 404);
  EXPECT_EQ(
      house.ask("ann", "POST", "/api/v1/attacks", R"({"attack":"weld","trials":"1e9"})").status,
      400);
  EXPECT_NE(house.ask("audit", "GET", "/api/v1/audit-log").body.find("replay"), std::string::npos);
}

// A job that was taken goes on under the policy that it was taken under.
TEST(Api, ThePolicyMayChangeUnderJobs) {
  House house({.answer_ms = 300});
  const Got made =
      house.query("ann", R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5","wait":false})");
  const std::string id = Json::parse(made.body).value()["job"].text();
  const std::weak_ptr<World> before = house.service->world();
  EXPECT_EQ(house.ask("owner", "POST", "/api/v1/reload").status, 200);
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/jobs/" + id + "/answer").status, 200);
  while (!house.service->jobs().waiting().empty()) std::this_thread::yield();
  EXPECT_EQ(house.query("ann", kCount).status, 200);
  EXPECT_TRUE(before.expired());
}

// Of a policy that gives ann a cap which the ledger does not have, and of an account without one.
TEST(Api, TheOwnerIsToldWherePolicyAndLedgerDiffer) {
  House house;
  const Got reloaded = house.ask("owner", "POST", "/api/v1/reload");
  ASSERT_EQ(reloaded.status, 200) << reloaded.body;
  const Json differences = Json::parse(reloaded.body).value()["differences"];
  ASSERT_GT(differences.size(), 0U);
  const std::string what = differences[0]["what"].text();
  EXPECT_NE(what.find("in the policy"), what.npos) << what;
  EXPECT_FALSE(differences[0]["fix"].text().empty());
  EXPECT_NE(house.logged().find("\"differs\""), std::string::npos) << house.logged();
  for (const char* const who : {"owner", "audit"}) {
    const Json status = Json::parse(house.ask(who, "GET", "/api/v1/status").body).value();
    EXPECT_EQ(status["differences"], differences) << status.dump();
  }
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/status").status, 403);
  const auto made = [&](const std::string& name, const std::string& role) {
    const Json body = {{"name", name}, {"role", role}};
    return Json::parse(house.ask("owner", "POST", "/api/v1/accounts", body.dump()).body).value();
  };
  const Json without = made("zoe", "analyst");
  EXPECT_NE(without["note"].text().find("discreet ledger analyst --analyst zoe"), std::string::npos)
      << without.dump();
  EXPECT_FALSE(made("second-auditor", "auditor").contains("note"));
  const Json accounts =
      Json::parse(house.ask("owner", "GET", "/api/v1/accounts").body).value()["accounts"];
  for (const Json& account : accounts.items()) {
    EXPECT_EQ(account.contains("note"), account["name"].text() == "zoe") << account.dump();
  }
}

TEST(Api, SurveysAreCollectedFromAnybody) {
  House house;
  const local::Survey survey = collect::survey_for_tests();
  const Json listed = Json::parse(house.ask("", "GET", "/api/v1/surveys").body).value()["surveys"];
  ASSERT_EQ(listed.size(), 1U);
  const std::string path = "/api/v1/surveys/" + listed[0]["id"].text();
  EXPECT_EQ(house.ask("", "GET", path).body, local::encode(survey));
  const auto post = [&](const std::string& bytes) {
    return house.ask("", "POST", path + "/reports", bytes,
                     "Content-Type: application/octet-stream\r\n");
  };
  EXPECT_EQ(Json::parse(post(collect::reports(survey, 0, 80)).body).value()["accepted"], 80);
  EXPECT_EQ(Json::parse(post(collect::reports(survey, 0, 80)).body).value()["duplicate"], 80);
  EXPECT_EQ(post("nonsense").status, 400);
  EXPECT_EQ(house.ask("", "POST", path + "/reports", "{}").status, 415);
  EXPECT_EQ(Json::parse(house.ask("", "GET", path + "/estimate").body).value()["reports"], 80);
  EXPECT_EQ(house.ask("", "GET", "/api/v1/surveys/none/estimate").status, 404);
}

TEST(Api, TheOwnerSeesRefusalsUnlocksAndTheAnalystNoTotals) {
  House house({.cap = "4"});
  // Where caps are shared a question has at most a quarter of the budget, and the last quarter is
  // not sold: how much others spent is not press's to know.
  const auto ask = [&](const char* who, const std::string& age, const char* epsilon) {
    const Json body = {{"sql", "SELECT COUNT(*) FROM visits WHERE age > " + age},
                       {"epsilon", epsilon}};
    return house.query(who, body.dump());
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask("ann", std::to_string(i), "1").status, 200);
  EXPECT_EQ(ask("press", "20", "1.1").status, 403);
  EXPECT_EQ(ask("ann", "9", "0.1").status, 200);
  const Got refused = ask("press", "20", "0.1");
  EXPECT_EQ(refused.status, 402);
  EXPECT_NE(refused.body.find("used up"), refused.body.npos) << refused.body;
  EXPECT_EQ(refused.body, ask("press", "0", "1").body);  // which ann has
  const std::string explained = house.ask("press", "POST", "/api/v1/explain", kCount).body;
  EXPECT_EQ(explained.find("total"), explained.npos) << explained;
  const Json status = Json::parse(house.ask("audit", "GET", "/api/v1/status").body).value();
  EXPECT_EQ(status["refusals"][0]["analyst"], "press");
  EXPECT_EQ(status["refusals"][0]["code"], "refused");
  EXPECT_EQ(status["refusals"][1]["code"], "budget");
  EXPECT_EQ(status["random_source"], "healthy");
  for (int i = 0; i < 6; ++i) house.try_login("ann", "wrong password");
  EXPECT_EQ(house.log_in("ann", house.passwords["ann"]), "");
  EXPECT_EQ(house.ask("owner", "POST", "/api/v1/accounts/ann/unlock").status, 200);
  EXPECT_NE(house.log_in("ann", house.passwords["ann"]), "");
  // Little room before there is a token.
  const auto room = [&](const std::string& path, const std::string& token) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    if (!token.empty()) request.headers["authorization"] = "Bearer " + token;
    return house.service->body_max(request);
  };
  EXPECT_EQ(room("/api/v1/query", ""), 4096U);
  EXPECT_EQ(room("/api/v1/query", "x"), 65536U);
  EXPECT_EQ(room("/api/v1/login", ""), 4096U);
  EXPECT_EQ(room("/nowhere", "x"), 4096U);
}

// V1: every route, every role.
TEST(Api, EveryRouteIsForItsRolesOnly) {
  House house;
  EXPECT_GT(routes().size(), 20U);
  for (const ApiRoute& route : routes()) {
    std::string path = route.pattern;
    for (const char* name : {"{id}", "{name}", "{ticket}"}) {
      const std::size_t at = path.find(name);
      if (at != path.npos) path.replace(at, std::string(name).size(), "nobody");
    }
    const std::map<std::string, Roles> kWho = {{"", 0},
                                               {"ann", bit(Role::kAnalyst)},
                                               {"audit", bit(Role::kAuditor)},
                                               {"owner", bit(Role::kOwner)}};
    for (const auto& [who, role] : kWho) {
      const bool may = route.roles == kAnybody || (route.roles & role) != 0;
      if (may && path == "/api/v1/logout") continue;
      const Got got = house.ask(who, route.method, path);
      const std::string what = route.method + " " + path + " as " + who + ": " + got.body;
      if (!may) {
        EXPECT_EQ(got.status, who.empty() ? 401 : 403) << what;
      }
      if (may && path != "/api/v1/login") {
        EXPECT_TRUE(got.status != 401 && got.status != 403) << what;
      }
      EXPECT_NE(got.status, 500) << what;
    }
  }
  // The owner's routes do not lower what was spent: no route at all does.
  for (const ApiRoute& route : routes()) {
    EXPECT_EQ(route.pattern.find("ledger"), route.pattern.npos);
    EXPECT_TRUE(route.pattern.find("budget") == route.pattern.npos || route.method == "GET");
  }
}

TEST(Api, LoginsTellNothing) {
  House house;
  const std::string wrong = seen_of(house.try_login("ann", "wrong password")) +
                            house.try_login("ann", "wrong password").body;
  const auto tried = [&](const std::string& name, const std::string& password) {
    const Got got = house.try_login(name, password);
    return seen_of(got) + got.body;
  };
  EXPECT_EQ(wrong.substr(0, 3), "401");
  EXPECT_EQ(tried("nobody", "wrong password"), wrong);
  EXPECT_EQ(tried("", ""), wrong);
  EXPECT_EQ(tried("ann' OR '1'='1", "x"), wrong);
  EXPECT_EQ(tried("ann", std::string(10'000, 'x')), wrong);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(tried("ann", "wrong password"), wrong);
  EXPECT_EQ(tried("ann", house.passwords["ann"]), wrong);        // locked now
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/me").status, 200);  // who is in stays in
  house.later_ms = 3600 * 1000;
  EXPECT_NE(house.log_in("ann", house.passwords["ann"]), "");
  EXPECT_EQ(house.try_login("owner", "admin").status, 401);
  EXPECT_EQ(house.service->first_owner().value(), std::nullopt);  // once
}

TEST(Api, ForgedExpiredAndForeignRequestsAreRefused) {
  House house;
  const std::string good = house.tokens["ann"];
  const std::string me = "/api/v1/me";
  const auto with = [&](const std::string& header) {
    return Client(house.server->port()).ask("GET", me, "", header + "\r\n").status;
  };
  EXPECT_EQ(with("Authorization: Bearer " + good), 200);
  for (const std::string& header :
       {"Authorization: Bearer " + good + "x", "Authorization: Bearer " + good.substr(1),
        "Authorization: bearer " + good, "Authorization: Basic " + good, "Authorization: " + good,
        std::string("Authorization: Bearer "), "Cookie: token=" + good, "X-Token: " + good,
        std::string("Authorization: Bearer ' OR 1=1 --")}) {
    EXPECT_EQ(with(header), 401) << header;
  }
  EXPECT_EQ(Client(house.server->port()).ask("GET", me + "?token=" + good).status, 401);
  // From a page of another site: no token travels by itself (V3), and the origin is looked at.
  EXPECT_EQ(house
                .ask("ann", "POST", "/api/v1/query", kCount,
                     std::string(kJson) + "Origin: http://evil.example\r\n")
                .status,
            403);
  EXPECT_EQ(
      house.ask("ann", "POST", "/api/v1/query", kCount, std::string(kJson) + "Origin: null\r\n")
          .status,
      403);
  EXPECT_EQ(house
                .ask("ann", "POST", "/api/v1/explain", kCount,
                     std::string(kJson) + "Origin: http://test\r\n")
                .status,
            200);
  EXPECT_EQ(
      house.ask("ann", "POST", "/api/v1/query", kCount, "Content-Type: text/plain\r\n").status,
      415);
  EXPECT_EQ(house.ask("ann", "POST", "/api/v1/logout").status, 200);
  EXPECT_EQ(house.ask("ann", "GET", me).status, 401);
  EXPECT_EQ(house.ask("press", "GET", me).status, 200);
  house.later_ms = 9 * 3600 * 1000;
  EXPECT_EQ(house.ask("press", "GET", me).status, 401);
}

// SQL, markup and paths through every parameter of every route: nothing breaks, nothing is
// believed.
TEST(Api, HostileTextInEveryField) {
  House house;
  const std::vector<std::string> kHostile = {"'; DROP TABLE accounts; --",
                                             "\" OR 1=1 --",
                                             "$$; ATTACH 'x'",
                                             "<script>alert(1)</script>",
                                             "../../../etc/passwd",
                                             std::string(5000, 'a'),
                                             std::string("a\0b", 3),
                                             "\xff\xfe",
                                             "-1",
                                             "1e999999999"};
  for (const ApiRoute& route : routes()) {
    if (route.method == "DELETE" || route.pattern == "/api/v1/password") continue;
    for (const FieldFacts& field : route.fields) {
      for (const std::string& text : kHostile) {
        Json body;
        for (const FieldFacts& other : route.fields) {
          if (other.is_needed) body[other.name] = other.name == "sql" ? "SELECT 1" : "x";
        }
        body[field.name] = text;
        const std::string sent = json_text(body);
        const Got got = route.method == "POST"
                            ? house.ask("owner", "POST", route.pattern, sent)
                            : house.ask("owner", "GET", route.pattern + "?last=%27%3B--");
        EXPECT_TRUE(got.status >= 400 && got.status < 500)
            << route.pattern << " " << field.name << " " << got.status << got.body;
        EXPECT_EQ(got.headers.at("content-type"), "application/json");
        EXPECT_TRUE(Json::parse(got.body).has_value()) << got.body;
      }
    }
  }
  for (const char* path :
       {"/api/v1/jobs/%27%3B%20DROP", "/api/v1/jobs/..%2f..%2fetc", "/api/v1/jobs/%3Cscript%3E"}) {
    EXPECT_EQ(house.ask("owner", "GET", path).status, 404) << path;
  }
  for (const char* bad : {"", "[]", "1", "{", "{\"sql\":{}}", "{\"sql\":\"x\",\"epsilon\":0.1}",
                          "{\"sql\":\"x\",\"nonsense\":1}"}) {
    EXPECT_EQ(house.query("ann", bad).status, 400) << bad;
  }
  // Refused by its length; a client that is still sending may find the line closed before it reads
  // so.
  const int too_long = house.query("ann", std::string(2 << 20, 'x')).status;
  EXPECT_TRUE(too_long == 413 || too_long == 0) << too_long;
  EXPECT_EQ(house.service->accounts().list().value().size(), 4U);
  EXPECT_EQ(house.clinic.spent(), "0 0");
}

TEST(Api, PagesAreStrictAndNothingElseIsReached) {
  House house;
  const Got page = house.ask("", "GET", "/");
  EXPECT_EQ(page.body, "<html>hello</html>");
  const std::string& policy = page.headers.at("content-security-policy");
  EXPECT_NE(policy.find("script-src 'self';"), policy.npos);
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  // The one page that runs WebAssembly says so.
  EXPECT_NE(house.ask("", "GET", "/survey.html")
                .headers.at("content-security-policy")
                .find("script-src 'self' 'wasm-unsafe-eval';"),
            std::string::npos);
  const auto packed = house.ask("", "GET", "/deep/a.js", "", "Accept-Encoding: br, gzip\r\n");
  EXPECT_EQ(packed.body, "packed");
  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  EXPECT_EQ(house.ask("", "GET", "/deep/a.js").body, "1");
  EXPECT_EQ(house.ask("", "GET", "/link.txt").status, 404);  // links are left out
  EXPECT_FALSE(Pages::unpack("/a.js").has_value());
  EXPECT_FALSE(Pages::unpack(std::string_view("/a.js\0\x05\0\0\0abc", 13)).has_value());
  EXPECT_TRUE(Pages::unpack(std::string_view("/a.js\0\x03\0\0\0abc", 13)).has_value());
  EXPECT_TRUE(Pages::built_in().has_value());
  EXPECT_EQ(house.ask("", "GET", "/deep/a.js").headers.at("content-type").substr(0, 15),
            "text/javascript");
  for (const char* path : {"/secret.pem", "/../pages.txt", "/%2e%2e/pages.txt", "/..%2fpages.txt",
                           "/deep/../index.html", "/deep//a.js", "//etc/passwd", "/etc/passwd",
                           "/deep", "/state/accounts.db", "/../state/accounts.db",
                           "/%252e%252e/state/audit.log", "/index.html%00.js"}) {
    const int status = house.ask("", "GET", path).status;
    EXPECT_TRUE(status == 404 || status == 400) << path << status;
  }
  EXPECT_EQ(house.ask("", "POST", "/index.html", "x").status, 404);
}

// The world's faults: constant to the analyst, clear to the owner.
TEST(Api, AFailingEngineTellsTheOwnerOnly) {
  House house;
  const std::string labs = ledger::slurp(house.clinic.file("labs"));
  std::filesystem::remove(house.clinic.file("labs"));
  const Got got = house.query("ann", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"0.5"})");
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.body.find("labs"), got.body.npos) << got.body;
  EXPECT_EQ(house.clinic.spent(), "0 0");
  EXPECT_NE(house.logged().find("labs"), std::string::npos);
  // The label stands for all files together: nothing is read until they are opened again.
  EXPECT_EQ(house.query("ann", kCount).status, 502);
  ledger::spill(house.clinic.file("labs"), labs);
  house.clinic.reopen("2026-11");
  EXPECT_EQ(house.ask("owner", "POST", "/api/v1/reload").status, 200);
  EXPECT_EQ(house.query("ann", kCount).status, 200);
  EXPECT_EQ(house.query("ann", R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"0.25"})").status,
            200);
  EXPECT_EQ(house.ask("", "GET", "/healthz").status, 200);
}

TEST(Api, TheDocumentDescribesEveryRoute) {
  const Json document = Json::parse(openapi()).value();
  std::size_t operations = 0;
  for (const ApiRoute& route : routes()) {
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c + 32);
    const Json& operation = document["paths"][route.pattern][method];
    EXPECT_EQ(operation["summary"], route.summary);
    EXPECT_EQ(operation["security"].empty(), route.roles == kAnybody);
    ++operations;
  }
  EXPECT_EQ(operations, routes().size());
  House house;
  EXPECT_EQ(house.ask("", "GET", "/api/v1/openapi.json").body, openapi());
}

TEST(Api, SizesComeInBuckets) {
  EXPECT_EQ(padded("{}").size(), 1024U);
  EXPECT_EQ(padded(std::string(1024, 'x')).size(), 1024U);
  EXPECT_EQ(padded(std::string(1025, 'x')).size(), 2048U);
}

}  // namespace
}  // namespace discreet::server::api::api_test
