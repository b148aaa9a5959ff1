// SPDX-License-Identifier: Apache-2.0
// Sensitive<T>: a value computed from protected data, before noise. Anybody can seal a value; only
// the code listed in privacy/unseal.h can open one.
//
// It cannot be printed, compared, copied, hashed, iterated or formatted, and there is no map(f): a
// function could print or store what it sees. The payload is wiped when it dies.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "privacy/unseal.h"

namespace discreet {

/// Types that are wiped by overwriting their bytes. A pair of such is one, although the library
/// makes its assignment non-trivial.
template <class T>
inline constexpr bool kWipedByBytes = std::is_trivially_copyable_v<T>;
template <class A, class B>
inline constexpr bool kWipedByBytes<std::pair<A, B>> = kWipedByBytes<A> && kWipedByBytes<B>;

template <class T>
inline void wipe(T& value) {
  static_assert(kWipedByBytes<T>, "say how a payload of this type is wiped");
  explicit_bzero(&value, sizeof(value));
}

/// The whole capacity: a short text that was moved away leaves its letters in place.
inline void wipe(std::string& text) {
  text.resize(text.capacity());
  explicit_bzero(text.data(), text.size());
  text.clear();
}

template <class T>
inline void wipe(std::vector<T>& values) {
  if constexpr (kWipedByBytes<T>) {
    if (!values.empty()) explicit_bzero(values.data(), values.size() * sizeof(T));
  } else {
    for (T& value : values) wipe(value);
  }
}

template <class T>
class Sensitive {
 public:
  explicit Sensitive(T value) : value_(std::move(value)) {}
  Sensitive(Sensitive&& other) noexcept : value_(std::move(other.value_)) { wipe(other.value_); }
  Sensitive& operator=(Sensitive&& other) noexcept {
    if (this != &other) {
      wipe(value_);
      value_ = std::move(other.value_);
      wipe(other.value_);
    }
    return *this;
  }
  Sensitive(const Sensitive&) = delete;
  Sensitive& operator=(const Sensitive&) = delete;
  ~Sensitive() { wipe(value_); }

  const T& reveal(const Unseal&) const { return value_; }

 private:
  T value_;
};

}  // namespace discreet
