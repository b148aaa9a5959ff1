// SPDX-License-Identifier: Apache-2.0
// health, metrics, OpenAPI, reload, audit log.
#include "base/json.h"
#include "server/api/documents.h"
#include "server/api/json_body.h"
#include "server/api/service.h"

namespace discreet::server::api {

Json differences_json(const std::vector<session::Difference>& differences) {
  Json list = Json::array();
  for (const session::Difference& each : differences) {
    list.push_back({{"what", each.what}, {"fix", each.fix}});
  }
  return list;
}

void health(Service& service, Call call) {
  // Reads the ledger's head: a disk that is gone shows here.
  const bool is_well = service.world()->ledger().state().has_value();
  call.reply({.status = is_well ? 200 : 503,
              .body = is_well ? "ok\n" : "the ledger cannot be read\n",
              .type = "text/plain"});
}

void show_metrics(Service& service, Call call) {
  call.reply({.body = service.metrics(), .type = "text/plain; version=0.0.4"});
}

void show_openapi(Service&, Call call) {
  static const std::string kDocument = openapi();
  call.reply({.body = kDocument});
}

void reload(Service& service, Call call) {
  const Result<void> noted = service.audit().append({call.account.name, "reload"});
  if (!noted) return call.reply(http::refuse(noted.error()));
  const Result<void> reloaded = service.reload_and_log();
  if (!reloaded) return call.reply(http::refuse(reloaded.error()));
  const auto found = service.differences();
  if (!found) return call.reply(service.refused(call, found.error()));
  const Json json = {{"reloaded", true}, {"differences", differences_json(*found)}};
  call.reply({.body = padded(json_text(json))});
}

void show_audit(Service& service, Call call) {
  const Result<std::size_t> most = last_of(call.request);
  if (!most) return call.reply(http::refuse(most.error()));
  const auto lines = service.audit().last(*most);
  if (!lines) return call.reply(http::refuse(lines.error()));
  std::string body = "{\"lines\":[";
  for (const std::string& line : *lines) body += (body.back() == '[' ? "" : ",") + line;
  call.reply({.body = padded(body + "]}")});
}

void show_status(Service& service, Call call) { service.send(call, service.status()); }

}  // namespace discreet::server::api
