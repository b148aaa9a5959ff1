// SPDX-License-Identifier: Apache-2.0
#include "local/client/randomizer.h"

namespace discreet::local {

Randomizer::Randomizer(const Survey& survey)
    : p_(survey.parameters), threshold_(unary_threshold(p_.odds)) {
  DISCREET_CHECK(check(survey).has_value());
  if (p_.mechanism == Mechanism::kProjective) space_.emplace(p_.width, p_.depth);
}

}  // namespace discreet::local
