// SPDX-License-Identifier: Apache-2.0
// The client in a browser: the memory is bytes that the page keeps (page.mjs), the bits come from
// the browser's crypto. Compiled by wasm.sh; nothing of it is in the native library.
#if defined(__EMSCRIPTEN__)

#include <emscripten.h>

#include <optional>

#include "local/client/answering.h"
#include "local/client/bits.h"

namespace {

using discreet::Error;
using discreet::Result;
namespace local = discreet::local;

// M1 is the page's: it stores these bytes before it lets the report out.
struct PageMemory {
  local::Ledger kept;

  const local::Ledger& ledger() const { return kept; }
  Result<void> replace(local::Ledger next) {
    kept = std::move(next);
    return {};
  }
};

std::string g_memory;
std::string g_report;
std::string g_error;

Result<void> report(std::string_view memory, const char* budget, std::string_view survey,
                    const char* answer) {
  PageMemory page;
  if (memory.empty()) {
    DISCREET_ASSIGN(page.kept.budget, local::parse_budget(budget));
  } else {
    DISCREET_ASSIGN(page.kept, local::parse_ledger(memory));
  }
  DISCREET_ASSIGN(const local::Survey parsed, local::parse_survey(survey));
  DISCREET_ASSIGN(local::ClientBits * bits, local::client_bits());
  DISCREET_ASSIGN(const local::Answered made, local::answer(parsed, answer, page, *bits));
  g_report = made.batch;
  g_memory = encode(page.kept);
  return {};
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int discreet_page_report(const char* memory, int memory_size,
                                              const char* budget, const char* survey,
                                              int survey_size, const char* answer) {
  g_report.clear();
  g_memory.clear();
  const Result<void> done = report({memory, static_cast<std::size_t>(memory_size)}, budget,
                                   {survey, static_cast<std::size_t>(survey_size)}, answer);
  if (done.has_value()) return 0;
  g_error = done.error().message;
  return discreet::describe(done.error().code).exit_status;
}

EMSCRIPTEN_KEEPALIVE const char* discreet_page_memory() { return g_memory.data(); }
EMSCRIPTEN_KEEPALIVE int discreet_page_memory_size() { return static_cast<int>(g_memory.size()); }
EMSCRIPTEN_KEEPALIVE const char* discreet_page_bytes() { return g_report.data(); }
EMSCRIPTEN_KEEPALIVE int discreet_page_bytes_size() { return static_cast<int>(g_report.size()); }
EMSCRIPTEN_KEEPALIVE const char* discreet_page_error() { return g_error.c_str(); }

}  // extern "C"

#endif
