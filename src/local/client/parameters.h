// SPDX-License-Identifier: Apache-2.0
// What a survey asks its randomizer to do, in integers, and the proof that this costs no more than
// it says. A client checks it before it answers; nothing in a survey is believed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "local/client/odds.h"

namespace discreet::local {

enum class Mechanism : std::uint8_t {
  kResponse = 1,    ///< k-ary randomized response; Warner's for k = 2
  kUnary = 2,       ///< optimized unary encoding
  kHash = 3,        ///< optimized local hashing
  kHadamard = 4,    ///< Hadamard response
  kSubset = 5,      ///< subset selection
  kProjective = 6,  ///< projective-geometry response
  kBloom = 7,       ///< RAPPOR
  kLaplace = 8,     ///< a number with Laplace noise
  kPiecewise = 9,   ///< a number by the piecewise mechanism
  kTree = 10,       ///< prefixes of strings, for heavy hitters of an unknown dictionary
};

/// "1.5" for 1500000000.
std::string nats(std::uint64_t nano);

/// "response", "oue", ...; "" for a value that is none.
std::string_view name_of(Mechanism mechanism);
/// Fails with: kInvalidInput, naming the known ones.
Result<Mechanism> mechanism_named(std::string_view name);

/// Which fields a mechanism uses, and for what:
///
///              domain             width          depth       quiet, loud
///   response   k choices
///   unary      k choices
///   hash       k choices          g buckets
///   hadamard   k choices
///   subset     k choices          d in a subset
///   projective k choices          field order q  dimension t
///   bloom      m bits             h hashes       cohorts     Pr[1 | 0], Pr[1 | 1] over 2^16
///   laplace    levels 0..domain   bound on |noise|
///   piecewise  N cells            w in a window
///   tree       K buckets          levels         cohorts
struct Parameters {
  Mechanism mechanism = Mechanism::kResponse;
  std::uint64_t epsilon = 0;  ///< 10^-9 nats: what answering costs, at most
  std::uint64_t odds = 0;     ///< over kUnit; of a bit for bloom, of one level for laplace
  std::uint64_t domain = 0;
  std::uint64_t width = 0;
  std::uint64_t depth = 0;
  std::uint64_t quiet = 0;
  std::uint64_t loud = 0;
  std::uint64_t round = 0;  ///< of a survey that asks again (bloom); else 0

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// Theorem     If check(p) succeeds, then for all answers x, x' and outputs y of the randomizer
///             Pr[y | x] <= e^epsilon Pr[y | x'] (randomizers.md, one lemma for each mechanism).
///             For bloom this is about the permanent bits, and hence about all reports made from
///             them.
/// Fails with  kInvalidInput, naming the field; kRefused when the odds are above e^epsilon.
Result<void> check(const Parameters& parameters);

/// Bytes of one report's payload. Requires: check(parameters).
std::size_t payload_size(const Parameters& parameters);

/// Pr[1] of a bit that stands for another choice, over 2^32: the least with (1-q)/q <= odds/kUnit.
std::uint64_t unary_threshold(std::uint64_t odds);

/// Outputs of the Hadamard response: the least power of two above the number of choices.
std::uint64_t hadamard_order(std::uint64_t domain);

/// (q^t - 1)/(q - 1): points of the projective space; saturates at 2^63.
std::uint64_t projective_points(std::uint64_t q, std::uint64_t t);

void put_varint(std::string& out, std::uint64_t value);
/// Takes a varint off the front. Fails with: kInvalidInput when it is cut off or too long.
Result<std::uint64_t> take_varint(std::string_view& bytes);
/// How long it is, and it.
void put_text(std::string& out, std::string_view text);

/// Mechanism and parameters as they stand in surveys and in front of reports.
std::string encode(const Parameters& parameters);
/// Does not check() them. Fails with: kInvalidInput.
Result<Parameters> take_parameters(std::string_view& bytes);

/// "epsilon 1", "domain 1024" ...: the first thing in which two differ, for an error message.
std::string difference(const Parameters& wanted, const Parameters& got);

}  // namespace discreet::local
