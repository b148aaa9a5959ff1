// SPDX-License-Identifier: Apache-2.0
// Result<T> is a T or an Error. Its interface is a subset of std::expected<T, Error>, so that it
// can become an alias.
//
//   Result<Rational> parse(std::string_view text);
//
//   Result<Scale> scale_of(std::string_view text) {
//     DISCREET_ASSIGN(Rational r, Rational::parse(text));   // returns the error to our caller
//     DISCREET_TRY(require_positive(r));
//     return Scale(r);
//   }
//
// Debug builds abort when a failed Result dies unread.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace discreet {

/// Remembers, in debug builds only, whether somebody looked.
class ReadMark {
 public:
#ifdef NDEBUG
  void mark() const {}
  static constexpr bool seen() { return true; }
#else
  ReadMark() = default;
  ReadMark(ReadMark&& other) noexcept : seen_(std::exchange(other.seen_, true)) {}
  ReadMark& operator=(ReadMark&& other) noexcept {
    seen_ = std::exchange(other.seen_, true);
    return *this;
  }
  ReadMark(const ReadMark&) = default;
  ReadMark& operator=(const ReadMark&) = default;
  void mark() const { seen_ = true; }
  bool seen() const { return seen_; }

 private:
  mutable bool seen_ = false;
#endif
};

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  Result(Result&&) = default;
  Result& operator=(Result&&) = default;
  Result(const Result&) = default;
  Result& operator=(const Result&) = default;
  ~Result() { DISCREET_CHECK(state_.index() == 0 || mark_.seen()); }

  bool has_value() const {
    mark_.mark();
    return state_.index() == 0;
  }
  explicit operator bool() const { return has_value(); }

  /// Requires: has_value().
  T& value() & { return checked<0>(state_); }
  const T& value() const& { return checked<0>(state_); }
  T&& value() && { return std::move(checked<0>(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Requires: !has_value().
  const Error& error() const& { return checked<1>(state_); }
  Error&& error() && { return std::move(checked<1>(state_)); }

 private:
  template <int kIndex, class State>
  auto& checked(State& state) const {
    mark_.mark();
    DISCREET_CHECK(state.index() == kIndex);
    return *std::get_if<kIndex>(&state);
  }

  std::variant<T, Error> state_;
  [[no_unique_address]] ReadMark mark_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  Result(Result&&) = default;
  Result& operator=(Result&&) = default;
  Result(const Result&) = default;
  Result& operator=(const Result&) = default;
  ~Result() { DISCREET_CHECK(!error_.has_value() || mark_.seen()); }

  bool has_value() const {
    mark_.mark();
    return !error_.has_value();
  }
  explicit operator bool() const { return has_value(); }
  void value() const { DISCREET_CHECK(has_value()); }

  /// Requires: !has_value().
  const Error& error() const {
    mark_.mark();
    DISCREET_CHECK(error_.has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
  [[no_unique_address]] ReadMark mark_;
};

}  // namespace discreet

#define DISCREET_CONCAT_(a, b) a##b
#define DISCREET_CONCAT(a, b) DISCREET_CONCAT_(a, b)

/// Evaluates a Result and hands its error, if it has one, to the caller.
#define DISCREET_TRY(expression)                                      \
  do {                                                                \
    auto discreet_result = (expression);                              \
    if (!discreet_result.has_value()) return discreet_result.error(); \
  } while (false)

/// `DISCREET_ASSIGN(auto x, expression);` declares x with the Result's value, or hands its error to
/// the caller.
#define DISCREET_ASSIGN(declaration, expression) \
  DISCREET_ASSIGN_(DISCREET_CONCAT(discreet_result_, __LINE__), declaration, expression)
#define DISCREET_ASSIGN_(result, declaration, expression)    \
  auto result = (expression);                                \
  if (!result.has_value()) return std::move(result).error(); \
  declaration = std::move(result).value()
