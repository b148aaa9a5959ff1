// SPDX-License-Identifier: Apache-2.0
// Running sums and ranges along an ordered axis, from what PrefixTable or PrefixStream released.
//
// Law. y = C x + z, z of variance s in every entry, C of mechanism/toeplitz.h with unit Q. The
// running sums A C^{-1} y are unbiased, and the t-th has the variance (s/Q^2) (r_0^2 + .. + r_t^2),
// r the series of 1/((1 - X) c(X)/Q): A and C are lower triangular Toeplitz matrices, so their
// product is the product of series. A range is the difference of two running sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mechanism/toeplitz.h"

namespace discreet::publish {

/// r_0 .. r_{T-1}, by fast products: exact up to rounding of doubles.
std::vector<double> running_sum_series(const mechanism::Toeplitz& mixing);

/// The variance of every running sum when s/Q^2 = 1.
std::vector<double> running_sum_variances(std::span<const double> series);

/// Of the range from place `from` to place `to`, both in it.
double range_variance(std::span<const double> series, std::int64_t from, std::int64_t to);

/// The first n terms of the product of two series.
std::vector<double> series_product(std::span<const double> a, std::span<const double> b,
                                   std::size_t n);

/// The series of 1/(c(X)/Q): C^-1 turns what was released, over Q, into counts.
std::vector<double> inverse_series(const mechanism::Toeplitz& mixing);

/// What no factorisation of the matrix of running sums can be below, as a root mean square error
/// when the longest column is 1: the sum of its singular values over T, 1/(2 sin((2j-1) pi /
/// (4T+2))) [the trace bound of Li-Miklau-Hay-McGregor-Rastogi 2015].
double mean_error_bound(std::int64_t days);

/// The largest error of the best factorisation that is known, when the longest column is 1: 1/2 +
/// (1/2T) sum of 1/sin((2j-1) pi / 2T), j = 1 .. T [Henzinger-Upadhyay 2025]. Derivation: the
/// matrix of running sums is (J + S)/2 with J all ones and S = +1 on and below the diagonal, -1
/// above, which is skew-circulant: it has the eigenvalues 2/(1 - w), w^T = -1, and a factorisation
/// with rows and columns of squared length the mean of their sizes. It is not causal: it needs all
/// days at once. Ours is.
double best_known_error(std::int64_t days);

/// The binary tree on the same days: the largest and the root mean square error of a running sum
/// with the nodes that it takes, when a unit's length in all nodes is 1 a day: it counts on
/// `days_per_unit` days, at worst the first ones.
struct TreeError {
  double worst = 0;
  double mean = 0;
};
TreeError binary_tree_error(std::int64_t days, std::int64_t days_per_unit = 1);

}  // namespace discreet::publish
