// SPDX-License-Identifier: Apache-2.0
// Accounts and tokens.
#include "base/json.h"
#include "server/api/json_body.h"
#include "server/api/service.h"
#include "server/api/work.h"

namespace discreet::server::api {
namespace {

void send_people(Service& service, const Call& call, const Result<Json>& json) {
  service.send(call, json ? Result<std::string>(json_text(*json)) : json.error());
}

Json account_json(const identity::Account& account) {
  return {{"name", account.name}, {"role", to_string(account.role)}};
}

/// None: refused, for whatever reason (A2).
Result<std::optional<Json>> try_login(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const std::string name, fields.need("name"));
  DISCREET_ASSIGN(const std::string password, fields.need("password"));
  DISCREET_ASSIGN(const auto login, service.accounts().log_in(name, password, call.request.peer));
  if (!login) {
    DISCREET_TRY(service.note_refused_login(in_quotes(name)));
    return std::optional<Json>{};
  }
  DISCREET_TRY(service.audit().append({login->account.name, "login"}));
  Json json = account_json(login->account);
  json["token"] = login->token;
  json["expires"] = to_utc(login->expires_ms);
  json["expires_ms"] = login->expires_ms;
  return std::optional<Json>(std::move(json));
}

bool has_cap(const ledger::State& state, const std::string& analyst) {
  for (const auto& [name, units] : state.namespaces()) {
    if (units.analysts.contains(analyst)) return true;
  }
  return false;
}

/// What the owner is told of an analyst who cannot ask anything; empty: they have a cap.
std::string without_cap(Service& service, const ledger::State& state, const std::string& name) {
  if (has_cap(state, name)) return "";
  return name + " has no cap in the ledger, and so cannot ask. Give " + name +
         " one under analysts: in the policy, and in the ledger: discreet ledger analyst "
         "--analyst " +
         session::shell_word(name) + " --epsilon 1" + service.options().places;
}

Result<Json> try_add(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const std::string name, fields.need("name"));
  DISCREET_ASSIGN(const std::string role_name, fields.need("role"));
  DISCREET_ASSIGN(const identity::Role role, identity::role_named(role_name));
  DISCREET_ASSIGN(const std::string password, service.accounts().add(name, role));
  DISCREET_TRY(service.audit().append({call.account.name, "account-added", name}));
  Json json = {{"name", name}, {"role", role_name}, {"password", password}};
  const Result<ledger::State> state = service.world()->ledger().state();
  if (role == identity::Role::kAnalyst && state) {
    const std::string note = without_cap(service, *state, name);
    if (!note.empty()) json["note"] = note;
  }
  return json;
}

Result<Json> try_remove(Service& service, const Call& call) {
  const std::string name(call.request.part("name"));
  DISCREET_TRY(service.accounts().remove(name));
  DISCREET_TRY(service.audit().append({call.account.name, "account-removed", name}));
  return Json{{"removed", name}};
}

Result<Json> try_unlock(Service& service, const Call& call) {
  const std::string name(call.request.part("name"));
  service.accounts().unlock(name);
  DISCREET_TRY(service.audit().append({call.account.name, "account-unlocked", in_quotes(name)}));
  return Json{{"unlocked", name}};
}

Result<Json> try_change(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const std::string old_password, fields.need("old"));
  DISCREET_ASSIGN(const std::string new_password, fields.need("new"));
  DISCREET_TRY(service.accounts().change_password(call.account.name, old_password, new_password,
                                                  call.request.peer));
  DISCREET_TRY(service.audit().append({call.account.name, "password-changed"}));
  return Json{{"changed", true}};
}

}  // namespace

void log_in(Service& service, Call call) {
  if (!service.may_log_in(call.request.peer)) {
    return call.reply(http::refuse(http::Refusal::kTooMany));
  }
  const Result<std::optional<Json>> login = try_login(service, call);
  if (!login) return call.reply(service.refused(call, login.error()));
  if (!*login) {
    return call.reply(http::error_response(401, "unauthenticated", "not this name and password"));
  }
  send_people(service, call, **login);
}

void log_out(Service& service, Call call) {
  const std::string_view header = call.request.header("authorization");
  const Result<void> done = service.accounts().log_out(std::string(header.substr(7)));
  if (!done) return call.reply(service.refused(call, done.error()));
  send_people(service, call, Json{{"ended", true}});
}

void who_am_i(Service& service, Call call) {
  send_people(service, call, account_json(call.account));
}

void change_password(Service& service, Call call) {
  send_people(service, call, try_change(service, call));
}

void list_accounts(Service& service, Call call) {
  const auto accounts = service.accounts().list();
  if (!accounts) return call.reply(service.refused(call, accounts.error()));
  const Result<ledger::State> state = service.world()->ledger().state();
  if (!state) return call.reply(service.refused(call, state.error()));
  Json list = Json::array();
  for (const identity::Account& account : *accounts) {
    list.push_back(account_json(account));
    if (account.role != identity::Role::kAnalyst) continue;
    const std::string note = without_cap(service, *state, account.name);
    if (!note.empty()) list.back()["note"] = note;
  }
  send_people(service, call, Json{{"accounts", list}});
}

void add_account(Service& service, Call call) {
  send_people(service, call, try_add(service, call));
}

void remove_account(Service& service, Call call) {
  send_people(service, call, try_remove(service, call));
}

void unlock_account(Service& service, Call call) {
  send_people(service, call, try_unlock(service, call));
}

}  // namespace discreet::server::api
