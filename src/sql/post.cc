// SPDX-License-Identifier: Apache-2.0
#include "sql/post.h"

#include <set>
#include <utility>

namespace discreet::sql {
namespace {

void collect(const Post& post, std::set<std::pair<std::size_t, std::size_t>>& out) {
  if (post.kind == PostKind::kMeasurement) out.emplace(post.index, post.number);
  // Without an end that was bought a quantile's interval is all of its range.
  if (post.kind == PostKind::kQuantile && !post.low_end && !post.high_end) return;
  for (const Post& arg : post.args) collect(arg, out);
}

std::string_view name_of(PostKind kind) {
  switch (kind) {
    case PostKind::kMeasurement:
    case PostKind::kKey:
    case PostKind::kLiteral:
      return "";
    case PostKind::kAdd:
      return " + ";
    case PostKind::kSubtract:
      return " - ";
    case PostKind::kMultiply:
      return " * ";
    case PostKind::kDivide:
      return " / ";
    case PostKind::kEqual:
      return " = ";
    case PostKind::kLess:
      return " < ";
    case PostKind::kLessEqual:
      return " <= ";
    case PostKind::kAnd:
      return " and ";
    case PostKind::kOr:
      return " or ";
    case PostKind::kNegate:
      return "negate";
    case PostKind::kAbsolute:
      return "abs";
    case PostKind::kRound:
      return "round";
    case PostKind::kFloor:
      return "floor";
    case PostKind::kCeiling:
      return "ceiling";
    case PostKind::kSquareRoot:
      return "sqrt";
    case PostKind::kCoalesce:
      return "coalesce";
    case PostKind::kNullIf:
      return "nullif";
    case PostKind::kCase:
      return "case";
    case PostKind::kNot:
      return "not";
    case PostKind::kIsNull:
      return "is_null";
    case PostKind::kAverage:
      return "average";
    case PostKind::kVariance:
      return "variance";
    case PostKind::kQuantile:
      return "quantile";
    case PostKind::kRace:
      return "race";
  }
  return "";
}

std::string details(const Post& post) {
  const std::string range = " in [" + post.low.to_string() + ", " + post.high.to_string() + "]";
  switch (post.kind) {
    case PostKind::kRound:
      return "; " + std::to_string(post.index);
    case PostKind::kAverage:
      return "; centre " + post.centre.to_string() + range;
    case PostKind::kVariance:
      return std::string(post.sample ? "; sample" : "; population") + range;
    case PostKind::kQuantile:
      return ";" + std::string(post.low_end ? " low end" : "") +
             (post.high_end ? " high end" : "") + range;
    default:
      return "";
  }
}

}  // namespace

Post Post::measurement(std::size_t index, std::size_t number) {
  Post post;
  post.kind = PostKind::kMeasurement;
  post.index = index;
  post.number = number;
  return post;
}

Post Post::key(std::size_t index) {
  Post post;
  post.kind = PostKind::kKey;
  post.index = index;
  return post;
}

Post Post::constant(policy::Value value) {
  Post post;
  post.literal = std::move(value);
  return post;
}

Post Post::of(PostKind kind, std::vector<Post> args) {
  Post post;
  post.kind = kind;
  post.args = std::move(args);
  return post;
}

std::size_t numbers_used(const Post& post) {
  std::set<std::pair<std::size_t, std::size_t>> out;
  collect(post, out);
  return out.size();
}

std::string to_string(const Post& post) {
  if (post.kind == PostKind::kMeasurement) {
    return "#" + std::to_string(post.index) +
           (post.number == 0 ? "" : "." + std::to_string(post.number));
  }
  if (post.kind == PostKind::kKey) return "key " + std::to_string(post.index);
  if (post.kind == PostKind::kLiteral) return policy::to_string(post.literal);
  const std::string name(name_of(post.kind));
  const bool infix = name.front() == ' ';
  std::string out = infix ? "(" : name + "(";
  for (std::size_t i = 0; i < post.args.size(); ++i) {
    if (i > 0) out += infix ? name : ", ";
    out += to_string(post.args[i]);
  }
  return out + details(post) + ")";
}

}  // namespace discreet::sql
