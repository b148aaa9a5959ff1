// SPDX-License-Identifier: Apache-2.0
#include "local/client/parameters.h"

#include <bit>

#include "local/client/field.h"
#include "numeric/int128.h"

namespace discreet::local {
namespace {

constexpr std::uint64_t kDomainMax = 1 << 20;
constexpr std::uint64_t kCellsMax = 1 << 24;
// The collector's sums over hyperplanes take two arrays of q^(t+1) numbers (support.cc).
constexpr std::uint64_t kHyperplaneMax = 1 << 26;
// Laplace noise waits kUnit/(odds - kUnit) coins on average: at most 2^20.
constexpr std::uint64_t kLaplaceOddsMin = kUnit + (1 << 12);

struct Named {
  Mechanism mechanism;
  std::string_view name;
};
constexpr Named kNames[] = {
    {Mechanism::kResponse, "response"},
    {Mechanism::kUnary, "oue"},
    {Mechanism::kHash, "olh"},
    {Mechanism::kHadamard, "hadamard"},
    {Mechanism::kSubset, "subset"},
    {Mechanism::kProjective, "projective"},
    {Mechanism::kBloom, "rappor"},
    {Mechanism::kLaplace, "laplace"},
    {Mechanism::kPiecewise, "piecewise"},
    {Mechanism::kTree, "tree"},
};

Error off(const std::string& field, std::uint64_t value, const std::string& must) {
  return invalid_input("the survey's " + field + " is " + std::to_string(value) + "; it must be " +
                       must);
}

Result<void> between(const std::string& field, std::uint64_t value, std::uint64_t low,
                     std::uint64_t high) {
  if (value >= low && value <= high) return {};
  return off(field, value, std::to_string(low) + " to " + std::to_string(high));
}

Result<void> unused(const std::string& field, std::uint64_t value) {
  return between(field, value, 0, 0);
}

// The odds are used so many times over at most: per bit of two Bloom filters, per level.
std::uint64_t uses_of_odds(const Parameters& p) {
  switch (p.mechanism) {
    case Mechanism::kBloom:
      return 2 * p.width;
    case Mechanism::kLaplace:
      return p.domain;
    default:
      return 1;
  }
}

Result<void> check_bloom(const Parameters& p) {
  DISCREET_TRY(between("number of bits", p.domain, 8, 4096));
  DISCREET_TRY(between("number of hashes", p.width, 1, 16));
  DISCREET_TRY(between("number of cohorts", p.depth, 1, 4096));
  DISCREET_TRY(between("quiet probability", p.quiet, 0, (1 << 16) - 1));
  if (p.loud <= p.quiet || p.loud > 1 << 16) {
    return off("loud probability", p.loud, "above the quiet one and at most 65536");
  }
  return {};
}

Result<void> check_projective(const Parameters& p) {
  DISCREET_TRY(between("field order", p.width, 2, kFieldMax));
  if (!is_field_order(p.width)) return off("field order", p.width, "a prime or a power of two");
  DISCREET_TRY(between("dimension", p.depth, 2, 24));
  const std::uint64_t points = projective_points(p.width, p.depth);
  if (points < p.domain || points > kCellsMax) {
    return off("number of projective points", points,
               "at least the domain and at most " + std::to_string(kCellsMax));
  }
  std::uint64_t power = p.width;  // q^(t+1); it cannot overflow: q^t < 2^24 q
  for (std::uint64_t i = 0; i < p.depth; ++i) power *= p.width;
  if (power > kHyperplaneMax) {
    return off("field order to the power dimension + 1", power,
               "at most " + std::to_string(kHyperplaneMax));
  }
  return {};
}

Result<void> check_tree(const Parameters& p) {
  DISCREET_TRY(between("number of buckets", p.domain, 4, 1 << 20));
  if (!std::has_single_bit(p.domain)) return off("number of buckets", p.domain, "a power of two");
  DISCREET_TRY(between("number of levels", p.width, 1, 64));
  DISCREET_TRY(between("number of cohorts", p.depth, 1, 256));
  if (p.domain * p.width * p.depth > kCellsMax) {
    return off("number of cells", p.domain * p.width * p.depth,
               "at most " + std::to_string(kCellsMax));
  }
  return {};
}

Result<void> check_shape(const Parameters& p) {
  if (p.mechanism != Mechanism::kBloom) {
    DISCREET_TRY(unused("quiet probability", p.quiet));
    DISCREET_TRY(unused("loud probability", p.loud));
    DISCREET_TRY(unused("round", p.round));
  }
  switch (p.mechanism) {
    case Mechanism::kBloom:
      return check_bloom(p);
    case Mechanism::kTree:
      return check_tree(p);
    case Mechanism::kLaplace:
      DISCREET_TRY(between("number of levels", p.domain, 1, 1 << 16));
      DISCREET_TRY(between("bound on the noise", p.width, 1, std::uint64_t{1} << 30));
      return unused("depth", p.depth);
    case Mechanism::kPiecewise:
      DISCREET_TRY(between("number of cells", p.domain, 2, 1 << 20));
      DISCREET_TRY(between("window", p.width, 1, p.domain - 1));
      return unused("depth", p.depth);
    default:
      break;
  }
  DISCREET_TRY(between("number of choices", p.domain, 2, kDomainMax));
  if (p.mechanism == Mechanism::kProjective) return check_projective(p);
  DISCREET_TRY(unused("depth", p.depth));
  if (p.mechanism == Mechanism::kHash) return between("number of buckets", p.width, 2, 1 << 16);
  if (p.mechanism == Mechanism::kSubset) return between("subset", p.width, 1, p.domain - 1);
  return unused("width", p.width);
}

// Every total weight that a randomizer adds up must fit a word.
Result<void> check_weights(const Parameters& p) {
  Uint128 inside = 1;
  Uint128 outside = 1;
  switch (p.mechanism) {
    case Mechanism::kResponse:
      outside = p.domain - 1;
      break;
    case Mechanism::kHash:
      outside = p.width - 1;
      break;
    case Mechanism::kSubset:
    case Mechanism::kPiecewise:
      inside = p.width;
      outside = p.domain - p.width;
      break;
    case Mechanism::kProjective:
      inside = projective_points(p.width, p.depth - 1);
      outside = projective_points(p.width, p.depth) - inside;
      break;
    default:
      break;
  }
  if ((inside * p.odds + outside * kUnit) >> 63 == 0) return {};
  return invalid_input("the survey's odds and sizes are too large together");
}

std::size_t bytes_for(std::uint64_t outputs) {  // of an index below `outputs`
  return static_cast<std::size_t>((std::bit_width(outputs - 1) + 7) / 8);
}

}  // namespace

std::string nats(std::uint64_t nano) {
  std::string text = std::to_string(nano % kNano + kNano).substr(1);
  while (!text.empty() && text.back() == '0') text.pop_back();
  return std::to_string(nano / kNano) + (text.empty() ? "" : "." + text);
}

std::string_view name_of(Mechanism mechanism) {
  for (const Named& named : kNames) {
    if (named.mechanism == mechanism) return named.name;
  }
  return "";
}

Result<Mechanism> mechanism_named(std::string_view name) {
  std::string known;
  for (const Named& named : kNames) {
    if (named.name == name) return named.mechanism;
    known += (known.empty() ? "" : ", ") + std::string(named.name);
  }
  return invalid_input("no mechanism is named " + in_quotes(name) + "; there are " + known);
}

Result<void> check(const Parameters& p) {
  if (name_of(p.mechanism).empty()) {
    return invalid_input("the survey's mechanism is unknown to this version");
  }
  DISCREET_TRY(between("epsilon (in 10^-9)", p.epsilon, kEpsilonMin, kEpsilonMax));
  DISCREET_TRY(check_shape(p));
  if (p.odds <= kUnit) return off("odds", p.odds, "above " + std::to_string(kUnit));
  if (p.mechanism == Mechanism::kLaplace && p.odds < kLaplaceOddsMin) {
    return off("odds", p.odds, "at least " + std::to_string(kLaplaceOddsMin));
  }
  // odds^uses <= e^epsilon, because odds <= e^(epsilon/uses) with the division rounded down.
  if (p.odds > odds_below(p.epsilon / uses_of_odds(p))) {
    return Error{Code::kRefused,
                 "the survey's odds reveal more than its epsilon says; do not answer it"};
  }
  return check_weights(p);
}

std::size_t payload_size(const Parameters& p) {
  switch (p.mechanism) {
    case Mechanism::kResponse:
    case Mechanism::kPiecewise:
      return bytes_for(p.domain);
    case Mechanism::kUnary:
    case Mechanism::kSubset:
      return (p.domain + 7) / 8;
    case Mechanism::kHash:
      return bytes_for(p.width);
    case Mechanism::kHadamard:
      return bytes_for(hadamard_order(p.domain));
    case Mechanism::kProjective:
      return bytes_for(projective_points(p.width, p.depth));
    case Mechanism::kBloom:
      return 2 + (p.domain + 7) / 8;
    case Mechanism::kLaplace:
      return 4;
    case Mechanism::kTree:
      return 2 + bytes_for(p.domain);
  }
  return 0;
}

std::uint64_t unary_threshold(std::uint64_t odds) {
  // (2^32 - m)/m <= odds/2^32 is m (odds + 2^32) >= 2^64.
  const Uint128 total = Uint128{odds} + kUnit;
  return static_cast<std::uint64_t>(((Uint128{1} << 64) + total - 1) / total);
}

std::uint64_t hadamard_order(std::uint64_t domain) { return std::bit_ceil(domain + 1); }

std::uint64_t projective_points(std::uint64_t q, std::uint64_t t) {
  Uint128 points = 0;
  for (std::uint64_t i = 0; i < t; ++i) {
    points = points * q + 1;
    if (points >> 63 != 0) return std::uint64_t{1} << 63;
  }
  return static_cast<std::uint64_t>(points);
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
}

Result<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    if (i == 9 && byte > 1) break;
    value |= std::uint64_t{byte & 127u} << (7 * i);
    if (byte < 128) {
      if (byte == 0 && i > 0) break;  // one spelling for each number
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return invalid_input("the bytes end inside a number, or hold none");
}

std::string encode(const Parameters& p) {
  std::string out;
  for (const std::uint64_t field :
       {std::uint64_t{static_cast<std::uint8_t>(p.mechanism)}, p.epsilon, p.odds, p.domain, p.width,
        p.depth, p.quiet, p.loud, p.round}) {
    put_varint(out, field);
  }
  return out;
}

Result<Parameters> take_parameters(std::string_view& bytes) {
  Parameters p;
  DISCREET_ASSIGN(const std::uint64_t mechanism, take_varint(bytes));
  if (mechanism > 255 || name_of(static_cast<Mechanism>(mechanism)).empty()) {
    return invalid_input("mechanism " + std::to_string(mechanism) +
                         " is unknown to this version of discreet");
  }
  p.mechanism = static_cast<Mechanism>(mechanism);
  for (std::uint64_t* field :
       {&p.epsilon, &p.odds, &p.domain, &p.width, &p.depth, &p.quiet, &p.loud, &p.round}) {
    DISCREET_ASSIGN(*field, take_varint(bytes));
  }
  return p;
}

std::string difference(const Parameters& wanted, const Parameters& got) {
  if (wanted.mechanism != got.mechanism) {
    return "the mechanism is " + std::string(name_of(got.mechanism)) + ", not " +
           std::string(name_of(wanted.mechanism));
  }
  const struct {
    const char* name;
    std::uint64_t Parameters::* field;
  } fields[] = {{"epsilon (in 10^-9)", &Parameters::epsilon},
                {"odds", &Parameters::odds},
                {"domain", &Parameters::domain},
                {"width", &Parameters::width},
                {"depth", &Parameters::depth},
                {"quiet", &Parameters::quiet},
                {"loud", &Parameters::loud},
                {"round", &Parameters::round}};
  for (const auto& [name, field] : fields) {
    if (wanted.*field == got.*field) continue;
    return std::string(name) + " is " + std::to_string(got.*field) + ", not " +
           std::to_string(wanted.*field);
  }
  return "they are for another survey with the same parameters";
}

}  // namespace discreet::local
