// SPDX-License-Identifier: Apache-2.0
#include "accounting/fft.h"

#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace discreet::accounting {
namespace {

#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DISCREET_WIDE __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define DISCREET_WIDE
#endif

constexpr double kTiny = 1e-140;

/// One block of butterflies: (a, b) -> (a + w b, a - w b).
DISCREET_WIDE void butterflies(double* __restrict ar, double* __restrict ai, double* __restrict br,
                               double* __restrict bi, const double* __restrict wr,
                               const double* __restrict wi, std::size_t half) {
  for (std::size_t k = 0; k < half; ++k) {
    const double re = br[k] * wr[k] - bi[k] * wi[k];
    const double im = br[k] * wi[k] + bi[k] * wr[k];
    br[k] = ar[k] - re;
    bi[k] = ai[k] - im;
    ar[k] += re;
    ai[k] += im;
  }
}

void reverse_bits(Spectrum& x, std::size_t n) {
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      std::swap(x.re[i], x.re[j]);
      std::swap(x.im[i], x.im[j]);
    }
  }
}

}  // namespace

Fourier::Fourier(std::size_t n) : n_(n) {
  DISCREET_CHECK(n >= 8 && std::has_single_bit(n));
  // The last stage needs them all, in extended precision and rounded once: each part is within u of
  // the truth. The earlier stages use every second, every fourth, ... of them.
  re_.resize(n - 1);
  im_.resize(n - 1);
  const std::size_t last = n / 2 - 1;
  const long double turn = 2 * std::numbers::pi_v<long double> / static_cast<long double>(n);
  // An eighth of the circle, where the library is quick; the rest by symmetry.
  for (std::size_t k = 0; k <= n / 8; ++k) {
    const long double angle = turn * static_cast<long double>(k);
    const double c = static_cast<double>(std::cos(angle));
    const double s = static_cast<double>(std::sin(angle));
    const auto set = [&](std::size_t index, double re, double im) {
      if (index >= n / 2) return;
      re_[last + index] = re;
      im_[last + index] = im;
    };
    set(k, c, -s);
    set(n / 4 - k, s, -c);
    set(n / 4 + k, -s, -c);
    set(n / 2 - k, -c, -s);
  }
  for (std::size_t half = n / 4; half >= 1; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      re_[half - 1 + k] = re_[2 * half - 1 + 2 * k];
      im_[half - 1 + k] = im_[2 * half - 1 + 2 * k];
    }
  }
}

void Fourier::forward(Spectrum& x) const {
  DISCREET_CHECK(x.re.size() == n_);
  reverse_bits(x, n_);
  for (std::size_t half = 1; half < n_; half *= 2) {
    for (std::size_t start = 0; start < n_; start += 2 * half) {
      butterflies(&x.re[start], &x.im[start], &x.re[start + half], &x.im[start + half],
                  &re_[half - 1], &im_[half - 1], half);
    }
  }
}

void Fourier::inverse(Spectrum& x) const {
  // Swapping the two parts before and after turns the forward transform into the backward one.
  std::swap(x.re, x.im);
  forward(x);
  std::swap(x.re, x.im);
  const double scale = 1.0 / static_cast<double>(n_);  // exact: a power of two
  for (double& value : x.re) value *= scale;
  for (double& value : x.im) value *= scale;
}

std::shared_ptr<const Fourier> Fourier::shared(std::size_t n) {
  static std::mutex mutex;
  static std::map<std::size_t, std::shared_ptr<const Fourier>> plans;
  const std::lock_guard lock(mutex);
  auto& plan = plans[n];
  if (!plan) plan = std::make_shared<const Fourier>(n);
  return plan;
}

DISCREET_WIDE void multiply(Spectrum& a, const Spectrum& b, std::size_t count) {
  double* __restrict ar = a.re.data();
  double* __restrict ai = a.im.data();
  // b may be a itself, so it is not restricted; each entry is read before it is written.
  const double* br = b.re.data();
  const double* bi = b.im.data();
  for (std::size_t i = 0; i < count; ++i) {
    const double re = ar[i] * br[i] - ai[i] * bi[i];
    const double im = ar[i] * bi[i] + ai[i] * br[i];
    const bool tiny = std::fabs(re) + std::fabs(im) < kTiny;
    ar[i] = tiny ? 0 : re;
    ai[i] = tiny ? 0 : im;
  }
}

double Fourier::relative_error() const {
  constexpr double kUnit = 0x1p-53;
  constexpr double kTwiddle = 1.5 * kUnit;  // sqrt(2) u, from two parts within u each
  const double e = kTwiddle + 4.001 * kUnit * (1.4143 + kTwiddle);
  const double t = static_cast<double>(std::bit_width(n_) - 1) * e;
  return 1.001 * t / (1 - t);
}

}  // namespace discreet::accounting
