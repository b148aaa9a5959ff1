// SPDX-License-Identifier: Apache-2.0
#include "mechanism/randomized_response.h"

#include <span>

#include "mechanism/calibration.h"
#include "mechanism/draws.h"

namespace discreet::mechanism {
namespace {

// 1/(1 + e^x)
Real logistic_of_minus(const Rational& x) {
  return [x](int precision) {
    const Interval one = Interval::around(1, precision);
    return one / (one + exp(Interval::around(x, precision)));
  };
}

// ln(x), x > 0 rational
Real log_real(const Rational& x) {
  return [x](int precision) { return log(Interval::around(x, precision)); };
}

}  // namespace

Result<RandomizedResponse> RandomizedResponse::make(const Options& options) {
  const Rational& epsilon = options.epsilon.value();
  // The coin is for flipping: a small number has all its digits, one minus it would not.
  return RandomizedResponse(options.epsilon, "epsilon=" + epsilon.to_string(),
                            logistic_of_minus(epsilon), logistic_of_minus(-epsilon));
}

Result<RandomizedResponse> RandomizedResponse::with_bias(const Rational& bias) {
  const Rational half = Rational::ratio(1, 2);
  if (bias.sign() <= 0 || bias >= half) {
    return invalid_input("the bias must lie strictly between 0 and 1/2, such as 1/4; got " +
                         in_quotes(bias.to_string()));
  }
  const Rational keep = half + bias;
  const Rational flip = half - bias;
  DISCREET_ASSIGN(Epsilon epsilon, Epsilon::of(round_up_to_ledger(log_real(keep / flip))));
  return RandomizedResponse(std::move(epsilon), "bias=" + bias.to_string(), real(flip), real(keep));
}

RandomizedResponse RandomizedResponse::almost_random() {
  return with_bias(Rational::ratio(1, 4)).value();
}

RandomizedResponses::Output RandomizedResponses::draw_in_blocks(const Input& answers,
                                                                random::SystemBits& bits) const {
  const random::RealCoin& coin = each_.coin_;
  const std::uint64_t prefix = coin.prefix();
  Output out(answers.size());
  std::vector<std::size_t> ties;
  for (std::size_t done = 0; done < answers.size();) {
    const std::span<const std::uint64_t> words = bits.take_words(answers.size() - done);
    std::uint64_t tied = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool flip = words[i] < prefix;
      tied |= std::uint64_t{words[i] == prefix};
      out[done + i] = static_cast<std::uint8_t>((answers[done + i] != 0) ^ flip);
    }
    if (tied != 0) [[unlikely]] {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == prefix) ties.push_back(done + i);
      }
    }
    done += words.size();
  }
  // The rest of a tied coin is flipped when no block is in use any more: it reads fresh words.
  for (const std::size_t i : ties) {
    out[i] = static_cast<std::uint8_t>((answers[i] != 0) ^ coin.flip_with(prefix, bits));
  }
  return out;
}

std::vector<Int128> RandomizedResponses::coordinates(const Input& answers) {
  std::vector<Int128> out;
  for (const std::uint8_t answer : answers) out.push_back(answer != 0 ? 1 : 0);
  return out;
}

std::string RandomizedResponses::describe(const Output& replies) {
  std::string text;
  for (const std::uint8_t reply : replies) text += reply != 0 ? '1' : '0';
  return text;
}

template <random::BitSource B>
RandomizedResponse::Output RandomizedResponse::draw(const Input& bit, B& bits) const {
  return bit != coin_.flip(bits);
}

DISCREET_DRAWS(RandomizedResponse)

template <random::BitSource B>
RandomizedResponses::Output RandomizedResponses::draw(const Input& answers, B& bits) const {
  if constexpr (std::is_same_v<B, random::SystemBits>) {
    return draw_in_blocks(answers, bits);
  } else {
    Output out;
    for (const std::uint8_t answer : answers) out.push_back(each_.draw(answer != 0, bits) ? 1 : 0);
    return out;
  }
}

DISCREET_DRAWS(RandomizedResponses)

}  // namespace discreet::mechanism
