// SPDX-License-Identifier: Apache-2.0
// Whatever bytes arrive as a survey, as reports, as a collector's counts or as a memory: they are
// taken or refused, and what is taken can be written again. The first byte chooses which.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "local/client/ledger.h"
#include "local/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: {
      const Result<local::Survey> survey = local::parse_survey(bytes);
      if (survey.has_value()) DISCREET_CHECK(encode(*survey) == bytes);
      return 0;
    }
    case 1: {
      const Result<local::BatchFacts> facts = local::take_any_batch(bytes);
      if (!facts.has_value()) return 0;
      local::Survey survey;
      survey.parameters = facts->parameters;
      if (!check(survey).has_value()) return 0;  // its kind of answers is not in a report
      local::Aggregate aggregate(survey);
      aggregate.add(facts->batch);
      DISCREET_CHECK(aggregate.tally().seen() == facts->batch.count);
      const std::string counts = aggregate.serialize();
      DISCREET_CHECK(local::Aggregate::parse(survey, counts).value().serialize() == counts);
      return 0;
    }
    case 2: {
      local::Survey survey;
      survey.parameters = {.mechanism = local::Mechanism::kResponse,
                           .epsilon = local::kNano,
                           .odds = local::odds_below(local::kNano),
                           .domain = 3};
      static_cast<void>(local::Aggregate::parse(survey, bytes).has_value());
      return 0;
    }
    default: {
      const Result<local::Ledger> ledger = local::parse_ledger(bytes);
      if (ledger.has_value()) {
        DISCREET_CHECK(local::parse_ledger(encode(*ledger)).value() == *ledger);
      }
      return 0;
    }
  }
}
