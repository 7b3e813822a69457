#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "tacet/base/progress.h"
#include "tacet/data/read/byte_source.h"

namespace tacet::data {

/// A second reader for bytes that can be read only once. It observes a source, and a function reads
/// the same bytes from another source, on its own thread, a few blocks later.
///
///     Relay relay([&](std::unique_ptr<ByteSource> bytes) { found = check(std::move(bytes)); });
///     auto records = read_dataset(file, schema, {.observers = {&relay}});
///     if (!relay.finish()) ...  // nothing was to be seen
///
/// If the system starts no more threads, the bytes are kept, and finish() reads them.
class Relay : public ByteObserver {
 public:
  using Reader = std::function<void(std::unique_ptr<ByteSource>)>;

  /// If `cancel` is raised, finish() throws Interrupted.
  explicit Relay(Reader reader, const base::CancelToken* cancel = nullptr);
  /// Stops the reader if it waits for bytes.
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void see(std::string_view bytes) override;
  void end() override;

  /// Waits until the reader has read everything, and rethrows its exception. Returns false, without
  /// any reading, if nothing was observed, not even an end.
  [[nodiscard]] bool finish();

 private:
  class Seen;

  std::size_t take(std::span<char> buffer);
  void run();
  void stop();

  Reader reader_;
  const base::CancelToken* cancel_;
  std::mutex mutex_;  // guards the members below; error_ is written before the thread ends
  std::condition_variable changed_;
  std::deque<std::string> blocks_;
  std::size_t bytes_ = 0;  // in all blocks
  std::size_t given_ = 0;  // of the first block
  bool begun_ = false;
  bool ended_ = false;
  bool stopped_ = false;
  bool done_ = false;  // the reader wants no more bytes
  std::exception_ptr error_;
  std::thread thread_;  // declared last, since it uses all other members
};

}  // namespace tacet::data
