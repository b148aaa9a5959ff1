// SPDX-License-Identifier: Apache-2.0
#include "server/collect/collect_api.h"

#include <utility>

#include "base/json.h"

namespace discreet::server::collect {
namespace {

using http::Refusal;
using http::Reply;
using http::Request;
using http::Response;

constexpr const char* kBinary = "application/octet-stream";

struct Fate {
  const char* name;
  std::uint64_t Counts::* count;
};
constexpr Fate kFates[] = {
    {"accepted", &Counts::accepted},         {"duplicate", &Counts::duplicate},
    {"out_of_range", &Counts::out_of_range}, {"implausible", &Counts::implausible},
    {"wrong_survey", &Counts::wrong_survey}, {"elsewhere", &Counts::elsewhere},
    {"uninvited", &Counts::uninvited},       {"over_quota", &Counts::over_quota},
    {"malformed", &Counts::malformed}};

Json document(const Counts& counts) {
  Json json;
  for (const Fate& fate : kFates) json[fate.name] = counts.*fate.count;
  return json;
}

std::string text_of(const Json& json) { return json_text(json) + "\n"; }

std::string metrics(const Collector& collector) {
  std::string out =
      "# HELP discreet_reports_total What became of reports.\n"
      "# TYPE discreet_reports_total counter\n";
  const Counts counts = collector.totals();
  for (const Fate& fate : kFates) {
    out += std::string("discreet_reports_total{fate=\"") + fate.name + "\"} " +
           std::to_string(counts.*fate.count) + "\n";
  }
  return out +
         "# HELP discreet_collector_healthy Whether reports can be kept.\n"
         "# TYPE discreet_collector_healthy gauge\ndiscreet_collector_healthy " +
         (collector.is_healthy() ? "1\n" : "0\n");
}

}  // namespace

Response take_reports(Collector& collector, PeerLimits& peers, const Request& request) {
  if (http::media_type(request.header("content-type")) != kBinary) {
    return http::refuse(Refusal::kWrongType);
  }
  // No fewer than there are in it.
  const std::uint64_t most = 1 + request.body.size() / local::record_size(collector.survey());
  switch (peers.take(request.peer, most)) {
    case PeerVerdict::kTaken:
      break;
    case PeerVerdict::kTooFast:
      return http::error_response(429, "too_many",
                                  "too many reports came from this address at once; none of these "
                                  "was counted: send them again later, fewer in a piece");
    case PeerVerdict::kTooMany:
      return http::error_response(429, "too_many",
                                  "this address has sent as many reports as one address may; none "
                                  "of these was counted: whoever collects can raise "
                                  "--peer-reports");
  }
  std::string why;
  const Result<Counts> counts = collector.accept(request.body, &why);
  if (!counts) return http::refuse(counts.error());
  auto json = document(*counts);
  // Sound batches before a bad piece are kept; sending all of it again does no harm (C2).
  if (counts->malformed > 0) {
    json["error"] = "malformed";
    json["message"] = why;
    return {.status = 400, .body = text_of(json)};
  }
  if (counts->wrong_survey > 0) {
    json["error"] = "wrong_survey";
    json["message"] = why;
    return {.status = 409, .body = text_of(json)};
  }
  if (counts->elsewhere > 0) {
    json["error"] = "elsewhere";
    json["message"] = "this collector counts shard " + to_string(collector.shard()) +
                      "; send the reports to all shards, each takes its own";
    return {.status = 421, .body = text_of(json)};
  }
  if (counts->uninvited > 0) {
    json["error"] = "uninvited";
    json["message"] =
        "this survey counts a report only with one of its tokens, each once; make the report with "
        "the token that you were given";
    return {.status = 403, .body = text_of(json)};
  }
  if (counts->over_quota > 0) {
    json["error"] = "over_quota";
    json["message"] = "this survey has as many reports as it takes";
    return {.status = 403, .body = text_of(json)};
  }
  return {.body = text_of(json)};
}

std::string to_json(const Counts& counts) { return text_of(document(counts)); }

void add_routes(http::Router& router, Collector& collector, PeerLimits& peers,
                const Estimate& estimate) {
  const auto get = [&](const std::string& path, std::function<Response()> answer) {
    router.add({"GET", path, [answer = std::move(answer)](const Request&, const Reply& reply) {
                  reply(answer());
                }});
  };
  router.add(
      {"POST", "/v1/reports", [&collector, &peers](const Request& request, const Reply& reply) {
         reply(take_reports(collector, peers, request));
       }});
  get("/v1/survey", [&collector]() -> Response {
    return {.body = local::encode(collector.survey()), .type = kBinary};
  });
  get("/v1/counts", [&collector]() -> Response { return {.body = to_json(collector.totals())}; });
  get("/v1/aggregate", [&collector]() -> Response {
    return {.body = collector.aggregate().serialize(), .type = kBinary};
  });
  if (estimate) {
    get("/v1/estimate", [&collector, estimate]() -> Response {
      const Result<std::string> text = estimate(collector);
      return text ? Response{.body = *text} : http::refuse(text.error());
    });
  }
  get("/healthz", [&collector]() -> Response {
    const bool is_healthy = collector.is_healthy();
    return {.status = is_healthy ? 200 : 503,
            .body = is_healthy ? "ok\n" : "cannot keep reports\n",
            .type = "text/plain"};
  });
  get("/metrics", [&collector]() -> Response {
    return {.body = metrics(collector), .type = "text/plain; version=0.0.4"};
  });
}

}  // namespace discreet::server::collect
