// SPDX-License-Identifier: Apache-2.0
#include "accounting/fft.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include "accounting/constants.h"
#include "accounting/wide.h"
#include "base/check.h"

namespace discreet::accounting {
namespace {

constexpr double kFftTiny = 1e-140;
constexpr std::size_t kFftBlock = 256;  // entries that are raised to a power together

std::size_t reversed_bits(std::size_t k, std::size_t n) {
  std::size_t out = 0;
  for (std::size_t bit = 1; bit < n; bit *= 2, k /= 2) out = 2 * out + k % 2;
  return out;
}

/// Pairs at a distance of half the vector: (a, b) -> (a + b, (a - b) w).
DISCREET_WIDE void part_pairs(double* __restrict re, double* __restrict im, std::size_t half,
                              const double* __restrict wr, const double* __restrict wi) {
  double* __restrict br = re + half;
  double* __restrict bi = im + half;
  for (std::size_t k = 0; k < half; ++k) {
    const double r = re[k] - br[k];
    const double i = im[k] - bi[k];
    re[k] += br[k];
    im[k] += bi[k];
    br[k] = r * wr[k] - i * wi[k];
    bi[k] = r * wi[k] + i * wr[k];
  }
}

/// (a, b) -> (a + b w*, a - b w*).
DISCREET_WIDE void join_pairs(double* __restrict re, double* __restrict im, std::size_t half,
                              const double* __restrict wr, const double* __restrict wi) {
  double* __restrict br = re + half;
  double* __restrict bi = im + half;
  for (std::size_t k = 0; k < half; ++k) {
    const double r = br[k] * wr[k] + bi[k] * wi[k];
    const double i = bi[k] * wr[k] - br[k] * wi[k];
    br[k] = re[k] - r;
    bi[k] = im[k] - i;
    re[k] += r;
    im[k] += i;
  }
}

/// The factors of one pass with fours.
struct Fours {
  const double* r1;
  const double* i1;
  const double* r2;
  const double* i2;
  const double* r3;
  const double* i3;
};

/// Two stages in one, in blocks of 4 q: sums first, factors after.
DISCREET_WIDE void part_fours(double* re, double* im, std::size_t n, std::size_t q,
                              const Fours& w) {
  for (std::size_t start = 0; start < n; start += 4 * q) {
    double* __restrict r0 = re + start;
    double* __restrict r1 = r0 + q;
    double* __restrict r2 = r1 + q;
    double* __restrict r3 = r2 + q;
    double* __restrict i0 = im + start;
    double* __restrict i1 = i0 + q;
    double* __restrict i2 = i1 + q;
    double* __restrict i3 = i2 + q;
    for (std::size_t k = 0; k < q; ++k) {
      const double sum02r = r0[k] + r2[k];
      const double sum02i = i0[k] + i2[k];
      const double sum13r = r1[k] + r3[k];
      const double sum13i = i1[k] + i3[k];
      const double dif02r = r0[k] - r2[k];
      const double dif02i = i0[k] - i2[k];
      const double dif13r = r1[k] - r3[k];
      const double dif13i = i1[k] - i3[k];
      const double ar = sum02r - sum13r;
      const double ai = sum02i - sum13i;
      const double br = dif02r + dif13i;
      const double bi = dif02i - dif13r;
      const double cr = dif02r - dif13i;
      const double ci = dif02i + dif13r;
      r0[k] = sum02r + sum13r;
      i0[k] = sum02i + sum13i;
      r1[k] = ar * w.r2[k] - ai * w.i2[k];
      i1[k] = ar * w.i2[k] + ai * w.r2[k];
      r2[k] = br * w.r1[k] - bi * w.i1[k];
      i2[k] = br * w.i1[k] + bi * w.r1[k];
      r3[k] = cr * w.r3[k] - ci * w.i3[k];
      i3[k] = cr * w.i3[k] + ci * w.r3[k];
    }
  }
}

/// The way back: conjugate factors first, sums after.
DISCREET_WIDE void join_fours(double* re, double* im, std::size_t n, std::size_t q,
                              const Fours& w) {
  for (std::size_t start = 0; start < n; start += 4 * q) {
    double* __restrict r0 = re + start;
    double* __restrict r1 = r0 + q;
    double* __restrict r2 = r1 + q;
    double* __restrict r3 = r2 + q;
    double* __restrict i0 = im + start;
    double* __restrict i1 = i0 + q;
    double* __restrict i2 = i1 + q;
    double* __restrict i3 = i2 + q;
    for (std::size_t k = 0; k < q; ++k) {
      const double ar = r1[k] * w.r2[k] + i1[k] * w.i2[k];
      const double ai = i1[k] * w.r2[k] - r1[k] * w.i2[k];
      const double br = r2[k] * w.r1[k] + i2[k] * w.i1[k];
      const double bi = i2[k] * w.r1[k] - r2[k] * w.i1[k];
      const double cr = r3[k] * w.r3[k] + i3[k] * w.i3[k];
      const double ci = i3[k] * w.r3[k] - r3[k] * w.i3[k];
      const double sum02r = r0[k] + ar;
      const double sum02i = i0[k] + ai;
      const double sum13r = r0[k] - ar;
      const double sum13i = i0[k] - ai;
      const double dif02r = br + cr;
      const double dif02i = bi + ci;
      const double dif13r = ci - bi;
      const double dif13i = br - cr;
      r0[k] = sum02r + dif02r;
      i0[k] = sum02i + dif02i;
      r1[k] = sum13r + dif13r;
      i1[k] = sum13i + dif13i;
      r2[k] = sum02r - dif02r;
      i2[k] = sum02i - dif02i;
      r3[k] = sum13r - dif13r;
      i3[k] = sum13i - dif13i;
    }
  }
}

/// The pass with blocks of four entries, whose factors are all 1.
DISCREET_WIDE void part_last(double* __restrict re, double* __restrict im, std::size_t n) {
  for (std::size_t k = 0; k < n; k += 4) {
    const double sum02r = re[k] + re[k + 2];
    const double sum02i = im[k] + im[k + 2];
    const double sum13r = re[k + 1] + re[k + 3];
    const double sum13i = im[k + 1] + im[k + 3];
    const double dif02r = re[k] - re[k + 2];
    const double dif02i = im[k] - im[k + 2];
    const double dif13r = re[k + 1] - re[k + 3];
    const double dif13i = im[k + 1] - im[k + 3];
    re[k] = sum02r + sum13r;
    im[k] = sum02i + sum13i;
    re[k + 1] = sum02r - sum13r;
    im[k + 1] = sum02i - sum13i;
    re[k + 2] = dif02r + dif13i;
    im[k + 2] = dif02i - dif13r;
    re[k + 3] = dif02r - dif13i;
    im[k + 3] = dif02i + dif13r;
  }
}

DISCREET_WIDE void join_first(double* __restrict re, double* __restrict im, std::size_t n) {
  for (std::size_t k = 0; k < n; k += 4) {
    const double sum02r = re[k] + re[k + 1];
    const double sum02i = im[k] + im[k + 1];
    const double sum13r = re[k] - re[k + 1];
    const double sum13i = im[k] - im[k + 1];
    const double dif02r = re[k + 2] + re[k + 3];
    const double dif02i = im[k + 2] + im[k + 3];
    const double dif13r = im[k + 3] - im[k + 2];
    const double dif13i = re[k + 2] - re[k + 3];
    re[k] = sum02r + dif02r;
    im[k] = sum02i + dif02i;
    re[k + 1] = sum13r + dif13r;
    im[k + 1] = sum13i + dif13i;
    re[k + 2] = sum02r - dif02r;
    im[k + 2] = sum02i - dif02i;
    re[k + 3] = sum13r - dif13r;
    im[k + 3] = sum13i - dif13i;
  }
}

/// From the spectrum Z of even + i odd to that of the whole: with E and O those of the even and the
/// odd entries, Z_k = E_k + i O_k, and X_k = E_k + w^k O_k. Frequencies k and -k are mirror images
/// within each block of the order of reversed bits: entries from the left and from the right.
DISCREET_WIDE void join_parities(double* __restrict ar, double* __restrict ai,
                                 double* __restrict br, double* __restrict bi,
                                 const double* __restrict wr, const double* __restrict wi,
                                 long count) {
  for (long k = 0; k < count; ++k) {
    const double er = 0.5 * (ar[k] + br[-k]);
    const double ei = 0.5 * (ai[k] - bi[-k]);
    const double odd_r = 0.5 * (ai[k] + bi[-k]);
    const double odd_i = 0.5 * (br[-k] - ar[k]);
    const double tr = odd_r * wr[k] - odd_i * wi[k];
    const double ti = odd_r * wi[k] + odd_i * wr[k];
    ar[k] = er + tr;
    ai[k] = ei + ti;
    br[-k] = er - tr;
    bi[-k] = ti - ei;
  }
}

/// The way back.
DISCREET_WIDE void part_parities(double* __restrict ar, double* __restrict ai,
                                 double* __restrict br, double* __restrict bi,
                                 const double* __restrict wr, const double* __restrict wi,
                                 long count) {
  for (long k = 0; k < count; ++k) {
    const double er = 0.5 * (ar[k] + br[-k]);
    const double ei = 0.5 * (ai[k] - bi[-k]);
    const double tr = 0.5 * (ar[k] - br[-k]);
    const double ti = 0.5 * (ai[k] + bi[-k]);
    const double odd_r = tr * wr[k] + ti * wi[k];
    const double odd_i = ti * wr[k] - tr * wi[k];
    ar[k] = er - odd_i;
    ai[k] = ei + odd_r;
    br[-k] = er + odd_i;
    bi[-k] = odd_r - ei;
  }
}

/// Calls `each` for every block of mirror images: first entry, last entry, first factor, number.
template <class Each>
void for_mirrored(std::size_t n, const Each& each) {
  for (std::size_t block = 2; block < n; block *= 2)
    each(block, 2 * block - 1, block / 2 - 1, static_cast<long>(block / 2));
}

}  // namespace

Fourier::Fourier(std::size_t n) : n_(n) {
  DISCREET_CHECK(n >= 8 && std::has_single_bit(n));
  // e^{-2 pi i k/n} for half a circle, in extended precision and rounded once: each part is within
  // u of the truth. An eighth is computed, where the library is quick; the rest by symmetry.
  std::vector<double> re(n / 2);
  std::vector<double> im(n / 2);
  const long double turn = 2 * std::numbers::pi_v<long double> / static_cast<long double>(n);
  for (std::size_t k = 0; k <= n / 8; ++k) {
    const long double angle = turn * static_cast<long double>(k);
    const double c = static_cast<double>(std::cos(angle));
    const double s = static_cast<double>(std::sin(angle));
    const auto set = [&](std::size_t index, double x, double y) {
      if (index >= n / 2) return;
      re[index] = x;
      im[index] = y;
    };
    set(k, c, -s);
    set(n / 4 - k, s, -c);
    set(n / 4 + k, -s, -c);
    set(n / 2 - k, -c, -s);
  }
  const auto push = [&](Factors& factors, std::size_t k) {
    const double sign = k < n / 2 ? 1 : -1;
    factors.re.push_back(sign * re[k % (n / 2)]);
    factors.im.push_back(sign * im[k % (n / 2)]);
  };
  const std::size_t length = n / 2;
  std::size_t q = 1;
  for (; 4 * q <= length; q *= 4) {
    for (std::size_t k = 0; k < q; ++k) {
      push(first_, k * (n / (4 * q)));
      push(second_, 2 * k * (n / (4 * q)));
      push(third_, 3 * k * (n / (4 * q)));
    }
  }
  if (q < length) {
    for (std::size_t k = 0; k < length / 2; ++k) push(half_, 2 * k);
  }
  for_mirrored(length, [&](std::size_t begin, std::size_t, std::size_t, long count) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      push(join_, reversed_bits(begin + k, length));
  });
}

std::size_t Fourier::place(std::size_t k) const {
  return k == n_ / 2 ? k : reversed_bits(k, n_ / 2);
}

void Fourier::forward(Spectrum& x) const {
  const std::size_t length = n_ / 2;
  DISCREET_CHECK(x.re.size() == length + 1);
  double* re = x.re.data();
  double* im = x.im.data();
  std::size_t block = length;
  if (!half_.re.empty()) {
    part_pairs(re, im, length / 2, half_.re.data(), half_.im.data());
    block /= 2;
  }
  for (std::size_t q = block / 4; q >= 4; q /= 4) {
    const std::size_t at = (q - 1) / 3;
    part_fours(re, im, length, q,
               {&first_.re[at], &first_.im[at], &second_.re[at], &second_.im[at], &third_.re[at],
                &third_.im[at]});
  }
  part_last(re, im, length);
  for_mirrored(length, [&](std::size_t begin, std::size_t last, std::size_t factor, long count) {
    join_parities(re + begin, im + begin, re + last, im + last, &join_.re[factor],
                  &join_.im[factor], count);
  });
  re[length] = re[0] - im[0];
  re[0] += im[0];
  im[length] = im[0] = 0;
  im[1] = -im[1];
}

void Fourier::inverse(Spectrum& x) const {
  const std::size_t length = n_ / 2;
  DISCREET_CHECK(x.re.size() == length + 1);
  double* re = x.re.data();
  double* im = x.im.data();
  const double sum = re[0];
  re[0] = 0.5 * (sum + re[length]);
  im[0] = 0.5 * (sum - re[length]);
  im[1] = -im[1];
  for_mirrored(length, [&](std::size_t begin, std::size_t last, std::size_t factor, long count) {
    part_parities(re + begin, im + begin, re + last, im + last, &join_.re[factor],
                  &join_.im[factor], count);
  });
  join_first(re, im, length);
  std::size_t q = 4;
  for (; 4 * q <= length; q *= 4) {
    const std::size_t at = (q - 1) / 3;
    join_fours(re, im, length, q,
               {&first_.re[at], &first_.im[at], &second_.re[at], &second_.im[at], &third_.re[at],
                &third_.im[at]});
  }
  if (!half_.re.empty()) join_pairs(re, im, length / 2, half_.re.data(), half_.im.data());
  const double scale = 1.0 / static_cast<double>(length);  // exact: a power of two
  for (std::size_t k = 0; k < length; ++k) {
    re[k] *= scale;
    im[k] *= scale;
  }
}

std::shared_ptr<const Fourier> Fourier::shared(std::size_t n) {
  static std::mutex mutex;
  static std::map<std::size_t, std::shared_ptr<const Fourier>> plans;
  const std::lock_guard lock(mutex);
  auto& plan = plans[n];
  if (!plan) plan = std::make_shared<const Fourier>(n);
  return plan;
}

namespace {

DISCREET_INSIDE void multiply_entries(double* __restrict ar, double* __restrict ai,
                                      const double* __restrict br, const double* __restrict bi,
                                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double re = ar[i] * br[i] - ai[i] * bi[i];
    const double im = ar[i] * bi[i] + ai[i] * br[i];
    const bool tiny = std::fabs(re) + std::fabs(im) < kFftTiny;
    ar[i] = tiny ? 0 : re;
    ai[i] = tiny ? 0 : im;
  }
}

DISCREET_INSIDE void square_entries(double* __restrict ar, double* __restrict ai,
                                    std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double re = ar[i] * ar[i] - ai[i] * ai[i];
    const double im = 2 * ar[i] * ai[i];
    const bool tiny = std::fabs(re) + std::fabs(im) < kFftTiny;
    ar[i] = tiny ? 0 : re;
    ai[i] = tiny ? 0 : im;
  }
}

}  // namespace

DISCREET_WIDE void multiply(Spectrum& a, const Spectrum& b) {
  multiply_entries(a.re.data(), a.im.data(), b.re.data(), b.im.data(), a.re.size());
}

DISCREET_WIDE void multiply_power(Spectrum& product, std::vector<double>& rest, const Spectrum& x,
                                  double count, double error) {
  // Block by block, so that all squares of a block are taken while it is near.
  std::array<double, kFftBlock> re;
  std::array<double, kFftBlock> im;
  std::array<double, kFftBlock> size;
  const auto uses = static_cast<unsigned long long>(count);
  for (std::size_t begin = 0; begin < x.re.size(); begin += kFftBlock) {
    const std::size_t n = std::min(kFftBlock, x.re.size() - begin);
    double* pr = &product.re[begin];
    double* pi = &product.im[begin];
    double* others = &rest[begin];
    for (std::size_t i = 0; i < n; ++i) {
      re[i] = x.re[begin + i];
      im[i] = x.im[begin + i];
      size[i] = std::sqrt(re[i] * re[i] + im[i] * im[i]) + error;
    }
    for (unsigned long long k = uses, less = uses - 1; k != 0; k /= 2, less /= 2) {
      if (k % 2 != 0) multiply_entries(pr, pi, re.data(), im.data(), n);
      if (less % 2 != 0) {
        for (std::size_t i = 0; i < n; ++i) others[i] = std::max(others[i] * size[i], kFftTiny);
      }
      if (k == 1) break;
      square_entries(re.data(), im.data(), n);
      for (std::size_t i = 0; i < n; ++i) size[i] = std::max(size[i] * size[i], kFftTiny);
    }
  }
}

double Fourier::relative_error() const {
  constexpr double kTwiddle = 1.5 * kUnit;  // sqrt(2) u, from two parts within u each
  const double e = kTwiddle + 4.001 * kUnit * (1.4143 + kTwiddle);
  const double t = static_cast<double>(std::bit_width(n_)) * e;  // one stage more than log2(n)
  return 1.001 * t / (1 - t);
}

}  // namespace discreet::accounting
