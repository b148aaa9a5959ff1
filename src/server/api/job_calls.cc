// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "server/api/json_body.h"
#include "server/api/service.h"

namespace discreet::server::api {
namespace {

using Json = nlohmann::ordered_json;

Json job_json(const jobs::JobFacts& facts) {
  return {{"job", facts.id},
          {"stage", to_string(facts.stage)},
          {"due", to_utc(facts.due_ms)},
          {"due_ms", facts.due_ms}};
}

void send(const Call& call, const Result<jobs::JobFacts>& facts) {
  if (!facts) return call.reply(http::refuse(facts.error()));
  call.reply({.body = padded(job_json(*facts).dump())});
}

std::string id_of(const Call& call) { return std::string(call.request.part("id")); }

}  // namespace

void job(Service& service, Call call) {
  send(call, service.jobs().look(call.account.name, id_of(call)));
}

void job_answer(Service& service, Call call) {
  service.jobs().answer(call.account.name, id_of(call), call.reply);
}

void cancel_job(Service& service, Call call) {
  send(call, service.jobs().cancel(call.account.name, id_of(call)));
}

void all_jobs(Service& service, Call call) {
  Json list = Json::array();
  for (const jobs::JobFacts& facts : service.jobs().waiting()) {
    Json json = job_json(facts);
    json["analyst"] = facts.analyst;
    json["percent"] = facts.percent;
    list.push_back(json);
  }
  call.reply({.body = padded(Json{{"jobs", list}}.dump())});
}

}  // namespace discreet::server::api
