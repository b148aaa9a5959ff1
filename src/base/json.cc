// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <utility>

#include "base/check.h"

namespace discreet {
namespace {

const Json& null() {
  static const Json kNull;
  return kNull;
}

/// Of members with one name the last value stays, at the place of the first.
void drop_repeated(Json::Members& members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return members[a].name < members[b].name; });
  std::vector<bool> drop(members.size());
  std::size_t first = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (members[order[i]].name != members[order[first]].name) {
      first = i;
      continue;
    }
    members[order[first]].value = std::move(members[order[i]].value);
    drop[order[i]] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (drop[i]) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
}

bool has_repeated(const Json::Members& members) {
  constexpr std::size_t kFew = 8;
  if (members.size() > kFew) return true;  // perhaps
  for (std::size_t i = 1; i < members.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (members[i].name == members[j].name) return true;
    }
  }
  return false;
}

/// Builds the value that events describe.
class Builder : public JsonEvents {
 public:
  explicit Builder(std::size_t depth_max) : depth_max_(depth_max) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool integer(std::int64_t value) override { return add(value); }
  bool natural(std::uint64_t value) override { return add(value); }
  bool real(double value, const std::string&) override { return add(value); }
  bool string(std::string& text) override { return add(std::move(text)); }
  bool key(std::string& name) override {
    open_.back().members().push_back({std::move(name), nullptr});
    return true;
  }
  bool begin_array() override { return begin(Json::array()); }
  bool begin_object() override { return begin(Json::object()); }
  bool end_array() override { return end(); }
  bool end_object() override {
    Json::Members& members = open_.back().members();
    if (has_repeated(members)) drop_repeated(members);
    return end();
  }
  void malformed(bool, const std::string&) override {}

  Json take() && { return std::move(whole_); }

 private:
  bool begin(Json structure) {
    if (open_.size() >= depth_max_) return false;
    open_.push_back(std::move(structure));
    return true;
  }
  bool end() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (open_.empty()) {
      whole_ = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
    } else {
      open_.back().members().back().value = std::move(value);
    }
    return true;
  }

  std::size_t depth_max_;
  std::vector<Json> open_;
  Json whole_;
};

/// The library's events as ours.
class Events {
 public:
  Events(JsonEvents& to, std::size_t size) : to_(to), size_(size) {}

  bool null() { return to_.null(); }
  bool boolean(bool value) { return to_.boolean(value); }
  bool number_integer(std::int64_t value) { return to_.integer(value); }
  bool number_unsigned(std::uint64_t value) { return to_.natural(value); }
  bool number_float(double value, const std::string& written) { return to_.real(value, written); }
  bool string(std::string& text) { return to_.string(text); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // not in texts
  bool key(std::string& name) { return to_.key(name); }
  bool start_array(std::size_t) { return to_.begin_array(); }
  bool end_array() { return to_.end_array(); }
  bool start_object(std::size_t) { return to_.begin_object(); }
  bool end_object() { return to_.end_object(); }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception&) {
    to_.malformed(position >= size_, token);
    return false;
  }

 private:
  JsonEvents& to_;
  std::size_t size_;  // of the whole text
};

/// Counts the lines that the parser has read; it reads one byte ahead at most.
class LineCounter {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that std::iterator_traits looks for
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  LineCounter(const char* at, std::size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

/// Of members with the given name, or null.
template <class Members>
auto* member_named(Members& members, std::string_view name) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const JsonMember& member) { return member.name == name; });
  return found == members.end() ? nullptr : &found->value;
}

}  // namespace

/// Brackets, commas and blanks are ours; texts and doubles are written by the library.
class JsonWriter {
 public:
  explicit JsonWriter(const JsonLayout& layout) : layout_(layout) {}

  void write(const Json& json, std::size_t blanks = 0) {
    switch (json.kind_) {
      case Json::Kind::kNull:
        out_ += "null";
        return;
      case Json::Kind::kBoolean:
        out_ += json.value_.boolean ? "true" : "false";
        return;
      case Json::Kind::kInteger:
        return whole(json.value_.integer);
      case Json::Kind::kNatural:
        return whole(json.value_.natural);
      case Json::Kind::kReal:
        out_ += nlohmann::json(json.value_.real).dump();
        return;
      case Json::Kind::kText:
        return text(*json.value_.text);
      case Json::Kind::kArray:
        return list('[', ']', *json.value_.items, blanks,
                    [this](const Json& item, std::size_t inner) { write(item, inner); });
      case Json::Kind::kObject:
        return list('{', '}', *json.value_.members, blanks,
                    [this](const JsonMember& member, std::size_t inner) {
                      text(member.name);
                      out_ += layout_.indent < 0 ? ":" : ": ";
                      write(member.value, inner);
                    });
    }
  }

  std::string take() && { return std::move(out_); }

 private:
  template <class Number>
  void whole(Number number) {
    char digits[24];
    const auto written = std::to_chars(std::begin(digits), std::end(digits), number);
    out_.append(digits, written.ptr);
  }

  void text(const std::string& text) {
    if (is_plain(text)) {
      out_ += '"';
      out_ += text;
      out_ += '"';
      return;
    }
    const auto wrong = layout_.replace ? nlohmann::json::error_handler_t::replace
                                       : nlohmann::json::error_handler_t::strict;
    out_ += nlohmann::json(text).dump(-1, ' ', layout_.ascii, wrong);
  }

  template <class List, class Write>
  void list(char begin, char end, const List& list, std::size_t blanks, const Write& write_one) {
    const std::size_t inner =
        layout_.indent < 0 ? 0 : blanks + static_cast<std::size_t>(layout_.indent);
    out_ += begin;
    bool is_first = true;
    for (const auto& each : list) {
      if (!is_first) out_ += ',';
      is_first = false;
      new_line(inner);
      write_one(each, inner);
    }
    if (!list.empty()) new_line(blanks);
    out_ += end;
  }

  void new_line(std::size_t blanks) {
    if (layout_.indent < 0) return;
    out_ += '\n';
    out_.append(blanks, ' ');
  }

  const JsonLayout& layout_;
  std::string out_;
};

Json::Json(std::string_view text) : Json(std::string(text)) {}

Json::Json(std::string text) : kind_(Kind::kText) {
  value_.text = new std::string(std::move(text));
}

Json::Json(std::initializer_list<JsonMember> members) : Json(object()) {
  value_.members->reserve(members.size());
  for (const JsonMember& member : members) (*this)[member.name] = member.value;
}

Json Json::array(std::initializer_list<Json> items) {
  Json json;
  json.value_.items = new Items(items);
  json.kind_ = Kind::kArray;
  return json;
}

Json Json::object() {
  Json json;
  json.value_.members = new Members();
  json.kind_ = Kind::kObject;
  return json;
}

Json::Json(const Json& other) : kind_(other.kind_), value_(other.value_) {
  if (kind_ == Kind::kText) value_.text = new std::string(*other.value_.text);
  if (kind_ == Kind::kArray) value_.items = new Items(*other.value_.items);
  if (kind_ == Kind::kObject) value_.members = new Members(*other.value_.members);
}

Json& Json::operator=(Json other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(value_, other.value_);
  return *this;
}

void Json::take_structures(Json& json, Items& open) {
  const auto take = [&open](Json& inside) {
    if (!inside.empty()) open.push_back(std::move(inside));
  };
  if (json.kind_ == Kind::kArray) {
    for (Json& item : *json.value_.items) take(item);
  } else if (json.kind_ == Kind::kObject) {
    for (JsonMember& member : *json.value_.members) take(member.value);
  }
}

// Not by recursion: a text that is read with a larger depth_max may be deeper than the stack.
Json::~Json() {
  Items open;
  take_structures(*this, open);
  while (!open.empty()) {
    Json last = std::move(open.back());
    open.pop_back();
    take_structures(last, open);
  }
  if (kind_ == Kind::kText) delete value_.text;
  if (kind_ == Kind::kArray) delete value_.items;
  if (kind_ == Kind::kObject) delete value_.members;
}

std::optional<Json> Json::parse(std::string_view text, std::size_t depth_max) {
  Builder builder(depth_max);
  Events events(builder, text.size());
  const char* const end = text.data() + text.size();
  if (!nlohmann::json::sax_parse(text.data(), end, &events)) return std::nullopt;
  return std::move(builder).take();
}

std::string Json::dump(const JsonLayout& layout) const {
  JsonWriter writer(layout);
  writer.write(*this);
  return std::move(writer).take();
}

bool Json::read(bool& out) const {
  if (kind_ != Kind::kBoolean) return false;
  out = value_.boolean;
  return true;
}

bool Json::read(std::int64_t& out) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!is_integer() || (kind_ == Kind::kNatural && value_.natural > kMost)) return false;
  out = kind_ == Kind::kInteger ? value_.integer : static_cast<std::int64_t>(value_.natural);
  return true;
}

bool Json::read(std::uint64_t& out) const {
  if (!is_integer() || (kind_ == Kind::kInteger && value_.integer < 0)) return false;
  out = kind_ == Kind::kNatural ? value_.natural : static_cast<std::uint64_t>(value_.integer);
  return true;
}

bool Json::read(double& out) const {
  if (!is_number()) return false;
  out = number();
  return true;
}

bool Json::read(std::string& out) const {
  if (kind_ != Kind::kText) return false;
  out = *value_.text;
  return true;
}

bool Json::flag(bool otherwise) const {
  return kind_ == Kind::kBoolean ? value_.boolean : otherwise;
}

std::string Json::text(std::string_view otherwise) const {
  return kind_ == Kind::kText ? *value_.text : std::string(otherwise);
}

double Json::number() const {
  if (kind_ == Kind::kReal) return value_.real;
  if (kind_ == Kind::kInteger) return static_cast<double>(value_.integer);
  if (kind_ == Kind::kNatural) return static_cast<double>(value_.natural);
  return std::numeric_limits<double>::quiet_NaN();
}

std::size_t Json::size() const {
  if (kind_ == Kind::kArray) return value_.items->size();
  return kind_ == Kind::kObject ? value_.members->size() : 0;
}

const Json::Items& Json::items() const {
  static const Items kNone;
  return is_array() ? *value_.items : kNone;
}

const Json::Members& Json::members() const {
  static const Members kNone;
  return is_object() ? *value_.members : kNone;
}

Json::Items& Json::items() {
  DISCREET_CHECK(is_array());
  return *value_.items;
}

Json::Members& Json::members() {
  DISCREET_CHECK(is_object());
  return *value_.members;
}

const Json* Json::find(std::string_view name) const { return member_named(members(), name); }

Json* Json::find(std::string_view name) {
  return is_object() ? member_named(*value_.members, name) : nullptr;
}

const Json& Json::operator[](std::string_view name) const& {
  const Json* const found = find(name);
  return found == nullptr ? null() : *found;
}

const Json& Json::operator[](std::size_t index) const& {
  return index < items().size() ? items()[index] : null();
}

const Json& Json::back() const { return items().empty() ? null() : items().back(); }

Json& Json::operator[](std::string_view name) & {
  if (is_null()) *this = object();
  if (Json* const found = member_named(members(), name)) return *found;
  members().push_back({std::string(name), nullptr});
  return members().back().value;
}

void Json::push_back(Json item) {
  if (is_null()) *this = array();
  items().push_back(std::move(item));
}

Json& Json::back() {
  DISCREET_CHECK(!items().empty());
  return items().back();
}

bool Json::erase(std::string_view name) {
  if (!is_object()) return false;
  return std::erase_if(*value_.members,
                       [&](const JsonMember& member) { return member.name == name; }) > 0;
}

// Not by recursion, as above.
void Json::sort_keys() {
  std::vector<Json*> open = {this};
  while (!open.empty()) {
    Json& json = *open.back();
    open.pop_back();
    if (json.is_array()) {
      for (Json& item : json.items()) {
        if (!item.empty()) open.push_back(&item);
      }
    } else if (json.is_object()) {
      std::sort(json.members().begin(), json.members().end(),
                [](const JsonMember& a, const JsonMember& b) { return a.name < b.name; });
      for (JsonMember& member : json.members()) {
        if (!member.value.empty()) open.push_back(&member.value);
      }
    }
  }
}

bool Json::equal_numbers(const Json& a, const Json& b) {
  if (a.kind_ == Kind::kReal || b.kind_ == Kind::kReal) return a.number() == b.number();
  std::int64_t low = 0;
  std::int64_t other_low = 0;
  if (a.read(low) && b.read(other_low)) return low == other_low;
  std::uint64_t high = 0;
  std::uint64_t other_high = 0;
  return a.read(high) && b.read(other_high) && high == other_high;
}

bool Json::equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return equal_numbers(a, b);
  if (a.kind_ != b.kind_ || a.size() != b.size()) return false;
  switch (a.kind_) {
    case Kind::kBoolean:
      return a.value_.boolean == b.value_.boolean;
    case Kind::kText:
      return *a.value_.text == *b.value_.text;
    case Kind::kArray:
      return *a.value_.items == *b.value_.items;
    case Kind::kObject:
      return std::all_of(a.members().begin(), a.members().end(), [&](const JsonMember& member) {
        const Json* const other = b.find(member.name);
        return other != nullptr && *other == member.value;
      });
    default:
      return true;  // null
  }
}

std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json_text(json); }

std::string json_text(const Json& json) { return json.dump({.replace = true}); }

std::string json_line(const Json& json) { return json.dump({.ascii = true, .replace = true}); }

bool read_json(std::string_view text, JsonEvents& events) {
  Events forward(events, text.size());
  const char* const end = text.data() + text.size();
  events.line = 1;
  return nlohmann::json::sax_parse(LineCounter(text.data(), &events.line),
                                   LineCounter(end, &events.line), &forward);
}

}  // namespace discreet
