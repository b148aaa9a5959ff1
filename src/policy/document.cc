// SPDX-License-Identifier: Apache-2.0
#include "policy/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <unordered_set>
#include <utility>

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

/// Leaves the parser; the mistake says why.
struct Stop {
  Mistake mistake;
};

int line_of(const YAML::Mark& mark) { return mark.line < 0 ? 0 : mark.line + 1; }

/// The line of the first byte that is no UTF-8 or a zero; 0 when there is none.
int broken_line(std::string_view text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0) return line;
    if (byte == '\n') ++line;
    const std::size_t size = byte < 0x80   ? 1
                             : byte < 0xC2 ? 0
                             : byte < 0xE0 ? 2
                             : byte < 0xF0 ? 3
                             : byte < 0xF5 ? 4
                                           : 0;
    if (size == 0 || i + size > text.size()) return line;
    for (std::size_t k = 1; k < size; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return line;
    }
    const unsigned second = size > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((byte == 0xE0 && second < 0xA0) || (byte == 0xED && second > 0x9F) ||
        (byte == 0xF0 && second < 0x90) || (byte == 0xF4 && second > 0x8F)) {
      return line;  // overlong, a surrogate, or beyond Unicode
    }
    i += size;
  }
  return 0;
}

/// Builds the tree from the parser's events, so that an alias is seen as one and never unfolded.
class Builder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root) {
      throw Stop{{line_of(mark), "a second document starts here",
                  "keep one document in a policy; remove the line ---"}};
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    leaf(mark, Kind::kNull, is_key() ? "null" : "");  // null: drop is read as "null": drop
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    note(mark, "aliases (*name) are not read", "write the value out");
    leaf(mark, Kind::kBroken, "");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    note(mark, "anchors (&name) are not read", "remove it; put the text in quotes if it is text");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    if (value.size() > kScalarBytesMax) {
      note(mark, "this text has " + std::to_string(value.size()) + " bytes",
           "a text in a policy has at most " + std::to_string(kScalarBytesMax));
      return leaf(mark, Kind::kBroken, "");
    }
    if (broken_line(value) > 0) {  // the library turns "\\N" into half a character
      note(mark, "this text holds a zero byte or an escape that is no Unicode character",
           "remove it");
      return leaf(mark, Kind::kBroken, "");
    }
    leaf(mark, Kind::kScalar, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, Kind::kMap);
  }
  void OnMapEnd() override { close(); }

  std::optional<Node> root;
  std::vector<Mistake> mistakes;

 private:
  struct Frame {
    Node node;
    bool is_key = false;  ///< a list or map that stands where a key should
    bool wants_value = false;
    std::string key;
    int key_line = 0;
    bool key_is_good = true;
    std::unordered_set<std::string> seen;
  };

  void note(const YAML::Mark& mark, std::string message, std::string fix) {
    mistakes.push_back({line_of(mark), std::move(message), std::move(fix)});
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    // "?" stands for no tag and "!" for quotes.
    if (tag.empty() || tag == "?" || tag == "!") return;
    note(mark, "tags (!name) are not read", "remove it; the policy's keys say the type");
  }

  bool is_key() const {
    return !stack_.empty() && stack_.back().node.is(Kind::kMap) && !stack_.back().wants_value;
  }

  void count(const YAML::Mark& mark) {
    if (++nodes_ > kNodesMax) {
      throw Stop{{line_of(mark), "the policy has more than " + std::to_string(kNodesMax) + " parts",
                  "keep long lists of keys in a public table and name it with values_from"}};
    }
  }

  void leaf(const YAML::Mark& mark, Kind kind, const std::string& text) {
    count(mark);
    if (is_key()) return take_key(line_of(mark), text, kind != Kind::kBroken);
    Node node;
    node.kind = kind;
    node.line = line_of(mark);
    node.text = text;
    place(std::move(node));
  }

  void open(const YAML::Mark& mark, Kind kind) {
    count(mark);
    if (stack_.size() >= kDepthMax) {
      throw Stop{{line_of(mark),
                  "the policy is nested deeper than " + std::to_string(kDepthMax) + " levels",
                  "no key of a policy needs that; look for a bracket too many"}};
    }
    Frame frame;
    frame.is_key = is_key();
    frame.node.kind = kind;
    frame.node.line = line_of(mark);
    stack_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (!frame.is_key) return place(std::move(frame.node));
    mistakes.push_back({frame.node.line, "a list or a map stands where a key should",
                        "a key is a name, such as columns"});
    take_key(frame.node.line, "", false);
  }

  void take_key(int line, const std::string& key, bool good) {
    Frame& map = stack_.back();
    map.wants_value = true;
    map.key = key;
    map.key_line = line;
    map.key_is_good = good;
    if (good && !map.seen.insert(key).second) {
      mistakes.push_back({line, in_quotes(key) + " stands here twice", "keep one of the two"});
      map.key_is_good = false;
    }
  }

  void place(Node node) {
    if (stack_.empty()) {
      root = std::move(node);
      return;
    }
    Frame& parent = stack_.back();
    if (parent.node.is(Kind::kMap)) {
      parent.wants_value = false;
      if (!parent.key_is_good) return;
      node.key = parent.key;
      node.key_line = parent.key_line;
    }
    parent.node.children.push_back(std::move(node));
  }

  std::vector<Frame> stack_;
  std::size_t nodes_ = 0;
};

/// Whether the line has a ? that stands for itself, which YAML takes for its sign of a key.
bool has_open_mark(std::string_view text, int line) {
  for (int at = 1; at < line && !text.empty(); ++at) {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  constexpr std::string_view kAround = " ,[]{}\t\r";
  for (std::size_t i = text.find('?'); i != std::string_view::npos; i = text.find('?', i + 1)) {
    const bool starts = i == 0 || kAround.find(text[i - 1]) != std::string_view::npos;
    const bool ends = i + 1 == text.size() || kAround.find(text[i + 1]) != std::string_view::npos;
    if (starts && ends) return true;
  }
  return false;
}

Mistake no_yaml(std::string_view text, const YAML::Exception& error) {
  const int line = line_of(error.mark);
  if (has_open_mark(text, line)) {
    return {line, "a ? is left here",
            "declare the value in its place (a lone ? needs quotes: \"?\")"};
  }
  // The message can quote the file, line ends and all.
  std::string reason = error.msg;
  std::erase_if(reason, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return {line, "this is no YAML: " + reason,
          "look at the indentation, the brackets and the quotes here and above"};
}

}  // namespace

const Node* Node::find(std::string_view name) const {
  for (const Node& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

Document read_document(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.size() > kFileBytesMax) {
    return {{},
            {{0, "the policy has more than 4 MB",
              "keep long lists of keys in a public table and name it with values_from"}}};
  }
  if (const int line = broken_line(text); line > 0) {
    return {{}, {{line, "this is not UTF-8 text", "save the policy as UTF-8"}}};
  }
  Builder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    builder.mistakes.push_back(stop.mistake);
    return {{}, std::move(builder.mistakes)};
  } catch (const YAML::Exception& error) {
    builder.mistakes.push_back(no_yaml(text, error));
    return {{}, std::move(builder.mistakes)};
  }
  if (!builder.root || builder.root->is(Kind::kNull)) {
    builder.mistakes.push_back({0, "the policy is empty", "discreet policy init FILE drafts one"});
    return {{}, std::move(builder.mistakes)};
  }
  return {std::move(builder.root), std::move(builder.mistakes)};
}

}  // namespace discreet::policy
