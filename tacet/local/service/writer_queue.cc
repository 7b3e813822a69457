#include "tacet/local/service/writer_queue.h"

#include <chrono>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace tacet::local {
namespace {

constexpr std::size_t max_in_group = 256;
// While one group is written, the next one collects in the queue. Only an idle writer waits this
// long after the first report, so that others can join its group.
constexpr auto gathering = std::chrono::microseconds(200);

std::int64_t milliseconds_now() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

}  // namespace

WriterQueue::WriterQueue(Collector& collector, ServiceCounters& counters, std::size_t max_queued)
    : collector_(collector),
      counters_(counters),
      max_queued_(max_queued),
      writer_([this] { work(); }) {}

WriterQueue::~WriterQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

bool WriterQueue::submit(Application application, Done done) {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    if (ending_ || queue_.size() >= max_queued_) return false;
    wake = queue_.empty();
    queue_.push_back({std::move(application), std::move(done), std::chrono::steady_clock::now()});
  }
  if (wake) changed_.notify_one();
  return true;
}

std::int64_t WriterQueue::queued() const {
  const std::scoped_lock lock(mutex_);
  return std::ssize(queue_);
}

void WriterQueue::read_tokens() {
  {
    const std::scoped_lock lock(mutex_);
    tokens_changed_ = true;
  }
  changed_.notify_one();
}

void WriterQueue::work() {
  std::deque<Waiting> group;
  while (next_group(group)) {
    decide(group);
    group.clear();
  }
}

/// Returns false when the service ends. The group may be empty: then there are tokens to read.
bool WriterQueue::next_group(std::deque<Waiting>& group) {
  const auto work_waits = [this] { return ending_ || tokens_changed_ || !queue_.empty(); };
  std::unique_lock lock(mutex_);
  if (!work_waits()) {
    changed_.wait(lock, work_waits);
    if (!ending_) {
      lock.unlock();
      std::this_thread::sleep_for(gathering);
      lock.lock();
    }
  }
  if (std::exchange(tokens_changed_, false)) tokens_unread_ = true;
  try {
    while (!queue_.empty() && group.size() < max_in_group) {
      group.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
  } catch (const std::bad_alloc&) {
    // No memory for a larger group: the writer decides the ones that it has.
  }
  return !group.empty() || !ending_;
}

void WriterQueue::take_up_tokens() {
  if (!tokens_unread_) return;
  collector_.read_tokens();
  tokens_unread_ = false;
}

void WriterQueue::decide(std::deque<Waiting>& group) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    take_up_tokens();
    if (group.empty()) return;
    std::vector<Application*> applications;
    for (auto& waiting : group) applications.push_back(&waiting.application);
    ready_ = collector_.handle(applications, milliseconds_now());
  } catch (const std::exception&) {
    ready_ = false;
    for (auto& waiting : group) waiting.application.reason = Reason::storage;
  }
  answer(group, begin);
}

void WriterQueue::answer(std::deque<Waiting>& group, std::chrono::steady_clock::time_point begin) {
  const auto end = std::chrono::steady_clock::now();
  counters_.commits.add(end - begin);
  for (auto& waiting : group) {
    counters_.count(waiting.application.reason);
    counters_.requests.add(end - waiting.since);
    try {
      waiting.done(waiting.application);
    } catch (const std::exception&) {
      continue;  // no memory for the answer: the connection ends, the decision is stored
    }
  }
}

}  // namespace tacet::local
