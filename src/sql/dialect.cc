// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

#include <algorithm>
#include <cctype>

#include "base/suggest.h"

namespace discreet::sql {
namespace {

const std::vector<std::string> kOptions = {"epsilon",
                                           "delta",
                                           "max_groups_contributed",
                                           "max_rows_contributed",
                                           "max_rows_per_join_key",
                                           "privacy_unit_column"};
const std::vector<std::string> kForeignOptions = {"group_selection_strategy",
                                                  "min_privacy_units_per_group"};

// A name as PostgreSQL folds it.
std::string folded(std::string_view spelled) {
  std::string out;
  if (!spelled.empty() && spelled.front() == '"') {
    for (std::size_t i = 1; i + 1 < spelled.size(); ++i) {
      out += spelled[i];
      if (spelled[i] == '"') ++i;  // a doubled quote is one
    }
    return out;
  }
  for (const char c : spelled) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 128 ? static_cast<char>(std::tolower(byte)) : c;
  }
  return out;
}

// Reads tokens one after the other.
class Reader {
 public:
  Reader(const Text& text, const std::vector<Token>& tokens, std::size_t next)
      : text_(text), tokens_(tokens), next_(next) {}

  std::size_t next() const { return next_; }
  Place place() const {
    return next_ < tokens_.size() ? tokens_[next_].start : text_.bytes().size();
  }
  bool take_symbol(char symbol) {
    if (next_ >= tokens_.size() || tokens_[next_].symbol != symbol) return false;
    ++next_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (next_ >= tokens_.size() || !is_word(text_, tokens_[next_], word)) return false;
    ++next_;
    return true;
  }
  std::optional<std::string> take(TokenKind kind) {
    if (next_ >= tokens_.size() || tokens_[next_].kind != kind) return std::nullopt;
    return std::string(spelling(text_, tokens_[next_++]));
  }
  Error expected(const std::string& what) const {
    return text_.error(Code::kInvalidInput, place(), "expected " + what + " here");
  }

  Result<Rational> number() {
    const Place at = place();
    const bool negative = take_symbol('-');
    const auto digits = take(TokenKind::kNumber);
    if (!digits) return expected("a number");
    auto value = Rational::parse(*digits);
    if (!value) return text_.error(Code::kInvalidInput, at, value.error().message);
    return negative ? -*value : *value;
  }

  // A name, or two with a point between them.
  Result<std::string> name() {
    const auto first = take(TokenKind::kName);
    if (!first) return expected("a name");
    if (!take_symbol('.')) return folded(*first);
    const auto second = take(TokenKind::kName);
    if (!second) return expected("a name");
    return folded(*first) + "." + folded(*second);
  }

 private:
  const Text& text_;
  const std::vector<Token>& tokens_;
  std::size_t next_;
};

class DialectReader {
 public:
  DialectReader(const Text& text, const std::vector<Token>& tokens)
      : text_(text),
        tokens_(tokens),
        out_{.sql = text.bytes(), .options = {}, .count_bounds = {}, .count_races = {}} {}

  Result<Dialect> run() && {
    DISCREET_TRY(check_quotes());
    DISCREET_TRY(read_head());
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      const bool star = is_word(text_, tokens_[i], "count") && tokens_[i + 1].symbol == '(' &&
                        tokens_[i + 2].symbol == '*' && tokens_[i + 3].symbol == ',';
      if (star) DISCREET_TRY(read_count(i));
    }
    return std::move(out_);
  }

 private:
  void blank(std::size_t first_token, std::size_t last_token) {
    for (std::size_t i = tokens_[first_token].start; i < tokens_[last_token].end; ++i) {
      if (out_.sql[i] != '\n') out_.sql[i] = ' ';
    }
  }

  // SELECT WITH DIFFERENTIAL_PRIVACY [OPTIONS ( name = value, ... )]
  Result<void> read_head() {
    std::size_t at = 0;
    int depth = 0;
    for (; at + 2 < tokens_.size(); ++at) {
      if (tokens_[at].symbol == '(') ++depth;
      if (tokens_[at].symbol == ')') --depth;
      if (is_head(at)) break;
    }
    if (!is_head(at)) return {};
    if (depth > 0) {
      return text_.error(Code::kUnsupported, tokens_[at].start,
                         "WITH DIFFERENTIAL_PRIVACY belongs to the outermost SELECT");
    }
    Reader reader(text_, tokens_, at + 3);
    if (reader.take_word("options")) {
      if (!reader.take_symbol('(')) return reader.expected("(");
      if (!reader.take_symbol(')')) {
        do {
          DISCREET_TRY(read_option(reader));
        } while (reader.take_symbol(','));
        if (!reader.take_symbol(')')) return reader.expected(", or )");
      }
    }
    blank(at + 1, reader.next() - 1);
    return {};
  }

  bool is_head(std::size_t at) const {
    return at + 2 < tokens_.size() && is_word(text_, tokens_[at], "select") &&
           is_word(text_, tokens_[at + 1], "with") &&
           is_word(text_, tokens_[at + 2], "differential_privacy");
  }

  // BigQuery's quotes around names.
  Result<void> check_quotes() const {
    for (const Token& token : tokens_) {
      const bool other = token.kind == TokenKind::kOther || token.kind == TokenKind::kSymbol;
      const std::string_view word = spelling(text_, token);
      const bool quoted = word.find_first_of("'\"$") != word.npos;
      if (!other || quoted || word.find('`') == word.npos) continue;
      return text_.error(Code::kUnsupported, token.start,
                         "names are not written in backticks here; leave them away, or write "
                         "double quotes: \"name\"");
    }
    return {};
  }

  Result<void> read_option(Reader& reader) {
    const Place at = reader.place();
    DISCREET_ASSIGN(const std::string name, reader.name());
    if (std::ranges::count(kForeignOptions, name) > 0) {
      return text_.error(Code::kUnsupported, at,
                         name +
                             " is not used here: the policy lists the groups that always "
                             "appear, and delta finds the others; leave it out");
    }
    if (std::ranges::count(kOptions, name) == 0) {
      return text_.error(Code::kInvalidInput, at,
                         "there is no option " + in_quotes(name) + did_you_mean(name, kOptions) +
                             "; there are " + one_of(kOptions));
    }
    if (out_.options.contains(name)) {
      return text_.error(Code::kInvalidInput, at, name + " is given twice");
    }
    if (!reader.take_symbol('=')) return reader.expected("=");
    const Place value_at = reader.place();
    std::string value;
    if (name == "privacy_unit_column") {
      DISCREET_ASSIGN(value, reader.name());
    } else {
      DISCREET_ASSIGN(const Rational number, reader.number());
      value = number.to_string();
    }
    out_.options[name] = {.value = value, .place = value_at};
    return {};
  }

  // COUNT(* , contribution_bounds_per_group => (low, high) ), or => auto
  Result<void> read_count(std::size_t count) {
    Reader reader(text_, tokens_, count + 4);
    const Place at = reader.place();
    if (!reader.take_word("contribution_bounds_per_group")) {
      return reader.expected("contribution_bounds_per_group => (0, rows)");
    }
    if (!reader.take(TokenKind::kArrow)) return reader.expected("=>");
    if (reader.take_word("auto")) {
      blank(count + 3, reader.next() - 1);
      out_.count_races.insert(tokens_[count].start);
      return {};
    }
    if (!reader.take_symbol('(')) return reader.expected("(");
    DISCREET_ASSIGN(const Rational low, reader.number());
    if (!reader.take_symbol(',')) return reader.expected(",");
    DISCREET_ASSIGN(const Rational high, reader.number());
    if (!reader.take_symbol(')')) return reader.expected(")");
    blank(count + 3, reader.next() - 1);
    out_.count_bounds[tokens_[count].start] = {.low = low, .high = high, .place = at};
    return {};
  }

  const Text& text_;
  const std::vector<Token>& tokens_;
  Dialect out_;
};

}  // namespace

Result<Dialect> read_dialect(const Text& text, const std::vector<Token>& tokens) {
  return DialectReader(text, tokens).run();
}

}  // namespace discreet::sql
