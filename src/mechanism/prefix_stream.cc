// SPDX-License-Identifier: Apache-2.0
#include "mechanism/prefix_stream.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "random/gaussian.h"
#include "random/system_bits.h"

namespace discreet::mechanism {
namespace {

constexpr Int128 kStreamCountMax = Int128{1} << 44;
constexpr Int128 kNoiseMax = Int128{1} << 61;
constexpr std::int64_t kStreamReachMax = 1'000'000;

}  // namespace

Result<PrefixStream::Terms> PrefixStream::Terms::make(const Options& options) {
  if (options.days < 1 || options.days > Toeplitz::kDaysMax) {
    return invalid_input("a stream has from 1 to 1048576 days");
  }
  if (options.days_per_unit < 1 || options.days_per_unit > options.days) {
    return invalid_input("a unit counts on at least one day, and on no more than there are");
  }
  if (options.reach < 1 || options.reach > kStreamReachMax) {
    return invalid_input("a unit counts with 1 to 1000000 rows a day");
  }
  Toeplitz mixing = Toeplitz::square_root(options.days, options.unit_bits);
  const Integer squared = mixing.length_squared(options.days_per_unit) * Integer(options.reach) *
                          Integer(options.reach);
  DISCREET_ASSIGN(GaussianNoise noise,
                  GaussianNoise::make(
                      {.sensitivity_squared = L2Squared::trusted(squared), .rho = options.rho}));
  return Terms(std::move(noise), options, std::move(mixing));
}

NoiseSpec PrefixStream::Terms::noise() const {
  return {"prefix-stream(days=" + std::to_string(options_.days) +
          ",days_per_unit=" + std::to_string(options_.days_per_unit) +
          ",reach=" + std::to_string(options_.reach) + ",unit=" + std::to_string(mixing_.unit()) +
          ",sigma_squared=" + sigma_squared().to_string() + ")"};
}

PrefixStream::PrefixStream(Terms terms, std::string receipt_id)
    : terms_(std::move(terms)),
      receipt_id_(std::move(receipt_id)),
      noise_(std::vector<std::int64_t>()) {}

Result<PrefixStream> PrefixStream::open(const Terms& terms, Receipt&& receipt) {
  Receipt paid = std::move(receipt);
  DISCREET_TRY(paid.consume(terms.noise(), terms.cost()));
  return PrefixStream(terms, paid.id());
}

Result<PrefixStream> PrefixStream::resume(const Terms& terms, std::string receipt_id,
                                          std::int64_t released,
                                          const Sensitive<std::string>& kept) {
  const std::string& bytes = kept.reveal(Unseal());
  std::vector<std::int64_t> noise(bytes.size() / sizeof(std::int64_t));
  const auto drawn = static_cast<std::int64_t>(noise.size());
  if (bytes.size() % sizeof(std::int64_t) != 0 || released < 0 || drawn > terms.options().days ||
      (drawn != released && drawn != released + 1)) {
    return Error{Code::kCorrupt, "the kept noise does not belong to what was released"};
  }
  if (!noise.empty()) std::memcpy(noise.data(), bytes.data(), bytes.size());
  PrefixStream stream(terms, std::move(receipt_id));
  stream.released_ = released;
  stream.noise_ = Sensitive(std::move(noise));
  return stream;
}

Result<void> PrefixStream::check_process() const {
  if (process_.is_here()) return {};
  return Error{Code::kRefused, "this stream was opened by another process; resume it here"};
}

Int128 PrefixStream::next_noise(const Terms& terms, const std::vector<std::int64_t>& noise,
                                Int128 z) {
  // |c| <= 2^16 and |W| < 2^61: 2^20 products stay below 2^97.
  const auto& c = terms.mixing().coefficients();
  Int128 sum = 0;
  for (std::size_t s = 0; s < noise.size(); ++s) {
    sum += static_cast<Int128>(c[noise.size() - s]) * noise[s];
  }
  const Int128 unit = terms.mixing().unit();
  Int128 floor = sum / unit;
  if (sum % unit < 0) --floor;
  return z - floor;
}

std::int64_t PrefixStream::answer(const Terms& terms, Int128 count, std::int64_t w) {
  return static_cast<std::int64_t>(
      terms.mixing().unit() * std::clamp(count, -kStreamCountMax, kStreamCountMax) + w);
}

Result<bool> PrefixStream::prepare() {
  DISCREET_TRY(check_process());
  const std::vector<std::int64_t>& before = noise_.reveal(Unseal());
  if (static_cast<std::int64_t>(before.size()) > released_) return false;
  if (released_ >= terms_.options().days) {
    return Error{Code::kBudget, "all " + std::to_string(terms_.options().days) +
                                    " days that were paid for are released; register another "
                                    "question for the days to come"};
  }
  DISCREET_ASSIGN(random::SystemBits* const bits, random::SystemBits::for_release());
  const Int128 z = random::DiscreteGaussian::shared(terms_.sigma_squared())->draw(*bits);
  const Int128 w = next_noise(terms_, before, z);
  healthy_ = healthy_ && bits->healthy() && w < kNoiseMax && w > -kNoiseMax;
  if (!healthy_) {
    return Error{Code::kNoEntropy,
                 "the operating system's random source failed; nothing was released"};
  }
  std::vector<std::int64_t> more = before;
  more.push_back(static_cast<std::int64_t>(w));
  noise_ = Sensitive(std::move(more));
  return true;
}

Result<std::string> PrefixStream::sealed(const Encrypt& encrypt) const {
  const std::vector<std::int64_t>& noise = noise_.reveal(Unseal());
  std::string bytes(noise.size() * sizeof(std::int64_t), '\0');
  if (!noise.empty()) std::memcpy(bytes.data(), noise.data(), bytes.size());
  Result<std::string> out = encrypt(bytes);
  wipe(bytes);
  return out;
}

Result<Released<std::int64_t>> PrefixStream::release(Sensitive<Int128> count, Recorder* recorder) {
  DISCREET_TRY(check_process());
  const std::vector<std::int64_t>& noise = noise_.reveal(Unseal());
  DISCREET_CHECK(static_cast<std::int64_t>(noise.size()) == released_ + 1);
  const std::int64_t out = answer(terms_, count.reveal(Unseal()), noise.back());
  ++released_;
  if (recorder != nullptr) {
    recorder->record({terms_.noise(), Sensitive(std::vector<Int128>{count.reveal(Unseal())}),
                      std::to_string(out)});
  }
  return Released<std::int64_t>(out, {terms_.noise(), terms_.cost(), receipt_id_, std::nullopt});
}

template <int kWidth>
Audited<std::vector<std::int64_t>> PrefixStream::replay(
    const Terms& terms, const Sensitive<std::vector<std::int64_t>>& x, random::Tape<kWidth>& tape) {
  const auto sampler = random::GaussianFor<random::Tape<kWidth>>::shared(terms.sigma_squared());
  std::vector<std::int64_t> noise;
  std::vector<std::int64_t> out;
  for (const std::int64_t count : x.reveal(Unseal())) {
    noise.push_back(saturate_to_int64(next_noise(terms, noise, sampler->draw(tape))));
    out.push_back(answer(terms, count, noise.back()));
  }
  return Audited<std::vector<std::int64_t>>(std::move(out));
}

#define DISCREET_REPLAY(M, Source)                       \
  template Audited<std::vector<std::int64_t>> M::replay( \
      const Terms&, const Sensitive<std::vector<std::int64_t>>&, Source&);
DISCREET_ON_TAPES(DISCREET_REPLAY, PrefixStream)
#undef DISCREET_REPLAY

}  // namespace discreet::mechanism
