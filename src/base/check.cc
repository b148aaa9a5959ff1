// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/error.h"

namespace discreet {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "discreet: broken invariant: %s (%s:%d)\n", condition, file, line);
  std::_Exit(describe(Code::kBug).exit_status);
}

}  // namespace discreet
