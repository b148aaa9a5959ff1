// SPDX-License-Identifier: Apache-2.0
// From counts of ones among known subsets of people back to everybody's bit (Dinur, Nissim 2003).
// Whatever answered the counts: the kernel in `discreet attack reconstruct`, whole sessions in
// session_test.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace discreet::audit {

using Subset = std::vector<std::uint8_t>;  ///< 1 for everybody who is counted

/// Least squares by conjugate gradients on the normal equations, then each bit rounded.
std::vector<std::uint8_t> bits_by_least_squares(const std::vector<Subset>& subsets,
                                                const std::vector<double>& answers);

/// The linear program: minimise the sum of |counted - answered| over bits between 0 and 1, then
/// each bit rounded. Solved by primal-dual steps (Chambolle and Pock 2011, with their diagonal
/// step sizes): min over x in [0,1]^n, max over y in [-1,1]^m of y (A x - answers).
std::vector<std::uint8_t> bits_by_linear_program(const std::vector<Subset>& subsets,
                                                 const std::vector<double>& answers,
                                                 int rounds = 400);

}  // namespace discreet::audit
