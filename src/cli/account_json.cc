// SPDX-License-Identifier: Apache-2.0
// A list of flat objects in JSON, by events: a tree would turn 0.1 into the nearest double, and
// forget the lines.
#include <utility>

#include "base/json.h"
#include "cli/account_file.h"

namespace discreet::cli {
namespace {

/// Takes events; false stops the parser, with the reason in error().
class Reader : public JsonEvents {
 public:
  bool null() override { return refuse("is null; a number or a name must stand here"); }
  bool boolean(bool) override {
    return refuse("is true or false; a number or a name must stand here");
  }
  bool integer(std::int64_t value) override { return scalar(std::to_string(value)); }
  bool natural(std::uint64_t value) override { return scalar(std::to_string(value)); }
  bool real(double, const std::string& written) override { return scalar(written); }
  bool string(std::string& text) override { return scalar(text); }

  bool begin_array() override {
    if (depth_ == 0) return ++depth_ > 0;
    return refuse("is a list; a number or a name must stand here");
  }
  bool end_array() override { return true; }
  bool begin_object() override {
    if (depth_ == 0) return stop("the file must be a list: [{\"mechanism\": ...}, ...]");
    if (depth_ > 1) return refuse("is an object; a number or a name must stand here");
    ++depth_;
    entries_.push_back({line, {}});
    return true;
  }
  bool end_object() override { return --depth_ > 0; }
  bool key(std::string& name) override {
    key_ = name;
    return true;
  }
  void malformed(bool ended, const std::string& token) override {
    stop(ended ? "the JSON ends too early" : "this is no JSON, at or after " + in_quotes(token));
  }

  const std::string& error() const { return error_; }
  std::vector<UseEntry> take() && { return std::move(entries_); }

 private:
  bool scalar(std::string text) {
    if (depth_ < 2) return stop("the file must be a list of objects: [{\"mechanism\": ...}, ...]");
    entries_.back().fields.push_back({key_, std::move(text), line});
    return true;
  }
  bool refuse(const std::string& what) {
    if (depth_ < 2) return stop("the file must be a list of objects: [{\"mechanism\": ...}, ...]");
    return stop("the field " + in_quotes(key_) + " " + what);
  }
  bool stop(const std::string& message) {
    if (error_.empty()) error_ = "line " + std::to_string(line) + ": " + message;
    return false;
  }

  int depth_ = 0;  // 1 in the list, 2 in an object of it
  std::string key_;
  std::vector<UseEntry> entries_;
  std::string error_;
};

}  // namespace

Result<std::vector<UseEntry>> read_json_entries(std::string_view text) {
  Reader reader;
  if (!read_json(text, reader)) return invalid_input(reader.error());
  return std::move(reader).take();
}

}  // namespace discreet::cli
