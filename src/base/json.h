// SPDX-License-Identifier: Apache-2.0
// A JSON value, read from text and written as text. Looking into one is total: what is absent, or
// of another kind, is null. The members of an object stand in the order in which they were added;
// sort_keys() puts them in the order of their names.
//
//   Json json = {{"name", "visits"}, {"rows", 3}, {"columns", Json::array({"age", "cost"})}};
//   json["public"] = false;
//   json.dump()               {"name":"visits","rows":3,"columns":["age","cost"],"public":false}
//   json["columns"][1].text() "cost"
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace discreet {

struct JsonMember;

/// How a value is written.
struct JsonLayout {
  int indent = -1;       ///< spaces for each level; below 0: all on one line
  bool ascii = false;    ///< other characters as \u escapes
  bool replace = false;  ///< what is not UTF-8 becomes U+FFFD
};

class Json {
 public:
  using Items = std::vector<Json>;
  using Members = std::vector<JsonMember>;

  Json() : Json(nullptr) {}
  Json(std::nullptr_t) : kind_(Kind::kNull) { value_.natural = 0; }
  template <class T>
    requires std::is_arithmetic_v<T>
  Json(T value);
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  Json(std::string text);
  /// An array.
  template <class T>
  Json(const std::vector<T>& list);
  /// An object. A name that is given again replaces the value, and not the place.
  Json(std::initializer_list<JsonMember> members);
  static Json array(std::initializer_list<Json> items = {});
  static Json object();

  Json(const Json& other);
  Json(Json&& other) noexcept : kind_(other.kind_), value_(other.value_) {
    other.kind_ = Kind::kNull;
  }
  Json& operator=(Json other) noexcept;
  ~Json();

  /// Levels that a text may have: copies, comparisons and dump() recurse.
  static constexpr std::size_t kDepthMax = 1000;

  /// None if it is malformed, not UTF-8, too deep, or holds a number above the largest double.
  /// Whole numbers beyond 64 bits become doubles. Of members with one name the last counts, at the
  /// first's place.
  static std::optional<Json> parse(std::string_view text, std::size_t depth_max = kDepthMax);

  /// Numbers that are not finite are written as null.
  /// Throws a std::exception for text that is not UTF-8, unless it is to be replaced.
  std::string dump(const JsonLayout& layout = {}) const;

  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_boolean() const { return kind_ == Kind::kBoolean; }
  bool is_integer() const { return kind_ == Kind::kInteger || kind_ == Kind::kNatural; }
  bool is_number() const { return is_integer() || kind_ == Kind::kReal; }
  bool is_string() const { return kind_ == Kind::kText; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }

  /// False, and `out` as it was, unless the value is of this kind and fits.
  bool read(bool& out) const;
  bool read(std::int64_t& out) const;
  bool read(std::uint64_t& out) const;
  bool read(double& out) const;  ///< of whole numbers the nearest
  bool read(std::string& out) const;
  template <class T>
  bool read(std::vector<T>& out) const;

  bool flag(bool otherwise = false) const;
  std::string text(std::string_view otherwise = {}) const;
  double number() const;  ///< NaN if it is none

  /// Of arrays and objects: what is in them. 0 for all others.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// Of an array; empty for all others.
  const Items& items() const;
  /// Of an object; empty for all others.
  const Members& members() const;
  /// Requires: an array.
  Items& items();
  /// Requires: an object.
  Members& members();

  /// Null pointers when there is none.
  const Json* find(std::string_view name) const;
  Json* find(std::string_view name);
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const Json& operator[](std::string_view name) const&;
  const Json& operator[](std::size_t index) const&;
  const Json& operator[](std::size_t index) & { return std::as_const(*this)[index]; }
  const Json& back() const;

  /// Adds null under a name that is not there; null itself becomes an object.
  /// Requires: an object, or null.
  Json& operator[](std::string_view name) &;
  /// Null becomes an array. Requires: an array, or null.
  void push_back(Json item);
  /// Requires: an array that is not empty.
  Json& back();
  /// Whether it was there.
  bool erase(std::string_view name);

  /// Members in the byte order of their names, here and inside.
  void sort_keys();

  /// Numbers are equal by value, objects whatever their order.
  friend bool operator==(const Json& a, const Json& b) { return equal(a, b); }
  friend std::ostream& operator<<(std::ostream& out, const Json& json);

 private:
  enum class Kind : std::uint8_t {
    kNull,
    kBoolean,
    kInteger,
    kNatural,
    kReal,
    kText,
    kArray,
    kObject
  };
  union Value {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double real;
    std::string* text;
    Items* items;
    Members* members;
  };
  friend class JsonWriter;

  static bool equal(const Json& a, const Json& b);
  static bool equal_numbers(const Json& a, const Json& b);
  /// Moves out of `json` all that has something inside.
  static void take_structures(Json& json, Items& open);

  Kind kind_;
  Value value_;  // what it points to is owned
};

struct JsonMember {
  std::string name;
  Json value;
};

/// On one line. It does not fail: bytes that are not UTF-8 are replaced.
std::string json_text(const Json& json);
/// With ASCII characters alone: a line of a log.
std::string json_line(const Json& json);

/// What a text holds, in its order, for those who need numbers as they are written, or lines.
/// False ends the reading.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual bool null() = 0;
  virtual bool boolean(bool value) = 0;
  virtual bool integer(std::int64_t value) = 0;  ///< below 0
  virtual bool natural(std::uint64_t value) = 0;
  virtual bool real(double value, const std::string& written) = 0;
  virtual bool string(std::string& text) = 0;
  virtual bool key(std::string& name) = 0;
  virtual bool begin_array() = 0;
  virtual bool end_array() = 0;
  virtual bool begin_object() = 0;
  virtual bool end_object() = 0;
  /// The text is no JSON; the token before which it ended, or which does not belong there.
  virtual void malformed(bool ended, const std::string& token) = 0;

  std::size_t line = 1;  ///< that has been read so far
};

/// Whether all of it was read.
bool read_json(std::string_view text, JsonEvents& events);

template <class T>
  requires std::is_arithmetic_v<T>
Json::Json(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    kind_ = Kind::kBoolean;
    value_.boolean = value;
  } else if constexpr (std::is_floating_point_v<T>) {
    kind_ = Kind::kReal;
    value_.real = static_cast<double>(value);
  } else if constexpr (std::is_signed_v<T>) {
    kind_ = Kind::kInteger;
    value_.integer = value;
  } else {
    kind_ = Kind::kNatural;
    value_.natural = value;
  }
}

template <class T>
Json::Json(const std::vector<T>& list) : Json(array()) {
  items().reserve(list.size());
  for (const T& each : list) items().emplace_back(each);
}

template <class T>
bool Json::read(std::vector<T>& out) const {
  if (!is_array()) return false;
  std::vector<T> list;
  for (const Json& item : items()) {
    T value{};
    if (!item.read(value)) return false;
    list.push_back(std::move(value));
  }
  out = std::move(list);
  return true;
}

}  // namespace discreet
