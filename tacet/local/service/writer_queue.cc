#include "tacet/local/service/writer_queue.h"

#include <fmt/format.h>

#include <algorithm>
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
// Where somebody waits for a slot, slots that end are looked for so often.
constexpr auto looking = std::chrono::milliseconds(100);
constexpr auto between_notes = std::chrono::seconds(60);

std::int64_t milliseconds_now() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

}  // namespace

WriterQueue::WriterQueue(Collector& collector, ServiceCounters& counters,
                         const QueueOptions& options)
    : collector_(collector), counters_(counters), options_(options), writer_([this] { work(); }) {}

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
    if (ending_ || queue_.size() >= options_.max_queued) return false;
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
  options_.slot_wait = {};
  answer_waiting(std::chrono::steady_clock::now());
}

/// Returns false when the service ends. The group may be empty: then there are tokens to read, or
/// it is time to look for slots.
bool WriterQueue::next_group(std::deque<Waiting>& group) {
  const auto work_waits = [this] { return ending_ || tokens_changed_ || !queue_.empty(); };
  std::unique_lock lock(mutex_);
  if (!work_waits()) {
    const bool begun = waiting_.empty() ? (changed_.wait(lock, work_waits), true)
                                        : changed_.wait_for(lock, looking, work_waits);
    if (begun && !ending_) {
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
    if (group.empty() && waiting_.empty()) return;
    std::vector<Application*> applications;
    std::vector<Application*> before;
    for (auto& one : group) applications.push_back(&one.application);
    for (auto& one : waiting_) before.push_back(&one.application);
    ready_ = collector_.handle(applications, milliseconds_now(), before);
  } catch (const std::exception&) {
    ready_ = false;
    for (auto& one : group) {
      one.application.waits = false;
      one.application.reason = Reason::storage;
    }
  }
  if (!group.empty()) counters_.commits.add(std::chrono::steady_clock::now() - begin);
  note_changes();
  answer_waiting(std::chrono::steady_clock::now());
  answer(group);
}

void WriterQueue::answer(std::deque<Waiting>& group) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& one : group) {
    const bool stays = one.application.waits && waiting_.size() < options_.max_queued &&
                       now - one.since < options_.slot_wait;
    if (stays) {
      waiting_.push_back(std::move(one));
    } else {
      answer_one(one, now);
    }
  }
  waiting_count_ = std::ssize(waiting_);
}

/// Those that have a slot now, that can get none any more, or that have waited long enough.
void WriterQueue::answer_waiting(std::chrono::steady_clock::time_point now) {
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.application.waits && now - one.since < options_.slot_wait) return false;
    answer_one(one, now);
    return true;
  });
  waiting_count_ = std::ssize(waiting_);
}

void WriterQueue::answer_one(const Waiting& one, std::chrono::steady_clock::time_point now) {
  counters_.count(one.application.reason);
  counters_.requests.add(now - one.since);
  try {
    one.done(one.application);
  } catch (const std::exception&) {
    return;  // no memory for the answer: the connection ends, the decision is stored
  }
}

/// What an operator should know of: counts, and what the storage says.
void WriterQueue::note_changes() {
  if (options_.log == nullptr) return;
  auto& log = *options_.log;
  if (ready_ == failure_noted_) {
    failure_noted_ = !ready_;
    if (ready_) {
      log.note(LogLevel::info, "storage_back", "The state can be written again");
    } else {
      log.note(LogLevel::error, "storage_failed",
               "Nothing can be stored, devices are told to come again: " + collector_.failure());
    }
  }
  const auto now = std::chrono::steady_clock::now();
  const auto lapsed = collector_.lapsed() - lapsed_noted_;
  if (lapsed > 0 && now - lapses_since_ >= between_notes) {
    log.note(LogLevel::info, "slots_lapsed",
             fmt::format("{} slots have ended without a report since the last such line", lapsed),
             {{"count", lapsed}});
    lapsed_noted_ += lapsed;
    lapses_since_ = now;
  }
  note_bounds(now);
  if (!end_noted_) note_end();
}

/// Rounds that met a bound: devices lie, or the scale is wrong.
void WriterQueue::note_bounds(std::chrono::steady_clock::time_point now) {
  const auto published = collector_.published();
  const auto& bounded = published->bounded;
  const bool due = published->finished || now - bounds_since_ >= between_notes;
  if (bounded != bounds_noted_ && due) {
    options_.log->note(
        LogLevel::warning, "rounds_bounded",
        fmt::format("after {} rounds: {} of them had reports longer than honest devices send, {} "
                    "would have left the learner's domain",
                    published->round, bounded.cut, bounded.refused),
        {{"round", published->round}, {"cut", bounded.cut}, {"refused", bounded.refused}});
    bounds_noted_ = bounded;
    bounds_since_ = now;
  }
  if (!published->diverged || divergence_noted_) return;
  divergence_noted_ = true;
  options_.log->note(
      LogLevel::warning, "diverged",
      fmt::format("after {} rounds: diverged: more than half of them would have left the learner's "
                  "domain; the model says nothing",
                  published->round),
      {{"round", published->round}, {"refused", bounded.refused}});
}

void WriterQueue::note_end() {
  const auto published = collector_.published();
  if (!published->finished) return;
  end_noted_ = true;
  const auto why = published->closed.empty() ? std::string("finished") : published->closed;
  options_.log->note(LogLevel::info, "task_ended",
                     fmt::format("The task has ended ({}) after {} rounds and {} reports", why,
                                 published->round, published->reports),
                     {{"why", why}, {"rounds", published->round}, {"reports", published->reports}});
}

}  // namespace tacet::local
