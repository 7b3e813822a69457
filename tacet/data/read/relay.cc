#include "tacet/data/read/relay.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

constexpr std::size_t max_waiting = std::size_t{1} << 20;  // bytes

}  // namespace

class Relay::Seen : public ByteSource {
 public:
  explicit Seen(Relay& relay) : relay_(relay) {}
  std::size_t read(std::span<char> buffer) override { return relay_.take(buffer); }

 private:
  Relay& relay_;
};

Relay::Relay(Reader reader, const base::CancelToken* cancel)
    : reader_(std::move(reader)), cancel_(cancel) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // no more threads: finish() reads the bytes later
  }
}

Relay::~Relay() { stop(); }

void Relay::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Relay::see(std::string_view bytes) {
  {
    std::unique_lock lock(mutex_);
    begun_ = true;
    const bool threaded = thread_.joinable();
    changed_.wait(lock, [&] { return !threaded || bytes_ < max_waiting || done_; });
    if (done_) return;
    blocks_.emplace_back(bytes);
    bytes_ += bytes.size();
  }
  changed_.notify_all();
}

void Relay::end() {
  {
    const std::lock_guard lock(mutex_);
    begun_ = ended_ = true;
  }
  changed_.notify_all();
}

/// On the reader's thread.
std::size_t Relay::take(std::span<char> buffer) {
  std::size_t count = 0;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !blocks_.empty() || ended_ || stopped_; });
    if (cancel_ != nullptr) cancel_->throw_if_cancelled();
    if (stopped_) throw base::Interrupted("the first reader of these bytes did not end");
    if (blocks_.empty()) return 0;
    const auto& block = blocks_.front();
    count = std::min(buffer.size(), block.size() - given_);
    std::copy_n(block.data() + given_, count, buffer.data());
    given_ += count;
    if (given_ == block.size()) {
      bytes_ -= block.size();
      blocks_.pop_front();
      given_ = 0;
    }
  }
  changed_.notify_all();
  return count;
}

void Relay::run() {
  try {
    reader_(std::make_unique<Seen>(*this));
  } catch (...) {
    error_ = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    blocks_.clear();
  }
  changed_.notify_all();
}

bool Relay::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (begun_ && !ended_) {
      throw base::InternalError("a reader has left bytes unread that another one is to see");
    }
  }
  if (!begun_) {
    stop();
    return false;
  }
  if (thread_.joinable()) {
    thread_.join();
  } else if (!done_) {
    run();
  }
  if (error_ != nullptr) std::rethrow_exception(error_);
  return true;
}

}  // namespace tacet::data
