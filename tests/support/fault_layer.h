#pragma once

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <functional>

/// A layer between SQLite and the files in which the n-th write, sync, truncation or removal fails:
/// the disk is full, or the process is killed before, inside or after it.
namespace tacet::test::fault {

enum class Mode { none, full, kill_before, kill_inside, kill_after };

inline Mode mode = Mode::none;
inline int countdown = 0;
inline bool struck = false;

struct File {
  sqlite3_file base;
  sqlite3_file* real;
};

inline sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

/// Whether this operation is the one.
inline bool strikes() { return mode != Mode::none && --countdown == 0; }

template <typename Operation>
int guarded(const Operation& operation, const std::function<void()>& half) {
  if (!strikes()) return operation();
  struck = true;
  if (mode == Mode::full) return SQLITE_FULL;
  if (mode == Mode::kill_inside) half();
  if (mode == Mode::kill_after) operation();
  ::kill(::getpid(), SIGKILL);
  return SQLITE_IOERR;
}

inline int x_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const auto write = [&](int count) {
    return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  };
  return guarded([&] { return write(size); }, [&] { write(size / 2); });
}
inline int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  return guarded([&] { return real(file)->pMethods->xTruncate(real(file), size); }, [] {});
}
inline int x_sync(sqlite3_file* file, int flags) {
  // A full disk shows when writing, not when flushing.
  if (mode == Mode::full) return real(file)->pMethods->xSync(real(file), flags);
  return guarded([&] { return real(file)->pMethods->xSync(real(file), flags); }, [] {});
}
inline int x_close(sqlite3_file* file) {
  const int code = real(file)->pMethods->xClose(real(file));
  sqlite3_free(real(file));
  return code;
}

template <auto member>
struct Forward;
template <typename... Arguments, int (*sqlite3_io_methods::*member)(sqlite3_file*, Arguments...)>
struct Forward<member> {
  static int call(sqlite3_file* file, Arguments... arguments) {
    return (real(file)->pMethods->*member)(real(file), arguments...);
  }
};
inline void x_shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }

inline const sqlite3_io_methods methods{
    .iVersion = 2,
    .xClose = x_close,
    .xRead = Forward<&sqlite3_io_methods::xRead>::call,
    .xWrite = x_write,
    .xTruncate = x_truncate,
    .xSync = x_sync,
    .xFileSize = Forward<&sqlite3_io_methods::xFileSize>::call,
    .xLock = Forward<&sqlite3_io_methods::xLock>::call,
    .xUnlock = Forward<&sqlite3_io_methods::xUnlock>::call,
    .xCheckReservedLock = Forward<&sqlite3_io_methods::xCheckReservedLock>::call,
    .xFileControl = Forward<&sqlite3_io_methods::xFileControl>::call,
    .xSectorSize = Forward<&sqlite3_io_methods::xSectorSize>::call,
    .xDeviceCharacteristics = Forward<&sqlite3_io_methods::xDeviceCharacteristics>::call,
    .xShmMap = Forward<&sqlite3_io_methods::xShmMap>::call,
    .xShmLock = Forward<&sqlite3_io_methods::xShmLock>::call,
    .xShmBarrier = x_shm_barrier,
    .xShmUnmap = Forward<&sqlite3_io_methods::xShmUnmap>::call,
    .xFetch = nullptr,
    .xUnfetch = nullptr};

/// The end of a transaction: its journal goes.
inline int x_delete(sqlite3_vfs* vfs, const char* name, int sync) {
  auto* below = static_cast<sqlite3_vfs*>(vfs->pAppData);
  // A full disk still takes a removal.
  if (mode == Mode::full) return below->xDelete(below, name, sync);
  return guarded([&] { return below->xDelete(below, name, sync); }, [] {});
}

inline int x_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* out_flags) {
  auto* below = static_cast<sqlite3_vfs*>(vfs->pAppData);
  auto* mine = reinterpret_cast<File*>(file);
  mine->base.pMethods = nullptr;
  mine->real = static_cast<sqlite3_file*>(sqlite3_malloc(below->szOsFile));
  const int code = below->xOpen(below, name, mine->real, flags, out_flags);
  if (code != SQLITE_OK) {
    sqlite3_free(mine->real);
    return code;
  }
  mine->base.pMethods = &methods;
  return SQLITE_OK;
}

/// The layer is SQLite's default as long as the object lives.
class Layer {
 public:
  Layer(Mode what, int when) : vfs_(*sqlite3_vfs_find(nullptr)) {
    vfs_.pAppData = sqlite3_vfs_find(nullptr);
    vfs_.pNext = nullptr;
    vfs_.zName = "tacet-fault";
    vfs_.szOsFile = sizeof(File);
    vfs_.xOpen = x_open;
    vfs_.xDelete = x_delete;
    sqlite3_vfs_register(&vfs_, 1);
    mode = what;
    countdown = when;
    struck = false;
  }
  ~Layer() {
    mode = Mode::none;
    sqlite3_vfs_unregister(&vfs_);
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

 private:
  sqlite3_vfs vfs_;
};

}  // namespace tacet::test::fault
