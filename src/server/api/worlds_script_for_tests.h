// SPDX-License-Identifier: Apache-2.0
// What bob and the others do: one way of asking each route of the table, questions over
// PostgreSQL's protocol, gates, time and reloads. Scripts of these are drawn from a seed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/api/worlds_for_tests.h"

namespace discreet::server::api::worlds {

/// Routes that are not for analysts: whoever asks as one is refused, always alike.
inline const std::set<std::string>& refused_routes() {
  static const std::set<std::string> kRefused = {"POST /api/v1/audits",
                                                 "POST /api/v1/audits/replay",
                                                 "POST /api/v1/verify",
                                                 "GET /api/v1/status",
                                                 "GET /api/v1/accounts",
                                                 "POST /api/v1/accounts",
                                                 "DELETE /api/v1/accounts/{name}",
                                                 "POST /api/v1/accounts/{name}/unlock",
                                                 "GET /api/v1/audit-log",
                                                 "POST /api/v1/reload",
                                                 "GET /metrics"};
  return kRefused;
}

/// Few questions and prices, so that several ask the same.
inline Json draw_question(Draws& draws) {
  static const std::vector<std::string> kLoud = {"100000000", "200000000"};
  static const std::vector<std::string> kBelow = {"10000", "20000"};
  static const std::vector<std::string> kSql = {
      "SELECT COUNT(*) FROM visits",
      "SELECT COUNT(*) FROM visits WHERE age > 30",
      "SELECT clinic, COUNT(*) FROM visits GROUP BY clinic",
      "SELECT SUM(age) FROM visits",
      "SELECT AVG(age) FROM visits",
      "SELECT COUNT(*) FROM persons",
      "SELECT COUNT(*) FROM survey",
      "SELECT region, COUNT(*) FROM survey GROUP BY region",
      "SELECT COUNT(*) FROM labs",   // fails behind the charge
      "SELECT COUNT(*) FROM stays",  // and before it
      "SELECT name FROM visits",
      "SELECT COUNT(*) FROM nowhere"};
  const std::string& sql = draws.of(kSql);
  const bool is_survey = sql.find("survey") != sql.npos;  // in zCDP, where it costs its square
  return {{"sql", sql}, {"epsilon", draws.of(is_survey ? kBelow : kLoud)}};
}

/// What nobody can pay for, with what others have left too.
inline Json draw_dear_question(Draws& draws) {
  static const std::vector<std::string> kDear = {"240000000000", "260000000000", "900000000000"};
  return {{"sql", "SELECT COUNT(*) FROM visits"}, {"epsilon", draws.of(kDear)}};
}

inline Json draw_lesson(Draws& draws) {
  return {{"task", draws.one_in(2) ? "distribution" : "naive-bayes"},
          {"table", "visits"},
          {"target", "clinic"},
          {"features", "age"},
          {"epsilon", draws.one_in(2) ? "100000000" : "200000000"}};
}

inline Json draw_publication(Draws& draws) {
  return {{"workload", std::string("table: survey\nrho: ") +
                           (draws.one_in(2) ? "1000000" : "2000000") +
                           "\ncolumns: {income: {bins: 50}}\ntables: {by_region: [region]}\n"}};
}

inline Json with(Json fields, const std::string& name, const Json& value) {
  fields[name] = value;
  return fields;
}

/// How a route is asked, by "METHOD PATTERN".
using Ways = std::map<std::string, std::function<Act(Draws&)>>;

inline const Ways& ways() {
  static const auto plain = [](const std::string& method, const std::string& path,
                               const std::string& body = {}) {
    return [=](Draws&) -> Act { return [=](Player& who) { who.ask(method, path, body); }; };
  };
  static const auto long_work = [](const std::string& path, Json (*draw)(Draws&)) {
    return [=](Draws& draws) -> Act {
      Json fields = with(draw(draws), "deadline_ms", draws.one_in(2) ? "40" : "400");
      if (draws.one_in(3)) fields["request_id"] = "long" + std::to_string(draws.below(2));
      return [=](Player& who) {
        if (who.may_ask_long()) who.ask("POST", path, fields.dump());
      };
    };
  };
  static const auto explained = [](const std::string& path, Json (*draw)(Draws&)) {
    return [=](Draws& draws) -> Act {
      return [=, body = draw(draws).dump()](Player& who) { who.ask("POST", path, body); };
    };
  };
  static const auto of_job = [](const std::string& method, const std::string& end) {
    return [=](Draws& draws) -> Act {
      return [=, back = draws.below(4)](Player& who) {
        who.ask(method, "/api/v1/jobs/" + who.job(back) + end);
      };
    };
  };
  static const Ways kWays = {
      {"POST /api/v1/query",
       [](Draws& draws) -> Act {
         Json question = draws.one_in(12) ? draw_dear_question(draws) : draw_question(draws);
         if (draws.one_in(5)) question["request_id"] = "mine" + std::to_string(draws.below(3));
         const bool waits = draws.one_in(3);
         question["wait"] = waits;
         return [=](Player& who) {
           if (!who.may_ask()) return;
           if (waits) return who.begin("POST", "/api/v1/query", question.dump());
           who.ask("POST", "/api/v1/query", question.dump());
         };
       }},
      {"POST /api/v1/explain",
       [](Draws& draws) -> Act {
         Json question = draws.one_in(6) ? draw_dear_question(draws) : draw_question(draws);
         // Of a pilot's answer only the price is explained.
         if (draws.one_in(8)) {
           question = {{"sql", "SELECT COUNT(*) FROM visits"}, {"error", "5%"}};
         }
         return [=](Player& who) { who.ask("POST", "/api/v1/explain", question.dump()); };
       }},
      {"POST /api/v1/curve",
       plain("POST", "/api/v1/curve", R"({"sql":"SELECT COUNT(*) FROM visits"})")},
      {"GET /api/v1/catalog", plain("GET", "/api/v1/catalog")},
      {"POST /api/v1/learn", long_work("/api/v1/learn", draw_lesson)},
      {"POST /api/v1/learn/explain", explained("/api/v1/learn/explain", draw_lesson)},
      {"POST /api/v1/publish", long_work("/api/v1/publish", draw_publication)},
      {"POST /api/v1/publish/explain", explained("/api/v1/publish/explain", draw_publication)},
      {"POST /api/v1/audits",
       [](Draws&) -> Act {
         return [](Player& who) {
           if (!who.may_ask_long()) return;
           who.ask("POST", "/api/v1/audits",
                   R"({"audit":"exact","case":"permute-and-flip","deadline_ms":"40"})");
         };
       }},
      {"POST /api/v1/audits/replay",
       [](Draws&) -> Act {
         return [](Player& who) {
           if (!who.may_ask_long()) return;
           who.ask("POST", "/api/v1/audits/replay",
                   R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"1","deadline_ms":"40",)"
                   R"("neighbour":"remove:patient=3"})");
         };
       }},
      {"POST /api/v1/attacks",
       [](Draws& draws) -> Act {
         return [ms = draws.one_in(2) ? "40" : "400"](Player& who) {
           if (!who.may_ask_long()) return;
           who.ask("POST", "/api/v1/attacks",
                   R"({"attack":"difference","seed":"7","trials":"3","size":"20","deadline_ms":")" +
                       std::string(ms) + "\"}");
         };
       }},
      {"GET /api/v1/jobs", plain("GET", "/api/v1/jobs")},
      {"GET /api/v1/jobs/{id}", of_job("GET", "")},
      {"GET /api/v1/jobs/{id}/answer",
       [](Draws& draws) -> Act {
         return [back = draws.below(4)](Player& who) { ask_for_answer(who, back); };
       }},
      {"GET /api/v1/jobs/{id}/report", of_job("GET", "/report")},
      {"POST /api/v1/jobs/{id}/report-link",
       [](Draws& draws) -> Act {
         return [back = draws.below(4)](Player& who) {
           const Got got = who.ask("POST", "/api/v1/jobs/" + who.job(back) + "/report-link");
           if (got.status == 200) who.ticket = Json::parse(got.body).value()["path"].text();
         };
       }},
      {"GET /reports/{ticket}",
       [](Draws&) -> Act {
         return
             [](Player& who) { who.ask("GET", who.ticket.empty() ? "/reports/none" : who.ticket); };
       }},
      {"DELETE /api/v1/jobs/{id}", of_job("DELETE", "")},
      {"GET /api/v1/budget", plain("GET", "/api/v1/budget")},
      {"GET /api/v1/history",
       [](Draws& draws) -> Act {
         return [last = draws.one_in(3) ? "?last=3" : ""](Player& who) {
           who.ask("GET", "/api/v1/history" + std::string(last));
         };
       }},
      {"POST /api/v1/verify", plain("POST", "/api/v1/verify")},
      {"GET /api/v1/status", plain("GET", "/api/v1/status")},
      {"POST /api/v1/login",
       [](Draws& draws) -> Act {
         return [is_wrong = draws.one_in(3)](Player& who) {
           who.log_in(is_wrong ? "not the password" : who.password());
         };
       }},
      {"POST /api/v1/logout",
       [](Draws&) -> Act {
         return [](Player& who) {
           who.ask("POST", "/api/v1/logout");
           who.log_in(who.password());
         };
       }},
      {"GET /api/v1/me", plain("GET", "/api/v1/me")},
      {"POST /api/v1/password",
       [](Draws& draws) -> Act {
         return [number = draws.below(1000)](Player& who) {
           who.change_password("a long new password " + std::to_string(number));
         };
       }},
      {"GET /api/v1/accounts", plain("GET", "/api/v1/accounts")},
      {"POST /api/v1/accounts",
       plain("POST", "/api/v1/accounts", R"({"name":"dora","role":"analyst"})")},
      {"DELETE /api/v1/accounts/{name}", plain("DELETE", "/api/v1/accounts/dora")},
      {"POST /api/v1/accounts/{name}/unlock", plain("POST", "/api/v1/accounts/ann/unlock")},
      {"GET /api/v1/surveys", plain("GET", "/api/v1/surveys")},
      {"GET /api/v1/surveys/{id}", plain("GET", "/api/v1/surveys/none")},
      {"POST /api/v1/surveys/{id}/reports",
       [](Draws&) -> Act {
         return [](Player& who) {
           who.ask("POST", "/api/v1/surveys/none/reports", "x", "application/octet-stream");
         };
       }},
      {"GET /api/v1/surveys/{id}/estimate", plain("GET", "/api/v1/surveys/none/estimate")},
      {"GET /api/v1/audit-log", plain("GET", "/api/v1/audit-log")},
      {"POST /api/v1/reload", plain("POST", "/api/v1/reload", "{}")},
      {"GET /api/v1/openapi.json", plain("GET", "/api/v1/openapi.json")},
      {"GET /healthz", plain("GET", "/healthz")},
      {"GET /metrics", plain("GET", "/metrics")}};
  return kWays;
}

inline Act ask_route(const std::string& route, Draws& draws) {
  const auto way = ways().find(route);
  DISCREET_CHECK(way != ways().end());
  return way->second(draws);
}

/// Settings, SHOW, EXPLAIN and, if `asks`, questions.
inline std::vector<std::string> draw_statements(Draws& draws, bool asks) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < 1 + draws.below(2); ++i) {
    const Json question = draws.one_in(8) ? draw_dear_question(draws) : draw_question(draws);
    out.push_back("SET discreet.epsilon = '" + question["epsilon"].text() + "'");
    out.push_back("EXPLAIN " + question["sql"].text());
    if (asks) out.push_back(question["sql"].text());
  }
  out.emplace_back("SHOW discreet.epsilon");
  out.emplace_back("SELECT current_user");
  return out;
}

/// What bob does most, beside a look at everything.
inline const std::vector<std::string>& usual_routes() {
  static const std::vector<std::string> kUsual = {
      "POST /api/v1/query",           "POST /api/v1/query",
      "POST /api/v1/query",           "POST /api/v1/explain",
      "POST /api/v1/explain",         "GET /api/v1/history",
      "GET /api/v1/budget",           "GET /api/v1/jobs",
      "GET /api/v1/jobs/{id}",        "GET /api/v1/jobs/{id}/answer",
      "POST /api/v1/learn",           "POST /api/v1/learn/explain",
      "POST /api/v1/publish",         "POST /api/v1/attacks",
      "POST /api/v1/publish/explain", "POST /api/v1/jobs/{id}/report-link",
      "GET /reports/{ticket}",        "DELETE /api/v1/jobs/{id}"};
  return kUsual;
}

inline Act let_pass(std::int64_t ms) {
  return [ms](Player& bob) { bob.pass(ms); };
}

/// Bob's script: usual acts, `tour` others of the table of routes, and time.
inline Script draw_script(std::uint64_t seed, const Rules& rules = {}, std::size_t usual = 16,
                          std::size_t tour = 10) {
  Draws draws(seed);
  std::vector<std::function<Act(Draws&)>> kinds;
  for (std::size_t i = 0; i < usual; ++i) {
    const std::string route = draws.of(usual_routes());
    kinds.emplace_back([route](Draws& each) { return ask_route(route, each); });
  }
  std::vector<std::string> all;
  for (const ApiRoute& route : api::routes()) all.push_back(route.method + " " + route.pattern);
  for (std::size_t i = 0; i < std::min(tour, all.size()); ++i) {
    std::swap(all[i], all[i + draws.below(all.size() - i)]);
    kinds.emplace_back([route = all[i]](Draws& each) { return ask_route(route, each); });
  }
  for (int i = 0; i < 4; ++i) {
    kinds.emplace_back([](Draws& each) -> Act {
      return let_pass(each.one_in(4) ? 31'000 : each.one_in(3) ? 50 : 10 * kAnswerMs);
    });
  }
  if (rules.has_postgres) {
    kinds.emplace_back([](Draws& each) -> Act {
      return [statements = draw_statements(each, true)](Player& bob) {
        // Whatever else is delivered while it is answered would be counted in it, or not.
        bob.pass(500);
        bob.converse(statements, true);
      };
    });
  }
  for (int i = 0; i < 2; ++i) {
    kinds.emplace_back([](Draws&) -> Act { return [](Player& bob) { bob.stage().close_gate(); }; });
  }
  if (draws.one_in(2)) {
    kinds.emplace_back([](Draws& each) -> Act {
      return [changes = each.one_in(2)](Player& bob) { bob.stage().reload(changes); };
    });
  }
  for (std::size_t i = kinds.size(); i > 1; --i) std::swap(kinds[i - 1], kinds[draws.below(i)]);
  Script script;
  if (rules.is_shared) {
    script.emplace_back(
        [](Player& bob) { bob.ask("POST", "/api/v1/query", old_question(true).dump()); });
    script.push_back(let_pass(10 * kAnswerMs));
  }
  for (const auto& kind : kinds) script.push_back(kind(draws));
  return script;
}

/// What the owner does at the page, and analysts do not.
inline const std::vector<std::string>& owners_routes() {
  static const std::vector<std::string> kOwners = {
      "POST /api/v1/query",    "POST /api/v1/audits",   "POST /api/v1/audits/replay",
      "POST /api/v1/verify",   "GET /api/v1/status",    "GET /api/v1/accounts",
      "POST /api/v1/accounts", "GET /api/v1/audit-log", "DELETE /api/v1/accounts/{name}",
      "GET /metrics",          "GET /api/v1/history",   "POST /api/v1/accounts/{name}/unlock"};
  return kOwners;
}

inline Step draw_step(Draws& draws, const Rules& rules) {
  static const std::vector<std::string> kOthers = {"ann", "ann", "carl", "owner"};
  const std::string who = draws.of(kOthers);
  switch (draws.below(12)) {
    case 0:
      return {who, [](Player& player) {
                player.ask("POST", "/api/v1/login", R"({"name":"bob","password":"a wrong guess"})");
              }};
    case 1:
      if (!rules.has_postgres) return {who, ask_route("POST /api/v1/query", draws)};
      return {who, [statements = draw_statements(draws, draws.one_in(2))](Player& player) {
                if (player.may_ask()) player.converse(statements, false);
              }};
    case 2:  // a pilot, whose answer is noise
      return {who, [](Player& player) {
                if (!player.may_ask()) return;
                player.ask("POST", "/api/v1/query",
                           R"({"sql":"SELECT COUNT(*) FROM visits","error":"5%","wait":false})");
              }};
    case 3:
    case 4:
      if (who == "owner") return {who, ask_route(draws.of(owners_routes()), draws)};
      [[fallthrough]];
    default:
      return {who, ask_route(draws.of(usual_routes()), draws)};
  }
}

/// One of the largest that the policy allows.
inline Step draw_large_step(Draws& draws) {
  const std::string sql =
      "SELECT COUNT(*) FROM visits WHERE age > " + std::to_string(draws.below(90));
  return {draws.one_in(2) ? "ann" : "carl",
          [body = Json{{"sql", sql}, {"epsilon", "90000000000"}, {"wait", false}}.dump()](
              Player& player) {
            if (player.may_ask()) player.ask("POST", "/api/v1/query", body);
          }};
}

/// What the others do around a script of so many acts. With shared caps some spend nearly all.
inline Others draw_others(std::uint64_t seed, std::size_t acts, const Rules& rules = {}) {
  Draws draws(seed);
  Others others(acts + 1);
  const bool spends = rules.is_shared && draws.one_in(2);
  for (auto& steps : others) {
    const std::size_t count = draws.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      steps.push_back(spends && draws.one_in(2) ? draw_large_step(draws) : draw_step(draws, rules));
    }
  }
  if (rules.is_shared) {
    others[0].push_back(
        {"ann", [](Player& ann) { ann.ask("POST", "/api/v1/query", old_question(false).dump()); }});
  }
  return others;
}

}  // namespace discreet::server::api::worlds
