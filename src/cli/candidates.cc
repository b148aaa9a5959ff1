// SPDX-License-Identifier: Apache-2.0
#include "cli/candidates.h"

#include <charconv>
#include <optional>
#include <unordered_set>
#include <utility>

namespace discreet::cli {
namespace {

constexpr const char* kCandidateForm = "write name,score, such as apples,12";

Error at_candidate(std::size_t line, const std::string& what) {
  return invalid_input("line " + std::to_string(line) + " " + what);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// A candidate's score: most are whole, and stay machine words.
struct Score {
  std::int64_t whole = 0;
  std::optional<Rational> fraction;  // when it is not whole, or does not fit
};

struct CandidateLine {
  std::string_view name;
  Score score;
};

Result<CandidateLine> read_candidate(std::string_view line, std::size_t number) {
  const std::size_t comma = line.rfind(',');
  if (comma == std::string_view::npos) {
    return at_candidate(
        number, std::string(line.empty() ? "is empty; " : "has no comma; ") + kCandidateForm);
  }
  const std::string_view name = trimmed(line.substr(0, comma));
  const std::string_view text = trimmed(line.substr(comma + 1));
  if (name.empty()) return at_candidate(number, std::string("has no name; ") + kCandidateForm);
  Score score;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score.whole);
  if (error == std::errc() && end == text.data() + text.size()) return CandidateLine{name, score};
  Result<Rational> parsed = Rational::parse(text);
  if (!parsed) {
    return at_candidate(
        number, "has the score " + in_quotes(text) + ", which is no number; " + kCandidateForm);
  }
  score.fraction = std::move(parsed).value();
  return CandidateLine{name, std::move(score)};
}

bool fits_int64(const Integer& n) { return n.fits_slong_p(); }
static_assert(sizeof(long) == sizeof(std::int64_t));

Error too_wide(std::size_t line) {
  return at_candidate(line,
                      "has a score that does not fit 64 bits with the decimals of the others; "
                      "round the scores, or divide scores and sensitivity by the same number");
}

/// The score times the unit; none when that does not fit.
std::optional<std::int64_t> scaled(std::int64_t whole, const Integer& unit) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(whole, unit.get_si(), &out)) return std::nullopt;
  return out;
}

std::optional<std::int64_t> scaled(const Rational& fraction, const Integer& unit) {
  const Integer out = (fraction * Rational(unit)).numerator();
  return fits_int64(out) ? std::optional(std::int64_t{out.get_si()}) : std::nullopt;
}

}  // namespace

Result<Candidates> read_candidates(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(text);
  if (lines.empty()) return invalid_input(std::string("there is no input; ") + kCandidateForm);
  Candidates out;
  std::vector<std::pair<std::size_t, Rational>> fractions;
  std::unordered_set<std::string_view> seen(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    DISCREET_ASSIGN(CandidateLine line, read_candidate(lines[i], i + 1));
    if (!seen.insert(line.name).second) {
      return at_candidate(
          i + 1, "repeats the name " + in_quotes(line.name) + "; give each candidate once");
    }
    out.names.emplace_back(line.name);
    out.scores.push_back(line.score.whole);
    if (!line.score.fraction) continue;
    const Integer denominator = line.score.fraction->denominator();
    mpz_lcm(out.unit.get_mpz_t(), out.unit.get_mpz_t(), denominator.get_mpz_t());
    if (!fits_int64(out.unit)) return too_wide(i + 1);
    fractions.emplace_back(i, std::move(*line.score.fraction));
  }
  auto fraction = fractions.begin();
  for (std::size_t i = 0; i < out.scores.size(); ++i) {
    const bool is_fraction = fraction != fractions.end() && fraction->first == i;
    const auto score =
        is_fraction ? scaled((fraction++)->second, out.unit) : scaled(out.scores[i], out.unit);
    if (!score) return too_wide(i + 1);
    out.scores[i] = *score;
  }
  return out;
}

}  // namespace discreet::cli
