// SPDX-License-Identifier: Apache-2.0
#include "session/draw.h"

#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/key.h"
#include "mechanism/door.h"
#include "mechanism/verbs.h"

namespace discreet::session {
namespace {

using mechanism::Door;
using mechanism::Groups;
using mechanism::Verbs;

// Intervals are computed once for the whole answer (plan/accuracy.h), not for each release: the
// door is asked for the one that is least work.
const mechanism::ReleaseOptions& no_interval() {
  static const mechanism::ReleaseOptions options = {.confidence =
                                                        Confidence::trusted(power_of_two(-40))};
  return options;
}

Result<std::vector<std::string>> keys_of(const plan::Checked& checked,
                                         const Sensitive<Groups>& groups,
                                         std::vector<Receipt>& receipts, std::size_t& next) {
  if (checked.listed()) {
    std::vector<std::string> keys;
    for (const auto& tuple : *checked.listed()) {
      keys.push_back(engine::encode_key(tuple, checked.key_shapes()));
    }
    return keys;
  }
  DISCREET_CHECK(checked.selection().has_value());
  DISCREET_ASSIGN(auto released, Door::release(*checked.selection(), Verbs::key_counts(groups),
                                               std::move(receipts[next++]), no_interval()));
  return released.value();
}

/// One mechanism on its own input.
struct Release {
  const Sensitive<Groups>& groups;
  std::size_t measurement;
  const std::vector<std::string>& keys;
  Receipt receipt;

  Result<std::vector<std::int64_t>> operator()(const mechanism::LaplaceVector& noise) {
    return numbers(noise);
  }
  Result<std::vector<std::int64_t>> operator()(const mechanism::GaussianVector& noise) {
    return numbers(noise);
  }
  Result<std::vector<std::int64_t>> operator()(const mechanism::Quantiles& noise) {
    DISCREET_ASSIGN(auto released, Door::release(noise, Verbs::runs(groups, measurement, keys),
                                                 std::move(receipt), no_interval()));
    return released.value();
  }

 private:
  template <class M>
  Result<std::vector<std::int64_t>> numbers(const M& noise) {
    DISCREET_ASSIGN(auto released, Door::release(noise, Verbs::column(groups, measurement, keys),
                                                 std::move(receipt), no_interval()));
    return released.value();
  }
};

}  // namespace

Result<Drawn> draw(const plan::Checked& checked, const Sensitive<Groups>& groups,
                   std::vector<Receipt> receipts) {
  DISCREET_CHECK(receipts.size() == checked.charge().lines().size());
  Drawn drawn;
  std::size_t next = 0;
  DISCREET_ASSIGN(drawn.keys, keys_of(checked, groups, receipts, next));
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    Release release{groups, i, drawn.keys, std::move(receipts[next++])};
    DISCREET_ASSIGN(auto values, std::visit(release, checked.steps()[i].noise));
    drawn.steps.push_back(std::move(values));
  }
  return drawn;
}

}  // namespace discreet::session
