// SPDX-License-Identifier: Apache-2.0
// budget, history, verify: the ledger as each role may see it. Nothing here writes to it.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "base/json.h"
#include "ledger/seal.h"
#include "ledger/use.h"
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

/// Behind the analyst's name: request_id() of questions.cc put it there.
std::string given_id(const ledger::Record& record) {
  const std::string& id = record.request_id;
  return id.starts_with(record.analyst + "/") ? id.substr(record.analyst.size() + 1) : id;
}

std::vector<std::string> blocks_of(const ledger::Record& record) {
  const auto blocks = ledger::split_names(record.blocks);  // a block's own record has one name
  return blocks ? *blocks : std::vector<std::string>{record.blocks};
}

Json record_json(const ledger::Record& record) {
  return {{"record", record.sequence},
          {"receipt", record.question.empty() ? 0 : ledger::receipt_number(record)},
          {"time", to_utc(record.time_ms)},
          {"kind", to_string(record.kind)},
          {"namespace", record.units},
          {"analyst", record.analyst},
          {"amount", record.price.amount.to_string()},
          {"delta", record.price.delta.to_string()},
          {"request_id", given_id(record)},
          {"about", record.about},
          {"detail", record.detail},
          {"blocks", blocks_of(record)},
          {"hash", ledger::to_hex(ledger::bytes_of(record.hash))}};
}

/// An analyst's own records, without what depends on others. A share is the purchase that it is,
/// a receipt stands in place of a place in the history, and a day in place of the time: when a
/// charge began, and which of two did first, follows from what kept the engine busy.
class OwnRecords {
 public:
  /// Requires: all records of the analyst, in order.
  void take(const ledger::Record& record) {
    using ledger::Kind;
    using ledger::UseKind;
    const auto use = record.kind == Kind::kCharge && record.price == ledger::Price()
                         ? ledger::parse_use(record.request_id)
                         : std::optional<ledger::Use>();
    // A run in parts has them only for whoever bought it first.
    if (use && use->kind == UseKind::kPart) return;
    const bool joins = record.kind == Kind::kAlsoCharge || record.kind == Kind::kAlsoShare;
    std::string kind(to_string(record.kind));
    if (record.kind == Kind::kShare) kind = to_string(Kind::kCharge);
    if (record.kind == Kind::kAlsoShare) kind = to_string(Kind::kAlsoCharge);
    std::string detail = record.detail;
    if (use) {
      kind = use->kind == UseKind::kTry   ? "try"
             : use->kind == UseKind::kEnd ? "end"
                                          : to_string(Kind::kAnswer);
      detail = use->number == 0 ? "" : kind + " " + std::to_string(use->number);
    }
    const bool is_payment = !use && (record.kind == Kind::kCharge || record.kind == Kind::kShare);
    std::uint64_t receipt = 0;
    if (is_payment) {
      receipt = ledger::receipt_number(record);
      receipts_.emplace(record.sequence, receipt);
    } else if (use || joins || record.kind == Kind::kAnswer) {
      const auto paid = receipts_.find(use ? use->of : record.about);
      if (paid != receipts_.end()) receipt = paid->second;
    }
    const std::string day = to_utc(record.time_ms).substr(0, 10);
    std::vector<Json>& own = days_[{day, receipt}];
    const bool has_blocks = !use && record.kind != Kind::kAnswer;
    own.push_back({{"record", receipt},
                   {"receipt", receipt},
                   {"time", day},
                   {"kind", kind},
                   {"namespace", record.units},
                   {"analyst", record.analyst},
                   {"amount", record.price.amount.to_string()},
                   {"delta", record.price.delta.to_string()},
                   {"request_id", use ? "" : given_id(record)},
                   {"about", is_payment ? 0 : receipt},
                   {"detail", detail},
                   {"blocks", has_blocks ? blocks_of(record) : std::vector<std::string>()}});
    if (record.kind != Kind::kShare || record.content != Hash{}) return;
    // It was given at once, which other answers have a record for.
    Json answer = own.back();
    answer["kind"] = to_string(Kind::kAnswer);
    answer["amount"] = "0";
    answer["delta"] = "0";
    answer["request_id"] = "";
    answer["about"] = receipt;
    answer["detail"] = "";
    answer["blocks"] = std::vector<std::string>();
    own.push_back(std::move(answer));
  }
  /// By day and receipt.
  std::deque<Json> all() {
    std::deque<Json> list;
    for (auto& [place, records] : days_) {
      for (Json& record : records) list.push_back(std::move(record));
    }
    return list;
  }

 private:
  std::map<ledger::Sequence, std::uint64_t> receipts_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<Json>> days_;
};

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
  OwnRecords own;
  DISCREET_TRY(ledger.history([&](const ledger::Record& record) -> Result<void> {
    if (viewer.sees_all) {
      records.push_back(record_json(record));
      if (records.size() > last) records.pop_front();
      return {};
    }
    if (record.analyst != viewer.name) return {};
    if (viewer.shown && record.sequence >= viewer.shown->records) return {};
    own.take(record);
    return {};
  }));
  if (!viewer.sees_all) records = own.all();
  while (records.size() > last) records.pop_front();
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
