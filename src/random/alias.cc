// SPDX-License-Identifier: Apache-2.0
#include "random/alias.h"

#include "base/check.h"

namespace discreet::random {
namespace {

constexpr int kNextDigits = 64;
constexpr int kGuardBits = 64;  // enough for all but contrived weights; else twice the precision
constexpr int kPrecisionMax = 1 << 17;

Integer two_to(int bits) { return Integer(1) << static_cast<unsigned>(bits); }

// floor(2^count t) for a threshold 0 <= t < 1 given at 2^bits; false if the interval does not tell.
// That t < 1 is known from the structure, so a high end that rounds up to one does not matter: this
// is what makes 1 - e^-(2^40) a threshold like any other.
bool floor_below_one(const FixedInterval& t, int bits, int count, Integer& out) {
  const Integer most = two_to(count) - 1;
  out = t.low >> static_cast<unsigned>(bits - count);
  if (out > most) out = most;
  Integer high = t.high >> static_cast<unsigned>(bits - count);
  if (high > most) high = most;
  return out == high;
}

bool is_multiple(const Integer& x, int bits) {
  return mpz_divisible_2exp_p(x.get_mpz_t(), static_cast<mp_bitcnt_t>(bits)) != 0;
}

}  // namespace

AliasStructure::AliasStructure(WeightRule rule, int column_bits, int threshold_bits)
    : rule_(std::move(rule)), column_bits_(column_bits), threshold_bits_(threshold_bits) {
  int bits = threshold_bits_ + kNextDigits + kGuardBits;
  while (!try_to_build(bits)) {
    bits *= 2;
    DISCREET_CHECK(bits <= kPrecisionMax);
  }
}

// What the outcome of each column would fill: weight * N / total columns.
std::vector<FixedInterval> AliasStructure::shares(int bits) const {
  const std::vector<FixedInterval> weights = rule_(bits);
  const std::size_t columns = std::size_t{1} << column_bits_;
  DISCREET_CHECK(weights.size() == columns);
  FixedInterval total{0, 0};
  for (const FixedInterval& weight : weights) total = sum(total, weight);
  std::vector<FixedInterval> out(columns, FixedInterval{0, 0});
  for (std::size_t column = 0; column < columns; ++column) {
    const FixedInterval& weight = weights[column * kStride % columns];
    if (weight.high == 0) continue;
    const auto shift = static_cast<unsigned>(column_bits_);
    out[column] = quotient({weight.low << shift, weight.high << shift}, total, bits);
  }
  return out;
}

// Chooses who lends to whom, and proves every choice and every entry with the intervals at 2^bits.
// False when they are too wide for that.
bool AliasStructure::try_to_build(int bits) {
  const Integer one = two_to(bits);
  std::vector<FixedInterval> share = shares(bits);
  loans_.clear();
  entries_.assign(share.size(), 0);
  next_digits_.assign(share.size(), 0);
  ends_.assign(share.size(), false);

  std::vector<std::uint32_t> poor;
  std::vector<std::uint32_t> rich;
  for (std::size_t i = 0; i < share.size(); ++i) {
    const auto column = static_cast<std::uint32_t>(i * kLendingStride % share.size());
    if (share[column].high < one) {
      poor.push_back(column);
    } else if (share[column].low >= one) {
      rich.push_back(column);
    } else {
      return false;
    }
  }
  while (!poor.empty()) {
    if (rich.empty()) return false;
    const std::uint32_t column = poor.back();
    poor.pop_back();
    const std::uint32_t lender = rich.back();
    loans_.emplace_back(column, lender);

    const int shown = threshold_bits_ + kNextDigits;
    Integer digits;
    if (!floor_below_one(share[column], bits, shown, digits)) return false;
    next_digits_[column] = Integer(digits & (two_to(kNextDigits) - 1)).get_ui();
    entries_[column] = Integer(digits >> kNextDigits).get_ui() << column_bits_ | lender;
    ends_[column] = share[column].low == share[column].high &&
                    is_multiple(share[column].low, bits - threshold_bits_);

    share[lender] = sum(share[lender], share[column]);
    share[lender].low -= one;
    share[lender].high -= one;
    // The last of the rich is left with exactly one column, whatever rounding says: the shares add
    // up to N.
    if (rich.size() == 1) continue;
    if (share[lender].high < one) {
      rich.pop_back();
      poor.push_back(lender);
    } else if (share[lender].low < one) {
      return false;
    }
  }
  for (const std::uint32_t column : rich) entries_[column] = column;
  return true;
}

bool AliasStructure::is_full(std::size_t column) const {
  return (entries_[column] & ((std::uint64_t{1} << column_bits_) - 1)) == column;
}

int AliasStructure::refinable_columns() const {
  int count = 0;
  for (std::size_t c = 0; c < entries_.size(); ++c) count += !is_full(c) && !ends_[c] ? 1 : 0;
  return count;
}

std::vector<FixedInterval> AliasStructure::thresholds(int bits) const {
  const Integer one = two_to(bits);
  std::vector<FixedInterval> share = shares(bits);
  std::vector<FixedInterval> out(share.size(), fixed_one(bits));
  for (const auto& [column, lender] : loans_) {
    out[column] = share[column];
    share[lender] = sum(share[lender], share[column]);
    share[lender].low -= one;
    share[lender].high -= one;
  }
  return out;
}

Integer AliasStructure::digits_after_entry(std::size_t column, int n) const {
  const int shown = threshold_bits_ + n;
  for (int bits = shown + 64; bits <= kPrecisionMax; bits *= 2) {
    Integer digits;
    if (floor_below_one(thresholds(bits)[column], bits, shown, digits)) {
      return digits & (two_to(n) - 1);
    }
  }
  DISCREET_CHECK(false);  // a threshold's digits cannot be told: the rule does not become narrow
  return 0;
}

}  // namespace discreet::random
