// SPDX-License-Identifier: Apache-2.0
#include "cli/world_files.h"

#include <sys/stat.h>

#include "base/files.h"
#include "cli/output_file.h"
#include "cli/policy_ledger.h"
#include "engine/duckdb/sources.h"
#include "ledger/store_place.h"
#include "policy/embedded.h"
#include "policy/server_section.h"

namespace discreet::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kLinksMax = 40;  // as the kernel follows

void add_sources(const policy::Policy& policy, std::vector<KeptFile>& kept) {
  if (!policy::is_embedded(policy.engine)) return;
  for (const auto& [name, table] : policy.tables) {
    const auto source = engine::duckdb::parse_source(table.source, policy.directory);
    if (!source) continue;  // it was not opened either
    const std::string what = "the source of table " + in_quotes(name);
    kept.push_back({what, source->path});
    kept.push_back({what + ": DuckDB's log of it", source->path + ".wal"});
  }
}

void add_ledger(const LedgerArguments& where, const ledger::Ledger& ledger,
                std::vector<KeptFile>& kept) {
  const std::string place = where.path();
  if (!ledger::is_postgres(place)) {
    kept.push_back({"the ledger", place});
    for (const char* const suffix : {"-wal", "-shm", "-journal", ".tries"}) {
      kept.push_back({"a part of the ledger", place + suffix});
    }
  }
  kept.push_back({"the ledger's key", ledger.key_path()});
  kept.push_back({"the ledger's witness", ledger.witness_path()});
  if (const auto home = ledger::default_home(ledger.id())) {
    kept.push_back({"the folder of keys and witnesses", home->parent_path(), true});
  }
}

void add_server(const LedgerArguments& where, std::vector<KeptFile>& kept) {
  kept.push_back({"the server's folder", server_folder(where), true});
  const auto said = policy::load_server_section(where.policy_path());
  if (!said) return;
  if (said->certificate) kept.push_back({"the server's certificate", *said->certificate});
  if (said->key) kept.push_back({"the server's key", *said->key});
}

void add_daily(const policy::Policy& policy, std::vector<KeptFile>& kept) {
  std::error_code failed;
  const fs::path folder = fs::path(policy.directory) / "daily";
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const fs::path ending = entry.path().extension();
    const auto is = [&](const char* kind) { return ending == kind; };
    if (!is(".released") && !is(".noise") && !is(".counted") && !is(".next") && !is(".lock")) {
      continue;
    }
    kept.push_back({"the state of a daily question", entry.path()});
  }
}

/// A file as it lies on the disk, and its name.
class Place {
 public:
  explicit Place(const fs::path& path) : Place(resolved(path), 0) {}

  bool operator==(const Place& other) const {
    return name_ == other.name_ ||
           (is_there_ && other.is_there_ && facts_.st_dev == other.facts_.st_dev &&
            facts_.st_ino == other.facts_.st_ino);
  }
  bool is_within(const Place& folder) const {
    for (fs::path at = name_; at != at.parent_path(); at = at.parent_path()) {
      if (Place(at.parent_path(), 0) == folder) return true;
    }
    return false;
  }
  /// A pipe or a device: nothing in it is overwritten.
  bool takes_all() const {
    return is_there_ && !S_ISREG(facts_.st_mode) && !S_ISDIR(facts_.st_mode);
  }

 private:
  Place(fs::path name, int) : name_(std::move(name)) {
    is_there_ = ::stat(name_.c_str(), &facts_) == 0;
  }

  fs::path name_;
  bool is_there_ = false;
  struct stat facts_{};
};

}  // namespace

fs::path resolved(const fs::path& path) {
  std::error_code failed;
  fs::path at = fs::absolute(path, failed);
  for (int links = 0; links < kLinksMax; ++links) {
    const fs::path whole = fs::canonical(at, failed);
    if (!failed) return whole;
    const fs::path folder = fs::weakly_canonical(at.parent_path(), failed);
    if (failed) return at;
    at = folder / at.filename();
    const fs::path target = fs::read_symlink(at, failed);
    if (failed) return at;
    at = folder / target;
  }
  return at;
}

std::vector<KeptFile> files_of_world(const WorldArguments& world, Asking& asking) {
  std::vector<KeptFile> kept = {{"the policy", world.policy_path()}};
  add_sources(asking.policy(), kept);
  add_ledger(world.where, asking.ledger(), kept);
  add_server(world.where, kept);
  add_daily(asking.policy(), kept);
  return kept;
}

Result<void> check_outputs(const std::vector<OutputFile>& outputs,
                           const std::vector<KeptFile>& kept) {
  std::vector<Place> places;
  for (const OutputFile& output : outputs) places.emplace_back(output.path);
  const auto refuse = [&](const OutputFile& output, const std::string& what) {
    return invalid_input(output.option + " " + path_in_quotes(output.path) + " is " + what + "; " +
                         output.fix + kNothingCharged);
  };
  for (const KeptFile& file : kept) {
    const Place place(file.path);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (places[i] == place) return refuse(outputs[i], file.what);
      if (file.is_folder && places[i].is_within(place)) {
        return refuse(outputs[i], "in " + file.what);
      }
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (places[i].takes_all() || !(places[i] == places[j])) continue;
      const std::string also =
          outputs[j].path == outputs[i].path ? "" : " " + path_in_quotes(outputs[j].path);
      return refuse(outputs[i], "written by " + outputs[j].option + also + ", too");
    }
  }
  return {};
}

}  // namespace discreet::cli
