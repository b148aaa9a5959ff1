// SPDX-License-Identifier: Apache-2.0
#include "server/thread.h"

#include <system_error>
#include <utility>

namespace discreet::server {

Result<std::thread> start_thread(std::function<void()> run) {
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error&) {
    return Error{Code::kStorage,
                 "the system has no thread left; end other processes, or raise their limit"};
  }
}

}  // namespace discreet::server
