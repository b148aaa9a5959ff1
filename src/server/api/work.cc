// SPDX-License-Identifier: Apache-2.0
#include "server/api/work.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace discreet::server::api {
namespace {

constexpr std::int64_t kLongestMs = 3'600'000;

Result<std::int64_t> deadline_of(const Fields& fields, const ServiceOptions& options) {
  const auto text = fields.text("deadline_ms");
  if (!text) return std::max<std::int64_t>(options.long_answer_ms, options.jobs.answer_ms);
  const Result<Rational> value = Rational::parse(*text);
  const Rational least(options.jobs.answer_ms);
  if (!value || value->denominator() != 1 || *value < least || *value > Rational(kLongestMs)) {
    return invalid_input("deadline_ms must be a whole number from " + least.to_string() + " to " +
                         std::to_string(kLongestMs));
  }
  return static_cast<std::int64_t>(value->numerator().get_si());
}

}  // namespace

Result<Fields> fields_of(const Call& call) {
  std::vector<std::string> names;
  for (const ApiRoute& route : routes()) {
    if (route.pattern != call.request.path || route.method != call.request.method) continue;
    for (const FieldFacts& field : route.fields) names.push_back(field.name);
  }
  DISCREET_ASSIGN(Fields fields, Fields::parse(call.request.body, names, call.old_names));
  for (const std::string& text : fields.warnings()) {
    call.reply.add_header(kDeprecatedHeader, "field " + text);
  }
  return fields;
}

Call known_of(const Call& call) {
  Call known{http::Request{}, http::Reply([](const http::Response&) {}), call.account};
  known.request.id = call.request.id;
  return known;
}

engine::OwnerLog owner_log(Service& service, const Call& known,
                           const std::function<void(int)>& progress) {
  return {.say =
              [&service, id = known.request.id](const std::string& words) {
                service.log("engine", "request " + id + ": " + words);
              },
          .progress = progress};
}

Result<session::Explanation> explain_quote(Service& service, World& world,
                                           const std::string& analyst, const std::string& units,
                                           const ledger::Quote& quote, const std::string& what) {
  DISCREET_ASSIGN(const ledger::State state, world.ledger().state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const space, state.find(units));
  const ledger::Notion notion = space->terms.notion;
  return service.as_shown(world, analyst,
                          {.units = units,
                           .neighbours = to_string(space->terms.neighbours),
                           .bounds = {},
                           .keys = {},
                           .steps = {},
                           .price = to_text(notion, quote.price, Round::kUp),
                           .cost = quote.price,
                           .left = to_text(notion, quote.left, Round::kDown),
                           .repeat = quote.repeat,
                           .retry = quote.retry,
                           .is_open = quote.is_open,
                           .fits = quote.fits,
                           .sent = what,
                           .notes = {}});
}

jobs::Done shown(const report::Exhibit& exhibit, bool ok) {
  return {{.body = padded("{\"ok\":" + std::string(ok ? "true" : "false") +
                          ",\"report\":" + report::exhibit_json(exhibit) + "}")},
          report::exhibit_html(exhibit)};
}

jobs::Done failed(Service& service, const Call& known, const Error& error) {
  service.count_refusal(known.account.name, error.code);
  service.log("work-failed",
              "request " + known.request.id + ": " + std::string(describe(error.code).name));
  http::Response refused =
      service.refused(known, discreet_error(service, known.account.name, error));
  refused.body = padded(std::move(refused.body));
  return refused;
}

Result<void> begin_work(Service& service, World& world, const Call& call, const Fields& fields,
                        Work work) {
  DISCREET_ASSIGN(const bool waits, fields.flag("wait", false));
  DISCREET_ASSIGN(const std::int64_t deadline, deadline_of(fields, service.options()));
  DISCREET_TRY(service.audit().append({call.account.name, work.kind, call.request.id}));
  DISCREET_ASSIGN(const jobs::JobFacts made, service.submit(world,
                                                            {.analyst = call.account.name,
                                                             .work = std::move(work.run),
                                                             .kind = work.kind,
                                                             .lane = jobs::Lane::kLong,
                                                             .answer_ms = deadline,
                                                             .stop = std::move(work.stop)},
                                                            work.charged, work.watch));
  if (waits) {
    service.jobs().answer(call.account.name, made.id, call.reply);
    return {};
  }
  call.reply({.status = 202, .body = padded(job_text(made))});
  return {};
}

}  // namespace discreet::server::api
