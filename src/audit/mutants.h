// SPDX-License-Identifier: Apache-2.0
// Mutants: the kernel's code with one planted fault each. They live here and nowhere in the
// product; the comparison that passes the correct code must catch every one (A3).
#pragma once

#include <string_view>
#include <vector>

#include "audit/compare.h"

namespace discreet::audit {

struct Mutant {
  std::string_view name;
  std::string_view fault;
  /// The verdict about the faulty program, and about the correct one.
  Verdict (*run)(bool faulty, const Progress&);
};

std::vector<Mutant> all_mutants();

/// The cells of the mechanism for bent coins; mutants_source.cc.
Verdict doubled_offset(bool faulty, const Progress& progress);

}  // namespace discreet::audit
