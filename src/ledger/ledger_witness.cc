// SPDX-License-Identifier: Apache-2.0
// The ledger and its witness (L6): what it says about our history, and when it must move on.
#include "ledger/ledger.h"
#include "ledger/store_place.h"

namespace discreet::ledger {
namespace {

constexpr std::string_view kRestore =
    "Restore the newest copy of the ledger; if there is none, `discreet ledger recover --reason "
    "TEXT` goes on with everything counted as spent";

Error rolled_back(const Head& kept, Sequence newest) {
  return {Code::kCorrupt, "it was rolled back: it ends at record " + std::to_string(newest) +
                              ", but its witness has seen record " + std::to_string(kept.sequence) +
                              ". " + std::string(kRestore)};
}

}  // namespace

Head Ledger::head() const {
  Head head{terms_.id, state_.sequence(), state_.hash(), {}};
  head.signature = key_->sign(head.message());
  return head;
}

void Ledger::note_witnessed(const Head& kept) {
  witnessed_ = kept;
  charges_then_ = state_.charges();
  time_then_ms_ = state_.time_ms();
}

/// Whether a head that was read is this ledger's at all.
Result<void> Ledger::check_head(const Head& kept) const {
  if (kept.ledger_id != terms_.id) {
    return Error{Code::kCorrupt, "the witness " + witness_->name() + " belongs to ledger " +
                                     kept.ledger_id + ", not to " + terms_.id +
                                     "; name the right one with --witness"};
  }
  if (!verify_signature(terms_.owner, kept.message(), kept.signature)) {
    return Error{Code::kCorrupt, "the witness " + witness_->name() +
                                     " does not bear the owner's signature; put back a copy of "
                                     "it, or remove it and give a printed receipt to `discreet "
                                     "ledger witness restore`"};
  }
  return {};
}

/// Whether the witness vouches for our history. Within a transaction.
Result<void> Ledger::judge(const std::optional<Head>& kept) {
  if (!kept) {
    return Error{Code::kCorrupt,
                 "its witness " + witness_->name() +
                     " is missing, so nobody can tell whether it was rolled back. Put the witness "
                     "back, name it with --witness, or give a printed receipt to `discreet ledger "
                     "witness restore --receipt`; without one, `discreet ledger recover --reason "
                     "TEXT` goes on with everything counted as spent"};
  }
  DISCREET_TRY(check_head(*kept));
  return recognise(*kept);
}

/// Whether a head is on our chain. Within a transaction.
Result<void> Ledger::recognise(const Head& kept) {
  if (kept.sequence > state_.sequence()) return rolled_back(kept, state_.sequence());
  DISCREET_ASSIGN(const std::optional<Record> record, store_->record(kept.sequence));
  if (record && record->hash == kept.hash) return {};
  return Error{Code::kCorrupt,
               "record " + std::to_string(kept.sequence) +
                   " is not the one that its witness has seen: this is a copy that went its own "
                   "way, or the history was written anew. Use the copy that `discreet ledger "
                   "verify` accepts; if there is none, `discreet ledger recover --reason TEXT` "
                   "goes on with everything counted as spent"};
}

bool Ledger::witness_is_due() const {
  const std::uint64_t waiting = state_.charges() - charges_then_;
  const bool is_late =
      terms_.witness_ms > 0 && waiting > 0 && state_.time_ms() - time_then_ms_ >= terms_.witness_ms;
  return owner_wrote_ || waiting >= terms_.witness_every || is_late;
}

/// Under the write lock, before a commit that will move the witness: a second copy of this ledger
/// has moved it where we are not.
Result<void> Ledger::check_witness() { return check_witness(witness_->read()); }

Result<void> Ledger::check_witness(const Result<std::optional<Head>>& kept) {
  if (!kept) return kept.error();
  if (*kept && witnessed_ && **kept == *witnessed_) return {};
  return judge(*kept);
}

/// After a commit; `next` is our head. The check is made once more under the witness's own lock: of
/// two copies that both committed after the same head only one gets past it.
Result<void> Ledger::advance_witness(const Head& next) {
  return advance_witness(next, state_.charges(), state_.time_ms());
}

Result<void> Ledger::advance_witness(const Head& next, std::uint64_t charges,
                                     std::int64_t time_ms) {
  const auto recognised = [&](const Head& kept) -> Result<void> {
    if (witnessed_ && kept == *witnessed_) return {};
    DISCREET_TRY(check_head(kept));
    DISCREET_TRY(store_->begin_read());
    Result<void> known = catch_up();
    if (known) known = recognise(kept);
    store_->rollback();
    return known;
  };
  DISCREET_TRY(witness_->advance(next, recognised));
  witnessed_ = next;
  charges_then_ = charges;
  time_then_ms_ = time_ms;
  return {};
}

bool Ledger::witness_shares_device() const {
  if (is_postgres(path_)) return false;
  const Result<std::uint64_t> ours = world_.device(path_);
  const Result<std::uint64_t> theirs = world_.device(witness_path_);
  return ours && theirs && *ours == *theirs;
}

Result<std::optional<Head>> Ledger::witness_head() {
  DISCREET_TRY(check_process());
  const std::lock_guard lock(mutex_);
  return witness_->read();
}

}  // namespace discreet::ledger
