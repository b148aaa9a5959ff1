// SPDX-License-Identifier: Apache-2.0
// The life of a charge: examined, paid or found to be a repeat, answered.
#include <chrono>
#include <utility>

#include "ledger/request.h"
#include "ledger/use.h"

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
  if (parse_use(charge.request_id())) {
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
                                    " was used for another " + difference +
                                    "; give every question an id of its own"};
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

/// Where caps are shared, what analysts are told must not follow what others spent: so nothing is
/// taken that is larger than the largest question, and nothing at all once that might not fit.
Result<void> Ledger::check_open(const Request& request) const {
  if (!closing_) return {};
  for (const Payer& payer : request.payers) {
    if (is_reserved(*payer.space)) continue;
    const Notion notion = payer.space->terms.notion;
    const Price largest = closing_->largest(*payer.space);
    if (payer.price.amount > largest.amount || payer.price.delta > largest.delta) {
      return Error{Code::kRefused,
                   "the question needs " + to_text(notion, payer.price, Round::kUp) +
                       ", and the largest that may be asked of " + in_quotes(payer.units->name) +
                       " has " + to_text(notion, largest, Round::kDown) +
                       "; ask a less accurate question, or have the owner raise "
                       "largest_question in the policy"};
    }
    if (payer.space->total.admits(largest, payer.numbers)) continue;
    return Error{Code::kBudget, "the budget that all analysts of " + in_quotes(payer.units->name) +
                                    " share is used up, so nothing more is sold; what you bought "
                                    "stays free"};
  }
  return {};
}

/// All who pay can, or nobody does.
Result<void> Ledger::check_budgets(const Request& request) const {
  DISCREET_TRY(check_open(request));
  // Their own caps first: what all have left is told only to who has enough themselves, and that
  // can be too little only where the owner asks (L12).
  for (const Payer& payer : request.payers) {
    if (payer.analyst->admits(payer.price, payer.numbers)) continue;
    const std::string where =
        request.payers.size() > 1 ? " in namespace " + in_quotes(payer.units->name) : "";
    return refusal(payer, *payer.analyst, "analyst " + in_quotes(request.question.analyst) + where);
  }
  for (const Payer& payer : request.payers) {
    if (request.shared || payer.space->total.admits(payer.price, payer.numbers)) continue;
    return refusal(payer, payer.space->total, "namespace " + in_quotes(payer.units->name));
  }
  return {};
}

/// What the analyst has, and what they would be given without a draw.
Result<void> Ledger::find_stored(Request& request) {
  const std::string& units = request.charge.units().name;
  const Terms terms{request.first().price, request.charge.plan(), request.first().blocks};
  DISCREET_ASSIGN(request.owned, find_owned(units, request.question, terms));
  if (request.owned) return {};
  DISCREET_ASSIGN(request.shared, find_answer(units, request.question, terms));
  return {};
}

/// Finds the stored answer, or appends what has to be paid. Within a write transaction. What an
/// analyst has not bought is paid for and asked, whether or not another one has it.
Result<void> Ledger::pay(Request& request) {
  request.begin();
  DISCREET_TRY(examine(request));
  DISCREET_ASSIGN(const std::optional<Record> earlier, check_request_id(request));
  DISCREET_TRY(find_stored(request));
  if (request.owned) {
    DISCREET_ASSIGN(request.bytes, bytes_of_answer(request.owned->answer));
    return {};
  }
  if (!request.shared && state_.gave_its_answer()) return gave_its_answer();
  if (request.question.takes_over) {
    DISCREET_ASSIGN(const bool is_used, use_unanswered(request));
    if (is_used) return {};
    if (earlier) return no_tries_left(request);
  }
  DISCREET_TRY(check_budgets(request));
  if (!batch_time_) return batch_time_.error();
  DISCREET_TRY(hold_room(request));
  return append_payments(request);
}

/// One record for each that pays, all in this transaction: S3 makes them one entry (L8). What a
/// Payer points to is the state's, which the first append changes: so all are built before it.
Result<void> Ledger::append_payments(Request& request) {
  // On bent coins there is no try after the first, so nothing can be given later.
  const bool gives_later = request.question.takes_over && !state_.gives_one_answer();
  std::vector<Record> records;
  for (const Payer& payer : request.payers) {
    Record record;
    const bool joins = !records.empty();
    record.kind = request.shared ? (joins ? Kind::kAlsoShare : Kind::kShare)
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
      if (request.shared) {
        record.about = request.shared->about;
        if (gives_later) record.content = request.shared->content;
      }
      record.detail = describe_noise(request.charge.lines());
    }
    records.push_back(std::move(record));
  }
  request.sequence = state_.next();
  for (Record& record : records) {
    DISCREET_TRY(append(std::move(record)));
    if (state_.sequence() == request.sequence) request.hash = state_.hash();
  }
  if (request.shared && !gives_later) {
    DISCREET_ASSIGN(request.bytes, bytes_of_answer(*request.shared));
    DISCREET_ASSIGN(std::optional<Record> share, store_->record(request.sequence));
    request.owned = Owned{*request.shared, *std::move(share)};
    return {};
  }
  request.is_share = request.shared.has_value();
  request.paid_as = request.question.key;
  if (request.question.takes_over) {
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
  if (request.owned) {
    return Outcome(Answer(std::move(request.bytes), request.owned->payment, true));
  }
  std::vector<Receipt> receipts;
  receipts.reserve(charge.lines().size());
  const std::uint64_t number = receipt_number(request.paid_as, question.snapshot, charge.plan());
  const std::string id = terms_.id + "/" + std::to_string(number);
  for (const ChargeLine& line : charge.lines()) {
    if (request.is_share) break;  // nothing may be drawn that the total did not pay
    receipts.push_back(Receipt(line.noise, line.cost, id));
  }
  return Outcome(Paid(std::move(receipts), request.sequence, request.hash, number, request.is_share,
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
  bool is_again = false;               // this analyst has them already
  std::optional<Record> charge;
  const auto work = [&]() -> Result<void> {
    earlier.reset();
    is_again = false;
    DISCREET_ASSIGN(charge, store_->record(used.charge_));
    if (!charge || charge->hash != used.hash_) {
      return invalid_input("the answer belongs to a charge of another ledger");
    }
    if (charge->kind == Kind::kShare) {
      DISCREET_ASSIGN(is_again, was_given(*charge));
      DISCREET_ASSIGN(earlier, give(*charge));
      return {};
    }
    // The question may have been answered meanwhile; all who ask it get the same bytes (L5).
    DISCREET_ASSIGN(
        const std::optional<Record> first,
        find_answer({charge->units, charge->question, charge->snapshot}, Terms::of(*charge)));
    if (first) {
      DISCREET_ASSIGN(const auto own, find_owned(charge->units,
                                                 {.analyst = charge->analyst,
                                                  .key = charge->question,
                                                  .snapshot = charge->snapshot},
                                                 Terms::of(*charge)));
      is_again = own.has_value();
      // A resumed run may have been finished by another process.
      DISCREET_ASSIGN(earlier, store_->answer_bytes(used.charge_));
      if (earlier) return {};
      DISCREET_ASSIGN(earlier, bytes_of_answer(*first));
    }
    return append_answer(*charge, earlier ? *earlier : bytes);
  };
  DISCREET_TRY(commit(work, true));
  // From here on it is durable (L2).
  return Answer(earlier ? *std::move(earlier) : std::move(bytes), *charge, is_again);
}

Result<void> Ledger::quote_into(const Charge& charge, const Question& question, OwnerQuote& out) {
  Quote& quote = out.analysts;
  Request request(charge, question);
  DISCREET_TRY(examine(request));
  DISCREET_ASSIGN(const std::optional<Record> earlier, check_request_id(request));
  const Payer& first = request.first();
  DISCREET_TRY(find_stored(request));
  const bool is_stored = request.owned || request.shared;
  if (!is_stored && state_.gave_its_answer()) return gave_its_answer();
  quote.repeat = request.owned.has_value();
  if (question.takes_over && !quote.repeat && !state_.gives_one_answer()) {
    DISCREET_ASSIGN(const auto unanswered, find_unanswered(request));
    quote.retry = unanswered.has_value();
    if (!quote.retry && earlier) return no_tries_left(request);
  }
  const bool is_free = quote.repeat || quote.retry;
  quote.price = first.price;
  if (!is_free) quote.pays = first.price;
  if (!is_free && !is_stored) out.total_pays = first.price;
  quote.left = first.analyst->left(first.numbers);
  out.total_left = first.space->total.left(first.numbers);
  const Result<void> open = check_open(request);
  if (!open && !is_free && open.error().code == Code::kRefused) return open;
  quote.is_open = open.has_value();
  quote.fits = is_free || quote.is_open;
  out.fits = true;
  for (const Payer& payer : request.payers) {
    const Price own = is_free ? Price() : payer.price;
    const Price total = is_free || is_stored ? Price() : payer.price;
    quote.fits = quote.fits && payer.analyst->admits(own, payer.numbers);
    out.fits = out.fits && payer.space->total.admits(total, payer.numbers);
    if (&payer == &first) continue;
    quote.also.push_back({payer.units->name, payer.price, payer.analyst->left(payer.numbers)});
    out.also_left.push_back(payer.space->total.left(payer.numbers));
  }
  out.fits = out.fits && quote.fits;
  return {};
}

Result<OwnerQuote> Ledger::owner_quote(const Charge& charge, const Question& question) {
  DISCREET_TRY(check_sizes(charge, question));
  OwnerQuote quote;
  DISCREET_TRY(look([&] { return quote_into(charge, question, quote); }));
  return quote;
}

Result<Quote> Ledger::quote(const Charge& charge, const Question& question) {
  DISCREET_ASSIGN(OwnerQuote quote, owner_quote(charge, question));
  return std::move(quote.analysts);
}

}  // namespace discreet::ledger
