// SPDX-License-Identifier: Apache-2.0
// A SQLite file system (VFS) on top of the usual one that tells a FaultDisk what SQLite does to its
// files, and does to SQLite what the disk says. Locks and shared memory are the usual ones.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/check.h"
#include "ledger/fault_disk_for_tests.h"

namespace discreet::ledger {

class FaultVfs {
 public:
  explicit FaultVfs(FaultDisk& disk) : disk_(disk), usual_(sqlite3_vfs_find(nullptr)) {
    static std::atomic<int> count = 0;
    name_ = "fault-" + std::to_string(++count);
    vfs_ = *usual_;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + usual_->szOsFile;
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
    DISCREET_CHECK(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
  }
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs() { sqlite3_vfs_unregister(&vfs_); }

  const std::string& name() const { return name_; }

 private:
  using Verdict = FaultDisk::Verdict;

  // SQLite allocates szOsFile bytes; the usual file system's own file follows ours.
  struct alignas(std::max_align_t) File {
    sqlite3_file base;
    FaultVfs* vfs;
    bool is_watched;
    bool syncs_directory;
    char path[512];

    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    FaultDisk& disk() { return vfs->disk_; }
  };
  static File* cast(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  static FaultVfs* self(sqlite3_vfs* vfs) { return static_cast<FaultVfs*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* handle, int flags, int* out) {
    FaultVfs* const me = self(vfs);
    File* const file = cast(handle);
    std::memset(static_cast<void*>(file), 0, static_cast<std::size_t>(vfs->szOsFile));
    file->vfs = me;
    constexpr int kWatched = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
    file->is_watched = path != nullptr && (flags & kWatched) != 0;
    if (file->is_watched) {
      DISCREET_CHECK(std::strlen(path) < sizeof(file->path));
      std::strcpy(file->path, path);
      if (me->disk_.is_dead()) return SQLITE_CANTOPEN;
    }
    int exists = 0;
    if (file->is_watched) me->usual_->xAccess(me->usual_, path, SQLITE_ACCESS_EXISTS, &exists);
    const int status = me->usual_->xOpen(me->usual_, path, file->real(), flags, out);
    if (status != SQLITE_OK) return status;
    // As the usual one does: the first sync of a journal also syncs its directory.
    file->syncs_directory =
        file->is_watched && (flags & SQLITE_OPEN_CREATE) != 0 && (flags & SQLITE_OPEN_MAIN_DB) == 0;
    file->base.pMethods = methods();
    if (file->is_watched) me->disk_.opened(path, exists == 0);
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int with_directory) {
    FaultVfs* const me = self(vfs);
    const Verdict verdict = me->disk_.step(Operation::kDelete);
    if (verdict == Verdict::kDead) return SQLITE_IOERR_DELETE;
    const int status = me->usual_->xDelete(me->usual_, path, 0);
    const bool is_durable = with_directory != 0 && verdict == Verdict::kGood;
    if (status == SQLITE_OK) me->disk_.deleted(path, is_durable && !me->disk_.ignores_syncs());
    return verdict == Verdict::kGood ? status : SQLITE_IOERR_DELETE;
  }

  static int write(sqlite3_file* handle, const void* bytes, int size, sqlite3_int64 offset) {
    File* const file = cast(handle);
    if (!file->is_watched) return file->real()->pMethods->xWrite(file->real(), bytes, size, offset);
    FaultDisk& disk = file->disk();
    const Verdict verdict = disk.step(Operation::kWrite);
    if (verdict == Verdict::kDead) return SQLITE_IOERR_WRITE;
    // A failing write stops somewhere.
    if (verdict == Verdict::kFails) {
      size = static_cast<int>(disk.below(static_cast<std::uint64_t>(size) + 1));
    }
    if (size > 0) {
      const int status = file->real()->pMethods->xWrite(file->real(), bytes, size, offset);
      if (status != SQLITE_OK) return status;
      disk.wrote(file->path, static_cast<std::uint64_t>(offset),
                 std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)));
    }
    if (verdict == Verdict::kGood) return SQLITE_OK;
    return verdict == Verdict::kFails && disk.is_full() ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }

  static int truncate(sqlite3_file* handle, sqlite3_int64 size) {
    File* const file = cast(handle);
    if (file->is_watched) {
      const Verdict verdict = file->disk().step(Operation::kTruncate);
      if (verdict == Verdict::kDead) return SQLITE_IOERR_TRUNCATE;
      file->disk().truncated(file->path, static_cast<std::uint64_t>(size));
      if (verdict == Verdict::kDies) return SQLITE_IOERR_TRUNCATE;
    }
    return file->real()->pMethods->xTruncate(file->real(), size);
  }

  static int sync(sqlite3_file* handle, int) {
    File* const file = cast(handle);
    if (!file->is_watched) return SQLITE_OK;
    FaultDisk& disk = file->disk();
    switch (disk.step(Operation::kSync)) {
      case Verdict::kGood:
        if (disk.ignores_syncs()) return SQLITE_OK;
        disk.synced(file->path, std::exchange(file->syncs_directory, false));
        return SQLITE_OK;
      case Verdict::kFails:
        disk.sync_failed(file->path);
        break;
      case Verdict::kDead:
      case Verdict::kDies:
        break;
    }
    return SQLITE_IOERR_FSYNC;
  }

  static int close(sqlite3_file* handle) {
    File* const file = cast(handle);
    return file->real()->pMethods->xClose(file->real());
  }
  static int read(sqlite3_file* handle, void* out, int size, sqlite3_int64 offset) {
    File* const file = cast(handle);
    if (file->disk().is_dead()) return SQLITE_IOERR_READ;
    return file->real()->pMethods->xRead(file->real(), out, size, offset);
  }
  static int file_size(sqlite3_file* handle, sqlite3_int64* size) {
    File* const file = cast(handle);
    return file->real()->pMethods->xFileSize(file->real(), size);
  }
  static int lock(sqlite3_file* handle, int level) {
    File* const file = cast(handle);
    return file->real()->pMethods->xLock(file->real(), level);
  }
  static int unlock(sqlite3_file* handle, int level) {
    File* const file = cast(handle);
    return file->real()->pMethods->xUnlock(file->real(), level);
  }
  static int check_reserved(sqlite3_file* handle, int* out) {
    File* const file = cast(handle);
    return file->real()->pMethods->xCheckReservedLock(file->real(), out);
  }
  static int control(sqlite3_file* handle, int what, void* argument) {
    File* const file = cast(handle);
    return file->real()->pMethods->xFileControl(file->real(), what, argument);
  }
  static int sector_size(sqlite3_file* handle) {
    File* const file = cast(handle);
    return file->real()->pMethods->xSectorSize(file->real());
  }
  static int characteristics(sqlite3_file* handle) {
    File* const file = cast(handle);
    return file->real()->pMethods->xDeviceCharacteristics(file->real());
  }
  static int shm_map(sqlite3_file* handle, int page, int size, int extend, void volatile** out) {
    File* const file = cast(handle);
    return file->real()->pMethods->xShmMap(file->real(), page, size, extend, out);
  }
  static int shm_lock(sqlite3_file* handle, int offset, int count, int flags) {
    File* const file = cast(handle);
    return file->real()->pMethods->xShmLock(file->real(), offset, count, flags);
  }
  static void shm_barrier(sqlite3_file* handle) {
    File* const file = cast(handle);
    file->real()->pMethods->xShmBarrier(file->real());
  }
  static int shm_unmap(sqlite3_file* handle, int with_delete) {
    File* const file = cast(handle);
    return file->real()->pMethods->xShmUnmap(file->real(), with_delete);
  }

  // Version 2: shared memory, but no memory-mapped files, whose writes nobody would see.
  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods kMethods = {2,
                                                close,
                                                read,
                                                write,
                                                truncate,
                                                sync,
                                                file_size,
                                                lock,
                                                unlock,
                                                check_reserved,
                                                control,
                                                sector_size,
                                                characteristics,
                                                shm_map,
                                                shm_lock,
                                                shm_barrier,
                                                shm_unmap,
                                                nullptr,
                                                nullptr};
    return &kMethods;
  }

  FaultDisk& disk_;
  sqlite3_vfs* usual_;
  sqlite3_vfs vfs_{};
  std::string name_;
};

}  // namespace discreet::ledger
