#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "tacet/base/threads.h"

namespace tacet::base {

/// Cuts a stream into pieces, works on the pieces with all threads of a pool, and takes the results
/// in the order in which the pieces were cut. So neither the results nor the first error depend on
/// the threads. At most two pieces per thread are held at a time.
template <typename Piece, typename Result>
class InOrder {
 public:
  struct Steps {
    /// Reads the next piece into the memory of one that is no longer needed; false at the end.
    std::function<bool(Piece& piece)> cut;
    /// Any thread may call it, `worker` in [0, threads.size()); the other steps are called by one
    /// thread at a time.
    std::function<Result(int worker, Piece& piece)> work;
    std::function<void(Result& result)> take;
  };

  /// `max_workers`: how many threads at most take part.
  InOrder(ThreadPool& threads, Steps steps, int max_workers = 1 << 20)
      : threads_(threads),
        steps_(std::move(steps)),
        workers_(std::min(threads.size(), max_workers)) {}

  /// Runs until the stream ends. If a step threw, rethrows the exception of the earliest piece that
  /// failed; all pieces before it were taken.
  void run() {
    threads_.for_blocks(workers_, 1,
                        [this](int worker, std::int64_t, std::int64_t) { serve(worker); });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Done {
    std::optional<Result> result;
    std::exception_ptr error;
  };

  void serve(int worker) {
    try {
      Piece piece;
      Done done;
      while (const auto place = next(piece, done)) {
        const auto work = [&] { done.result.emplace(steps_.work(worker, piece)); };
        if (!done.error) attempt(done.error, work);
        deliver(*place, std::exchange(done, {}));
      }
    } catch (...) {
      // No memory for the bookkeeping itself: stop, so that nobody waits for this piece.
      finish();
      changed_.notify_all();
      throw;
    }
  }

  /// The number of a new piece, or of the error in place of one; nothing when there is no more.
  std::optional<std::int64_t> next(Piece& piece, Done& done) {
    const std::lock_guard cutting(cut_mutex_);
    if (!wait_for_room()) return std::nullopt;
    bool found = false;
    attempt(done.error, [&] { found = steps_.cut(piece); });
    if (!found) finish();
    if (!found && !done.error) return std::nullopt;
    return cut_++;
  }

  bool wait_for_room() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_ || cut_ < taken_ + 2 * workers_; });
    return !finished_;
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }

  void deliver(std::int64_t place, Done done) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.emplace(place, std::move(done));
      while (!error_ && waiting_.contains(taken_)) {
        Done first = std::move(waiting_.extract(taken_).mapped());
        error_ = first.error;
        if (!error_) attempt(error_, [&] { steps_.take(*first.result); });
        if (error_) finished_ = true;
        ++taken_;
      }
    }
    changed_.notify_all();
  }

  template <typename Step>
  static void attempt(std::exception_ptr& error, Step step) {
    try {
      step();
    } catch (...) {
      error = std::current_exception();
    }
  }

  ThreadPool& threads_;
  Steps steps_;
  int workers_;
  std::mutex cut_mutex_;  // held while waiting for room, so that pieces are cut in order
  std::int64_t cut_ = 0;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::int64_t taken_ = 0;
  bool finished_ = false;  // nothing more is cut
  std::map<std::int64_t, Done> waiting_;
  std::exception_ptr error_;
};

}  // namespace tacet::base
