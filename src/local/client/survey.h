// SPDX-License-Identifier: Apache-2.0
// A survey: what is asked, how answers are randomized, and what answering costs. It travels to the
// clients as bytes; they check it and believe nothing in it.
//
//   "DLS1"  parameters  kind  name  low  high  labels       numbers as varints, texts with a length
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "local/client/parameters.h"

namespace discreet::local {

/// The last character of "DLS1".
inline constexpr int kSurveyFormat = 1;

/// What an answer is.
enum class Answers : std::uint8_t {
  kChoices = 0,  ///< one of the labels; without labels, a number 0..domain-1
  kNumbers = 1,  ///< a decimal number, clamped into [low, high]
  kStrings = 2,  ///< any text (bloom); over the alphabet in labels[0] (tree)
};

struct Survey {
  Parameters parameters;
  Answers answers = Answers::kChoices;
  std::string name;
  std::int64_t low = 0;  ///< numbers: in millionths
  std::int64_t high = 0;
  std::vector<std::string> labels;

  friend bool operator==(const Survey&, const Survey&) = default;
};

inline constexpr std::size_t kSurveyBytesMax = std::size_t{1} << 24;

std::string encode(const Survey& survey);
/// Checks everything, the privacy parameters first of all.
/// Fails with: kInvalidInput, naming the field; kUnsupported for another version; kRefused (check).
Result<Survey> parse_survey(std::string_view bytes);
Result<void> check(const Survey& survey);

/// Names the survey in reports and in a client's memory; not a signature.
std::uint64_t fingerprint(const Survey& survey);
/// The same for all rounds of a survey that asks again.
std::uint64_t series(Survey survey);

/// Well-mixed 64 bits of a text; the hash of Bloom filters, prefixes and fingerprints.
std::uint64_t hash_text(std::uint64_t seed, std::string_view text);

/// An answer in the survey's own terms, before anything random.
struct Answer {
  std::uint64_t index = 0;  ///< of a choice; of a level, rounded down
  std::uint64_t part = 0;   ///< numbers: what rounding down left, over `whole`
  std::uint64_t whole = 1;
  std::string text = {};  ///< strings
};

/// Fails with: kInvalidInput, saying what an answer looks like. (The message goes to the person
/// whose answer it is.)
Result<Answer> read_answer(const Survey& survey, std::string_view text);

/// A decimal number in millionths, rounded toward zero. Fails with: kInvalidInput.
Result<std::int64_t> parse_millionths(std::string_view text);

/// The first `length` characters of a text with `labels[0]` as alphabet, as a tree survey hashes
/// them; a text that is shorter ends in '\0'.
std::string tree_prefix(std::string_view text, std::uint64_t length);

}  // namespace discreet::local
