// SPDX-License-Identifier: Apache-2.0
// Runs in parts: what one charge bought, used piece by piece, by one process after another (L7).
#include <utility>

#include "ledger/ledger.h"
#include "ledger/use.h"
#include "random/entropy.h"

namespace discreet::ledger {
/// The record, if it is a charge for just this. Within a transaction.
Result<Record> Ledger::charge_of_run(const Charge& charge, const Question& question,
                                     Sequence paid) {
  DISCREET_ASSIGN(const NamespaceState* const space, state_.find(charge.units().name));
  DISCREET_ASSIGN(const Price price,
                  price_of(space->terms.notion, charge.lines(), charge.units().moves));
  DISCREET_ASSIGN(const std::optional<Record> record, store_->record(paid));
  if (record && record->kind == Kind::kCharge && charge.lines().size() == 1 &&
      record->units == charge.units().name && record->analyst == question.analyst &&
      question.is_known_as(record->question) && record->snapshot == question.snapshot &&
      record->plan == charge.plan() && record->price == price &&
      record->blocks == join_names(charge.units().blocks)) {
    return *record;
  }
  return Error{Code::kRefused, "record " + std::to_string(paid) +
                                   " is no charge for this question, snapshot, plan and price"};
}

Result<Receipt> Ledger::take_part(const Charge& charge, const Question& question, Sequence paid,
                                  std::uint64_t part) {
  const std::string id = to_id({UseKind::kPart, part, paid});
  std::uint64_t number = 0;
  const auto work = [&]() -> Result<void> {
    DISCREET_ASSIGN(const Record run, charge_of_run(charge, question, paid));
    DISCREET_ASSIGN(const auto owned, find_owned(run.units, question, Terms::of(run)));
    if (owned) return Error{Code::kConflict, "this question is answered; ask it again, free"};
    DISCREET_ASSIGN(const auto taken, find_request(run.units, run.analyst, id));
    if (taken) {
      return Error{Code::kConflict, id + " was taken before; a part is used once"};
    }
    number = receipt_number(run);
    return append_use(run, id);
  };
  DISCREET_TRY(commit(work));
  // From here on it is durable (L1).
  const ChargeLine& line = charge.lines().front();
  return Receipt({line.noise.text + "#" + std::to_string(part)}, line.cost,
                 terms_.id + "/" + std::to_string(number));
}

Result<Outcome> Ledger::resume(const Charge& charge, const Question& question, Sequence paid) {
  std::optional<Record> run;
  std::optional<Owned> owned;
  std::string bytes;
  const auto work = [&]() -> Result<void> {
    DISCREET_ASSIGN(run, charge_of_run(charge, question, paid));
    DISCREET_ASSIGN(owned, find_owned(run->units, question, Terms::of(*run)));
    if (!owned) return {};
    DISCREET_ASSIGN(bytes, bytes_of_answer(owned->answer));
    return {};
  };
  DISCREET_TRY(look(work));
  // An answer that was bought with another charge is given too: this charge paid as much.
  if (owned) {
    return Outcome(Answer(std::move(bytes), owned->payment, true));
  }
  // Two that go on with one run keep apart by its parts (L7).
  std::optional<TryLock> lock = TryLock::take(path_, paid);
  return Outcome(
      Paid({}, paid, run->hash, receipt_number(*run), false,
           std::make_shared<const UnderWay>(run->hash, lock ? *std::move(lock) : TryLock())));
}

Result<Hash> Ledger::secret(const std::string& purpose) {
  Hash out{};
  const auto work = [&]() -> Result<void> {
    if (!key_) return check_writable();
    // A deterministic signature that is never shown; no record or head has this form.
    std::string signature =
        key_->sign("a secret of this ledger, never to be shown, for " + purpose);
    out = sha256("discreet secret\n" + signature);
    random::wipe(signature.data(), signature.size());
    return {};
  };
  DISCREET_TRY(look(work));
  return out;
}

}  // namespace discreet::ledger
