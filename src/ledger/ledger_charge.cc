// SPDX-License-Identifier: Apache-2.0
// The life of a charge: examined, paid or found to be a repeat, answered.
#include <chrono>
#include <utility>

#include "ledger/request.h"

namespace discreet::ledger {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kRequestIdSizeMax = 256;
constexpr std::size_t kKeySizeMax = 64 << 10;
constexpr std::size_t kSnapshotSizeMax = 1 << 10;
constexpr std::size_t kAnswerSizeMax = 256 << 20;
constexpr std::size_t kDetailSizeMax = 1000;

Result<void> check_sizes(const Charge& charge, const Question& question) {
  if (charge.request_id().empty() || charge.request_id().size() > kRequestIdSizeMax) {
    return invalid_input("a request id must have 1 to 256 bytes");
  }
  if (is_own_id(charge.request_id())) {
    return invalid_input("a request id must not be one of the ledger's own, such as " +
                         in_quotes(charge.request_id()) + "; take another");
  }
  if (question.key.empty() || question.key.size() > kKeySizeMax) {
    return invalid_input("a question's key must have 1 byte to 64 KiB");
  }
  for (const std::string& older : question.older_keys) {
    if (older.empty() || older.size() > kKeySizeMax || older == question.key) {
      return invalid_input("an older key of a question must have 1 byte to 64 KiB and be another");
    }
  }
  if (question.snapshot.size() > kSnapshotSizeMax) {
    return invalid_input("a snapshot's label must have at most 1 KiB");
  }
  return {};
}

/// What people read in the history: the noise of the lines.
std::string describe_noise(const std::vector<ChargeLine>& lines) {
  std::string text;
  std::size_t shown = 0;
  for (; shown < lines.size() && text.size() < kDetailSizeMax; ++shown) {
    text += (shown == 0 ? "" : "; ") + lines[shown].noise.text;
  }
  if (shown < lines.size()) text += "; and " + std::to_string(lines.size() - shown) + " more";
  return text;
}

/// Equal values of two attributes are not the same people.
Error other_blocks(const ChargedUnits& units, const NamespaceTerms& terms) {
  return {Code::kRefused, "the question's blocks are by " + in_quotes(units.block_attribute) +
                              ", but those of namespace " + in_quotes(units.name) + " are by " +
                              in_quotes(terms.block_attribute) +
                              "; the policy and the ledger must name the same column"};
}

Error gave_its_answer() {
  return {Code::kRefused,
          "this ledger gave its one answer: on coins that may be bent (randomness: "
          "santha-vazirani) the prices of two answers do not add up; ask the same question again "
          "for free, or keep a ledger on fair coins"};
}

}  // namespace

/// A function of question, charge and history.
Result<Ledger::Payer> Ledger::payer_of(const Request& request, const ChargedUnits& units) const {
  Payer payer;
  payer.units = &units;
  DISCREET_ASSIGN(payer.space, state_.find(units.name));
  const NamespaceTerms& terms = payer.space->terms;
  if (units.neighbours != terms.neighbours) {
    return Error{Code::kRefused, "namespace " + in_quotes(units.name) + " protects against " +
                                     to_string(terms.neighbours) + ", but the question's price " +
                                     "is for " + to_string(units.neighbours) +
                                     "; the policy and the ledger must name the same neighbours"};
  }
  DISCREET_ASSIGN(payer.analyst, payer.space->analyst(request.question.analyst));
  payer.blocks = join_names(units.blocks);
  if (!payer.blocks.empty()) {
    if (units.block_attribute != terms.block_attribute) return other_blocks(units, terms);
    DISCREET_ASSIGN(const std::vector<std::string> names, split_names(payer.blocks));
    DISCREET_ASSIGN(payer.numbers, payer.space->numbers_of(names));
  }
  DISCREET_TRY(check_coins(terms, request.charge.lines()));
  DISCREET_ASSIGN(payer.price, price_of(terms.notion, request.charge.lines(), units.moves));
  return payer;
}

/// Fills in all who pay.
Result<void> Ledger::examine(Request& request) const {
  std::vector<const ChargedUnits*> all = {&request.charge.units()};
  for (const ChargedUnits& units : request.charge.units().also) all.push_back(&units);
  for (const ChargedUnits* const units : all) {
    for (const Payer& other : request.payers) {
      if (other.units->name == units->name) return invalid_input("a namespace pays once");
    }
    DISCREET_ASSIGN(Payer payer, payer_of(request, *units));
    request.payers.push_back(std::move(payer));
  }
  return {};
}

/// An id stands for one question for ever.
Result<std::optional<Record>> Ledger::check_request_id(const Request& request) {
  DISCREET_ASSIGN(std::optional<Record> earlier,
                  find_request(request.charge.units().name, request.question.analyst,
                               request.charge.request_id()));
  if (!earlier) return earlier;
  const char* const difference = !request.question.is_known_as(earlier->question) ? "question"
                                 : earlier->snapshot != request.question.snapshot ? "snapshot"
                                 : earlier->plan != request.charge.plan()         ? "plan"
                                 : earlier->price != request.first().price        ? "price"
                                 : earlier->blocks != request.first().blocks      ? "blocks"
                                                                                  : nullptr;
  if (difference == nullptr) return earlier;
  return Error{Code::kConflict, "request id " + in_quotes(request.charge.request_id()) +
                                    " was used for another " + difference + " (record " +
                                    std::to_string(earlier->sequence) +
                                    "); give every question an id of its own"};
}

/// A question's key stands for one plan and price: else a cheap question would buy a dear answer.
Result<void> Ledger::check_same_question(const Record& answer, const Price& price, const Hash& plan,
                                         const std::string& blocks) {
  DISCREET_ASSIGN(const std::optional<Record> first, store_->record(answer.about));
  if (first && first->price == price && first->plan == plan && first->blocks == blocks) return {};
  return Error{Code::kConflict, "record " + std::to_string(answer.about) +
                                    " was charged for the same question under the same snapshot, "
                                    "but with another plan, price or blocks; give the snapshot a "
                                    "new label when the policy changes"};
}

Error Ledger::refusal(const Payer& payer, const Account& account, const std::string& whose) const {
  const Notion notion = payer.space->terms.notion;
  const Price left = account.left(payer.numbers);
  std::string text = "not enough budget: the question needs " +
                     to_text(notion, payer.price, Round::kUp) + ", but " +
                     to_text(notion, left, Round::kDown);
  if (payer.price.delta != Amount() && left.delta == Amount()) text += " and delta 0";
  text += " is left of the budget of " + whose;
  if (!payer.numbers.empty()) text += " for these blocks";
  return {Code::kBudget, text +
                             "; ask fewer or less accurate questions, or have the owner raise "
                             "it with `discreet ledger top-up`"};
}

/// All who pay can, or nobody does.
Result<void> Ledger::check_budgets(const Request& request) const {
  for (const Payer& payer : request.payers) {
    const std::string& units = payer.units->name;
    if (!request.stored && !payer.space->total.admits(payer.price, payer.numbers)) {
      return refusal(payer, payer.space->total, "namespace " + in_quotes(units));
    }
    if (payer.analyst->admits(payer.price, payer.numbers)) continue;
    const std::string where = request.payers.size() > 1 ? " in namespace " + in_quotes(units) : "";
    return refusal(payer, *payer.analyst, "analyst " + in_quotes(request.question.analyst) + where);
  }
  return {};
}

/// Finds the stored answer, or appends what has to be paid. Within a write transaction.
Result<void> Ledger::pay(Request& request) {
  request.begin();
  DISCREET_TRY(examine(request));
  DISCREET_ASSIGN(const std::optional<Record> earlier, check_request_id(request));
  DISCREET_ASSIGN(request.stored, find_answer(request.charge.units().name, request.question));
  if (request.stored) {
    DISCREET_TRY(check_same_question(*request.stored, request.first().price, request.charge.plan(),
                                     request.first().blocks));
    DISCREET_ASSIGN(request.bytes, bytes_of_answer(*request.stored));
    DISCREET_ASSIGN(const bool paid, has_paid(*request.stored, request.question));
    if (paid) return {};
  }
  if (!request.stored && state_.gave_its_answer()) return gave_its_answer();
  if (request.question.takes_over) {
    DISCREET_ASSIGN(const bool is_used, use_unanswered(request));
    if (is_used) return {};
    if (earlier) return no_tries_left(request, *earlier);
  }
  DISCREET_TRY(check_budgets(request));
  if (!batch_time_) return batch_time_.error();
  DISCREET_TRY(hold_room(request));
  return append_payments(request);
}

/// One record for each that pays, all in this transaction: S3 makes them one entry (L8). What a
/// Payer points to is the state's, which the first append changes: so all are built before it.
Result<void> Ledger::append_payments(Request& request) {
  std::vector<Record> records;
  for (const Payer& payer : request.payers) {
    Record record;
    const bool joins = !records.empty();
    record.kind = request.stored ? (joins ? Kind::kAlsoShare : Kind::kShare)
                                 : (joins ? Kind::kAlsoCharge : Kind::kCharge);
    record.units = payer.units->name;
    record.analyst = request.question.analyst;
    record.blocks = payer.blocks;
    record.price = payer.price;
    record.plan = request.charge.plan();
    if (joins) {
      record.about = state_.next();  // the first of these
    } else {
      record.request_id = request.charge.request_id();
      record.question = request.question.key;
      record.snapshot = request.question.snapshot;
      if (request.stored) record.about = request.stored->about;
      record.detail = describe_noise(request.charge.lines());
    }
    records.push_back(std::move(record));
  }
  request.sequence = state_.next();
  for (Record& record : records) {
    DISCREET_TRY(append(std::move(record)));
    if (state_.sequence() == request.sequence) request.hash = state_.hash();
  }
  if (request.question.takes_over && !request.stored) {
    // Held by another one only if a run of this ledger's was lost with a part of its history.
    std::optional<TryLock> lock = TryLock::take(path_, request.sequence);
    request.under_way =
        std::make_shared<const UnderWay>(request.hash, lock ? *std::move(lock) : TryLock());
  }
  return {};
}

Result<Outcome> Ledger::charge(const Charge& charge, const Question& question) {
  DISCREET_TRY(check_sizes(charge, question));
  Request request(charge, question);
  for (;;) {
    DISCREET_TRY(commit([&] { return pay(request); }, true));
    if (!request.waits) break;
    UnderWay::wait_for(request.hash);
    if (!TryLock::wait_for(path_, request.sequence, milliseconds(world_.busy_ms))) {
      return Error{
          Code::kStorage,
          "the same question is being answered by another process; nothing was charged for "
          "this one. Ask again shortly"};
    }
  }
  // From here on it is durable (L1).
  if (request.stored) {
    return Outcome(Answer(std::move(request.bytes), request.stored->about, true));
  }
  std::vector<Receipt> receipts;
  receipts.reserve(charge.lines().size());
  const std::string id = terms_.id + "/" + std::to_string(request.sequence);
  for (const ChargeLine& line : charge.lines()) {
    receipts.push_back(Receipt(line.noise, line.cost, id));
  }
  return Outcome(Paid(std::move(receipts), request.sequence, request.hash,
                      std::move(request.under_way), request.number_of_try,
                      std::move(request.room)));
}

Result<std::string> Ledger::bytes_of_answer(const Record& answer) {
  return bytes_of_answer(*store_, answer);
}

Result<std::string> Ledger::bytes_of_answer(Store& store, const Record& answer) {
  DISCREET_ASSIGN(std::optional<std::string> bytes, store.answer_bytes(answer.about));
  if (bytes && sha256(*bytes) == answer.content) return *std::move(bytes);
  return Error{Code::kCorrupt, "the stored answer of record " + std::to_string(answer.sequence) +
                                   (bytes ? " was changed" : " is missing") +
                                   "; restore the newest copy of the ledger"};
}

Result<void> Ledger::append_answer(const Record& charge, const std::string& bytes) {
  if (!batch_time_) return batch_time_.error();
  Record record;
  record.kind = Kind::kAnswer;
  record.units = charge.units;
  record.analyst = charge.analyst;
  record.question = charge.question;
  record.snapshot = charge.snapshot;
  record.about = charge.sequence;
  record.content = sha256(bytes);
  DISCREET_TRY(append(record));
  const Result<void> kept = store_->put_answer(record, bytes);
  if (!kept) broken_ = kept.error();
  return kept;
}

Result<Answer> Ledger::store(Paid&& paid, std::string bytes) {
  const Paid used = std::move(paid);  // whatever happens, it is not used again
  if (used.room_) used.room_->give_back();
  if (bytes.size() > kAnswerSizeMax) {
    return invalid_input("an answer must have at most 256 MiB");
  }
  std::optional<std::string> earlier;  // bytes that are given in the place of ours
  const auto work = [&]() -> Result<void> {
    earlier.reset();
    DISCREET_ASSIGN(const std::optional<Record> charge, store_->record(used.charge_));
    if (!charge || charge->hash != used.hash_) {
      return invalid_input("the answer belongs to a charge of another ledger");
    }
    // The question may have been answered meanwhile; all who ask it get the same bytes (L5).
    DISCREET_ASSIGN(const std::optional<Record> first,
                    find_answer({charge->units, charge->question, charge->snapshot}));
    if (first) {
      // A resumed run may have been finished by another process.
      DISCREET_ASSIGN(earlier, store_->answer_bytes(used.charge_));
      if (earlier) return {};
      DISCREET_TRY(check_same_question(*first, charge->price, charge->plan, charge->blocks));
      DISCREET_ASSIGN(earlier, bytes_of_answer(*first));
    }
    return append_answer(*charge, earlier ? *earlier : bytes);
  };
  DISCREET_TRY(commit(work, true));
  // From here on it is durable (L2).
  const bool was_answered = earlier.has_value();
  return Answer(was_answered ? *std::move(earlier) : std::move(bytes), used.charge_, was_answered);
}

Result<Quote> Ledger::quote(const Charge& charge, const Question& question) {
  DISCREET_TRY(check_sizes(charge, question));
  Quote quote;
  const auto work = [&]() -> Result<void> {
    Request request(charge, question);
    DISCREET_TRY(examine(request));
    DISCREET_ASSIGN(const std::optional<Record> earlier, check_request_id(request));
    const Payer& first = request.first();
    DISCREET_ASSIGN(request.stored, find_answer(request.charge.units().name, question));
    const std::optional<Record>& stored = request.stored;
    if (stored) {
      DISCREET_TRY(check_same_question(*stored, first.price, request.charge.plan(), first.blocks));
    }
    if (!stored && state_.gave_its_answer()) return gave_its_answer();
    bool paid = false;
    if (stored) {
      DISCREET_ASSIGN(paid, has_paid(*stored, question));
    }
    if (question.takes_over && !paid && !state_.gives_one_answer()) {
      DISCREET_ASSIGN(const auto unanswered, find_unanswered(request));
      quote.retry = unanswered.has_value();
      if (!quote.retry && earlier) return no_tries_left(request, *earlier);
    }
    const bool is_free = paid || quote.retry;
    quote.price = first.price;
    quote.repeat = stored.has_value();
    if (!stored && !is_free) quote.total_pays = first.price;
    if (!is_free) quote.analyst_pays = first.price;
    quote.total_left = first.space->total.left(first.numbers);
    quote.analyst_left = first.analyst->left(first.numbers);
    quote.fits = true;
    for (const Payer& payer : request.payers) {
      const Price nothing;
      const Price& total = stored || is_free ? nothing : payer.price;
      const Price& own = is_free ? nothing : payer.price;
      quote.fits = quote.fits && payer.space->total.admits(total, payer.numbers) &&
                   payer.analyst->admits(own, payer.numbers);
      if (&payer == &first) continue;
      quote.also.push_back({payer.units->name, payer.price, payer.space->total.left(payer.numbers),
                            payer.analyst->left(payer.numbers)});
    }
    return {};
  };
  DISCREET_TRY(look(work));
  return quote;
}

}  // namespace discreet::ledger
