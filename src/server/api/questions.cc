// SPDX-License-Identifier: Apache-2.0
// query, explain, curve.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "server/api/documents.h"
#include "server/api/json_body.h"
#include "server/api/work.h"

namespace discreet::server::api {
namespace {

Result<Rational> number(const std::string& name, const std::string& text) {
  const Result<Rational> value = Rational::parse(text);
  if (!value) return invalid_input(name + ": " + value.error().message);
  return value;
}

Result<std::int64_t> bound(const std::string& name, const std::string& text) {
  DISCREET_ASSIGN(const Rational value, number(name, text));
  if (value.sign() <= 0 || value > Rational(1'000'000) || value.floor() != value.ceil()) {
    return invalid_input(name + " must be a whole number from 1 to 1000000");
  }
  return static_cast<std::int64_t>(value.floor().get_si());
}

Result<std::optional<Rational>> rows_of(const Fields& fields) {
  const auto text = fields.text("rows");
  if (!text) return std::optional<Rational>{};
  DISCREET_ASSIGN(Rational rows, number("rows", *text));
  if (rows.sign() <= 0) return invalid_input("rows must be above 0");
  return std::optional<Rational>(std::move(rows));
}

Result<session::WantedError> wanted_error(const Fields& fields, const std::string& text) {
  session::WantedError wanted;
  const bool is_percent = text.ends_with("%");
  DISCREET_ASSIGN(wanted.half_width,
                  number("error", is_percent ? text.substr(0, text.size() - 1) : text));
  if (wanted.half_width.sign() <= 0) return invalid_input("error must be above 0");
  wanted.relative = is_percent;
  if (is_percent) wanted.half_width = wanted.half_width / 100;
  DISCREET_ASSIGN(wanted.rows, rows_of(fields));
  if (const auto about = fields.text("about")) {
    if (!is_percent) return invalid_input("about belongs to an error in percent");
    DISCREET_ASSIGN(wanted.about, number("about", *about));
  }
  return wanted;
}

Result<session::Request> request_of(const Fields& fields, const std::string& analyst) {
  DISCREET_ASSIGN(const std::string sql, fields.need("sql"));
  session::Request request{.sql = sql};
  request.analyst = analyst;
  if (const auto text = fields.text("epsilon")) {
    DISCREET_ASSIGN(request.options.epsilon, Epsilon::parse(*text));
  }
  if (const auto text = fields.text("delta")) {
    DISCREET_ASSIGN(request.options.delta, Delta::parse(*text));
  }
  if (const auto text = fields.text("confidence")) {
    DISCREET_ASSIGN(request.confidence, Confidence::parse(*text));
  }
  if (const auto text = fields.text("max_groups")) {
    DISCREET_ASSIGN(request.options.groups_per_unit, bound("max_groups", *text));
  }
  if (const auto text = fields.text("max_rows")) {
    DISCREET_ASSIGN(request.options.rows_per_unit_and_group, bound("max_rows", *text));
  }
  if (const auto text = fields.text("error")) {
    DISCREET_ASSIGN(request.error, wanted_error(fields, *text));
  } else if (fields.text("about")) {
    return invalid_input("about belongs to error");
  }
  if (const auto text = fields.text("request_id")) {
    DISCREET_ASSIGN(request.request_id, request_id(analyst, *text));
  }
  return request;
}

http::Response sent(std::string json, int status = 200) {
  return {.status = status, .body = padded(std::move(json))};
}

/// The stored bytes are JSON already, and go out as they are.
http::Response answer_of(const Result<session::Answered>& answered, Service& service,
                         const Call& call) {
  if (!answered) {
    const Code code = answered.error().code;
    service.count_refusal(call.account.name, code);
    service.log("question-failed",
                "request " + call.request.id + ": " + std::string(describe(code).name));
    http::Response refused =
        service.refused(call, discreet_error(service, call.account.name, answered.error()));
    refused.body = padded(std::move(refused.body));
    return refused;
  }
  return sent(answer_document(*answered));
}

Result<std::string> curve_of(session::Session& session, const Fields& fields,
                             const std::string& analyst) {
  constexpr int kPoints = 25;
  DISCREET_ASSIGN(session::Request request, request_of(fields, analyst));
  DISCREET_ASSIGN(const Rational from, number("from", fields.text("from").value_or("0.05")));
  DISCREET_ASSIGN(const Rational to, number("to", fields.text("to").value_or("2")));
  if (from.sign() <= 0 || to <= from || to > Rational(1000)) {
    return invalid_input("from must be above 0 and below to, and to at most 1000");
  }
  request.options.epsilon = Epsilon::trusted(to);
  request.error.reset();
  std::vector<Rational> epsilons;
  for (int i = 0; i < kPoints; ++i) {
    epsilons.push_back(from + (to - from) * Rational::ratio(i, kPoints - 1));
  }
  DISCREET_ASSIGN(const auto rows, rows_of(fields));
  DISCREET_ASSIGN(const auto points, session.curve(request, epsilons, rows));
  Json list = Json::array();
  for (const auto& [epsilon, width] : points) {
    Json point = {{"epsilon", epsilon.to_decimal(4, Round::kDown)}, {"half_width", nullptr}};
    if (std::isfinite(width)) point["half_width"] = width;  // null: unbounded
    list.push_back(std::move(point));
  }
  return json_text({{"points", list}});
}

Result<void> try_ask(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const bool waits, fields.flag("wait", true));
  const std::shared_ptr<World> world = service.world();
  const auto key = repeat_key(fields.all(), call.account.name);
  if (const auto body = key ? world->repeats().find(*key) : nullptr) {
    service.count_question(true);
    call.reply({.body = *body});
    return {};
  }
  DISCREET_ASSIGN(const session::Request request, request_of(fields, call.account.name));
  // Whether a stored answer is given depends on the text and the history, as far as it may be seen
  // (F2). It reads no data, so it needs no deadline; and what is stored stays stored, so that
  // nothing can come between.
  DISCREET_ASSIGN(const session::Explanation explained, service.explain(*world, request));
  // With an error to solve for, what is explained may be a pilot, and data be read after it.
  if (explained.repeat && !request.error) {
    service.count_question(true);
    const Result<session::Answered> answered = world->session().ask(request);
    http::Response response = answer_of(answered, service, call);
    if (key && answered) {
      world->repeats().keep(*key, std::make_shared<const std::string>(response.body),
                            response.body.size());
    }
    call.reply(std::move(response));
    return {};
  }
  DISCREET_TRY(service.audit().append({call.account.name, "query", call.request.id}));
  service.count_question(false);
  const auto watch = std::make_shared<EngineWatch>();
  const auto run = [&service, world, request, watch,
                    known = known_of(call)](const std::function<void(int)>& progress) {
    const auto answered = world->session().ask(request, owner_log(service, known, progress));
    answered ? watch->answered(answered->repeated) : watch->failed(answered.error().code);
    return answer_of(answered, service, known);
  };
  DISCREET_ASSIGN(
      const jobs::JobFacts made,
      service.submit(*world, {.analyst = call.account.name, .work = run}, explained, watch));
  if (waits) {
    service.jobs().answer(call.account.name, made.id, call.reply);
    return {};
  }
  call.reply(sent(job_text(made), 202));
  return {};
}

Result<std::string> try_curve(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  return curve_of(service.world()->session(), fields, call.account.name);
}

Result<std::string> try_explain(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const session::Request request, request_of(fields, call.account.name));
  const std::shared_ptr<World> world = service.world();
  DISCREET_ASSIGN(const session::Explanation explained, service.explain(*world, request));
  return explanation_document(explained);
}

}  // namespace

std::string answer_document(const session::Answered& answered) {
  return "{\"repeated\":" + std::string(answered.repeated ? "true" : "false") +
         ",\"charge\":" + std::to_string(answered.receipt) +
         ",\"notes\":" + json_text(answered.notes) + ",\"made\":" + json_text(answered.made) +
         ",\"answer\":" + answered.bytes + "}";
}

std::string explanation_document(const session::Explanation& e) {
  Json steps = Json::array();
  for (const session::ExplainedStep& step : e.steps) {
    steps.push_back({{"measurement", step.measurement},
                     {"noise", step.noise},
                     {"price", step.price},
                     {"error", step.error}});
  }
  return json_text({{"units", e.units},
                    {"neighbours", e.neighbours},
                    {"bounds", e.bounds},
                    {"keys", e.keys},
                    {"steps", steps},
                    {"price", e.price},
                    {"analyst_left", e.left},
                    {"repeat", e.repeat},
                    {"retry", e.retry},
                    {"fits", e.fits},
                    {"notes", e.notes}});
}

Result<std::string> curve_document(session::Session& session,
                                   const std::map<std::string, std::string>& fields,
                                   const std::string& analyst) {
  return curve_of(session, Fields(fields), analyst);
}

Result<std::string> request_id(const std::string& analyst, const std::string& id) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  if (id.empty() || id.size() > 64 || !std::all_of(id.begin(), id.end(), fits)) {
    return invalid_input("request_id has 1 to 64 letters, digits, '.', '-' or '_'");
  }
  return analyst + "/" + id;
}

Result<session::Request> request_of(const std::map<std::string, std::string>& fields,
                                    const std::string& analyst) {
  return request_of(Fields(fields), analyst);
}

std::optional<std::string> repeat_key(const std::map<std::string, std::string>& fields,
                                      const std::string& analyst) {
  std::string key;
  const auto add = [&key](const std::string& text) {
    key += std::to_string(text.size()) + ":" + text;
  };
  add(analyst);
  for (const auto& [name, value] : fields) {
    if (name == "request_id" || name == "error") return std::nullopt;
    if (name == "wait") continue;  // a repeat is answered at once in any case
    add(name);
    add(value);
  }
  return key;
}

Error discreet_error(Service& service, const std::string& analyst, const Error& error) {
  if (error.code != Code::kNotFound) return error;
  const Result<ledger::State> state = service.world()->ledger().state();
  if (!state) return state.error();
  for (const auto& [name, units] : state->namespaces()) {
    if (units.analysts.contains(analyst)) continue;
    return {Code::kNotFound,
            "there is no such table or column, or the owner gave you no budget for it"};
  }
  return error;
}

void send_discreetly(Service& service, const Call& call, Result<std::string> json) {
  if (!json) json = discreet_error(service, call.account.name, json.error());
  service.send(call, std::move(json));
}

void refuse_question(Service& service, const Call& call, const Error& error) {
  service.count_refusal(call.account.name, error.code);
  send_discreetly(service, call, error);
}

void ask(Service& service, Call call) {
  const Result<void> taken = try_ask(service, call);
  if (!taken) refuse_question(service, call, taken.error());
}

void explain(Service& service, Call call) {
  send_discreetly(service, call, try_explain(service, call));
}
void curve(Service& service, Call call) {
  send_discreetly(service, call, try_curve(service, call));
}

}  // namespace discreet::server::api
