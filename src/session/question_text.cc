// SPDX-License-Identifier: Apache-2.0
#include "session/question_text.h"

#include "ledger/seal.h"
#include "plan/plan.h"

namespace discreet::session {
namespace {

/// A sequence of parts, each with its length before it.
class Parts {
 public:
  Parts& add(const std::string& part) {
    text_ += std::to_string(part.size()) + ":" + part;
    return *this;
  }
  Parts& add(std::int64_t number) { return add(std::to_string(number)); }

  Parts& add(const policy::Value& value) {
    add(static_cast<std::int64_t>(value.type));
    add(static_cast<std::int64_t>(value.data.index()));
    return add(policy::to_string(value));
  }

  Parts& add(const sql::Post& post) {
    add(static_cast<std::int64_t>(post.kind));
    add(static_cast<std::int64_t>(post.index)).add(static_cast<std::int64_t>(post.number));
    add(post.literal);
    add(post.centre.to_string()).add(post.low.to_string()).add(post.high.to_string());
    add(std::int64_t{post.sample}).add(std::int64_t{post.low_end}).add(std::int64_t{post.high_end});
    add(static_cast<std::int64_t>(post.args.size()));
    for (const sql::Post& arg : post.args) add(arg);
    return *this;
  }

  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string question_text(const sql::Query& query, const Confidence& confidence) {
  Parts parts;
  parts.add(plan::canonical(query.plan)).add(confidence.to_string());
  parts.add(static_cast<std::int64_t>(query.outputs.size()));
  for (const sql::Output& output : query.outputs) {
    parts.add(output.name).add(static_cast<std::int64_t>(output.type)).add(output.post);
  }
  parts.add(std::int64_t{query.having.has_value()});
  if (query.having) parts.add(*query.having);
  parts.add(static_cast<std::int64_t>(query.order.size()));
  for (const sql::OrderBy& order : query.order) {
    parts.add(std::int64_t{order.descending}).add(std::int64_t{order.nulls_first}).add(order.post);
  }
  parts.add(query.limit.value_or(-1)).add(query.offset).add(query.best);
  parts.add(static_cast<std::int64_t>(query.drawing));
  return std::move(parts).text();
}

QuestionKeys question_keys(const sql::Query& query, const Confidence& confidence) {
  const Hash hash = ledger::sha256(question_text(query, confidence));
  static_assert(kQuestionKeyVersion == 1, "give the key of the version before in `older`");
  return {.key = std::string(hash.begin(), hash.end()), .older = {}};
}

}  // namespace discreet::session
