// SPDX-License-Identifier: Apache-2.0
// The file that web/pack.mjs made, inside the program. The build names it; it is empty where the
// pages were not built.
#include <string_view>

#include "server/api/pages.h"

__asm__(
    ".section .rodata\n"
    ".global discreet_pages_begin\n"
    ".global discreet_pages_end\n"
    "discreet_pages_begin:\n"
    ".incbin \"" DISCREET_PAGES
    "\"\n"
    "discreet_pages_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char discreet_pages_begin[];
extern "C" const char discreet_pages_end[];

namespace discreet::server::api {

Result<Pages> Pages::built_in() {
  return unpack(
      {discreet_pages_begin, static_cast<std::size_t>(discreet_pages_end - discreet_pages_begin)});
}

}  // namespace discreet::server::api
