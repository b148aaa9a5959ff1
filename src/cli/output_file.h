// SPDX-License-Identifier: Apache-2.0
// Files that a command writes: looked at before anything is charged, written at the end.
#pragma once

#include <filesystem>
#include <string>

#include "cli/arguments.h"

namespace discreet::cli {

/// What a refusal before the charge ends with.
inline constexpr const char* kNothingCharged = "; nothing was charged";

/// Whether both are there, and are one file or folder under two names.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Whether the file of `option` (if one was named) could be written. An existing file stays as it
/// is, and nothing is made under its name. Asked before anything is charged.
/// Fails with: kInvalidInput for a folder, a missing folder, a file that may not be written;
/// kStorage when the disk itself fails.
Result<void> check_place(const std::string& option, const Text& file);

/// The same for a folder that is made when it is not there.
Result<void> check_folder(const std::string& option, const Text& folder);

/// How the writing of something that was paid for ended. A disk can still fail after the checks
/// above; the message then says that what was bought is stored.
Result<void> bought(Result<void> written);

/// Fails with: kStorage.
Result<void> write_file(const std::string& path, const std::string& bytes);

}  // namespace discreet::cli
