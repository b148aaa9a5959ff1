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

Result<std::optional<Record>> Ledger::find_answer(const QuestionKey& key) {
  std::vector<Sequence> all;
  Index::Trail trail = index_.answers(key);
  while (const std::optional<Sequence> at = trail.next()) all.push_back(*at);
  for (const Sequence at : all | std::views::reverse) {
    DISCREET_ASSIGN(std::optional<Record> record, store_->record(at));
    if (record && is_answer_to(*record, key)) return record;
  }
  return std::optional<Record>();
}

Result<std::optional<Record>> Ledger::find_answer(const std::string& units,
                                                  const Question& question) {
  DISCREET_ASSIGN(std::optional<Record> found,
                  find_answer({units, question.key, question.snapshot}));
  for (const std::string& older : question.older_keys) {
    if (found) break;
    DISCREET_ASSIGN(found, find_answer({units, older, question.snapshot}));
  }
  return found;
}

/// Answers under one key have the same bytes (L5); those under another need not, so a payment for
/// them does not count.
Result<bool> Ledger::has_paid(const Record& answer, const Question& question) {
  const std::string& analyst = question.analyst;
  const QuestionKey key{answer.units, answer.question, answer.snapshot};
  Index::Trail own = index_.answers(key);
  while (const std::optional<Sequence> at = own.next()) {
    DISCREET_ASSIGN(const std::optional<Record> record, store_->record(*at));
    if (record && is_answer_to(*record, key) && record->analyst == analyst) return true;
  }
  std::vector<std::string> keys = {question.key};
  keys.insert(keys.end(), question.older_keys.begin(), question.older_keys.end());
  for (const std::string& shown_as : keys) {
    const QuestionKey shown{answer.units, shown_as, answer.snapshot};
    Index::Trail shares = index_.shares(shown, analyst);
    while (const std::optional<Sequence> at = shares.next()) {
      DISCREET_ASSIGN(const std::optional<Record> record, store_->record(*at));
      const bool is_theirs = record && record->kind == Kind::kShare && record->analyst == analyst &&
                             is_about(*record, shown);
      if (is_theirs && record->about == answer.about) return true;
    }
  }
  return false;
}

}  // namespace discreet::ledger
