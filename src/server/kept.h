// SPDX-License-Identifier: Apache-2.0
// Answers that analysts were given before, ready to be sent: a look-up in place of parsing,
// checking and asking the ledger. Made of bytes that were sent already, so nothing new is said.
//
// K1  What is found under a key was given before to the analyst whose name is in the key, as a
//     repeat: stored, paid for by that analyst, its deadline over. What was paid and answered stays
//     so for ever (ledger.h, L4 and L5), so the ledger would say the same again.
// K2  One of these belongs to one reading of the policy, and goes with it.
// K3  What is kept is bounded in bytes; what was used longest ago goes first.
//
// When something is kept depends on what was asked and given before, never on data.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace discreet::server {

template <class Value>
class Kept {
 public:
  explicit Kept(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Null: it is not here.
  std::shared_ptr<const Value> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return order_.front().value;
  }
  /// `bytes`: about how many `value` takes. What is there already stays.
  void keep(const std::string& key, std::shared_ptr<const Value> value, std::size_t bytes) {
    bytes += 2 * key.size();
    const std::lock_guard lock(mutex_);
    if (bytes > bytes_max_ || places_.contains(key)) return;
    order_.push_front({key, std::move(value), bytes});
    places_[key] = order_.begin();
    bytes_ += bytes;
    while (bytes_ > bytes_max_) {
      bytes_ -= order_.back().bytes;
      places_.erase(order_.back().key);
      order_.pop_back();
    }
  }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Value> value;
    std::size_t bytes = 0;
  };
  const std::size_t bytes_max_;
  std::mutex mutex_;  // guards the rest
  std::size_t bytes_ = 0;
  std::list<Entry> order_;
  std::map<std::string, typename std::list<Entry>::iterator> places_;
};

}  // namespace discreet::server
