// SPDX-License-Identifier: Apache-2.0
// Charges without an answer, taken over by the same question (L11; ledger.md, "Tries").
#include <utility>

#include "ledger/request.h"
#include "ledger/store_place.h"
#include "ledger/use.h"

namespace discreet::ledger {
namespace {

std::string id_of_try(Sequence charge, int number) {
  return to_id({UseKind::kTry, static_cast<std::uint64_t>(number), charge});
}
std::string id_of_end(Sequence charge) { return to_id({UseKind::kEnd, 0, charge}); }
std::string id_of_answer(Sequence share) { return to_id({UseKind::kAnswer, 0, share}); }

/// A payment that waits for its answer until there is one.
bool waits_for_answer(const Record& payment) {
  return payment.kind == Kind::kCharge ||
         (payment.kind == Kind::kShare && payment.content != Hash{});
}

std::string times(int count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace

Error Paid::failed(const Error& error) const {
  const int left = kTries - number_of_try_;
  return {error.code,
          error.message +
              (left > 0 ? "; what was charged has no answer yet: the same question is tried again "
                          "without a further charge, at most " +
                              times(left) + ", unless a time limit stopped it"
                        : "; what was charged is used up: asked again, under another request id, "
                          "the question is charged again")};
}

/// The charge of record `charge`, if it is for just this request and is tried now or may be.
Result<std::optional<Ledger::Unanswered>> Ledger::tries_of(Sequence charge,
                                                           const Request& request) {
  const std::string& units = request.charge.units().name;
  const std::string& analyst = request.question.analyst;
  DISCREET_ASSIGN(std::optional<Record> record, store_->record(charge));
  const bool is_this =
      record && waits_for_answer(*record) && record->units == units && record->analyst == analyst &&
      request.question.is_known_as(record->question) &&
      record->snapshot == request.question.snapshot && record->plan == request.charge.plan() &&
      record->price == request.first().price && record->blocks == request.first().blocks;
  if (!is_this) return std::optional<Unanswered>();
  Unanswered found{.charge = *std::move(record)};
  found.is_tried = UnderWay::has(found.charge.hash) || TryLock::is_held(path_, charge);
  if (found.is_tried) return std::optional(std::move(found));
  // A run in parts is gone on with by its checkpoint, not from its beginning (L7).
  for (const std::string& id : {id_of_end(charge), to_id({UseKind::kPart, 1, charge})}) {
    DISCREET_ASSIGN(const auto used, find_request(units, analyst, id));
    if (used) return std::optional<Unanswered>();
  }
  while (found.tries < kTries) {
    DISCREET_ASSIGN(const auto used,
                    find_request(units, analyst, id_of_try(charge, found.tries + 1)));
    if (!used) return std::optional(std::move(found));
    ++found.tries;
  }
  return std::optional<Unanswered>();
}

/// The oldest one. Within a transaction.
Result<std::optional<Ledger::Unanswered>> Ledger::find_unanswered(const Request& request) {
  const Question& question = request.question;
  for (const std::string& key : question.keys()) {
    const QuestionKey asked{request.charge.units().name, key, question.snapshot};
    for (const Sequence charge : index_.unanswered(asked, question.analyst)) {
      DISCREET_ASSIGN(std::optional<Unanswered> found, tries_of(charge, request));
      if (found) return found;
    }
  }
  return std::optional<Unanswered>();
}

/// A record without a price that says how `charge` was used.
Result<void> Ledger::append_use(const Record& charge, const std::string& id, Sequence given) {
  if (!batch_time_) return batch_time_.error();
  Record record;
  record.kind = Kind::kCharge;
  record.units = charge.units;
  record.analyst = charge.analyst;
  record.blocks = charge.blocks;
  record.request_id = id;
  record.question = id;
  record.snapshot = charge.snapshot;
  record.plan = charge.plan;
  record.about = given;
  record.detail = id + ", paid there";
  return append(std::move(record));
}

/// False: there is none, so that the question must be paid for.
Result<bool> Ledger::use_unanswered(Request& request) {
  DISCREET_ASSIGN(const std::optional<Unanswered> found, find_unanswered(request));
  if (!found) return false;
  request.sequence = found->charge.sequence;
  request.hash = found->charge.hash;
  if (found->is_tried) {
    request.waits = true;
    return true;
  }
  request.is_share = found->charge.kind == Kind::kShare;
  request.paid_as = found->charge.question;
  DISCREET_TRY(hold_room(request));
  std::optional<TryLock> lock = TryLock::take(path_, request.sequence);
  if (!lock) {
    request.waits = true;
    return true;
  }
  request.number_of_try = found->tries + 1;
  DISCREET_TRY(append_use(found->charge, id_of_try(request.sequence, request.number_of_try)));
  request.under_way = std::make_shared<const UnderWay>(request.hash, *std::move(lock));
  return true;
}

/// Whether the answer was handed over: at once, as before 0.10, or by a record of its own.
Result<bool> Ledger::was_given(const Record& share) {
  if (!waits_for_answer(share)) return true;
  DISCREET_ASSIGN(const auto given,
                  find_request(share.units, share.analyst, id_of_answer(share.sequence)));
  return given.has_value();
}

/// The bytes of a share, which are its analyst's from here on. Within a write transaction.
Result<std::string> Ledger::give(const Record& share) {
  DISCREET_ASSIGN(const std::optional<Record> answer, answer_of_share(share));
  if (!answer || answer->content != share.content) {
    return Error{Code::kCorrupt,
                 "the answer of a share is missing or was changed; restore the "
                 "newest copy of the ledger"};
  }
  DISCREET_ASSIGN(std::string bytes, bytes_of_answer(*answer));
  DISCREET_ASSIGN(const bool is_given, was_given(share));
  if (!is_given) DISCREET_TRY(append_use(share, id_of_answer(share.sequence), share.sequence));
  return bytes;
}

Error Ledger::no_tries_left(const Request& request) const {
  // There a try that another process is at is not seen.
  const char* const first = is_postgres(path_)
                                ? "under this id in a minute, should another process "
                                  "be answering it now, or else "
                                : "";
  return {Code::kConflict,
          "request id " + in_quotes(request.charge.request_id()) +
              " was charged and has no answer, and its tries are used up; an id is charged once: "
              "ask again " +
              first + "under another id, which is charged again"};
}

Result<void> Ledger::check_room(std::uint64_t bytes) const {
  if (is_postgres(path_)) return {};
  if (const auto growth = growth_left(path_); growth && *growth < bytes) {
    return Error{Code::kStorage,
                 "this process's limit of file sizes lets the ledger grow by less than " +
                     std::to_string(bytes >> 20) +
                     " MiB; nothing was charged. Raise it (`ulimit -f`, LimitFSIZE of a systemd "
                     "service), start again, and ask again"};
  }
  const Result<std::uint64_t> free = world_.room(path_);
  if (!free || *free >= bytes) return {};  // where it cannot be told, it is tried
  return Error{Code::kStorage, "the disk of the ledger is almost full: less than " +
                                   std::to_string(bytes >> 20) +
                                   " MiB are free; nothing was charged. Make room, and ask again"};
}

bool Ledger::has_room(std::uint64_t bytes) const {
  return check_room(bytes) && (is_postgres(path_) || world_.hold(path_, bytes));
}

Result<void> Ledger::hold_room(Request& request) const {
  DISCREET_TRY(check_room(kLeastRoom));
  if (request.room || !request.question.takes_over || is_postgres(path_)) return {};
  Result<HeldRoom> room = world_.hold(path_, Drawing::kRoom);
  if (!room) return Error{room.error().code, "nothing was charged: " + room.error().message};
  request.room = std::make_shared<HeldRoom>(*std::move(room));
  return {};
}

Result<void> Ledger::end_charge(Sequence charge, const Hash& hash) {
  const auto work = [&]() -> Result<void> {
    if (state_.gives_one_answer()) return {};  // there is no second try in any case
    DISCREET_ASSIGN(const std::optional<Record> record, store_->record(charge));
    if (!record || record->hash != hash) return invalid_input("a charge of another ledger");
    DISCREET_ASSIGN(const auto ended,
                    find_request(record->units, record->analyst, id_of_end(charge)));
    if (ended) return {};
    return append_use(*record, id_of_end(charge));
  };
  return commit(work, true);
}

Result<void> Ledger::end_charge(const Paid& paid) {
  if (paid.room_) paid.room_->give_back();
  return end_charge(paid.charge_, paid.hash_);
}

Result<Drawing> Ledger::begin_drawing(const Paid& paid) {
  Drawing drawing(*this, paid.charge_, paid.hash_, paid.under_way_);
  drawing.room_ = paid.room_;
  if (drawing.room_ || is_postgres(path_)) return drawing;
  // Nothing was held: a run that is gone on with, or a charge that takes nothing over.
  Result<HeldRoom> room = world_.hold(path_, Drawing::kRoom);
  if (!room) {
    drawing.ledger_ = nullptr;
    return paid.failed({room.error().code, "nothing was drawn: " + room.error().message});
  }
  drawing.room_ = std::make_shared<HeldRoom>(*std::move(room));
  return drawing;
}

Result<Answer> Ledger::give_share(Paid&& share) {
  DISCREET_ASSIGN(Drawing drawing, begin_drawing(share));
  return drawing.store(std::move(share), "");
}

Drawing::Drawing(Drawing&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)),
      charge_(other.charge_),
      hash_(other.hash_),
      under_way_(std::move(other.under_way_)),
      room_(std::move(other.room_)) {}

Drawing::~Drawing() {
  if (ledger_ == nullptr) return;
  if (room_) room_->give_back();
  // If not even this can be written, the disk or the witness failed, or both are held by another
  // process: the charge is then like one of a process that was killed (L11).
  try {
    (void)ledger_->end_charge(charge_, hash_).has_value();
  } catch (const std::exception&) {  // out of memory; then it is dead too
  }
}

Result<Answer> Drawing::store(Paid&& paid, std::string bytes) {
  DISCREET_CHECK(ledger_ != nullptr && paid.charge() == charge_);
  Paid used = std::move(paid);  // whatever happens, it is not used again
  if (bytes.size() > kRoom / 4 && !ledger_->has_room(4 * bytes.size())) {
    return Error{Code::kStorage,
                 "the disk of the ledger has no room for the answer; what was charged is used up"};
  }
  if (room_) room_->give_back();
  Result<Answer> answer = ledger_->store(std::move(used), std::move(bytes));
  if (answer) ledger_ = nullptr;
  return answer;
}

}  // namespace discreet::ledger
