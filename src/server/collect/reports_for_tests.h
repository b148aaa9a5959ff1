// SPDX-License-Identifier: Apache-2.0
// A survey with eight answers, and reports whose ids are numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "local/design.h"
#include "local/report.h"

namespace discreet::server::collect {

inline local::Survey survey_for_tests(const char* epsilon = "1") {
  return local::design_choices({.name = "colour",
                                .epsilon = Epsilon::parse(epsilon).value(),
                                .choices = 8,
                                .mechanism = local::Mechanism::kResponse})
      .value();
}

/// Reports number `first` to `first` + `count` - 1. Number n says n % 8, or something impossible.
inline std::string reports(const local::Survey& survey, std::uint64_t first, std::uint64_t count,
                           bool possible = true) {
  const std::size_t size = local::record_size(survey);
  std::vector<std::uint8_t> records(size * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint8_t* const record = records.data() + i * size;
    const std::uint64_t number = first + i;
    const std::uint64_t mixed = number * 0x9e3779b97f4a7c15 + 1;
    std::memcpy(record, &number, sizeof(number));
    std::memcpy(record + 8, &mixed, sizeof(mixed));
    record[16] = possible ? static_cast<std::uint8_t>(number % 8) : 200;
  }
  return local::make_batch(survey, records);
}

}  // namespace discreet::server::collect
