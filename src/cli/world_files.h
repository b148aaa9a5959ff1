// SPDX-License-Identifier: Apache-2.0
// What a command works from, by all its names, so that nothing it writes falls on it. Looked at
// before anything is charged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/asking.h"

namespace discreet::cli {

/// A file that is not to be overwritten, or a folder that nothing is to be put into.
struct KeptFile {
  std::string what;  ///< "the policy"
  std::filesystem::path path;
  bool is_folder = false;
};

/// The policy, the sources as the engine finds them, the ledger with SQLite's files beside it, its
/// key and witness, the folder of all keys and witnesses, the server's folder, certificate and key,
/// and the states of daily questions. They need not be there.
std::vector<KeptFile> files_of_world(const WorldArguments& world, Asking& asking);

/// A file that a command will write, and the option that names it or its folder.
struct OutputFile {
  std::string option;
  std::string path;
  std::string fix = "name another file";
};

/// That no output is one of the kept files, or another output: as it lies on the disk, and by its
/// name with all links followed. Pipes and devices take what comes. Fails with: kInvalidInput.
Result<void> check_outputs(const std::vector<OutputFile>& outputs,
                           const std::vector<KeptFile>& kept);

/// An absolute name with all links followed, also that of a file that is not there yet.
std::filesystem::path resolved(const std::filesystem::path& path);

}  // namespace discreet::cli
