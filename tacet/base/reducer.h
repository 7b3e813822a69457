#pragma once

#include <cstdint>
#include <span>

namespace tacet::base {

/// Joins the work of several processes. Only integers are summed, so the result is the same for
/// any number of processes and any order.
class Reducer {
 public:
  virtual ~Reducer() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Replaces `values` on every rank by their sum over the ranks.
  virtual void sum(std::span<std::int64_t> values) = 0;
  /// Replaces `values` on every rank by those of rank 0.
  virtual void broadcast(std::span<std::int64_t> values) = 0;
};

/// One process: nothing to join.
class LocalReducer final : public Reducer {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void sum(std::span<std::int64_t>) override {}
  void broadcast(std::span<std::int64_t>) override {}
};

}  // namespace tacet::base
