// SPDX-License-Identifier: Apache-2.0
// The lecture's sampler from coins, which can be read at a glance, against the fast one: the same
// distribution, exactly.
#include "audit/cases.h"
#include "random/laplace.h"
#include "random/reference.h"

namespace discreet::audit {
namespace {

Integer exact(const Integer& z) { return z; }
Integer exact(Int128 z) { return to_integer(z); }

template <int kWidth, class Sampler>
Distribution walk_sampler(const Sampler& sampler, const Rational& scale,
                          const WalkOptions& options) {
  const auto walked =
      Walk(options).run<kWidth>([&](Tape<kWidth>& tape) { return exact(sampler.draw(tape)); });
  return distribution(
      walked, [](const Integer& z) { return z.get_str(); },
      [&](const Integer& z) {
        return std::optional(laplace_probability(static_cast<int>(z.get_si()), scale));
      });
}

Pair reference_laplace(const Progress& progress) {
  const Scale scale = Scale::trusted(1);
  const Distribution slow = walk_sampler<1>(random::ReferenceLaplace(scale), scale.value(),
                                            {.depth = 24, .progress = part_of(progress, 0, 2)});
  const Distribution fast = walk_sampler<6>(random::LaplaceFor<Tape<6>>(scale), scale.value(),
                                            {.depth = 26, .progress = part_of(progress, 1, 2)});
  return {"discrete-laplace(scale=1)", "lecture 2's coins | tables", std::nullopt, slow, fast};
}

}  // namespace

std::vector<Case> sampler_cases() { return {{"reference-laplace", reference_laplace}}; }

}  // namespace discreet::audit
