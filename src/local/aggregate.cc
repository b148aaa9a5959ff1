// SPDX-License-Identifier: Apache-2.0
#include "local/aggregate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "local/client/field.h"
#include "local/client/randomizer.h"

namespace discreet::local {
namespace {

constexpr std::string_view kMagic = "DLA2";

std::uint64_t outputs(const Parameters& p) {
  switch (p.mechanism) {
    case Mechanism::kResponse:
    case Mechanism::kPiecewise:
      return p.domain;
    case Mechanism::kHash:
      return p.width;
    case Mechanism::kHadamard:
      return hadamard_order(p.domain);
    case Mechanism::kProjective:
      return projective_points(p.width, p.depth);
    case Mechanism::kLaplace:
      return p.domain + 2 * p.width + 1;
    case Mechanism::kTree:
      return p.domain;
    default:
      return 0;
  }
}

std::size_t cells_of(const Parameters& p) {
  switch (p.mechanism) {
    case Mechanism::kResponse:  // how often each choice was said
    case Mechanism::kUnary:     // how often its bit was 1
    case Mechanism::kSubset:
    case Mechanism::kHash:  // how many reports' hash functions send it where the report points
      return p.domain;
    case Mechanism::kHadamard:  // how often each output came
    case Mechanism::kProjective:
      return outputs(p);
    case Mechanism::kBloom:  // reports of each cohort, then their bits, cohort by cohort
      return p.depth * (1 + p.domain);
    case Mechanism::kTree:  // outputs, by level and cohort
      return p.width * p.depth * p.domain;
    default:
      return 0;
  }
}

bool has_bits(Mechanism mechanism) {
  return mechanism == Mechanism::kUnary || mechanism == Mechanism::kSubset ||
         mechanism == Mechanism::kBloom;
}

std::uint64_t ones_portable(Bytes bits) {
  std::uint64_t ones = 0;
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bits.data() + i, std::min<std::size_t>(8, bits.size() - i));
    ones += static_cast<std::uint64_t>(std::popcount(word));
  }
  return ones;
}

#if defined(__x86_64__)
[[gnu::target("popcnt")]] std::uint64_t ones_native(Bytes bits) {
  std::uint64_t ones = 0;
  std::size_t i = 0;
  for (; i + 8 <= bits.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bits.data() + i, 8);
    ones += static_cast<std::uint64_t>(__builtin_popcountll(word));
  }
  for (; i < bits.size(); ++i) ones += static_cast<std::uint64_t>(__builtin_popcount(bits[i]));
  return ones;
}
std::uint64_t ones_in(Bytes bits) {
  static const bool kNative = __builtin_cpu_supports("popcnt");
  return kNative ? ones_native(bits) : ones_portable(bits);
}
#else
std::uint64_t ones_in(Bytes bits) { return ones_portable(bits); }
#endif

/// Bernstein: fewer or more ones than these come from an honest client with probability below
/// 10^-12.
struct Plausible {
  std::uint64_t low, high;
};

Plausible plausible_ones(const Parameters& p) {
  const double k = static_cast<double>(p.domain);
  if (p.mechanism == Mechanism::kSubset) return {p.width, p.width};
  const double flip = static_cast<double>(unary_threshold(p.odds)) * 0x1p-32;
  double least = 0;  // mean number of ones, over all answers
  double most = 0;
  if (p.mechanism == Mechanism::kUnary) {
    least = most = (k - 1) * flip + 0.5;
  } else {
    const double quiet = static_cast<double>(p.quiet) * 0x1p-16;
    const double loud = static_cast<double>(p.loud) * 0x1p-16;
    const double zero = quiet + (loud - quiet) * flip;
    const double one = loud - (loud - quiet) * flip;
    least = k * zero;
    most = k * zero + static_cast<double>(p.width) * (one - zero);
  }
  const double log_odds = std::log(2e12);
  const double variance = most < k / 2 ? most : k / 4;
  const double reach = log_odds / 3 + std::sqrt(log_odds * log_odds / 9 + 2 * variance * log_odds);
  return {least > reach ? static_cast<std::uint64_t>(least - reach) : 0,
          static_cast<std::uint64_t>(most + reach) + 1};
}

void put_wide(std::string& out, Uint128 value) {
  put_varint(out, static_cast<std::uint64_t>(value));
  put_varint(out, static_cast<std::uint64_t>(value >> 64));
}

Result<Uint128> take_wide(std::string_view& bytes) {
  DISCREET_ASSIGN(const std::uint64_t low, take_varint(bytes));
  DISCREET_ASSIGN(const std::uint64_t high, take_varint(bytes));
  return Uint128{high} << 64 | low;
}

}  // namespace

Aggregate::Aggregate(Survey survey, Shard shard)
    : survey_(std::move(survey)),
      shard_count_(shard.count),
      shards_({shard.index}),
      record_size_(record_size(survey_)),
      cells_(cells_of(survey_.parameters)) {
  const Parameters& p = survey_.parameters;
  DISCREET_CHECK(check(survey_).has_value());
  if (!has_bits(p.mechanism)) return;
  const Plausible plausible = plausible_ones(p);
  ones_low_ = plausible.low;
  ones_high_ = plausible.high;
  const std::size_t groups = p.mechanism == Mechanism::kBloom ? p.depth : 1;
  for (std::size_t i = 0; i < groups; ++i) bits_.emplace_back(p.domain);
}

Verdict Aggregate::judge(Bytes payload) const {
  const Parameters& p = survey_.parameters;
  if (!has_bits(p.mechanism)) {
    const bool is_tree = p.mechanism == Mechanism::kTree;
    if (is_tree && (payload[0] >= p.width || payload[1] >= p.depth)) return Verdict::kOutOfRange;
    return read_little(payload.subspan(is_tree ? 2 : 0)) < outputs(p) ? Verdict::kCounted
                                                                      : Verdict::kOutOfRange;
  }
  const bool is_bloom = p.mechanism == Mechanism::kBloom;
  if (is_bloom && read_little(payload.first(2)) >= p.depth) return Verdict::kOutOfRange;
  const Bytes bits = payload.subspan(is_bloom ? 2 : 0);
  if (p.domain % 8 != 0 && bits.back() >> p.domain % 8 != 0) return Verdict::kOutOfRange;
  const std::uint64_t ones = ones_in(bits);
  if (ones >= ones_low_ && ones <= ones_high_) return Verdict::kCounted;
  return p.mechanism == Mechanism::kSubset ? Verdict::kOutOfRange : Verdict::kImplausible;
}

void Aggregate::count(Bytes record) {
  const Parameters& p = survey_.parameters;
  const Bytes payload = record.subspan(kIdBytes);
  switch (p.mechanism) {
    case Mechanism::kResponse:
    case Mechanism::kHadamard:
    case Mechanism::kProjective:
      ++cells_[read_little(payload)];
      return;
    case Mechanism::kUnary:
    case Mechanism::kSubset:
      return bits_[0].add(payload.data());
    case Mechanism::kHash: {
      // The bucket is y where the hash's upper half lies in [low, high): one comparison a choice.
      const IdHash hash(record);
      const std::uint64_t y = read_little(payload);
      const std::uint64_t low = ((y << 32) + p.width - 1) / p.width;
      const std::uint64_t high = (((y + 1) << 32) + p.width - 1) / p.width;
      const std::uint64_t reach = (high - low) << 32;
      std::uint64_t at = hash.offset - (low << 32);
      for (std::uint64_t& cell : cells_) {
        cell += at < reach ? 1 : 0;
        at += hash.factor;
      }
      return;
    }
    case Mechanism::kBloom: {
      const std::uint64_t cohort = read_little(payload.first(2));
      ++cells_[cohort];
      return bits_[cohort].add(payload.data() + 2);
    }
    case Mechanism::kLaplace:
    case Mechanism::kPiecewise: {
      const std::uint64_t y = read_little(payload);
      sum_ += static_cast<Int128>(y);
      squares_ += Uint128{y} * y;
      return;
    }
    case Mechanism::kTree: {
      const std::uint64_t y = read_little(payload.subspan(2));
      ++cells_[(payload[0] * p.depth + payload[1]) * p.domain + y];
      return;
    }
  }
}

Verdict Aggregate::add(Bytes record) {
  DISCREET_CHECK(record.size() == record_size_);
  const Verdict verdict = judge(record.subspan(kIdBytes));
  switch (verdict) {
    case Verdict::kCounted:
      ++tally_.counted;
      count(record);
      break;
    case Verdict::kOutOfRange:
      ++tally_.out_of_range;
      break;
    case Verdict::kImplausible:
      ++tally_.implausible;
      break;
  }
  return verdict;
}

void Aggregate::add(const Batch& batch) {
  DISCREET_CHECK(batch.record_size == record_size_);
  const Mechanism mechanism = survey_.parameters.mechanism;
  std::size_t i = 0;
  if (mechanism == Mechanism::kUnary || mechanism == Mechanism::kSubset) {
    constexpr std::size_t kRun = 16;
    for (; i + kRun <= batch.count; i += kRun) {
      bool all = true;
      for (std::size_t j = i; j < i + kRun; ++j) {
        all = all && judge(batch.record(j).subspan(kIdBytes)) == Verdict::kCounted;
      }
      if (all) {
        bits_[0].add_many(batch.record(i).data() + kIdBytes, record_size_, kRun);
        tally_.counted += kRun;
      } else {
        for (std::size_t j = i; j < i + kRun; ++j) add(batch.record(j));
      }
    }
  }
  for (; i < batch.count; ++i) add(batch.record(i));
}

std::vector<std::uint64_t> Aggregate::cells() const {
  std::vector<std::uint64_t> all = cells_;
  const Parameters& p = survey_.parameters;
  const std::size_t first = p.mechanism == Mechanism::kBloom ? p.depth : 0;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    bits_[i].add_to(std::span(all).subspan(first + i * p.domain, p.domain));
  }
  return all;
}

Result<void> Aggregate::merge(const Aggregate& other) {
  if (survey_ != other.survey_) {
    return Error{Code::kConflict, "these reports are for another survey: " +
                                      difference(survey_.parameters, other.survey_.parameters)};
  }
  if (shard_count_ != other.shard_count_) {
    return Error{Code::kConflict,
                 "counts of shards of " + std::to_string(shard_count_) + " and of " +
                     std::to_string(other.shard_count_) +
                     " cannot be added up, since they may hold the same reports; start the "
                     "collectors with --shard 1/N, 2/N, ..."};
  }
  for (const std::uint32_t shard : other.shards_) {
    if (!std::binary_search(shards_.begin(), shards_.end(), shard)) continue;
    return Error{Code::kConflict, "shard " + to_string(Shard{shard, shard_count_}) +
                                      " comes twice, and its reports would be added up twice; "
                                      "name its newest counts only"};
  }
  shards_.insert(shards_.end(), other.shards_.begin(), other.shards_.end());
  std::sort(shards_.begin(), shards_.end());
  const std::vector<std::uint64_t> more = other.cells();
  for (std::size_t i = 0; i < more.size(); ++i) cells_[i] += more[i];
  tally_.counted += other.tally_.counted;
  tally_.out_of_range += other.tally_.out_of_range;
  tally_.implausible += other.tally_.implausible;
  tally_.duplicate += other.tally_.duplicate;
  sum_ += other.sum_;
  squares_ += other.squares_;
  return {};
}

std::string Aggregate::serialize() const {
  std::string out(kMagic);
  put_varint(out, fingerprint(survey_));
  put_varint(out, shard_count_);
  put_varint(out, shards_.size());
  for (const std::uint32_t shard : shards_) put_varint(out, shard);
  for (const std::uint64_t count :
       {tally_.counted, tally_.out_of_range, tally_.implausible, tally_.duplicate}) {
    put_varint(out, count);
  }
  put_wide(out, static_cast<Uint128>(sum_));
  put_wide(out, squares_);
  const std::vector<std::uint64_t> all = cells();
  put_varint(out, all.size());
  for (const std::uint64_t cell : all) put_varint(out, cell);
  put_varint(out, hash_text(1, out));
  return out;
}

bool is_counts(std::string_view bytes) { return bytes.starts_with(kMagic.substr(0, 3)); }

Result<Aggregate> Aggregate::parse(const Survey& survey, std::string_view bytes) {
  const std::string_view whole = bytes;
  if (!bytes.starts_with(kMagic)) {
    return invalid_input("these bytes are not a collector's counts (they must begin with DLA2)");
  }
  bytes.remove_prefix(kMagic.size());
  DISCREET_ASSIGN(const std::uint64_t print, take_varint(bytes));
  if (print != fingerprint(survey)) {
    return Error{Code::kConflict, "the counts are for another survey"};
  }
  DISCREET_ASSIGN(const std::uint64_t parts, take_varint(bytes));
  DISCREET_ASSIGN(const std::uint64_t held, take_varint(bytes));
  bool sound = parts <= kShardsMax && held >= 1 && held <= parts;
  std::vector<std::uint32_t> shards;
  while (sound && shards.size() < held) {
    DISCREET_ASSIGN(const std::uint64_t shard, take_varint(bytes));
    sound = shard <= parts && shard > (shards.empty() ? 0 : shards.back());
    shards.push_back(static_cast<std::uint32_t>(shard));
  }
  if (!sound) return invalid_input("the counts are of no shards that there are");
  Aggregate out(survey);
  out.shard_count_ = static_cast<std::uint32_t>(parts);
  out.shards_ = std::move(shards);
  for (std::uint64_t* count : {&out.tally_.counted, &out.tally_.out_of_range,
                               &out.tally_.implausible, &out.tally_.duplicate}) {
    DISCREET_ASSIGN(*count, take_varint(bytes));
  }
  DISCREET_ASSIGN(const Uint128 sum, take_wide(bytes));
  out.sum_ = static_cast<Int128>(sum);
  DISCREET_ASSIGN(out.squares_, take_wide(bytes));
  DISCREET_ASSIGN(const std::uint64_t size, take_varint(bytes));
  if (size != out.cells_.size())
    return invalid_input("the counts have another size than the survey's");
  for (std::uint64_t& cell : out.cells_) {
    DISCREET_ASSIGN(cell, take_varint(bytes));
  }
  const std::string_view body = whole.substr(0, whole.size() - bytes.size());
  DISCREET_ASSIGN(const std::uint64_t sealed, take_varint(bytes));
  if (sealed != hash_text(1, body) || !bytes.empty()) {
    return Error{Code::kCorrupt, "the counts are not what was written (checksum)"};
  }
  return out;
}

}  // namespace discreet::local
