// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "ledger/seal.h"
#include "server/api/work.h"
#include "server/identity/scram.h"

namespace discreet::server::api {
namespace {

Json job_json(const jobs::JobFacts& facts) {
  return {{"job", facts.id},
          {"kind", facts.kind},
          {"stage", to_string(facts.stage)},
          {"due", to_utc(facts.due_ms)},
          {"due_ms", facts.due_ms},
          {"report", facts.has_report}};
}

void send_job(const Call& call, const Result<jobs::JobFacts>& facts) {
  if (!facts) return call.reply(http::refuse(facts.error()));
  call.reply({.body = padded(job_text(*facts))});
}

std::string id_of(const Call& call) { return std::string(call.request.part("id")); }

/// A page without scripts, with its own style sheet and no other, that may do nothing.
http::Response page(std::string html) {
  static const std::string kPolicy = [] {
    const Hash hash = ledger::sha256(std::string(report::exhibit_style()));
    return "default-src 'none'; style-src 'sha256-" + identity::to_base64(ledger::bytes_of(hash)) +
           "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
  }();
  return {.body = padded(std::move(html)),
          .type = "text/html; charset=utf-8",
          .headers = {{"Content-Security-Policy", kPolicy}, {"X-Frame-Options", "DENY"}}};
}

void send_page(const Call& call, Result<std::string> html) {
  if (!html) return call.reply(http::refuse(html.error()));
  call.reply(page(std::move(*html)));
}

}  // namespace

std::string job_text(const jobs::JobFacts& facts) { return json_text(job_json(facts)); }

void job(Service& service, Call call) {
  send_job(call, service.jobs().look(call.account.name, id_of(call)));
}

void job_answer(Service& service, Call call) {
  service.jobs().answer(call.account.name, id_of(call), call.reply);
}

void cancel_job(Service& service, Call call) {
  send_job(call, service.jobs().cancel(call.account.name, id_of(call)));
}

void list_jobs(Service& service, Call call) {
  constexpr std::size_t kMost = 50;
  Json own = Json::array();
  for (const jobs::JobFacts& facts : service.jobs().of(call.account.name, kMost)) {
    own.push_back(job_json(facts));
  }
  Json json = {{"jobs", own}};
  if (call.account.role == identity::Role::kOwner) {
    Json all = Json::array();
    for (const jobs::JobFacts& facts : service.jobs().waiting()) {
      all.push_back(job_json(facts));
      all.back()["analyst"] = facts.analyst;
      all.back()["percent"] = facts.percent;
    }
    json["waiting"] = all;
  }
  call.reply({.body = padded(json_text(json))});
}

void job_report(Service& service, Call call) {
  send_page(call, service.jobs().report(call.account.name, id_of(call)));
}

void link_report(Service& service, Call call) {
  const Result<std::string> path = service.link_to_report(call.account.name, id_of(call));
  if (!path) return call.reply(http::refuse(path.error()));
  call.reply({.body = padded(json_text({{"path", *path}}))});
}

void open_report(Service& service, Call call) {
  send_page(call, service.linked_report(std::string(call.request.part("ticket"))));
}

}  // namespace discreet::server::api
