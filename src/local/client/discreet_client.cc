// SPDX-License-Identifier: Apache-2.0
#include "local/client/discreet_client.h"

#include <cstring>
#include <new>
#include <optional>

#include "local/client/answering.h"
#include "local/client/bits.h"
#include "local/client/memory.h"

using discreet::Code;
using discreet::Error;
using discreet::Result;
namespace local = discreet::local;

struct discreet_client {
  std::optional<local::Memory> memory;
  std::string error;

  int fail(const Error& e) {
    error = e.message;
    return discreet::describe(e.code).exit_status;
  }
};

namespace {

std::string_view view(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

Result<local::Memory> open_memory(const char* path, const char* budget) {
  if (path == nullptr) return discreet::invalid_input("the memory needs a path");
  std::optional<std::uint64_t> nano;
  if (budget != nullptr) {
    DISCREET_ASSIGN(nano, local::parse_budget(budget));
  }
  return local::Memory::open(path, nano);
}

Result<local::Answered> report(discreet_client& client, std::string_view survey,
                               const char* answer) {
  if (!client.memory) return discreet::invalid_input("the memory is not open");
  if (answer == nullptr) return discreet::invalid_input("the answer is missing");
  DISCREET_ASSIGN(const local::Survey parsed, local::parse_survey(survey));
  DISCREET_ASSIGN(local::ClientBits * bits, local::client_bits());
  return local::answer(parsed, answer, *client.memory, *bits);
}

}  // namespace

extern "C" {

int discreet_client_open(const char* path, const char* budget, discreet_client** client) {
  *client = new (std::nothrow) discreet_client;
  if (*client == nullptr) return DISCREET_WORLD;
  Result<local::Memory> memory = open_memory(path, budget);
  if (!memory.has_value()) return (*client)->fail(memory.error());
  (*client)->memory.emplace(std::move(*memory));
  return DISCREET_OK;
}

int discreet_client_report(discreet_client* client, const uint8_t* survey, size_t survey_size,
                           const char* answer, uint8_t* out, size_t* size) {
  const Result<local::Answered> made = report(*client, view(survey, survey_size), answer);
  if (!made.has_value()) return client->fail(made.error());
  const std::size_t room = *size;
  *size = made->batch.size();
  if (room < made->batch.size()) {
    client->error = "the report needs " + std::to_string(*size) + " bytes of room";
    return DISCREET_ROOM;
  }
  std::memcpy(out, made->batch.data(), made->batch.size());
  return DISCREET_OK;
}

int discreet_client_price(discreet_client* client, const uint8_t* survey, size_t survey_size,
                          uint64_t* price, uint64_t* left) {
  const Result<local::Survey> parsed = local::parse_survey(view(survey, survey_size));
  if (!parsed.has_value()) return client->fail(parsed.error());
  if (!client->memory) return client->fail(discreet::invalid_input("the memory is not open"));
  const auto& surveys = client->memory->ledger().surveys;
  const auto kept = surveys.find(local::series(*parsed));
  // (All rounds are made from permanent bits that were paid for once.)
  const bool made =
      kept != surveys.end() &&
      (!kept->second.permanent.empty() || kept->second.records.contains(parsed->parameters.round));
  *price = made ? 0 : parsed->parameters.epsilon;
  *left = client->memory->left();
  return DISCREET_OK;
}

const char* discreet_client_error(const discreet_client* client) {
  return client == nullptr ? "out of memory" : client->error.c_str();
}

void discreet_client_close(discreet_client* client) { delete client; }

}  // extern "C"
