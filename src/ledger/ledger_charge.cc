// SPDX-License-Identifier: Apache-2.0
// The life of a charge: examined, paid or found to be a repeat, answered.
#include <utility>

#include "ledger/ledger.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kRequestIdSizeMax = 256;
constexpr std::size_t kKeySizeMax = 64 << 10;
constexpr std::size_t kSnapshotSizeMax = 1 << 10;
constexpr std::size_t kAnswerSizeMax = 256 << 20;
constexpr std::size_t kDetailSizeMax = 1000;

Result<void> check_sizes(const Charge& charge, const Question& question) {
  if (charge.request_id().empty() || charge.request_id().size() > kRequestIdSizeMax) {
    return invalid_input("a request id must have 1 to 256 bytes");
  }
  if (question.key.empty() || question.key.size() > kKeySizeMax) {
    return invalid_input("a question's key must have 1 byte to 64 KiB");
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

}  // namespace

/// A charge with what was found out about it. Valid within a transaction, but for what it outputs.
struct Ledger::Request {
  Request(const Charge& asked, const Question& what) : charge(asked), question(what) {}

  const Charge& charge;
  const Question& question;
  const NamespaceState* space = nullptr;
  const Account* analyst = nullptr;
  Price price;
  std::string blocks;
  std::vector<std::size_t> numbers;

  // What came of it:
  std::optional<Record> stored;  // the answer that is there already
  std::string bytes;             // its bytes
  Sequence sequence = 0;         // of the new charge
  Hash hash{};

  QuestionKey key() const { return {charge.units().name, question.key, question.snapshot}; }
};

/// Fills in what the state knows. A function of question, charge and history.
Result<void> Ledger::examine(Request& request) const {
  const ChargedUnits& units = request.charge.units();
  DISCREET_ASSIGN(request.space, state_.find(units.name));
  const NamespaceTerms& terms = request.space->terms;
  if (units.neighbours != terms.neighbours) {
    return Error{Code::kRefused, "namespace " + in_quotes(units.name) + " protects against " +
                                     to_string(terms.neighbours) + ", but the question's price " +
                                     "is for " + to_string(units.neighbours) +
                                     "; the policy and the ledger must name the same neighbours"};
  }
  DISCREET_ASSIGN(request.analyst, request.space->analyst(request.question.analyst));
  request.blocks = join_names(units.blocks);
  if (!request.blocks.empty()) {
    if (units.block_attribute != terms.block_attribute) return other_blocks(units, terms);
    DISCREET_ASSIGN(const std::vector<std::string> names, split_names(request.blocks));
    DISCREET_ASSIGN(request.numbers, request.space->numbers_of(names));
  }
  DISCREET_ASSIGN(request.price, price_of(terms.notion, request.charge.lines()));
  return {};
}

/// An id stands for one question for ever.
Result<void> Ledger::check_request_id(const Request& request) {
  DISCREET_ASSIGN(const std::optional<Record> earlier,
                  store_->find_request(request.charge.units().name, request.question.analyst,
                                       request.charge.request_id()));
  if (!earlier) return {};
  const char* const difference = earlier->question != request.question.key        ? "question"
                                 : earlier->snapshot != request.question.snapshot ? "snapshot"
                                 : earlier->plan != request.charge.plan()         ? "plan"
                                 : earlier->price != request.price                ? "price"
                                 : earlier->blocks != request.blocks              ? "blocks"
                                                                                  : nullptr;
  if (difference == nullptr) return {};
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

Error Ledger::refusal(const Request& request, const Account& account,
                      const std::string& whose) const {
  const Notion notion = request.space->terms.notion;
  const Price left = account.left(request.numbers);
  std::string text = "not enough budget: the question needs " + to_text(notion, request.price) +
                     ", but " + to_text(notion, left);
  if (request.price.delta != Amount() && left.delta == Amount()) text += " and delta 0";
  text += " is left of the budget of " + whose;
  if (!request.numbers.empty()) text += " for these blocks";
  return {Code::kBudget, text +
                             "; ask fewer or less accurate questions, or have the owner raise "
                             "it with `discreet ledger top-up`"};
}

/// Finds the stored answer, or appends what has to be paid. Within a write transaction.
Result<void> Ledger::pay(Request& request) {
  DISCREET_TRY(examine(request));
  DISCREET_TRY(check_request_id(request));
  DISCREET_ASSIGN(request.stored, store_->find_answer(request.key()));
  if (request.stored) {
    DISCREET_TRY(
        check_same_question(*request.stored, request.price, request.charge.plan(), request.blocks));
    DISCREET_ASSIGN(request.bytes, bytes_of_answer(*request.stored));
    DISCREET_ASSIGN(const bool has_paid, store_->has_paid(request.key(), request.question.analyst));
    if (has_paid) return {};
  }
  const std::string& units = request.charge.units().name;
  if (!request.stored && !request.space->total.admits(request.price, request.numbers)) {
    return refusal(request, request.space->total, "namespace " + in_quotes(units));
  }
  if (!request.analyst->admits(request.price, request.numbers)) {
    return refusal(request, *request.analyst, "analyst " + in_quotes(request.question.analyst));
  }
  if (!batch_time_) return batch_time_.error();

  Record record;
  record.kind = request.stored ? Kind::kShare : Kind::kCharge;
  record.units = units;
  record.analyst = request.question.analyst;
  record.blocks = request.blocks;
  record.price = request.price;
  record.request_id = request.charge.request_id();
  record.question = request.question.key;
  record.snapshot = request.question.snapshot;
  record.plan = request.charge.plan();
  if (request.stored) record.about = request.stored->about;
  record.detail = describe_noise(request.charge.lines());
  DISCREET_TRY(append(std::move(record)));
  request.sequence = state_.sequence();
  request.hash = state_.hash();
  return {};
}

Result<Outcome> Ledger::charge(const Charge& charge, const Question& question) {
  DISCREET_TRY(check_sizes(charge, question));
  Request request(charge, question);
  DISCREET_TRY(commit([&] { return pay(request); }));
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
  return Outcome(Paid(std::move(receipts), request.sequence, request.hash));
}

Result<std::string> Ledger::bytes_of_answer(const Record& answer) {
  DISCREET_ASSIGN(std::optional<std::string> bytes, store_->answer_bytes(answer.about));
  if (bytes && sha256(*bytes) == answer.content) return *std::move(bytes);
  return Error{Code::kCorrupt, "the stored answer of record " + std::to_string(answer.sequence) +
                                   (bytes ? " was changed" : " is missing") +
                                   "; restore the newest copy of the ledger"};
}

Result<Answer> Ledger::store(Paid&& paid, std::string bytes) {
  const Paid used = std::move(paid);  // whatever happens, it is not used again
  if (bytes.size() > kAnswerSizeMax) {
    return invalid_input("an answer must have at most 256 MiB");
  }
  bool was_answered = false;
  const auto work = [&]() -> Result<void> {
    DISCREET_ASSIGN(const std::optional<Record> charge, store_->record(used.charge_));
    if (!charge || charge->hash != used.hash_) {
      return invalid_input("the answer belongs to a charge of another ledger");
    }
    if (!batch_time_) return batch_time_.error();
    // The question may have been answered meanwhile; all who ask it get the same bytes (L5).
    DISCREET_ASSIGN(const std::optional<Record> first,
                    store_->find_answer({charge->units, charge->question, charge->snapshot}));
    was_answered = first.has_value();
    if (first) {
      DISCREET_TRY(check_same_question(*first, charge->price, charge->plan, charge->blocks));
      DISCREET_ASSIGN(bytes, bytes_of_answer(*first));
    }
    Record record;
    record.kind = Kind::kAnswer;
    record.units = charge->units;
    record.analyst = charge->analyst;
    record.question = charge->question;
    record.snapshot = charge->snapshot;
    record.about = charge->sequence;
    record.content = sha256(bytes);
    DISCREET_TRY(append(record));
    const Result<void> kept = store_->put_answer(record, bytes);
    if (!kept) broken_ = kept.error();
    return kept;
  };
  DISCREET_TRY(commit(work));
  // From here on it is durable (L2).
  return Answer(std::move(bytes), used.charge_, was_answered);
}

Result<Quote> Ledger::quote(const Charge& charge, const Question& question) {
  DISCREET_TRY(check_sizes(charge, question));
  Quote quote;
  const auto work = [&]() -> Result<void> {
    Request request(charge, question);
    DISCREET_TRY(examine(request));
    DISCREET_TRY(check_request_id(request));
    DISCREET_ASSIGN(const auto stored, store_->find_answer(request.key()));
    if (stored) {
      DISCREET_TRY(
          check_same_question(*stored, request.price, request.charge.plan(), request.blocks));
    }
    DISCREET_ASSIGN(const bool has_paid, store_->has_paid(request.key(), question.analyst));
    quote.price = request.price;
    quote.repeat = stored.has_value();
    if (!stored) quote.total_pays = request.price;
    if (!stored || !has_paid) quote.analyst_pays = request.price;
    quote.total_left = request.space->total.left(request.numbers);
    quote.analyst_left = request.analyst->left(request.numbers);
    quote.fits = request.space->total.admits(quote.total_pays, request.numbers) &&
                 request.analyst->admits(quote.analyst_pays, request.numbers);
    return {};
  };
  DISCREET_TRY(look(work));
  return quote;
}

}  // namespace discreet::ledger
