// SPDX-License-Identifier: Apache-2.0
// RAPPOR's decoding: which of some candidate strings are there, and how frequent they are.
//
// The reports give, for each cohort and bit, the share of people whose Bloom filter has the bit.
// That is a linear function of the candidates' shares, and of the shares of strings nobody listed,
// which are taken to be spread evenly (one column of their own). Weighted least squares; when there
// are more candidates than the bits can tell apart, a lasso on the even cohorts first chooses some,
// and only the odd cohorts, whose people are others, are used to estimate and to test: so the
// choice does not spoil the test.
//
// Tests and intervals use the normal approximation, with the variance that the randomizer and the
// drawing of cohorts cause. A frequent string that is not among the candidates and shares bits with
// one can make that one look frequent: list what may be frequent.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "local/interval.h"

namespace discreet::local {

class Aggregate;

struct DecodedShare {
  std::size_t candidate = 0;
  double share = 0;
  double deviation = 0;      ///< standard error
  double p_value = 1;        ///< of "nobody holds it", one-sided
  bool significant = false;  ///< p_value below beta / tested
  Bounds all_bounds;         ///< hold at once for all candidates that were tested
};

struct Decoded {
  std::vector<DecodedShare> shares;  ///< those that were tested, by candidate
  std::size_t tested = 0;
  bool screened = false;  ///< the lasso chose first
  double others = 0;      ///< share of strings nobody listed, as far as the model sees it
};

/// Fails with: kInvalidInput without reports, without candidates, or for another mechanism.
Result<Decoded> decode(const Aggregate& aggregate, const std::vector<std::string>& candidates,
                       double beta);

}  // namespace discreet::local
