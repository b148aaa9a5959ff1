// SPDX-License-Identifier: Apache-2.0
#include "ledger/witness.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/files.h"

namespace discreet::ledger {
namespace {

constexpr std::string_view kHeadTitle = "discreet-head-1";
static_assert(kHeadTitle.back() == '0' + kWitnessFormat);
constexpr std::size_t kIdSizeMax = 100;
constexpr std::size_t kWitnessSignatureSize = 64;
constexpr std::size_t kCheckDigits = 8;

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kIdSizeMax &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

std::optional<std::uint64_t> parse_counter(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || std::to_string(number) != text) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end == text.npos ? end : end - start));
    if (end == text.npos) return parts;
    start = end + 1;
  }
}

// The file: two slots, a page apart so that one torn write cannot reach both. A slot is one line,
//   turn ' ' head ' ' sha256(turn ' ' head) '\n'
// padded with zero bytes to kSlotSize. The whole slot with the highest turn counts.
constexpr std::uint64_t kSlotDistance = 4096;
constexpr std::size_t kSlotSize = 512;
constexpr std::uint64_t kWitnessFileSize = 2 * kSlotDistance;
constexpr std::uint64_t kTurnMax = std::uint64_t{1} << 62U;  // so that turns never wrap around

struct Slot {
  std::uint64_t turn = 0;
  Head head;
};

std::string write_slot(const Slot& slot) {
  std::string line = std::to_string(slot.turn) + " " + slot.head.to_text();
  line += " " + to_hex(sha256(line)) + "\n";
  DISCREET_CHECK(line.size() <= kSlotSize);
  line.resize(kSlotSize, '\0');
  return line;
}

std::optional<Slot> read_slot(std::string_view bytes) {
  const std::vector<std::string_view> parts = split(bytes.substr(0, bytes.find('\n')), ' ');
  if (parts.size() != 3) return std::nullopt;
  const std::optional<std::uint64_t> turn = parse_counter(parts[0]);
  const Result<Head> head = Head::parse(parts[1]);
  if (!head || !turn || *turn > kTurnMax) return std::nullopt;
  Slot slot{*turn, head.value()};
  if (write_slot(slot) != bytes) return std::nullopt;
  return slot;
}

class FileWitness : public Witness {
 public:
  FileWitness(std::filesystem::path file, std::chrono::milliseconds wait)
      : file_(std::move(file)), wait_(wait) {}

  Result<std::optional<Head>> read() override {
    if (const auto ours = held_file()) return newest_in(*ours);
    auto open = OpenFile::open(file_, O_RDONLY);
    if (!open && open.error().code == Code::kNotFound) return std::optional<Head>();
    if (!open) return explain(open.error());
    if (const auto locked = open->lock_shared(wait_); !locked) return held(locked.error());
    return newest_in(*open);
  }

  Result<bool> hold() override {
    auto open = OpenFile::open(file_, O_RDWR);
    if (!open) return explain(open.error());
    if (!open->lock(wait_)) return false;
    const std::lock_guard lock(mutex_);
    held_ = std::make_shared<OpenFile>(std::move(*open));
    return true;
  }
  void let_go() override {
    const std::lock_guard lock(mutex_);
    held_.reset();
  }

  Result<void> advance(const Head& head, const Recognise& recognise) override {
    if (const auto ours = held_file()) return move_on(*ours, head, recognise);
    auto open = OpenFile::open(file_, O_RDWR);
    if (!open) return explain(open.error());
    if (const auto locked = open->lock(wait_); !locked) return held(locked.error());
    return move_on(*open, head, recognise);
  }

  Result<void> replace(const Head& head) override {
    auto open = OpenFile::open(file_, O_RDWR | O_CREAT);
    if (!open) return explain(open.error());
    if (const auto locked = open->lock(wait_); !locked) return held(locked.error());
    DISCREET_ASSIGN(const Slots slots, read_slots(*open));
    if (slots.newest) return put(*open, 1 - slots.newest_index, {slots.newest->turn + 1, head});
    DISCREET_TRY(open->resize(0));
    DISCREET_TRY(open->resize(kWitnessFileSize));
    DISCREET_TRY(put(*open, 0, {1, head}));
    return sync_directory_of(file_);
  }

  std::string name() const override { return path_in_quotes(file_); }

 private:
  struct Slots {
    std::optional<Slot> newest;
    unsigned newest_index = 0;
  };

  std::shared_ptr<const OpenFile> held_file() {
    const std::lock_guard lock(mutex_);
    return held_;
  }

  Result<std::optional<Head>> newest_in(const OpenFile& open) const {
    DISCREET_ASSIGN(const Slots slots, read_slots(open));
    if (!slots.newest) return no_copy_is_whole();
    return std::optional<Head>(slots.newest->head);
  }

  /// Under its lock.
  Result<void> move_on(const OpenFile& open, const Head& head, const Recognise& recognise) const {
    DISCREET_ASSIGN(const Slots slots, read_slots(open));
    if (!slots.newest) return no_copy_is_whole();
    const Head& kept = slots.newest->head;
    if (recognise) DISCREET_TRY(recognise(kept));
    if (kept.ledger_id != head.ledger_id) {
      return Error{Code::kCorrupt, "the witness " + name() + " belongs to ledger " +
                                       kept.ledger_id + ", not to " + head.ledger_id +
                                       "; name the right one with --witness"};
    }
    if (kept.sequence == head.sequence && kept.hash != head.hash) {
      return Error{Code::kCorrupt,
                   "the witness " + name() + " holds another record " +
                       std::to_string(head.sequence) +
                       " than this ledger: another copy of the ledger is in use. Keep the copy "
                       "that `discreet ledger verify` accepts, and no other"};
    }
    if (kept.sequence >= head.sequence) return {};
    return put(open, 1 - slots.newest_index, {slots.newest->turn + 1, head});
  }

  static Result<Slots> read_slots(const OpenFile& open) {
    Slots slots;
    for (const unsigned index : {0U, 1U}) {
      DISCREET_ASSIGN(const std::string bytes, open.read_at(index * kSlotDistance, kSlotSize));
      std::optional<Slot> slot = read_slot(bytes);
      if (!slot || (slots.newest && slots.newest->turn > slot->turn)) continue;
      slots.newest = std::move(slot);
      slots.newest_index = index;
    }
    return slots;
  }

  static Result<void> put(const OpenFile& open, unsigned index, const Slot& slot) {
    DISCREET_TRY(open.write_at(index * kSlotDistance, write_slot(slot)));
    return open.sync();
  }

  Error no_copy_is_whole() const {
    return {Code::kCorrupt,
            "the witness " + name() +
                " is damaged: neither copy in it is whole. Put back a copy of it, "
                "or give the owner's printed receipt to `discreet ledger witness "
                "restore`; without one, `discreet ledger recover --reason TEXT` goes on "
                "with everything counted as spent"};
  }

  Error explain(const Error& error) const {
    return {Code::kStorage, "the witness cannot be used: " + error.message +
                                ". It must be a file that can be written, in a directory that "
                                "exists, on another disk than the ledger if there is one"};
  }

  static Error held(const Error& error) {
    return {Code::kStorage,
            "the witness cannot be used: " + error.message + "; try again when that has ended"};
  }

  std::filesystem::path file_;
  std::chrono::milliseconds wait_;
  std::mutex mutex_;  // guards the next
  std::shared_ptr<const OpenFile> held_;
};

}  // namespace

std::string Head::message() const {
  return "discreet ledger head 1\n" + ledger_id + "\n" + std::to_string(sequence) + "\n" +
         to_hex(hash);
}

std::string Head::to_text() const {
  DISCREET_CHECK(is_id(ledger_id));
  const std::string text = std::string(kHeadTitle) + ":" + ledger_id + ":" +
                           std::to_string(sequence) + ":" + to_hex(hash) + ":" + to_hex(signature);
  return text + ":" + to_hex(sha256(text)).substr(0, kCheckDigits);
}

Result<Head> Head::parse(std::string_view given) {
  std::string text;
  for (const char c : given) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') text += c;
  }
  const auto wrong = [](const std::string& why) {
    return invalid_input("this is not a whole receipt of a ledger: " + why + "; it looks like " +
                         std::string(kHeadTitle) + ":LEDGER:NUMBER:HASH:SIGNATURE:CHECK");
  };
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 6) return wrong("it has " + std::to_string(parts.size()) + " parts, not 6");
  if (parts[0] != kHeadTitle) return wrong("it does not begin with " + std::string(kHeadTitle));
  const std::optional<std::uint64_t> sequence = parse_counter(parts[2]);
  const Result<std::string> hash = from_hex(parts[3]);
  const Result<std::string> signature = from_hex(parts[4]);
  if (!is_id(parts[1]) || !sequence || !hash || hash->size() != sizeof(Hash) || !signature ||
      signature->size() != kWitnessSignatureSize) {
    return wrong("a part is misspelt");
  }
  Head head{std::string(parts[1]), *sequence, {}, *signature};
  std::copy(hash->begin(), hash->end(), head.hash.begin());
  const Result<std::string> check = from_hex(parts[5]);
  if (!check || !head.to_text().ends_with(":" + to_hex(*check))) {
    return wrong("its last part does not fit the others, so there is a slip in one");
  }
  return head;
}

std::unique_ptr<Witness> file_witness(std::filesystem::path file) {
  return file_witness_within(std::move(file), kWitnessWait);
}

std::unique_ptr<Witness> file_witness_within(std::filesystem::path file,
                                             std::chrono::milliseconds wait) {
  return std::make_unique<FileWitness>(std::move(file), wait);
}

}  // namespace discreet::ledger
