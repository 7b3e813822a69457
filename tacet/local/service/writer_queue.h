#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "tacet/local/service/collector.h"
#include "tacet/local/service/event_log.h"
#include "tacet/local/service/metrics.h"

namespace tacet::local {

struct QueueOptions {
  std::size_t max_queued = 4096;              ///< and as many that wait for a slot
  std::chrono::milliseconds slot_wait{2000};  ///< before such a one is told to come again
  EventLog* log = nullptr;                    ///< may be null
};

/// The only writer. It takes applications out of a bounded queue, in their order, and lets the
/// collector decide them in groups. Nobody learns of a decision before it is durable. Applications
/// that find no free slot wait here, so that a slot is drawn by lot and does not go to the device
/// that asks most often.
class WriterQueue {
 public:
  using Done = std::function<void(const Application&)>;

  WriterQueue(Collector& collector, ServiceCounters& counters, const QueueOptions& options);
  /// Decides what is queued, then ends.
  ~WriterQueue();
  WriterQueue(const WriterQueue&) = delete;
  WriterQueue& operator=(const WriterQueue&) = delete;

  /// False when the queue is full. `done` is called by the writer, once.
  [[nodiscard]] bool submit(Application application, Done done);
  /// Takes up new tokens, soon and before the next group.
  void read_tokens();
  [[nodiscard]] std::int64_t queued() const;
  /// Requests for a slot that wait for one.
  [[nodiscard]] std::int64_t waiting() const { return waiting_count_; }
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
  void answer(std::deque<Waiting>& group);
  void answer_waiting(std::chrono::steady_clock::time_point now);
  void answer_one(const Waiting& one, std::chrono::steady_clock::time_point now);
  void note_changes();
  void note_bounds(std::chrono::steady_clock::time_point now);
  void note_end();

  Collector& collector_;
  ServiceCounters& counters_;
  QueueOptions options_;
  std::atomic<bool> ready_{true};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
  bool ending_ = false;
  bool tokens_changed_ = false;
  // The writer's own.
  bool tokens_unread_ = false;   // they could not be read, and will be
  std::deque<Waiting> waiting_;  // for a slot
  std::atomic<std::int64_t> waiting_count_{0};
  bool end_noted_ = false;
  bool failure_noted_ = false;
  std::int64_t lapsed_noted_ = 0;
  std::chrono::steady_clock::time_point lapses_since_{};
  BoundedRounds bounds_noted_{};
  std::chrono::steady_clock::time_point bounds_since_{};
  bool divergence_noted_ = false;
  std::thread writer_;
};

}  // namespace tacet::local
