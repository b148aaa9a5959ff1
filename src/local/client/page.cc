// SPDX-License-Identifier: Apache-2.0
// The client in a browser: the memory is bytes that the page keeps (page.mjs), the bits come from
// the browser's crypto. Compiled by wasm.sh; nothing of it is in the native library.
#if defined(__wasm__)

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

std::string g_facts;
std::string g_memory;
std::string g_report;
std::string g_error;

Result<void> report_of_page(std::string_view memory, const char* budget, std::string_view survey,
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

/// Texts that end in '\0' each, for the page to show: name, price, kind of answers, low and high in
/// millionths, budget and what of it was spent ("" and "0" when there is no memory yet), labels.
Result<void> describe_to_page(std::string_view memory, std::string_view survey) {
  DISCREET_ASSIGN(const local::Survey parsed, local::parse_survey(survey));
  std::string budget;
  std::uint64_t spent = 0;
  if (!memory.empty()) {
    DISCREET_ASSIGN(const local::Ledger ledger, local::parse_ledger(memory));
    budget = local::nats(ledger.budget);
    spent = ledger.spent;
  }
  g_facts.clear();
  const auto add = [](std::string_view text) { g_facts.append(text).push_back('\0'); };
  add(parsed.name);
  add(local::nats(parsed.parameters.epsilon));
  add(std::to_string(static_cast<int>(parsed.answers)));
  add(std::to_string(parsed.low));
  add(std::to_string(parsed.high));
  add(budget);
  add(local::nats(spent));
  for (const std::string& label : parsed.labels) add(label);
  return {};
}

}  // namespace

#define DISCREET_EXPORT(name) __attribute__((export_name(#name)))

extern "C" {

DISCREET_EXPORT(discreet_page_report)
int discreet_page_report(const char* memory, int memory_size, const char* budget,
                         const char* survey, int survey_size, const char* answer) {
  g_report.clear();
  g_memory.clear();
  const Result<void> done = report_of_page({memory, static_cast<std::size_t>(memory_size)}, budget,
                                           {survey, static_cast<std::size_t>(survey_size)}, answer);
  if (done.has_value()) return 0;
  g_error = done.error().message;
  return discreet::describe(done.error().code).exit_status;
}

DISCREET_EXPORT(discreet_page_facts)
int discreet_page_facts(const char* memory, int memory_size, const char* survey, int survey_size) {
  const Result<void> done = describe_to_page({memory, static_cast<std::size_t>(memory_size)},
                                             {survey, static_cast<std::size_t>(survey_size)});
  if (done.has_value()) return 0;
  g_error = done.error().message;
  return discreet::describe(done.error().code).exit_status;
}

DISCREET_EXPORT(discreet_page_facts_bytes) const char* discreet_page_facts_bytes() {
  return g_facts.data();
}
DISCREET_EXPORT(discreet_page_facts_size) int discreet_page_facts_size() {
  return static_cast<int>(g_facts.size());
}
DISCREET_EXPORT(discreet_page_memory) const char* discreet_page_memory() { return g_memory.data(); }
DISCREET_EXPORT(discreet_page_memory_size) int discreet_page_memory_size() {
  return static_cast<int>(g_memory.size());
}
DISCREET_EXPORT(discreet_page_bytes) const char* discreet_page_bytes() { return g_report.data(); }
DISCREET_EXPORT(discreet_page_bytes_size) int discreet_page_bytes_size() {
  return static_cast<int>(g_report.size());
}
DISCREET_EXPORT(discreet_page_error) const char* discreet_page_error() { return g_error.c_str(); }

}  // extern "C"

#endif
