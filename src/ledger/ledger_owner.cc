// SPDX-License-Identifier: Apache-2.0
// What only the owner may do: signed, permanent, visible records.
#include <utility>

#include "ledger/ledger.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kReasonSizeMax = 1000;

Result<void> check_reason(const std::string& reason) {
  if (reason.empty()) return invalid_input("a reason must be given; it stays in the history");
  if (reason.size() > kReasonSizeMax)
    return invalid_input("a reason must have at most 1,000 bytes");
  return {};
}

Record owner_record(Kind kind, const std::string& units) {
  Record record;
  record.kind = kind;
  record.units = units;
  return record;
}

Record block_record(const std::string& units, const std::string& value) {
  Record record = owner_record(Kind::kBlock, units);
  record.blocks = value;
  return record;
}

Record analyst_record(const std::string& units, const AnalystTerms& analyst) {
  Record record = owner_record(Kind::kAnalyst, units);
  record.analyst = analyst.name;
  record.price = analyst.cap;
  return record;
}

}  // namespace

Result<void> Ledger::add_namespace(const NamespaceTerms& terms) {
  DISCREET_TRY(check_terms(terms));
  return commit([&]() -> Result<void> {
    if (state_.namespaces().contains(terms.name)) {
      return Error{Code::kConflict, "namespace " + in_quotes(terms.name) +
                                        " exists already; its terms are fixed, and `discreet "
                                        "ledger top-up` raises a cap"};
    }
    if (terms.gamma != 0 && state_.charges() > 0) {
      return Error{Code::kRefused,
                   "this ledger was charged already; coins that may be bent (santha-vazirani) need "
                   "a new ledger: discreet ledger init"};
    }
    if (!batch_time_) return batch_time_.error();
    Record record = owner_record(Kind::kNamespace, terms.name);
    record.price = terms.cap;
    record.detail = to_detail(terms);
    DISCREET_TRY(append(std::move(record)));
    for (const std::string& block : terms.blocks) {
      DISCREET_TRY(append(block_record(terms.name, block)));
    }
    for (const AnalystTerms& analyst : terms.analysts) {
      DISCREET_TRY(append(analyst_record(terms.name, analyst)));
    }
    return {};
  });
}

Result<void> Ledger::add_block(const std::string& units, const std::string& value) {
  DISCREET_TRY(check_name("a block", value));
  return commit([&]() -> Result<void> {
    DISCREET_ASSIGN(const NamespaceState* const space, state_.find(units));
    if (space->terms.block_attribute.empty()) {
      return invalid_input("namespace " + in_quotes(units) +
                           " was created without blocks; that is fixed");
    }
    if (space->block_numbers.contains(value)) {
      return Error{Code::kConflict, "block " + in_quotes(value) + " is declared already"};
    }
    if (!batch_time_) return batch_time_.error();
    return append(block_record(units, value));
  });
}

Result<void> Ledger::add_analyst(const std::string& units, const AnalystTerms& analyst) {
  DISCREET_TRY(check_name("an analyst", analyst.name));
  return commit([&]() -> Result<void> {
    DISCREET_ASSIGN(const NamespaceState* const space, state_.find(units));
    DISCREET_TRY(check_analyst_cap(space->terms.notion, analyst.cap));
    if (space->analysts.contains(analyst.name)) {
      return Error{Code::kConflict, "analyst " + in_quotes(analyst.name) +
                                        " exists already; `discreet ledger top-up` raises a cap"};
    }
    if (!batch_time_) return batch_time_.error();
    return append(analyst_record(units, analyst));
  });
}

Result<void> Ledger::top_up(const std::string& units, const std::optional<std::string>& analyst,
                            const Price& more, const std::string& reason) {
  DISCREET_TRY(check_reason(reason));
  return commit([&]() -> Result<void> {
    DISCREET_ASSIGN(const NamespaceState* const space, state_.find(units));
    const Account* account = &space->total;
    if (analyst) {
      DISCREET_ASSIGN(account, space->analyst(*analyst));
    }
    DISCREET_TRY(check_raise(*space, *account, more));
    if (!batch_time_) return batch_time_.error();
    Record record = owner_record(Kind::kTopUp, units);
    record.analyst = analyst.value_or("");
    record.price = more;
    record.detail = reason;
    return append(std::move(record));
  });
}

Result<void> Ledger::accept_clock(const std::string& reason) {
  DISCREET_TRY(check_reason(reason));
  return commit([&]() -> Result<void> {
    if (batch_time_) {
      return Error{Code::kConflict, "the clock is not behind the last record; nothing to accept"};
    }
    batch_time_ = world_.clock();
    Record record = owner_record(Kind::kClock, "");
    record.detail = reason;
    return append(std::move(record));
  });
}

/// Appends a record in spite of the witness, and starts the witness anew from there.
Result<void> Ledger::repair(Record record) {
  DISCREET_TRY(store_->begin_write());
  if (const Result<void> known = catch_up(); !known) return die(known.error());
  batch_time_ = next_time();
  if (!batch_time_) {
    store_->rollback();
    return batch_time_.error();
  }
  Result<void> done = append(std::move(record));
  if (done) done = store_->commit();
  if (!done) return die(done.error());
  show();
  const Head repaired = head();
  if (const Result<void> kept = witness_->replace(repaired); !kept) return die(kept.error());
  note_witnessed(repaired);
  witness_fault_.reset();
  return {};
}

Result<void> Ledger::recover(const std::string& reason) {
  DISCREET_TRY(check_reason(reason));
  DISCREET_TRY(check_process());
  const std::lock_guard writing(writing_);
  const std::lock_guard lock(mutex_);
  DISCREET_TRY(check_alive());
  if (!key_) return check_writable();
  DISCREET_TRY(refuse_foreign_witness());
  Record record = owner_record(Kind::kRecovery, "");
  record.detail = reason;
  return repair(std::move(record));
}

Result<void> Ledger::replace_witness(const std::string& reason, const Head& receipt) {
  DISCREET_TRY(check_reason(reason));
  DISCREET_TRY(check_process());
  const std::lock_guard writing(writing_);
  const std::lock_guard lock(mutex_);
  DISCREET_TRY(check_alive());
  if (!key_) return check_writable();
  DISCREET_TRY(refuse_foreign_witness());
  const auto kept = witness_->read();
  if (kept && *kept) {
    if (!witness_fault_) {
      return Error{Code::kConflict, "the witness " + witness_->name() + " is sound"};
    }
    return Error{Code::kRefused, "the witness is there, and says: " + witness_fault_->message};
  }
  DISCREET_TRY(store_->begin_read());
  Result<void> known = catch_up();
  if (known) known = judge(receipt);
  store_->rollback();
  if (!known) return known;
  Record record = owner_record(Kind::kWitness, "");
  record.detail = reason + "\nthe receipt vouches for record " + std::to_string(receipt.sequence) +
                  " and all before it; what was charged later may be lost\nreceipt " +
                  receipt.to_text();
  return repair(std::move(record));
}

/// Another ledger's witness is not ours to start anew.
Result<void> Ledger::refuse_foreign_witness() {
  const auto kept = witness_->read();
  if (!kept || !*kept || (*kept)->ledger_id == terms_.id) return {};
  return check_head(**kept);
}

}  // namespace discreet::ledger
