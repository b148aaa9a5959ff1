// SPDX-License-Identifier: Apache-2.0
// What is changed in a question's text before the session layer sees it, always by blanks, so that
// places in errors stay. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "server/pgwire/statement.h"

namespace discreet::server::pgwire {

class QuestionText {
 public:
  QuestionText(const sql::Text& text, const std::vector<sql::Token>& tokens)
      : text_(text), tokens_(tokens), out_(text.bytes()) {}

  /// EXPLAIN and its options. Fails with: kUnsupported for ANALYZE.
  Result<void> cut_explain();
  /// "public". before tables and columns, which tools write; the policy's names have no schema.
  void cut_schemas(const sql::Node& select, const policy::Policy& policy);
  /// n_low and n_high among the columns, where n is one of them.
  std::vector<IntervalColumn> cut_intervals(const sql::Node& select, const policy::Policy& policy);

  std::string take() { return std::move(out_); }

 private:
  /// Index of the first token at or after that place.
  std::size_t token_at(sql::Place place) const;
  void blank(std::size_t first, std::size_t end);
  bool is_blank(std::size_t token) const { return out_[tokens_[token].start] == ' '; }
  void cut_target(std::size_t first);

  const sql::Text& text_;
  const std::vector<sql::Token>& tokens_;
  std::string out_;
};

/// Fills in the types that are 0 where the text tells them: a comparison's other side, a cast,
/// LIMIT. Columns are the policy's; without one, the catalog's: all else is text there.
void infer_parameters(const sql::Node& select, const policy::Policy* policy,
                      std::vector<TypeId>& types);

}  // namespace discreet::server::pgwire
