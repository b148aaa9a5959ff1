// SPDX-License-Identifier: Apache-2.0
// A group's key as bytes: the same bytes for the same key on every engine, different bytes for
// different keys, whatever the texts in it contain.
//
//   key     = component*
//   NULL    = "n"
//   boolean = "b0" | "b1"
//   number  = "i" decimal ";"          in steps of its shape; dates and timestamps too
//   text    = "t" length ":" bytes
//
// Each component says where it ends, so a sequence of them can be read in one way only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/expression.h"

namespace discreet::engine {

/// Keys of text that are not listed are cut: groups that differ later on are one group. A rule for
/// all texts, so that a text of a megabyte is a key like any other.
inline constexpr std::size_t kKeyCharacters = 256;

/// The first 256 characters (of UTF-8; a stray byte counts as the rest of its character).
std::string_view cut_key_text(std::string_view text);

void append_null(std::string& key);
void append_boolean(std::string& key, bool value);
void append_number(std::string& key, std::int64_t steps);
void append_text(std::string& key, std::string_view text);

/// Requires: the values fit the shapes, and numbers are multiples of their steps.
std::string encode_key(const std::vector<policy::Value>& values,
                       const std::vector<plan::Shape>& shapes);

/// Requires: `key` was made for these shapes.
std::vector<policy::Value> decode_key(std::string_view key, const std::vector<plan::Shape>& shapes);

}  // namespace discreet::engine
