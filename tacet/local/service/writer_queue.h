#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "tacet/local/service/collector.h"
#include "tacet/local/service/metrics.h"

namespace tacet::local {

/// The one writer: takes applications out of a bounded queue, in their order, and has the collector
/// decide them in groups. Nobody hears of a decision before it is durable.
class WriterQueue {
 public:
  using Done = std::function<void(const Application&)>;

  WriterQueue(Collector& collector, ServiceCounters& counters, std::size_t max_queued);
  /// Decides what is queued, then ends.
  ~WriterQueue();
  WriterQueue(const WriterQueue&) = delete;
  WriterQueue& operator=(const WriterQueue&) = delete;

  /// False when the queue is full. `done` is called by the writer, once.
  [[nodiscard]] bool submit(Application application, Done done);
  /// Takes up new tokens, soon and before the next group.
  void read_tokens();
  [[nodiscard]] std::int64_t queued() const;
  /// Whether the last group could be stored.
  [[nodiscard]] bool ready() const { return ready_; }

 private:
  struct Waiting {
    Application application;
    Done done;
    std::chrono::steady_clock::time_point since;
  };
  void work();
  [[nodiscard]] bool next_group(std::deque<Waiting>& group);
  void take_up_tokens();
  void decide(std::deque<Waiting>& group);
  void answer(std::deque<Waiting>& group, std::chrono::steady_clock::time_point begin);

  Collector& collector_;
  ServiceCounters& counters_;
  std::size_t max_queued_;
  std::atomic<bool> ready_{true};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
  bool ending_ = false;
  bool tokens_changed_ = false;
  bool tokens_unread_ = false;  // of the writer: they could not be read, and will be
  std::thread writer_;
};

}  // namespace tacet::local
