// SPDX-License-Identifier: Apache-2.0
// One estimate from everything that a release counted: tables, running sums, ranges and areas are
// all read off it, so that they agree wherever they overlap. Post-processing: it sees released
// numbers.
//
// Model. The unknowns are the residuals c_A of all sets A that something asked for touches
// (tables.h: they make up every table). What is known of them, all of it with independent noise:
//   a residual      c_A + noise of variance s_A on its cells (P_A s_A as a matrix);
//   a line          of axis a by the set B: C x + noise, x the table on B and a; for every E within
//                   B, summed over B - E and centred along E, that is C m + noise of s times the
//                   cells of B - E, m = c_E/n spread along a + c_{E+a};
//   a tree          of axis a: the sums of its areas, the same with E empty.
// Everything but the lines is isotropic along an axis, so that c_{E+a} is bound to c_E alone, and
// only along a. The least-squares estimate is therefore found by eliminating sets from the largest:
//
// Theorem. Let A = E + a have lines, and p_A be the precision of what is known of c_A otherwise
// (its residual, and sets eliminated before). Let S be the inverse of M = sum of C'C/(s cells) +
// p_A P, and t = 1'S1, k = S1/t. Then, for each cell of E,
//     m = w + k c_E,  w = (S - t k k') b,   b the information on m,
// with w of variance S - t k k' and independent of c_E, and what A says of c_E is a residual of
// variance t and value 1'S b. Sets without lines have the variance 1/p_A.
// Proof. c_E = 1'm and c_A = m - c_E/n is a change of variables; given data, m has mean S b and
// variance S. Condition a normal vector on its sum; what is left over on the sum is its margin. P
// commutes with the lines' symmetry along E, so that this holds for each coordinate of E apart. QED
//
// So every published number is a sum of independent terms, a w of every set with lines and a c of
// every set without, and its variance is known before anything is measured.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "publish/hierarchy.h"
#include "publish/line_fit.h"
#include "publish/marginals.h"
#include "publish/tables.h"

namespace discreet::publish {

/// Noise in the cells of `by` and `axis` together, mixed along the axis or not.
struct MeasuredLine {
  AttributeSet by;
  int axis = 0;
  bool mixed = false;
  double variance = 1;  ///< of an entry of C x/Q
};

struct MeasuredTree {
  int axis = 0;
  const Hierarchy* tree = nullptr;
  std::vector<double> variances;  ///< one a level
  FixedAreas fixed = {};          ///< published as they are; the top is `total`
};

/// How counts were measured; variances in rows squared.
struct Measurements {
  std::map<AttributeSet, double> residuals;  ///< s_A
  std::vector<MeasuredLine> lines;
  std::vector<MeasuredTree> trees;
  std::optional<double> total;  ///< published as it is
};

/// What was released for them, in rows.
struct Measured {
  std::map<AttributeSet, Cells> residuals;  ///< c_A (tables.h)
  std::vector<Cells> lines;                 ///< C x/Q on `by` and the axis, in increasing order
  std::vector<LevelValues> trees;
};

class Agreement {
 public:
  /// Trees must outlive it. Fails with: kInvalidInput for two lines of which each is along an axis
  /// by the other's; for an axis of more than kDenseMax places that is measured in several ways;
  /// for areas that are fixed on an axis that has ranges.
  static Result<Agreement> make(std::vector<Attribute> attributes, Measurements measurements);

  /// Of every cell of the table on `set`. Requires: everything within it was measured.
  Cells table_variances(const AttributeSet& set) const;
  /// Of every running sum (or range, by (from, to)) of a line: the cells of `by`, then the places.
  std::vector<double> line_variances(std::size_t line, bool ranges) const;
  LevelValues tree_variances(std::size_t tree) const;

  /// The residuals of the estimate: all tables follow from them (tables.h).
  std::map<AttributeSet, Cells> estimate(const Measured& measured) const;

 private:
  struct Node {
    double cost = 1;       // p of precision_cost
    double precision = 0;  // p_A: the residual's and that of eliminated sets
    int axis = -1;         // of the lines, if there are any
    std::vector<std::size_t> lines = {};
    std::shared_ptr<const LineFit> line = {};
    std::shared_ptr<const TreeFit> tree = {};  // instead of a line: a tree alone
    std::size_t which_tree = 0;
  };
  Agreement() = default;
  Result<void> add_lines();
  Result<void> eliminate();
  Result<void> fit(const AttributeSet& set, Node& node);
  double spread_over(const AttributeSet& all, const AttributeSet& set) const;
  struct Subsets {
    std::vector<const Node*> nodes = {};  // by masks over the set
    std::vector<std::size_t> bit = {};    // of the node's axis
    std::vector<bool> matters = {};       // which members have lines in some subset
  };
  Subsets subsets_of(const AttributeSet& set) const;
  double variance_of(const Subsets& subsets, std::vector<double> g,
                     const std::vector<std::int64_t>& places) const;
  Cells line_information(const AttributeSet& set, const Node& node, Cells information,
                         const Measured& measured) const;

  std::vector<Attribute> attributes_;
  Measurements measurements_;
  std::map<AttributeSet, Node> nodes_;
  std::vector<AttributeSet> order_;  // from the largest sets
};

}  // namespace discreet::publish
