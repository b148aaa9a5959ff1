// SPDX-License-Identifier: Apache-2.0
// The one table of routes.
#include "audit/attack/attack.h"
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

std::string attack_list() {
  std::string out;
  for (const std::string& name : audit::attack_names()) out += (out.empty() ? "" : ", ") + name;
  return out;
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
                  "1 to 64 letters, digits, '.', '-', '_': charged once; asking again "
                  "with it gives the same answer, free"},
                 {"wait", "true (the default): answer at the deadline; false: a job at once"}});
  const auto curving = with(question, {{"from", "the least epsilon, as text (0.05)"},
                                       {"to", "the largest epsilon, as text (2)"}});
  const std::vector<FieldFacts> later = {
      {"deadline_ms",
       "when the answer appears, in milliseconds from now: choose it by what is public (10000)"},
      {"wait", "true: answer at the deadline; false (the default): a job at once"}};
  const FieldFacts id = {"request_id",
                         "1 to 64 letters, digits, '.', '-', '_': charged once; asking again with "
                         "it gives the same bytes, free"};
  const std::vector<FieldFacts> lesson = {
      {"task", "classify, naive-bayes, regress, cluster, network, distribution or synthesize",
       true},
      {"epsilon", "what the whole lesson may cost, as text: \"1\"", true},
      {"delta", "above 0: Gaussian noise, far less for many numbers (0)"},
      {"table", "of the policy (its only one with units)"},
      {"target", "the column to predict"},
      {"features", "columns, with commas (all that have a domain)"},
      {"group", "of classify and naive-bayes: a listed column, accuracy for each value"},
      {"bins", "of a number's range, for naive-bayes, distribution and synthesize"},
      {"ridge", "of regress: at least so much (0)"},
      {"k", "of cluster: how many centres (8)"},
      {"hidden", "of network: units of the hidden layer (16)"},
      {"steps", "of network (60)"},
      {"sampling", "of network: the chance to be in a step (0.9)"},
      {"rate", "of network (2)"},
      {"rows", "of synthesize (about as many as there are)"},
      id};
  const std::vector<FieldFacts> publication = {
      {"workload", "in YAML, as docs/publish.md describes it; it names no files", true}, id};
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
      about_sql({"POST", "/api/v1/learn",
                 "A model, clusters, columns' distributions or a synthetic "
                 "table, as a job",
                 kAsking, with(lesson, later), learn_something},
                true),
      about_sql({"POST", "/api/v1/learn/explain", "What a lesson costs; costs nothing", kAsking,
                 lesson, explain_lesson},
                true),
      about_sql({"POST", "/api/v1/publish", "Many tables under one price, as a job", kAsking,
                 with(publication, later), publish_tables},
                true),
      about_sql({"POST", "/api/v1/publish/explain",
                 "What a publication costs, and how far off every cell will be; costs nothing",
                 kAsking, publication, explain_publication},
                true),
      {"POST", "/api/v1/audits", "Check the compiled code, or the policy; no data is read",
       kOverseeing,
       with({{"audit", "exact, mutants, statistical, randomness or conformance", true},
             {"case", "one case, mechanism or part; all if left out"}},
            later),
       audit_code},
      about_sql(
          {"POST", "/api/v1/audits/replay",
           "A question on the data and on a neighbour of it: findings are the owner's alone",
           kOwnerOnly, with(with(question, {{"neighbour", "remove:COLUMN=VALUE", true}}), later),
           audit_data},
          true),
      {"POST", "/api/v1/attacks",
       "Break what others release, and fail to break ours, on made-up data", kAll,
       with({{"attack", attack_list(), true},
             {"epsilon", "what ours may spend in all, as text (1)"},
             {"seed", "repeats a run; fresh if left out"},
             {"trials", "how often the game is played"},
             {"size", "people, bits or ZIP codes; as in the lectures"}},
            later),
       attack},
      {"GET",
       "/api/v1/jobs",
       "Own jobs, the newest first; for the owner also all that wait, with the engine's progress",
       kAll,
       {},
       list_jobs},
      {"GET", "/api/v1/jobs/{id}", "Stage and public deadline of an own job", kAll, {}, job},
      {"GET", "/api/v1/jobs/{id}/answer", "The answer, at its deadline", kAll, {}, job_answer},
      {"GET",
       "/api/v1/jobs/{id}/report",
       "The page of a publication, a synthetic table, an audit or an attack",
       kAll,
       {},
       job_report,
       "application/json",
       0,
       "text/html"},
      {"POST",
       "/api/v1/jobs/{id}/report-link",
       "A path at which a browser can open that page, for ten minutes",
       kAll,
       {},
       link_report},
      {"GET",
       "/reports/{ticket}",
       "A page that was linked to",
       kAnybody,
       {},
       open_report,
       "application/json",
       0,
       "text/html"},
      {"DELETE",
       "/api/v1/jobs/{id}",
       "Hide a job's answer; it stays charged",
       kAll,
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

void add_doors(http::Options& options) {
  const auto logs_in = [](const http::Request& request) { return request.path == "/api/v1/login"; };
  const auto is_light = [](const http::Request& request) {
    return !request.path.starts_with("/api/");
  };
  options.pools = {{.workers = 2, .takes = logs_in, .waiting_max = 64},
                   {.workers = 2, .takes = is_light}};
  options.limits.strangers = 1024;
  options.limits.strangers_per_peer = 128;
  options.limits.stranger_ms = 120'000;
}

const std::vector<ApiRoute>& routes() {
  static const std::vector<ApiRoute> kRoutes = make_routes();
  return kRoutes;
}

}  // namespace discreet::server::api
