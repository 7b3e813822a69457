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
  /// `done` of `total` steps of this phase are done.
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

  /// Call it between steps: throws if the computation was cancelled, else reports the advance.
  void step(std::string_view phase, std::int64_t done, std::int64_t total) const {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    if (progress != nullptr) progress->advance(phase, done, total);
  }
};

/// Limits how much an accountant computes before it gives up, since events from a file can ask for
/// more than anybody will wait for. It counts work and not time, so the same request ends in the
/// same way on every machine. One unit is about a nanosecond on an ordinary machine. Not for
/// several threads at once.
class WorkMeter {
 public:
  /// The limit is `seconds` times 1e9 units; above 0, infinity for no limit. `cancel`, if given, is
  /// checked with every piece of work and must outlive the meter.
  explicit WorkMeter(double seconds, const CancelToken* cancel = nullptr);

  /// Counts work that is about to be done. GuaranteeError if the limit is reached, Interrupted if
  /// the computation was cancelled.
  void spend(double units);

  [[nodiscard]] double spent() const { return spent_; }

 private:
  double seconds_;
  double spent_ = 0;
  const CancelToken* cancel_;
};

/// Counts the work if there is a meter.
inline void spend(WorkMeter* work, double units) {
  if (work != nullptr) work->spend(units);
}

/// How many units the meter takes for a second.
inline constexpr double units_of_a_second = 1e9;

/// The limit of the command line if the user asked for no other, in seconds.
inline constexpr double default_patience = 60;

}  // namespace tacet::base
