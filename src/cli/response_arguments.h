// SPDX-License-Identifier: Apache-2.0
// How replies are randomized, as the two local commands read it: --epsilon, --bias or
// --almost-random.
#pragma once

#include "cli/arguments.h"
#include "local/bit_lines.h"
#include "local/estimate.h"
#include "mechanism/randomized_response.h"

namespace discreet::cli {

struct ResponseArguments {
  Text epsilon, bias;
  bool almost_random = false;

  void add_to(CLI::App& app);
  bool given() const { return epsilon || bias || almost_random; }

  /// The coin that each person throws.
  Result<mechanism::RandomizedResponse> mechanism(const char* example) const;
  /// How to undo it.
  Result<local::ResponseRule> rule(const char* example) const;

 private:
  Result<void> require_one(const char* example) const;
};

/// All bits of a stream. Fails with: kStorage; kInvalidInput, naming the line.
Result<local::BitLines> read_bits(int fd);

inline constexpr const char* kRespondExample = "discreet local respond --epsilon 1 < bits";
inline constexpr const char* kEstimateExample = "discreet local estimate --epsilon 1 < replies";

/// respond.cc and estimate.cc add themselves under `local`.
class Program;
void add_respond(Program& program, CLI::App& local);
void add_estimate(Program& program, CLI::App& local);

}  // namespace discreet::cli
