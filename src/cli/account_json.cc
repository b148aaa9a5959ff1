// SPDX-License-Identifier: Apache-2.0
// A list of flat objects in JSON, by events: a tree would turn 0.1 into the nearest double, and
// forget the lines.
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/account_file.h"

namespace discreet::cli {
namespace {

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

/// Takes events; false stops the parser, with the reason in error().
class Reader {
 public:
  Reader(const std::size_t& line, std::size_t size) : line_(line), size_(size) {}

  bool null() { return refuse("is null; a number or a name must stand here"); }
  bool boolean(bool) { return refuse("is true or false; a number or a name must stand here"); }
  bool number_integer(std::int64_t value) { return scalar(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return scalar(std::to_string(value)); }
  bool number_float(double, const std::string& text) { return scalar(text); }
  bool string(std::string& text) { return scalar(text); }
  bool binary(nlohmann::json::binary_t&) { return refuse("is no text"); }

  bool start_array(std::size_t) {
    if (depth_ == 0) return ++depth_ > 0;
    return refuse("is a list; a number or a name must stand here");
  }
  bool end_array() { return true; }
  bool start_object(std::size_t) {
    if (depth_ == 0) return stop("the file must be a list: [{\"mechanism\": ...}, ...]");
    if (depth_ > 1) return refuse("is an object; a number or a name must stand here");
    ++depth_;
    entries_.push_back({line_, {}});
    return true;
  }
  bool end_object() { return --depth_ > 0; }
  bool key(std::string& name) {
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception&) {
    return stop(position >= size_ ? "the JSON ends too early"
                                  : "this is no JSON, at or after " + in_quotes(token));
  }

  const std::string& error() const { return error_; }
  std::vector<UseEntry> take() && { return std::move(entries_); }

 private:
  bool scalar(std::string text) {
    if (depth_ < 2) return stop("the file must be a list of objects: [{\"mechanism\": ...}, ...]");
    entries_.back().fields.push_back({key_, std::move(text), line_});
    return true;
  }
  bool refuse(const std::string& what) {
    if (depth_ < 2) return stop("the file must be a list of objects: [{\"mechanism\": ...}, ...]");
    return stop("the field " + in_quotes(key_) + " " + what);
  }
  bool stop(const std::string& message) {
    if (error_.empty()) error_ = "line " + std::to_string(line_) + ": " + message;
    return false;
  }

  const std::size_t& line_;
  std::size_t size_;  // of the whole text
  int depth_ = 0;     // 1 in the list, 2 in an object of it
  std::string key_;
  std::vector<UseEntry> entries_;
  std::string error_;
};

}  // namespace

Result<std::vector<UseEntry>> read_json_entries(std::string_view text) {
  std::size_t line = 1;
  Reader reader(line, text.size());
  const char* const end = text.data() + text.size();
  const bool good =
      nlohmann::json::sax_parse(LineCounter(text.data(), &line), LineCounter(end, &line), &reader);
  if (!good) return invalid_input(reader.error());
  return std::move(reader).take();
}

}  // namespace discreet::cli
