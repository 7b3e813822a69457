#include "tacet/data/read/byte_source.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tacet::data::internal {
namespace {

constexpr std::size_t ahead_blocks = 4;
constexpr std::size_t ahead_bytes = std::size_t{1}
                                    << 18;  // so that a block stays in the second-level cache

class ReadAhead : public ByteSource {
 public:
  /// Takes `inner` as soon as its thread runs. If there is no thread, throws std::system_error and
  /// takes nothing.
  explicit ReadAhead(std::unique_ptr<ByteSource>& inner) : thread_([this] { wait_and_fill(); }) {
    {
      const std::lock_guard lock(mutex_);
      inner_ = std::move(inner);
    }
    changed_.notify_all();
  }

  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return filled_ > taken_ || ended_; });
    if (filled_ == taken_) {
      if (error_) std::rethrow_exception(error_);
      return 0;
    }
    lock.unlock();  // a filled block belongs to this thread until it is returned
    const auto& block = blocks_[taken_ % ahead_blocks];
    const std::size_t count = std::min(buffer.size(), block.size() - place_);
    std::copy_n(block.data() + place_, count, buffer.data());
    place_ += count;
    if (place_ == block.size()) give_back();
    return count;
  }

 private:
  void give_back() {
    place_ = 0;
    {
      const std::lock_guard lock(mutex_);
      ++taken_;
    }
    changed_.notify_all();
  }

  void wait_and_fill() {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return inner_ != nullptr; });
    }
    fill_blocks();
  }

  void fill_blocks() {
    try {
      while (fill_next()) continue;
    } catch (...) {
      error_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
  }

  bool fill_next() {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return filled_ - taken_ < ahead_blocks || stopped_; });
      if (stopped_) return false;
    }
    // belongs to this thread until it is counted as filled
    auto& block = blocks_[filled_ % ahead_blocks];
    block.resize(ahead_bytes);
    block.resize(inner_->read(block));
    if (block.empty()) return false;
    {
      const std::lock_guard lock(mutex_);
      ++filled_;
    }
    changed_.notify_all();
    return true;
  }

  std::unique_ptr<ByteSource> inner_;
  std::array<std::vector<char>, ahead_blocks> blocks_;
  std::size_t place_ = 0;  // in the block that is being read
  std::mutex mutex_;       // guards the members below; error_ is written before ended_
  std::condition_variable changed_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // declared last, since it uses all other members
};

}  // namespace

std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> inner) {
  try {
    return std::make_unique<ReadAhead>(inner);
  } catch (const std::system_error&) {
    return inner;  // the system allows no more threads: the same bytes without reading ahead
  }
}

}  // namespace tacet::data::internal
