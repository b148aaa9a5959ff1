// SPDX-License-Identifier: Apache-2.0
// A YAML file as a tree that knows its lines, read with more care than YAML asks for: no aliases (a
// few lines could unfold to gigabytes), no tags, no key twice, one document, valid UTF-8, bounded
// depth and size. The library throws; nothing of that leaves document.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace discreet::policy {

inline constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kScalarBytesMax = 10'000;
inline constexpr std::size_t kNodesMax = 200'000;
inline constexpr std::size_t kDepthMax = 20;

struct Node {
  enum class Kind {
    kNull,
    kScalar,
    kList,
    kMap,
    kBroken,  ///< a mistake that was noted already: readers pass it by
  };
  Kind kind = Kind::kNull;
  int line = 0;
  std::string key;  ///< its name in the map that holds it
  int key_line = 0;
  std::string text;  ///< kScalar
  std::vector<Node> children;

  bool is(Kind other) const { return kind == other; }
  /// A "?" that a draft left for the owner to fill in.
  bool is_open() const { return kind == Kind::kScalar && text == "?"; }
  /// In a map; nullptr when absent.
  const Node* find(std::string_view name) const;
};

struct Document {
  std::optional<Node> root;  ///< none when this is no YAML
  std::vector<Mistake> mistakes;
};

Document read_document(std::string_view text);

}  // namespace discreet::policy
