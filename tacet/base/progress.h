#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "tacet/base/error.h"

/// How far a computation has come, and how it is stopped.
///
/// Example:
///
///     base::CancelToken token;  // raised by a button or a signal handler: token.cancel()
///     const base::Supervision supervision{.progress = nullptr, .cancel = &token};
namespace tacet::base {

/// Receives the advance of a long computation. Only public quantities pass through it: steps done
/// and steps planned, never anything computed from data.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void advance(std::string_view phase, std::int64_t done, std::int64_t total) = 0;
};

/// A flag that a signal handler or another thread may raise to stop a computation between steps.
class CancelToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed);
  }
  void throw_if_cancelled() const {
    if (cancelled()) throw Interrupted("interrupted before the result was complete");
  }

 private:
  std::atomic<bool> cancelled_{false};
};

/// Both together, as long computations take them. Either may be absent.
struct Supervision {
  Progress* progress = nullptr;
  const CancelToken* cancel = nullptr;

  void step(std::string_view phase, std::int64_t done, std::int64_t total) const {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    if (progress != nullptr) progress->advance(phase, done, total);
  }
};

}  // namespace tacet::base
