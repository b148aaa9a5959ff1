// SPDX-License-Identifier: Apache-2.0
// The randomizers: an answer in, a report's payload out. Templates over their draws, so that a test
// can enumerate every outcome of this very code with its exact probability. The lemma that bounds
// the ratio of two probabilities is in randomizers.md, under the mechanism's name.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "local/client/draws.h"
#include "local/client/field.h"
#include "local/client/report.h"

namespace discreet::local {

using Payload = std::span<std::uint8_t>;

/// The bucket of choice x under the hash function that `id` names: pairwise independent, uniform
/// but for 2^-32 (randomizers.md, "Hash").
struct IdHash {
  std::uint64_t factor, offset;

  explicit IdHash(Bytes id)
      : factor(read_little(id.first(8))), offset(read_little(id.subspan(8, 8))) {}
  std::uint64_t bucket(std::uint64_t x, std::uint64_t buckets) const {
    return ((factor * x + offset) >> 32) * buckets >> 32;
  }
};

/// The bit of a Bloom filter that hash number `which` of a cohort sets.
inline std::uint64_t bloom_bit(const Parameters& p, std::uint64_t cohort, std::uint64_t which,
                               std::string_view text) {
  return hash_text(cohort * 64 + which + 1, text) % p.domain;
}

/// The row, 1 to K-1, of a prefix at a level under a cohort's hash function.
inline std::uint64_t tree_row(const Parameters& p, std::uint64_t level, std::uint64_t cohort,
                              std::string_view prefix) {
  return 1 + hash_text((level << 20) + cohort, prefix) % (p.domain - 1);
}

class Randomizer {
 public:
  /// Requires: check(survey).
  explicit Randomizer(const Survey& survey);

  /// A whole answer; for bloom with a new cohort and new permanent bits. Requires: a payload of
  /// payload_size(parameters) bytes; an answer that read_answer gave for this survey.
  template <DrawSource D>
  void draw(const Answer& answer, Bytes id, D& draws, Payload payload) const;

  /// RAPPOR's first step, made once for each value and kept for good: the Bloom filter of `text` in
  /// a cohort, each bit flipped with probability f/2.
  template <DrawSource D>
  void permanent(std::uint64_t cohort, std::string_view text, D& draws, Payload bits) const;
  /// RAPPOR's second step, made for each report.
  template <DrawSource D>
  void instantaneous(std::uint64_t cohort, Bytes permanent_bits, D& draws, Payload payload) const;

  /// Two-sided geometric noise: Pr[z] proportional to (kUnit/odds)^|z|.
  template <DrawSource D>
  std::int64_t laplace(D& draws) const;

  const Parameters& parameters() const { return p_; }

 private:
  template <DrawSource D>
  std::uint64_t response(std::uint64_t x, std::uint64_t k, D& draws) const;
  template <DrawSource D>
  std::uint64_t hadamard(std::uint64_t row, std::uint64_t order, D& draws) const;
  template <DrawSource D>
  std::uint64_t projective(std::uint64_t x, D& draws) const;
  template <DrawSource D>
  std::uint64_t piecewise(std::uint64_t offset, D& draws) const;
  template <DrawSource D>
  void unary(std::uint64_t x, D& draws, Payload payload) const;
  template <DrawSource D>
  void subset(std::uint64_t x, D& draws, Payload payload) const;
  template <DrawSource D>
  void tree(std::string_view text, D& draws, Payload payload) const;
  /// Bits with chance `threshold`/2^32 each; those behind the domain's end are 0.
  template <DrawSource D>
  void noise_bits(std::uint64_t threshold, D& draws, Payload bits) const;
  template <DrawSource D>
  std::uint64_t level(const Answer& answer, D& draws) const {
    if (answer.part == 0) return answer.index;
    return answer.index + (draws.coin(answer.part, answer.whole - answer.part) ? 1 : 0);
  }

  Parameters p_;
  std::uint64_t threshold_;  // of a noise bit
  std::optional<ProjectiveSpace> space_;
};

template <DrawSource D>
void Randomizer::draw(const Answer& answer, Bytes id, D& draws, Payload payload) const {
  switch (p_.mechanism) {
    case Mechanism::kResponse:
      return write_little(response(answer.index, p_.domain, draws), payload);
    case Mechanism::kUnary:
      return unary(answer.index, draws, payload);
    case Mechanism::kHash: {
      const std::uint64_t bucket = IdHash(id).bucket(answer.index, p_.width);
      return write_little(response(bucket, p_.width, draws), payload);
    }
    case Mechanism::kHadamard:
      return write_little(hadamard(answer.index + 1, hadamard_order(p_.domain), draws), payload);
    case Mechanism::kSubset:
      return subset(answer.index, draws, payload);
    case Mechanism::kProjective:
      return write_little(projective(answer.index, draws), payload);
    case Mechanism::kBloom: {
      const std::uint64_t cohort = draws.below(p_.depth);
      std::vector<std::uint8_t> bits((p_.domain + 7) / 8);
      permanent(cohort, answer.text, draws, bits);
      return instantaneous(cohort, bits, draws, payload);
    }
    case Mechanism::kLaplace: {
      const auto x = static_cast<std::int64_t>(level(answer, draws) + p_.width);
      const auto last = static_cast<std::int64_t>(p_.domain + 2 * p_.width);
      const std::int64_t y = std::clamp<std::int64_t>(x + laplace(draws), 0, last);
      return write_little(static_cast<std::uint64_t>(y), payload);
    }
    case Mechanism::kPiecewise:
      return write_little(piecewise(level(answer, draws), draws), payload);
    case Mechanism::kTree:
      return tree(answer.text, draws, payload);
  }
}

template <DrawSource D>
std::uint64_t Randomizer::response(std::uint64_t x, std::uint64_t k, D& draws) const {
  static_assert(kUnit == std::uint64_t{1} << 32);
  const std::uint64_t picked = draws.pick(p_.odds, k - 1);
  if (picked == 0) return x;
  return picked <= x ? picked - 1 : picked;
}

template <DrawSource D>
std::uint64_t Randomizer::hadamard(std::uint64_t row, std::uint64_t order, D& draws) const {
  const bool odd = !draws.coin(p_.odds, kUnit);
  const std::uint64_t y = draws.below(order);
  // Flipping a bit that the row has changes the parity: a bijection between the two halves.
  const bool is_odd = (std::popcount(row & y) & 1) != 0;
  return is_odd == odd ? y : y ^ (row & (~row + 1));
}

template <DrawSource D>
std::uint64_t Randomizer::projective(std::uint64_t x, D& draws) const {
  const ProjectiveSpace& space = *space_;
  const std::size_t t = space.dimension();
  const std::uint64_t free = space.power(t - 1);
  const std::uint64_t inside = (free - 1) / (space.field().order() - 1);
  const auto normal = space.point(x);
  if (draws.coin(inside * p_.odds, (space.points() - inside) * kUnit)) {
    return space.index_of(space.solve(normal, 1 + draws.below(free - 1), 0));
  }
  const std::uint64_t drawn = draws.below(free * (space.field().order() - 1));
  return space.index_of(
      space.solve(normal, drawn % free, static_cast<std::uint32_t>(1 + drawn / free)));
}

template <DrawSource D>
std::uint64_t Randomizer::piecewise(std::uint64_t offset, D& draws) const {
  const std::uint64_t outside = p_.domain - p_.width;
  if (draws.coin(p_.width * p_.odds, outside * kUnit)) return offset + draws.below(p_.width);
  const std::uint64_t other = draws.below(outside);
  return other < offset ? other : other + p_.width;
}

template <DrawSource D>
void Randomizer::noise_bits(std::uint64_t threshold, D& draws, Payload bits) const {
  constexpr std::size_t kWords = 64;
  std::uint64_t words[kWords];
  for (std::size_t at = 0; at < bits.size(); at += 8 * kWords) {
    const std::size_t size = std::min(bits.size() - at, 8 * kWords);
    draws.coins(std::span(words).first((size + 7) / 8), threshold);
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(bits.data() + at, words, size);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        bits[at + i] = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
      }
    }
  }
  if (p_.domain % 8 != 0) bits.back() &= static_cast<std::uint8_t>((1 << p_.domain % 8) - 1);
}

template <DrawSource D>
void Randomizer::unary(std::uint64_t x, D& draws, Payload payload) const {
  noise_bits(threshold_, draws, payload);
  const auto mask = static_cast<std::uint8_t>(1 << x % 8);
  const bool one = draws.coin(1, 1);
  std::uint8_t& byte = payload[x / 8];
  byte = static_cast<std::uint8_t>((byte & ~mask) | (one ? mask : 0));
}

template <DrawSource D>
void Randomizer::subset(std::uint64_t x, D& draws, Payload payload) const {
  std::fill(payload.begin(), payload.end(), std::uint8_t{0});
  const auto set = [&](std::uint64_t i) {
    payload[i / 8] = static_cast<std::uint8_t>(payload[i / 8] | 1 << i % 8);
  };
  const auto has = [&](std::uint64_t i) { return (payload[i / 8] >> i % 8 & 1) != 0; };
  const auto but_x = [&](std::uint64_t i) { return i < x ? i : i + 1; };
  const bool in = draws.coin(p_.width * p_.odds, (p_.domain - p_.width) * kUnit);
  // Floyd: a uniform subset of the others.
  const std::uint64_t others = p_.domain - 1;
  for (std::uint64_t j = others - (p_.width - (in ? 1 : 0)); j < others; ++j) {
    const std::uint64_t i = but_x(draws.below(j + 1));
    set(has(i) ? but_x(j) : i);
  }
  if (in) set(x);
}

template <DrawSource D>
void Randomizer::permanent(std::uint64_t cohort, std::string_view text, D& draws,
                           Payload bits) const {
  noise_bits(threshold_, draws, bits);
  std::vector<std::uint8_t> filter(bits.size());
  for (std::uint64_t i = 0; i < p_.width; ++i) {
    const std::uint64_t bit = bloom_bit(p_, cohort, i, text);
    filter[bit / 8] = static_cast<std::uint8_t>(filter[bit / 8] | 1 << bit % 8);
  }
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] ^= filter[i];
}

template <DrawSource D>
void Randomizer::instantaneous(std::uint64_t cohort, Bytes permanent_bits, D& draws,
                               Payload payload) const {
  write_little(cohort, payload.first(2));
  const Payload out = payload.subspan(2);
  std::vector<std::uint8_t> loud(out.size());
  noise_bits(p_.quiet << 16, draws, out);
  noise_bits(p_.loud << 16, draws, loud);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t one = permanent_bits[i];
    out[i] = static_cast<std::uint8_t>((loud[i] & one) | (out[i] & ~one));
  }
}

template <DrawSource D>
std::int64_t Randomizer::laplace(D& draws) const {
  // The difference of two geometric waiting times.
  std::int64_t noise = 0;
  while (draws.coin(kUnit, p_.odds - kUnit)) ++noise;
  while (draws.coin(kUnit, p_.odds - kUnit)) --noise;
  return noise;
}

template <DrawSource D>
void Randomizer::tree(std::string_view text, D& draws, Payload payload) const {
  const std::uint64_t at = draws.below(p_.width);
  const std::uint64_t cohort = draws.below(p_.depth);
  payload[0] = static_cast<std::uint8_t>(at);
  payload[1] = static_cast<std::uint8_t>(cohort);
  const std::uint64_t row = tree_row(p_, at, cohort, tree_prefix(text, at + 1));
  write_little(hadamard(row, p_.domain, draws), payload.subspan(2));
}

}  // namespace discreet::local
