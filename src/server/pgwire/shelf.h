// SPDX-License-Identifier: Apache-2.0
// What a connection keeps from one message to the next, counted against a limit: each thing that is
// kept holds a place, which is free again when the thing is gone, whoever had it last.
#pragma once

#include <cstddef>
#include <utility>

namespace discreet::server::pgwire {

class Shelf {
 public:
  explicit Shelf(std::size_t bytes_max) : left_(bytes_max) {}
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  /// Must not outlive the shelf.
  class Place {
   public:
    explicit Place(Shelf& shelf) : shelf_(&shelf) {}
    Place(Place&& other) noexcept : shelf_(other.shelf_), bytes_(std::exchange(other.bytes_, 0)) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(shelf_, other.shelf_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Place() { shelf_->left_ += bytes_; }

    /// Room for so much more. False: there is none, and nothing changed.
    bool take(std::size_t bytes) {
      if (bytes > shelf_->left_) return false;
      shelf_->left_ -= bytes;
      bytes_ += bytes;
      return true;
    }
    void give_back(std::size_t bytes) {
      shelf_->left_ += bytes;
      bytes_ -= bytes;
    }

   private:
    Shelf* shelf_;
    std::size_t bytes_ = 0;
  };
  Place place() { return Place(*this); }

 private:
  std::size_t left_;
};

}  // namespace discreet::server::pgwire
