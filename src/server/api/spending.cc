// SPDX-License-Identifier: Apache-2.0
// budget, history, verify: the ledger as each role may see it. Nothing here writes to it.
#include <algorithm>
#include <deque>
#include <mutex>

#include "base/json.h"
#include "ledger/seal.h"
#include "server/api/documents.h"
#include "server/api/json_body.h"
#include "server/api/service.h"

namespace discreet::server::api {
namespace {

Json spending_json(const std::string& who, const ledger::Account& account,
                   const ledger::Price& spent) {
  const ledger::Price left = left_of(account, spent);
  return {{"account", who},
          {"cap", account.cap().amount.to_string()},
          {"spent", spent.amount.to_string()},
          {"left", left.amount.to_string()},
          {"delta_cap", account.cap().delta.to_string()},
          {"delta_left", left.delta.to_string()}};
}

Viewer viewer_of(const Service& service, const identity::Account& who) {
  return {.name = who.name,
          .sees_all = who.role != identity::Role::kAnalyst,
          .shown = service.in_flight().shown(who.name)};
}

Result<std::string> budget_text(Service& service, const identity::Account& who) {
  // Before the ledger is read: what ends in between shows then as it is there.
  const Viewer viewer = viewer_of(service, who);
  DISCREET_ASSIGN(const ledger::State state, service.world()->ledger().state());
  return budget_document(state, viewer);
}

Json record_json(const ledger::Record& record, const std::string& analyst) {
  // Behind the analyst's name: request_id() of questions.cc put it there.
  const std::string& id = record.request_id;
  const auto blocks = ledger::split_names(record.blocks);  // a block's own record has one name
  return {{"record", record.sequence},
          {"time", to_utc(record.time_ms)},
          {"kind", to_string(record.kind)},
          {"namespace", record.units},
          {"analyst", record.analyst},
          {"amount", record.price.amount.to_string()},
          {"delta", record.price.delta.to_string()},
          {"request_id", id.starts_with(analyst + "/") ? id.substr(analyst.size() + 1) : id},
          {"about", record.about},
          {"detail", record.detail},
          {"blocks", blocks ? *blocks : std::vector<std::string>{record.blocks}},
          {"hash", ledger::to_hex(ledger::bytes_of(record.hash))}};
}

Result<std::string> history_text(Service& service, const Call& call) {
  DISCREET_ASSIGN(const std::size_t last, last_of(call.request));
  return history_document(service.world()->ledger(), viewer_of(service, call.account), last);
}

Result<std::string> verify_text(Service& service) {
  ledger::Ledger& ledger = service.world()->ledger();
  DISCREET_ASSIGN(const ledger::Verified verified, ledger.verify());
  DISCREET_ASSIGN(const ledger::State state, ledger.state());
  return json_text({{"sound", true},
                    {"records", verified.records},
                    {"answers", verified.answers},
                    {"signatures", verified.signatures},
                    {"head", ledger::to_hex(ledger::bytes_of(state.hash()))}});
}

}  // namespace

std::string budget_document(const ledger::State& state, const Viewer& viewer) {
  Json list = Json::array();
  for (const auto& [name, units] : state.namespaces()) {
    Json accounts = Json::array();
    if (viewer.sees_all) {
      accounts.push_back(spending_json("all together", units.total, units.total.spent()));
      Json blocks = Json::array();
      for (std::size_t i = 0; i < units.blocks.size(); ++i) {
        blocks.push_back({{"block", units.blocks[i]},
                          {"spent", units.total.spent_on_block(i).amount.to_string()}});
      }
      accounts.back()["blocks"] = blocks;
    }
    for (const auto& [analyst, account] : units.analysts) {
      if (!viewer.sees_all && analyst != viewer.name) continue;
      const bool is_covered =
          !viewer.sees_all && viewer.shown && viewer.shown->spent.contains(name);
      accounts.push_back(spending_json(
          analyst, account, is_covered ? viewer.shown->spent.at(name) : account.spent()));
    }
    list.push_back(
        {{"namespace", name}, {"notion", to_string(units.terms.notion)}, {"accounts", accounts}});
  }
  return json_text({{"budgets", list}});
}

Result<std::string> history_document(ledger::Ledger& ledger, const Viewer& viewer,
                                     std::size_t last) {
  std::deque<Json> records;
  DISCREET_TRY(ledger.history([&](const ledger::Record& record) -> Result<void> {
    if (!viewer.sees_all && record.analyst != viewer.name) return {};
    if (!viewer.sees_all && viewer.shown && record.sequence >= viewer.shown->records) return {};
    records.push_back(record_json(record, record.analyst));
    if (records.size() > last) records.pop_front();
    return {};
  }));
  Json list = Json::array();
  for (Json& record : records) list.push_back(std::move(record));
  return json_text({{"records", list}});
}

void budget(Service& service, Call call) { service.send(call, budget_text(service, call.account)); }

void history(Service& service, Call call) { service.send(call, history_text(service, call)); }

void verify(Service& service, Call call) {
  static std::mutex one_at_a_time;  // it reads everything, and others wait for the thread
  const std::unique_lock alone(one_at_a_time, std::try_to_lock);
  if (!alone) return call.reply(http::refuse(http::Refusal::kTooMany));
  const Result<void> noted = service.audit().append({call.account.name, "verify"});
  if (!noted) return call.reply(service.refused(call, noted.error()));
  Result<std::string> text = verify_text(service);
  if (!text && text.error().code == Code::kCorrupt) {
    service.log("ledger", text.error().message);
    text = json_text({{"sound", false}});
  }
  service.send(call, std::move(text));
}

}  // namespace discreet::server::api
