// SPDX-License-Identifier: Apache-2.0
#include "engine/like.h"

#include <algorithm>
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

/// In how many bytes a character begins.
std::size_t beginnings(std::string_view bytes) {
  std::size_t count = 0;
  for (const char c : bytes) count += continues(c) ? 0 : 1;
  return count;
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
  for (std::size_t i = open_start_ ? 0 : 1; i < searched(); ++i) {
    if (runs_[i].pieces.size() > 1) runs_[i].machine = machine_of(runs_[i]);
  }
}

LikePattern::Machine LikePattern::machine_of(const Run& run) {
  Machine machine;
  const std::string& first = run.pieces.front().bytes;
  if (!first.empty()) machine.first = first.front();
  for (const Piece& piece : run.pieces) machine.states += piece.bytes.size() + piece.any;
  const std::size_t words = (machine.states + 63) / 64;
  machine.any.resize(words);
  machine.next.resize(256 * words);
  std::size_t state = 0;
  const auto leads_on = [&](int byte) {
    machine.next[static_cast<std::size_t>(byte) * words + state / 64] |= std::uint64_t{1}
                                                                         << state % 64;
  };
  for (const Piece& piece : run.pieces) {
    for (const char c : piece.bytes) {
      leads_on(static_cast<unsigned char>(c));
      ++state;
    }
    for (std::size_t i = 0; i < piece.any; ++i, ++state) {
      machine.any[state / 64] |= std::uint64_t{1} << state % 64;
      for (int byte = 0; byte < 256; ++byte) {
        if (!continues(static_cast<char>(byte))) leads_on(byte);
      }
    }
  }
  return machine;
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
                                                  std::size_t from, std::size_t& steps) {
  if (run.machine) return first_end(*run.machine, text, from, steps);
  const std::size_t at = find(text, from, run.pieces.front().bytes);
  if (at == std::string_view::npos) return std::nullopt;
  return end_at(run, text, at);
}

std::optional<std::size_t> LikePattern::first_end(const Machine& machine, std::string_view text,
                                                  std::size_t from, std::size_t& steps) {
  const std::size_t words = machine.words();
  const std::size_t last = machine.states - 1;
  std::vector<std::uint64_t> states(words);
  bool begun = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!begun) at = machine.first ? text.find(*machine.first, at) : at;
    if (at == std::string_view::npos) return std::nullopt;
    const std::uint64_t* next = &machine.next[static_cast<unsigned char>(text[at]) * words];
    const std::uint64_t stays = continues(text[at]) ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = 1;  // a run may begin here
    std::uint64_t all = 0;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t was = states[w];
      states[w] = ((was << 1 | carry) & next[w]) | (was & machine.any[w] & stays);
      carry = was >> 63;
      all |= states[w];
    }
    begun = all != 0;
    steps += words;
    if ((states[last / 64] >> last % 64 & 1) != 0) return next_character(text, at);
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

bool LikePattern::matches(std::string_view text, std::size_t& steps) const {
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
  for (; next < searched(); ++next) {
    const auto end = first_end(runs_[next], text, at, steps);
    if (!end) return false;
    at = *end;
  }
  return open_end_ || ends(runs_.back(), text, at);
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  if (count == 0) return {};
  constexpr std::size_t kBlock = 256;  // so that long texts are counted by the compiler's vectors
  std::size_t at = 1;                  // one character has begun
  std::size_t left = count - 1;        // others that may begin
  while (at < text.size()) {
    const std::size_t begun = beginnings(text.substr(at, kBlock));
    if (begun > left) break;
    left -= begun;
    at = std::min(at + kBlock, text.size());
  }
  for (; at < text.size(); ++at) {
    if (!continues(text[at]) && left-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace discreet::engine
