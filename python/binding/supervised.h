#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tacet/base/progress.h"

namespace tacet::python {

/// How far a computation has come; read from another thread than that which computes.
class Advance : public base::Progress {
 public:
  struct State {
    std::string phase;
    std::int64_t done = 0;
    std::int64_t total = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  void advance(std::string_view phase, std::int64_t done, std::int64_t total) override {
    const std::lock_guard lock(mutex_);
    state_.phase = phase;
    state_.done = done;
    state_.total = total;
  }
  [[nodiscard]] State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  mutable std::mutex mutex_;
  State state_;
};

/// Carries out `work(supervision)` on a thread of its own, without the interpreter's lock. Ten
/// times a second this thread takes the lock: signals are looked at, and `callback(phase, done,
/// total)` is called where something has advanced. What either raises stops the work, and is raised
/// when it has stopped.
template <typename Work>
auto supervised(const nanobind::object& callback, const Work& work) {
  namespace nb = nanobind;
  constexpr std::chrono::milliseconds between_looks(100);
  using Result = decltype(work(base::Supervision{}));

  Advance advance;
  base::CancelToken cancel;
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::optional<Result> result;
  std::exception_ptr failure;
  std::optional<nb::python_error> raised;
  {
    nb::gil_scoped_release unlocked;
    std::jthread worker([&] {
      try {
        result.emplace(work(base::Supervision{.progress = &advance, .cancel = &cancel}));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      has_ended = true;
      ended.notify_one();
    });
    Advance::State told;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, between_looks, [&] { return has_ended; })) {
      if (raised) continue;
      lock.unlock();
      {
        nb::gil_scoped_acquire locked;
        try {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          const auto now = advance.state();
          if (!callback.is_none() && !(now == told))
            callback(now.phase.c_str(), now.done, now.total);
          told = now;
        } catch (const nb::python_error& error) {
          raised.emplace(error);
          cancel.cancel();
        }
      }
      lock.lock();
    }
  }
  if (raised) throw nb::python_error(*raised);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace tacet::python
