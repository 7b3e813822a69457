#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tacet::base {

/// A fixed set of worker threads for loops over rows.
///
/// Which worker runs which block is not deterministic; results must not depend on it. tacet's do
/// not, because workers only add integers, and integer addition has no order.
///
/// May be used by several threads at once: their loops run one after the other.
class ThreadPool {
 public:
  /// @param count number of workers, the calling thread included; at least 1. If the system starts
  /// no more threads, the pool is smaller; in the worst case it is the calling thread alone.
  explicit ThreadPool(int count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(workers_.size()) + 1; }

  /// Calls `body(worker, begin, end)` for consecutive blocks that cover [0, total) and returns
  /// when all are done. `worker` is in [0, size()). The first exception is thrown again here. A
  /// loop within a loop of the same pool is a UsageError.
  void for_blocks(std::int64_t total, std::int64_t block,
                  const std::function<void(int, std::int64_t, std::int64_t)>& body);

 private:
  struct Job;
  void work(int worker);
  static void run(Job& job, int worker);

  std::mutex turns_;  // held by the caller whose loop is running
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  std::uint64_t generation_ = 0;
  int busy_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

/// The number of threads that the machine offers, at least 1.
[[nodiscard]] int available_threads() noexcept;

}  // namespace tacet::base
