// SPDX-License-Identifier: Apache-2.0
// An engine whose questions end: what takes longer than a public constant is stopped, whatever the
// data. For servers, where others wait.
#pragma once

#include <chrono>
#include <memory>

#include "engine/engine.h"

namespace discreet::server {

/// The same engine, which must outlive it, one run at a time. A run() or rows() that takes longer than `most`, counted
/// from when it was its turn, fails with kInterrupted, and OwnerLog::out_of_time is called: its
/// charge is not tried again at the old price. Fails with: kStorage, when there is no thread for it.
Result<std::unique_ptr<engine::Engine>> with_time_limit(engine::Engine& engine,
                                                        std::chrono::milliseconds most);

}  // namespace discreet::server
