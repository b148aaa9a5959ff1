// SPDX-License-Identifier: Apache-2.0
// Answering a survey at home: check it, pay for it from the person's own budget, randomize,
// remember.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "local/client/ledger.h"
#include "local/client/randomizer.h"

namespace discreet::local {

/// A token that the survey's owner gave to this person, which is the report's id then; none: drawn.
using Token = std::optional<ReportId>;

struct Answered {
  std::string batch;        ///< the report, as a batch of one
  std::uint64_t price = 0;  ///< what it cost now, in 10^-9; 0 when it was made before
  bool again = false;       ///< the same bytes as an earlier time
};

/// Theorem     All that ever leaves this function, for one memory, is budget-DP in the person's
///             whole history of answers (randomizers.md, "A lifetime"): a survey's first answer
///             costs its epsilon; asked again, a survey gets the same bytes, whatever the answer is
///             now; bloom makes all its rounds from the first answer's permanent bits. A report
///             from a changed answer would tell *that* and *when* it changed, which no memoised
///             response hides.
/// Fails with  kBudget when it would cost more than is left, before anything is drawn; kRefused
///             when the survey's odds exceed its epsilon; kInvalidInput for a first answer that is
///             none; kNoEntropy, kStorage: then nothing was answered.
///
/// The answer is read only where something is drawn from it, after it was paid for: neither a
/// memoised report nor a refusal for lack of budget depends on it. A first answer that is none
/// makes no report, costs nothing and is not remembered.
///
/// `memory` is a Memory, or, where there are no files, anything with ledger() and replace() that
/// keeps to M1 and M2; one with check_process() is asked that first. `token`: of this survey and
/// round, for the first report; the theorem holds whoever chose it.
template <class M, random::BitSource B>
Result<Answered> answer(const Survey& survey, std::string_view text, M& memory, B& bits,
                        const Token& token = {});

/// A new id: sixteen random bytes.
template <random::BitSource B>
void draw_id(B& bits, std::span<std::uint8_t> id) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}}) {
    const std::uint64_t word = bits.take(64);
    std::memcpy(id.data() + at, &word, 8);  // uniform in any order of bytes
  }
}

template <random::BitSource B>
void make_id(const Token& token, B& bits, std::span<std::uint8_t> id) {
  if (token) {
    std::memcpy(id.data(), token->data(), kIdBytes);
  } else {
    draw_id(bits, id);
  }
}

/// One record (id, payload) that no memory is kept of: for simulations, and for `answer`.
template <random::BitSource B>
void draw_record(const Randomizer& randomizer, const Answer& answer, B& bits,
                 std::span<std::uint8_t> record, const Token& token = {}) {
  make_id(token, bits, record.first(kIdBytes));
  Draws<B> draws(bits);
  randomizer.draw(answer, record.first(kIdBytes), draws, record.subspan(kIdBytes));
}

/// A fingerprint is no signature: somebody made a survey that looks like one answered before.
Error another_survey();

/// Pays `price` for a survey's entry. Fails with: kBudget.
Result<void> pay(Ledger& ledger, Kept& kept, std::uint64_t price);

template <random::BitSource B>
Result<void> answer_bloom(const Survey& survey, std::string_view text, Ledger& ledger, Kept& kept,
                          B& bits, std::span<std::uint8_t> record, const Token& token) {
  const Randomizer randomizer(survey);
  const Parameters& p = survey.parameters;
  Draws<B> draws(bits);
  std::string& permanent = kept.permanent;
  const std::size_t size = (p.domain + 7) / 8;
  if (!permanent.empty() && (permanent.size() != size || kept.cohort >= p.depth)) {
    return another_survey();
  }
  if (permanent.empty()) {
    DISCREET_TRY(pay(ledger, kept, p.epsilon));
    DISCREET_ASSIGN(const Answer read, read_answer(survey, text));
    kept.cohort = draws.below(p.depth);
    permanent.resize(size);
    randomizer.permanent(kept.cohort, read.text, draws,
                         {reinterpret_cast<std::uint8_t*>(permanent.data()), permanent.size()});
  }
  make_id(token, bits, record.first(kIdBytes));
  randomizer.instantaneous(
      kept.cohort, {reinterpret_cast<const std::uint8_t*>(permanent.data()), permanent.size()},
      draws, record.subspan(kIdBytes));
  return {};
}

template <class M, random::BitSource B>
Result<Answered> answer(const Survey& survey, std::string_view text, M& memory, B& bits,
                        const Token& token) {
  if constexpr (requires { memory.check_process(); }) DISCREET_TRY(memory.check_process());
  DISCREET_TRY(check(survey));
  const Parameters& p = survey.parameters;
  const auto as_batch = [&](const std::string& record) {
    return make_batch(survey,
                      {reinterpret_cast<const std::uint8_t*>(record.data()), record.size()});
  };
  Ledger next = memory.ledger();
  Kept& kept = next.surveys[series(survey)];
  const auto made = kept.records.find(p.round);
  if (made != kept.records.end()) {
    if (made->second.size() != record_size(survey)) return another_survey();
    return Answered{as_batch(made->second), 0, true};
  }
  const std::uint64_t before = next.spent;
  std::string record(record_size(survey), '\0');
  const std::span<std::uint8_t> room(reinterpret_cast<std::uint8_t*>(record.data()), record.size());
  if (p.mechanism == Mechanism::kBloom) {
    DISCREET_TRY(answer_bloom(survey, text, next, kept, bits, room, token));
  } else {
    DISCREET_TRY(pay(next, kept, p.epsilon));
    DISCREET_ASSIGN(const Answer read, read_answer(survey, text));
    draw_record(Randomizer(survey), read, bits, room, token);
  }
  if constexpr (requires { bits.healthy(); }) {
    if (!bits.healthy()) {
      return Error{Code::kNoEntropy, "the random source failed; nothing was answered"};
    }
  }
  kept.records.emplace(p.round, record);
  const std::uint64_t price = next.spent - before;
  DISCREET_TRY(memory.replace(std::move(next)));
  return Answered{as_batch(record), price, false};
}

}  // namespace discreet::local
