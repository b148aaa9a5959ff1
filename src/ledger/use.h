// SPDX-License-Identifier: Apache-2.0
// Records without a price that say how a payment was used: as charges in the history, with an id
// that only the ledger gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/record.h"

namespace discreet::ledger {

enum class UseKind {
  kTry,     ///< "try 2 of 17": its question is asked again (L11)
  kPart,    ///< "part 3 of 17": a receipt for one part of a run (L7)
  kEnd,     ///< "end of 17": it is not tried again
  kAnswer,  ///< "answer of 17": the bytes of a share were handed over (L12)
};

struct Use {
  UseKind kind = UseKind::kTry;
  std::uint64_t number = 0;  ///< which try, which part
  Sequence of = 0;           ///< the payment
};

std::string to_id(const Use& use);
/// Whether an id is one of these: a request that had it would use up what it names. Numbers that do
/// not fit are the largest.
std::optional<Use> parse_use(std::string_view id);

}  // namespace discreet::ledger
