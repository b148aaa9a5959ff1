// SPDX-License-Identifier: Apache-2.0
// Records by what they say. The index leads to those that may be meant; each is read and compared.
#include <algorithm>
#include <ranges>

#include "ledger/ledger.h"

namespace discreet::ledger {
namespace {

bool is_about(const Record& record, const QuestionKey& key) {
  return record.units == key.units && record.question == key.question &&
         record.snapshot == key.snapshot;
}

bool is_answer_to(const Record& record, const QuestionKey& key) {
  return record.kind == Kind::kAnswer && is_about(record, key);
}

}  // namespace

Result<std::optional<Record>> Ledger::find_request(const std::string& units,
                                                   const std::string& analyst,
                                                   const std::string& request_id) {
  Index::Trail trail = index_.requests(units, analyst, request_id);
  while (const std::optional<Sequence> at = trail.next()) {
    DISCREET_ASSIGN(std::optional<Record> record, store_->record(*at));
    if (record && (record->kind == Kind::kCharge || record->kind == Kind::kShare) &&
        record->units == units && record->analyst == analyst && record->request_id == request_id) {
      return record;
    }
  }
  return std::optional<Record>();
}

/// The charge or share that bought an answer says for what it was paid.
Result<std::optional<Record>> Ledger::find_answer(const QuestionKey& key, const Terms& terms,
                                                  const std::string* analyst) {
  std::vector<Sequence> all;
  Index::Trail trail = index_.answers(key);
  while (const std::optional<Sequence> at = trail.next()) all.push_back(*at);
  for (const Sequence at : all | std::views::reverse) {
    DISCREET_ASSIGN(std::optional<Record> record, store_->record(at));
    if (!record || !is_answer_to(*record, key)) continue;
    if (analyst != nullptr && record->analyst != *analyst) continue;
    DISCREET_ASSIGN(const std::optional<Record> charge, store_->record(record->about));
    if (charge && terms.are_of(*charge)) return record;
  }
  return std::optional<Record>();
}

Result<std::optional<Record>> Ledger::find_answer(const std::string& units,
                                                  const Question& question, const Terms& terms) {
  for (const std::string& key : question.keys()) {
    DISCREET_ASSIGN(std::optional<Record> found,
                    find_answer({units, key, question.snapshot}, terms));
    if (found) return found;
  }
  return std::optional<Record>();
}

/// The answer to the charge that a share leads to.
Result<std::optional<Record>> Ledger::answer_of_share(const Record& share) {
  DISCREET_ASSIGN(const std::optional<Record> charge, store_->record(share.about));
  if (!charge) return std::optional<Record>();
  const QuestionKey key{charge->units, charge->question, charge->snapshot};
  Index::Trail trail = index_.answers(key);
  while (const std::optional<Sequence> at = trail.next()) {
    DISCREET_ASSIGN(std::optional<Record> record, store_->record(*at));
    if (record && is_answer_to(*record, key) && record->about == share.about) return record;
  }
  return std::optional<Record>();
}

Result<std::optional<Ledger::Owned>> Ledger::find_owned(const std::string& units,
                                                        const Question& question,
                                                        const Terms& terms) {
  const std::string& analyst = question.analyst;
  for (const std::string& each : question.keys()) {
    const QuestionKey key{units, each, question.snapshot};
    DISCREET_ASSIGN(std::optional<Record> own, find_answer(key, terms, &analyst));
    if (own) {
      DISCREET_ASSIGN(std::optional<Record> charge, store_->record(own->about));
      return std::optional(Owned{*std::move(own), *std::move(charge)});
    }
    Index::Trail shares = index_.shares(key, analyst);
    while (const std::optional<Sequence> at = shares.next()) {
      DISCREET_ASSIGN(std::optional<Record> share, store_->record(*at));
      const bool is_theirs = share && share->kind == Kind::kShare && share->analyst == analyst &&
                             is_about(*share, key) && terms.are_of(*share);
      if (!is_theirs) continue;
      DISCREET_ASSIGN(const bool is_given, was_given(*share));
      if (!is_given) continue;
      DISCREET_ASSIGN(std::optional<Record> answer, answer_of_share(*share));
      if (answer) return std::optional(Owned{*std::move(answer), *std::move(share)});
    }
  }
  return std::optional<Owned>();
}

}  // namespace discreet::ledger
