// SPDX-License-Identifier: Apache-2.0
#include "local/people.h"

#include "base/check.h"
#include "local/client/bits.h"

namespace discreet::local {

Result<Answered> answer_at_home(const Survey& survey, std::string_view text, Memory& memory,
                                const Token& token) {
  DISCREET_ASSIGN(ClientBits * bits, client_bits());
  return answer(survey, text, memory, *bits, token);
}

Result<std::string> simulate(const Survey& survey, std::span<const Answer> answers) {
  DISCREET_CHECK(answers.size() >> 32 == 0);
  DISCREET_ASSIGN(ClientBits * bits, client_bits());
  const Randomizer randomizer(survey);
  const std::size_t size = record_size(survey);
  // The header of an empty batch, then the count and the records in place.
  std::string batch = make_batch(survey, {});
  const std::size_t first = batch.size();
  batch.resize(first + answers.size() * size);
  const std::span<std::uint8_t> room(reinterpret_cast<std::uint8_t*>(batch.data()), batch.size());
  write_little(answers.size(), room.subspan(first - 4, 4));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    draw_record(randomizer, answers[i], *bits, room.subspan(first + i * size, size));
  }
  if (!bits->healthy()) {
    return Error{Code::kNoEntropy, "the operating system's random source failed; nothing was sent"};
  }
  return batch;
}

}  // namespace discreet::local
