// SPDX-License-Identifier: Apache-2.0
#include "local/client/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

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

Error no_place(const std::filesystem::path& path, const std::error_code& why) {
  const bool missing = why == std::errc::no_such_file_or_directory;
  return {missing ? Code::kNotFound : Code::kStorage,
          "there is no place for the memory " + in_quotes(path.string()) + ": " + why.message()};
}

/// The one name that all names of a file lead to, wherever the process goes later.
Result<std::filesystem::path> resolved(const std::filesystem::path& path) {
  std::error_code bad;
  const std::filesystem::path whole = std::filesystem::canonical(path, bad);
  if (!bad) return whole;
  if (bad != std::errc::no_such_file_or_directory) return no_place(path, bad);
  // It is to be made. A link that leads nowhere would be replaced by the file, not followed.
  std::error_code ignored;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored))) {
    return invalid_input("the memory " + in_quotes(path.string()) +
                         " is a link to a file that does not exist; name the file itself");
  }
  if (!path.has_filename() || path.filename() == "." || path.filename() == "..") {
    return invalid_input("the memory " + in_quotes(path.string()) + " is not the name of a file");
  }
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const std::filesystem::path folder = std::filesystem::canonical(parent, bad);
  if (bad) return no_place(path, bad);
  return folder / path.filename();
}

/// Writing replaces one name of a file; the other would keep what was spent before.
Result<void> check_single(const std::filesystem::path& path) {
  std::error_code bad;
  const std::uintmax_t links = std::filesystem::hard_link_count(path, bad);
  if (bad) return no_place(path, bad);
  if (links <= 1) return {};
  return Error{Code::kRefused, "the memory " + in_quotes(path.string()) +
                                   " has a second name (a hard link), which would be a second "
                                   "budget; remove the other name"};
}

}  // namespace

Memory::Memory(std::filesystem::path path, OpenFile lock, Ledger ledger)
    : path_(std::move(path)), lock_(std::move(lock)), ledger_(std::move(ledger)) {}

Result<Memory> Memory::open(const std::filesystem::path& name,
                            std::optional<std::uint64_t> budget) {
  DISCREET_ASSIGN(const std::filesystem::path path, resolved(name));
  const std::filesystem::path lock_path = path.string() + ".lock";
  DISCREET_ASSIGN(OpenFile lock, OpenFile::open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC));
  DISCREET_TRY(lock.lock());
  Result<OpenFile> file = OpenFile::open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
  DISCREET_TRY(check_single(path));
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
  // Whoever wrote it may have been stopped between the renaming and the sync: what is read here
  // must not be gone after a power failure.
  DISCREET_TRY(sync_directory_of(path));
  return Memory(path, std::move(lock), std::move(ledger));
}

Result<void> Memory::write(const std::filesystem::path& path, const Ledger& ledger) {
  const std::filesystem::path fresh = path.string() + ".new";
  const std::string bytes = encode(ledger);
  {
    DISCREET_ASSIGN(const OpenFile file,
                    OpenFile::open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC));
    DISCREET_TRY(file.write_at(0, bytes));
    DISCREET_TRY(file.sync());
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return storage(path, "replace");
  return sync_directory_of(path);
}

Result<void> Memory::check_process() const {
  if (process_.is_here()) return {};
  return Error{Code::kRefused,
               "this memory was opened by another process; open it again after a fork"};
}

Result<void> Memory::replace(Ledger next) {
  DISCREET_TRY(check_process());
  DISCREET_CHECK(next.budget == ledger_.budget && next.spent >= ledger_.spent &&
                 next.spent <= next.budget);
  DISCREET_TRY(write(path_, next));
  ledger_ = std::move(next);
  return {};
}

}  // namespace discreet::local
