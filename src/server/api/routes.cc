// SPDX-License-Identifier: Apache-2.0
// The one table of routes.
#include "server/api/service.h"

namespace discreet::server::api {
namespace {

std::vector<FieldFacts> with(const std::vector<FieldFacts>& first, std::vector<FieldFacts> more) {
  more.insert(more.begin(), first.begin(), first.end());
  return more;
}

/// A question's text may be long, and takes the work of a planner to look at.
ApiRoute about_sql(ApiRoute route, bool is_heavy) {
  route.body_max = 64 << 10;
  route.is_heavy = is_heavy;
  return route;
}

ApiRoute heavy(ApiRoute route) {
  route.is_heavy = true;
  return route;
}

std::vector<ApiRoute> make_routes() {
  const std::vector<FieldFacts> question = {
      {"sql", "one SELECT, in PostgreSQL's grammar", true},
      {"epsilon", "what it may cost, as text: \"0.5\""},
      {"delta", "for keys that must be found, as text: \"1e-8\""},
      {"error", "in place of epsilon: \"100\", or \"5%\" of about"},
      {"about", "a public or released number that error is relative to"},
      {"rows", "about how many rows a group has, a public number: for the error of an average"},
      {"confidence", "of the intervals, as text (0.95)"},
      {"max_groups", "groups that one unit may contribute to"},
      {"max_rows", "rows that one unit may contribute to a group"}};
  const auto asking = with(
      question, {{"request_id",
                  "1 to 64 letters, digits, '.', '-', '_': asking again with it "
                  "gives the same answer, free"},
                 {"wait", "true (the default): answer at the deadline; false: a job at once"}});
  const auto curving = with(question, {{"from", "the least epsilon, as text (0.05)"},
                                       {"to", "the largest epsilon, as text (2)"}});
  return {
      about_sql(
          {"POST", "/api/v1/query", "Ask, pay, get an answer with intervals", kAsking, asking, ask},
          false),
      about_sql({"POST", "/api/v1/explain", "Price, noise and expected error; costs nothing",
                 kAsking, question, explain},
                true),
      about_sql({"POST", "/api/v1/curve", "Expected error against epsilon; costs nothing", kAsking,
                 curving, curve},
                true),
      {"GET",
       "/api/v1/catalog",
       "Tables and columns that may be asked about",
       kAsking,
       {},
       catalog},
      {"GET",
       "/api/v1/jobs",
       "All jobs that wait, with the engine's progress",
       kOwnerOnly,
       {},
       all_jobs},
      {"GET", "/api/v1/jobs/{id}", "Stage and public deadline of an own job", kAsking, {}, job},
      {"GET", "/api/v1/jobs/{id}/answer", "The answer, at its deadline", kAsking, {}, job_answer},
      {"DELETE",
       "/api/v1/jobs/{id}",
       "Hide a job's answer; it stays charged",
       kAsking,
       {},
       cancel_job},
      {"GET", "/api/v1/budget", "What is left; analysts see their own", kAll, {}, budget},
      heavy({"GET",
             "/api/v1/history",
             "Records of the ledger; analysts see their own",
             kAll,
             {{"last", "so many, the newest (100, at most 1000)"}},
             history}),
      heavy({"POST",
             "/api/v1/verify",
             "Check the whole ledger: chain, signatures, caps, answers",
             kOverseeing,
             {},
             verify}),
      {"GET",
       "/api/v1/status",
       "Random source, ledger's head, what was asked and refused since the start",
       kOverseeing,
       {},
       show_status},
      {"POST",
       "/api/v1/login",
       "A token for a name and a password",
       kAnybody,
       {{"name", "the account", true}, {"password", "its password", true}},
       log_in},
      {"POST", "/api/v1/logout", "End this token", kAll, {}, log_out},
      {"GET", "/api/v1/me", "The account of this token", kAll, {}, who_am_i},
      {"POST",
       "/api/v1/password",
       "Change one's own password; ends all tokens",
       kAll,
       {{"old", "the present password", true}, {"new", "12 to 256 bytes", true}},
       change_password},
      {"GET", "/api/v1/accounts", "All accounts", kOverseeing, {}, list_accounts},
      {"POST",
       "/api/v1/accounts",
       "A new account; its password is shown once",
       kOwnerOnly,
       {{"name", "as the ledger calls the analyst", true},
        {"role", "owner, analyst or auditor", true}},
       add_account},
      {"DELETE",
       "/api/v1/accounts/{name}",
       "Remove an account; what it spent stays spent",
       kOwnerOnly,
       {},
       remove_account},
      {"POST",
       "/api/v1/accounts/{name}/unlock",
       "End the locks after wrong passwords",
       kOwnerOnly,
       {},
       unlock_account},
      {"GET", "/api/v1/surveys", "Surveys that are collected here", kAnybody, {}, list_surveys},
      {"GET",
       "/api/v1/surveys/{id}",
       "A survey for a client of the local model",
       kAnybody,
       {},
       show_survey,
       "application/json",
       0,
       "application/octet-stream"},
      {"POST",
       "/api/v1/surveys/{id}/reports",
       "Reports that were randomized at home",
       kAnybody,
       {},
       take_reports,
       "application/octet-stream",
       64 << 10},
      {"GET",
       "/api/v1/surveys/{id}/estimate",
       "Shares or mean with intervals, so far",
       kAnybody,
       {},
       show_estimate},
      {"GET",
       "/api/v1/audit-log",
       "Who did what, as it was logged",
       kOverseeing,
       {{"last", "so many, the newest (100, at most 1000)"}},
       show_audit},
      {"POST", "/api/v1/reload", "Read the policy again", kOwnerOnly, {}, reload},
      {"GET", "/api/v1/openapi.json", "This document", kAnybody, {}, show_openapi},
      {"GET",
       "/healthz",
       "Whether questions can be answered",
       kAnybody,
       {},
       health,
       "application/json",
       0,
       "text/plain"},
      {"GET",
       "/metrics",
       "For Prometheus",
       kOwnerOnly,
       {},
       show_metrics,
       "application/json",
       0,
       "text/plain"},
  };
}

}  // namespace

const std::vector<ApiRoute>& routes() {
  static const std::vector<ApiRoute> kRoutes = make_routes();
  return kRoutes;
}

}  // namespace discreet::server::api
