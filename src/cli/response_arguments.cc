// SPDX-License-Identifier: Apache-2.0
#include "cli/response_arguments.h"

#include "cli/streams.h"

namespace discreet::cli {

using mechanism::RandomizedResponse;

void ResponseArguments::add_to(CLI::App& app) {
  add_text(app, "--epsilon", epsilon, "keep the bit with probability e^epsilon/(1+e^epsilon)");
  add_text(app, "--bias", bias, "or: keep it with probability 1/2 + bias, 0 < bias < 1/2");
  add_flag(app, "--almost-random", almost_random,
           "or: heads, the true bit; tails, another coin (bias 1/4, costs ln 3)");
}

Result<void> ResponseArguments::require_one(const char* example) const {
  const int given = (epsilon ? 1 : 0) + (bias ? 1 : 0) + (almost_random ? 1 : 0);
  if (given == 0) return missing("--epsilon (or --bias, or --almost-random)", example);
  if (given > 1) return invalid_input("give one of --epsilon, --bias and --almost-random");
  return {};
}

Result<RandomizedResponse> ResponseArguments::mechanism(const char* example) const {
  DISCREET_TRY(require_one(example));
  if (almost_random) return RandomizedResponse::almost_random();
  if (bias) {
    DISCREET_ASSIGN(const Rational alpha, parse_number("bias", *bias));
    return RandomizedResponse::with_bias(alpha);
  }
  DISCREET_ASSIGN(const Epsilon e, Epsilon::parse(*epsilon));
  return RandomizedResponse::make({.epsilon = e});
}

Result<local::ResponseRule> ResponseArguments::rule(const char* example) const {
  DISCREET_TRY(require_one(example));
  if (almost_random) return local::ResponseRule::almost_random();
  if (bias) {
    DISCREET_ASSIGN(const Rational alpha, parse_number("bias", *bias));
    return local::ResponseRule::by_bias(alpha);
  }
  DISCREET_ASSIGN(const Epsilon e, Epsilon::parse(*epsilon));
  return local::ResponseRule::by_epsilon(e);
}

Result<local::BitLines> read_bits(int fd) {
  Input input(fd);
  local::BitLines lines;
  while (true) {
    DISCREET_ASSIGN(const std::string_view piece, input.next());
    if (piece.empty()) break;
    DISCREET_TRY(lines.feed(piece));
  }
  DISCREET_TRY(lines.finish());
  return lines;
}

}  // namespace discreet::cli
