// SPDX-License-Identifier: Apache-2.0
#include "local/client/memory.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace discreet::local {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 30;

Error storage(const std::filesystem::path& path, const char* what) {
  return {Code::kStorage,
          std::string("could not ") + what + " " + path.string() + ": " + std::strerror(errno)};
}

}  // namespace

Result<Memory> Memory::open(const std::filesystem::path& path,
                            std::optional<std::uint64_t> budget) {
  const std::filesystem::path lock_path = path.string() + ".lock";
  DISCREET_ASSIGN(OpenFile lock, OpenFile::open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC));
  DISCREET_TRY(lock.lock());
  Result<OpenFile> file = OpenFile::open(path, O_RDONLY | O_CLOEXEC);
  if (!file.has_value()) {
    if (file.error().code != Code::kNotFound) return file.error();
    if (!budget) {
      return invalid_input(
          "there is no memory yet; say how much may be spent in a lifetime, for "
          "example --lifetime-budget 10");
    }
    Ledger ledger{.budget = *budget, .spent = 0, .surveys = {}};
    DISCREET_TRY(write(path, ledger));
    return Memory(path, std::move(lock), std::move(ledger));
  }
  DISCREET_ASSIGN(const std::uint64_t size, file->size());
  if (size > kBytesMax) return corrupt_memory("it is too long");
  DISCREET_ASSIGN(const std::string bytes, file->read_at(0, size));
  DISCREET_ASSIGN(Ledger ledger, parse_ledger(bytes));
  if (budget && *budget != ledger.budget) {
    return Error{
        Code::kConflict,
        "the lifetime budget was set when the memory was made and cannot be changed; leave "
        "--lifetime-budget out"};
  }
  return Memory(path, std::move(lock), std::move(ledger));
}

Result<void> Memory::write(const std::filesystem::path& path, const Ledger& ledger) {
  const std::filesystem::path fresh = path.string() + ".new";
  const std::string bytes = encode(ledger);
  {
    DISCREET_ASSIGN(const OpenFile file,
                    OpenFile::open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC));
    DISCREET_TRY(file.write_at(0, bytes));
    DISCREET_TRY(file.sync());
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return storage(path, "replace");
  return sync_directory_of(path);
}

Result<void> Memory::replace(Ledger next) {
  DISCREET_CHECK(next.budget == ledger_.budget && next.spent >= ledger_.spent &&
                 next.spent <= next.budget);
  DISCREET_TRY(write(path_, next));
  ledger_ = std::move(next);
  return {};
}

}  // namespace discreet::local
