// SPDX-License-Identifier: Apache-2.0
// Tables from released residuals, and what a residual is: all of it after release, and free.
//
// Law. For a table x on B let c_A be the centred residual of its marginal on A within B: along
// every axis the mean is taken out. Then x = sum over A within B of c_A spread evenly over B's
// other axes (divided by their number of values). So tables from the same residuals agree: summing
// a table over an axis kills every residual that has it, and multiplies the others by the axis' n.
// Proof. Along one axis I = P + J/n with P = I - J/n; multiply out the Kronecker product over B.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "publish/marginals.h"

namespace discreet::publish {

/// A table's numbers, the last attribute fastest.
using Cells = std::vector<double>;

std::vector<std::int64_t> sizes_of(const std::vector<Attribute>& attributes,
                                   const AttributeSet& set);

/// c_A in rows, from what the kernel released for A (mechanism/residual_table.md).
Cells centred(const std::vector<Attribute>& attributes, const AttributeSet& set,
              std::span<const std::int64_t> released);

/// The marginal on `set`; residuals of all its subsets are there (DISCREET_CHECK).
Cells table(const std::vector<Attribute>& attributes, const AttributeSet& set,
            const std::map<AttributeSet, Cells>& residuals);

/// A table on a sorted set, its axes in another order: axes[k] is the attribute of the k-th. The
/// other way round with `back`.
Cells reordered(const std::vector<Attribute>& attributes, const std::vector<std::size_t>& axes,
                const Cells& cells, bool back = false);

}  // namespace discreet::publish
