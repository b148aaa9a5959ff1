// SPDX-License-Identifier: Apache-2.0
// A fault in the cells of the mechanism for bent coins.
#include "audit/cases.h"
#include "audit/mutants.h"
#include "mechanism/sv_certificate.h"

namespace discreet::audit {

/// Offsets are counted in half units. Counted in whole ones, a person moves every edge twice as
/// far.
Verdict doubled_offset(bool faulty, const Progress& progress) {
  const random::SvShape shape{.period = 5, .halvings = 3, .bits = 12, .q = 2};
  const random::SvCells cells(shape, -40, 40);
  const mechanism::SvCertificate certificate(cells, mechanism::SvGamma{});
  const Cost claimed = pure_cost(Epsilon::trusted(certificate.epsilon().value()));
  const auto walk = [&](int y, int part) {
    const auto walked =
        Walk({.depth = 30, .progress = part_of(progress, part, 2)}).run<1>([&](Tape<1>& tape) {
          return cells.decode(faulty ? 2 * y : y, tape);
        });
    return distribution(
        walked, [](Int128 cell) { return discreet::to_string(cell); },
        [](Int128) { return std::optional<Range>(); });
  };
  const Distribution first = walk(1, 0);
  return judge(claimed, first, walk(2, 1));
}

}  // namespace discreet::audit
