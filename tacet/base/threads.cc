#include "tacet/base/threads.h"

#include <algorithm>
#include <atomic>
#include <system_error>

#include "tacet/base/error.h"

namespace tacet::base {

namespace {

/// The pools whose loops this thread is running a block of, innermost last.
thread_local std::vector<const void*> running;

struct Running {
  explicit Running(const void* pool) { running.push_back(pool); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { running.pop_back(); }
};

}  // namespace

struct ThreadPool::Job {
  const void* pool;
  std::int64_t total;
  std::int64_t block;
  const std::function<void(int, std::int64_t, std::int64_t)>* body;
  std::atomic<std::int64_t> next{0};
  std::mutex error_mutex{};
  std::exception_ptr error{};
};

ThreadPool::ThreadPool(int count) {
  if (count < 1) throw UsageError("threads must be at least 1, got " + std::to_string(count));
  workers_.reserve(static_cast<std::size_t>(count - 1));
  for (int worker = 1; worker < count; ++worker) {
    try {
      workers_.emplace_back([this, worker] { work(worker); });
    } catch (const std::system_error&) {
      break;  // the threads that did start are enough: results do not depend on their number
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& thread : workers_) thread.join();
}

void ThreadPool::for_blocks(std::int64_t total, std::int64_t block,
                            const std::function<void(int, std::int64_t, std::int64_t)>& body) {
  if (total <= 0) return;
  if (std::ranges::count(running, static_cast<const void*>(this)) > 0) {
    throw UsageError("a loop of a thread pool cannot start another one of the same pool");
  }
  const std::lock_guard turn(turns_);
  Job job{.pool = this, .total = total, .block = std::max<std::int64_t>(1, block), .body = &body};
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  run(job, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  job_ = nullptr;
  if (job.error) std::rethrow_exception(job.error);
}

void ThreadPool::work(int worker) {
  std::uint64_t seen = 0;
  while (true) {
    Job* job = nullptr;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
      job = job_;
    }
    run(*job, worker);
    {
      const std::lock_guard lock(mutex_);
      --busy_;
    }
    done_.notify_one();
  }
}

void ThreadPool::run(Job& job, int worker) {
  try {
    const Running inside(job.pool);
    while (true) {
      const std::int64_t begin = job.next.fetch_add(job.block);
      if (begin >= job.total) return;
      (*job.body)(worker, begin, std::min(job.total, begin + job.block));
    }
  } catch (...) {
    job.next.store(job.total);
    const std::lock_guard lock(job.error_mutex);
    if (!job.error) job.error = std::current_exception();
  }
}

int available_threads() noexcept {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace tacet::base
