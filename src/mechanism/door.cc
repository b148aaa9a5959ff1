// SPDX-License-Identifier: Apache-2.0
#include "mechanism/door.h"

#include <algorithm>

namespace discreet::mechanism {

Audited<std::optional<Distances>> Door::distance(const Sensitive<std::vector<Int128>>& a,
                                                 const Sensitive<std::vector<Int128>>& b) {
  const std::vector<Int128>& x = a.reveal(Unseal());
  const std::vector<Int128>& y = b.reveal(Unseal());
  if (x.size() != y.size()) return Audited<std::optional<Distances>>(std::nullopt);
  Distances out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Integer gap = abs(to_integer(x[i]) - to_integer(y[i]));
    if (gap == 0) continue;
    out.l0 += 1;
    out.l1 += gap;
    out.l2_squared += gap * gap;
    out.linf = std::max(out.linf, gap);
  }
  return Audited<std::optional<Distances>>(std::move(out));
}

}  // namespace discreet::mechanism
