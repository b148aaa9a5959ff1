// SPDX-License-Identifier: Apache-2.0
#include "engine/like.h"

#include <cstring>

namespace discreet::engine {
namespace {

/// A byte within a character, after its first.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Where the next character begins. Requires: at < text.size().
std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

std::size_t find(std::string_view text, std::size_t from, std::string_view bytes) {
  const void* const found =
      memmem(text.data() + from, text.size() - from, bytes.data(), bytes.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

LikePattern::LikePattern(std::string_view pattern) {
  bool within = false;  // a run
  const auto run = [&]() -> Run& {
    if (!within) runs_.push_back({.pieces = {{}}, .characters = 0});
    within = true;
    return runs_.back();
  };
  open_start_ = pattern.starts_with('%');
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    open_end_ = pattern[i] == '%';
    if (open_end_) {
      within = false;
    } else if (pattern[i] == '_') {
      ++run().pieces.back().any;
      ++run().characters;
    } else {
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      if (run().pieces.back().any > 0) run().pieces.emplace_back();
      run().pieces.back().bytes += pattern[i];
      if (!continues(pattern[i])) ++run().characters;
    }
  }
}

/// Where the run ends that begins at `at`.
std::optional<std::size_t> LikePattern::end_at(const Run& run, std::string_view text,
                                               std::size_t at) {
  for (const Piece& piece : run.pieces) {
    if (!text.substr(at).starts_with(piece.bytes)) return std::nullopt;
    at += piece.bytes.size();
    for (std::size_t i = 0; i < piece.any; ++i) {
      if (at == text.size()) return std::nullopt;
      at = next_character(text, at);
    }
  }
  return at;
}

/// Where the first run ends that begins at `from` or later.
std::optional<std::size_t> LikePattern::first_end(const Run& run, std::string_view text,
                                                  std::size_t from) {
  const std::string& first = run.pieces.front().bytes;
  for (std::size_t at = from; at <= text.size(); at = next_character(text, at)) {
    if (!first.empty()) at = find(text, at, first);
    if (at == std::string_view::npos) return std::nullopt;
    if (const auto end = end_at(run, text, at)) return end;
    if (at == text.size()) break;
  }
  return std::nullopt;
}

/// Whether the text ends with the run, which begins at `from` or later.
bool LikePattern::ends(const Run& run, std::string_view text, std::size_t from) {
  std::size_t at = text.size();
  for (std::size_t i = 0; i < run.characters; ++i) {
    if (at <= from) return false;
    --at;
    while (at > from && continues(text[at])) --at;
  }
  return end_at(run, text, at) == text.size();
}

bool LikePattern::matches(std::string_view text) const {
  if (runs_.empty()) return open_start_ || text.empty();
  std::size_t at = 0;
  std::size_t next = 0;
  if (!open_start_) {
    const auto end = end_at(runs_.front(), text, 0);
    if (!end) return false;
    at = *end;
    next = 1;
    if (runs_.size() == 1 && !open_end_) return at == text.size();
  }
  const std::size_t stop = runs_.size() - (open_end_ ? 0 : 1);
  for (; next < stop; ++next) {
    const auto end = first_end(runs_[next], text, at);
    if (!end) return false;
    at = *end;
  }
  return open_end_ || ends(runs_.back(), text, at);
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count && at < text.size(); ++i) at = next_character(text, at);
  return text.substr(0, at);
}

}  // namespace discreet::engine
