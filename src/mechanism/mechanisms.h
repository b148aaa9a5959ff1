// SPDX-License-Identifier: Apache-2.0
// The closed list of mechanisms. The door (mechanism/door.h) runs these and nothing else: a type
// that is not here, whatever it looks like, cannot open a Sensitive.
#pragma once

#include <type_traits>

namespace discreet::mechanism {

class Laplace;          // integer + discrete Laplace
class LaplaceVector;    // the same on whole arrays
class GridLaplace;      // reals on a declared grid
class Geometric;        // Laplace on a count, truncated into a public range
class SvLaplace;        // a count on a grid, for coins that are bent
class Gaussian;         // integer + discrete Gaussian, zCDP
class GaussianVector;   // the same on whole arrays
class ResidualTable;    // what a table tells beyond its margins, zCDP
class PrefixTable;      // counts along an axis for running sums, zCDP
class RoundedGaussian;  // integer + round(N(0, sigma^2)), the continuous Gaussian's accounting
class RoundedGaussianVector;  // the same on whole arrays
class MeanOfBits;             // integer noise on the sum, divided by a public n
class RandomizedResponse;     // one bit
class RandomizedResponses;    // many bits, each its own person's
class Exponential;            // choose one of many by score
class PermuteAndFlip;         // the same, better and dearer in zCDP
class TopK;                   // the k best, by peeling
class PartitionSelection;     // may this key be shown? optimal for one key
class KeySelection;           // which keys may be shown? the same on all keys of a table
class Quantiles;              // a quantile for each of several public keys
class ThresholdedLaplace;     // one key, with the noisy count
class ThresholdedGaussian;    // the same in zCDP
class ThresholdedGroups;      // all keys of a table, with a noisy sum each

template <class M, class... Known>
inline constexpr bool kOneOf = (std::is_same_v<M, Known> || ...);

template <class M>
concept Listed = kOneOf<M, SvLaplace, Laplace, LaplaceVector, GridLaplace, Geometric, Gaussian,
                        GaussianVector, ResidualTable, PrefixTable, RoundedGaussian,
                        RoundedGaussianVector, MeanOfBits, RandomizedResponse, RandomizedResponses,
                        Exponential, PermuteAndFlip, TopK, PartitionSelection, KeySelection,
                        Quantiles, ThresholdedLaplace, ThresholdedGaussian, ThresholdedGroups>;

}  // namespace discreet::mechanism
