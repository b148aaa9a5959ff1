// SPDX-License-Identifier: Apache-2.0
// Threads that may not be had: a limit of processes makes one connection or job fail, and never the
// server.
#pragma once

#include <functional>
#include <thread>

#include "base/result.h"

namespace discreet::server {

/// Runs a function in a thread of its own. Fails with: kStorage. Tests put one that fails here.
using StartThread = std::function<Result<std::thread>(std::function<void()>)>;

Result<std::thread> start_thread(std::function<void()> run);

}  // namespace discreet::server
