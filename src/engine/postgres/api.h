// SPDX-License-Identifier: Apache-2.0
// libpq with owners: what is made is cleared.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace discreet::engine::postgres {

template <auto kDestroy>
struct Destroy {
  template <class T>
  void operator()(T* handle) const {
    kDestroy(handle);
  }
};

using Connected = std::unique_ptr<PGconn, Destroy<PQfinish>>;
using Response = std::unique_ptr<PGresult, Destroy<PQclear>>;
using Canceller = std::unique_ptr<PGcancel, Destroy<PQfreeCancel>>;
using CopyMemory = std::unique_ptr<char, Destroy<PQfreemem>>;

}  // namespace discreet::engine::postgres
