// SPDX-License-Identifier: Apache-2.0
#include "publish/shares.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace discreet::publish {

std::vector<double> descend(std::vector<double> start, double finest,
                            const std::function<double(const std::vector<double>&)>& error) {
  std::vector<double> best = std::move(start);
  double least = error(best);
  for (double factor = 2; factor > finest;) {
    bool better = false;
    for (std::size_t i = 0; i < best.size(); ++i) {
      for (const double f : {factor, 1 / factor}) {
        std::vector<double> tried = best;
        tried[i] *= f;
        const double sum = std::accumulate(tried.begin(), tried.end(), 0.0);
        for (double& share : tried) share /= sum;
        const double reached = error(tried);
        if (reached < least * (1 - 1e-9)) {
          least = reached;
          best = std::move(tried);
          better = true;
        }
      }
    }
    if (!better) factor = std::sqrt(factor);
  }
  return best;
}

}  // namespace discreet::publish
