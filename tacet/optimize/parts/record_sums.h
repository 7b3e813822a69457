#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/parts/sum_request.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/optimize/sums/presence_sum.h"

/// The integers that records in this process add up to: what LocalParts certifies, and what a Part
/// answers with. All of them are as private as the records.
namespace tacet::optimize {

class RecordSums {
 public:
  /// Keeps references to both.
  RecordSums(const data::Dataset& records, base::ThreadPool& threads);
  /// Takes over records that nobody else needs, so that they are held once when they are rewritten.
  RecordSums(data::Dataset&& records, base::ThreadPool& threads);

  [[nodiscard]] const data::Dataset& records() const { return own_ ? *own_ : *given_; }
  void rewrite(const ReleasedSchema& released);
  void start(const GradientTask& task);
  /// InternalError before start().
  [[nodiscard]] std::vector<std::int64_t> gradients(std::span<const double> weights) const;
  [[nodiscard]] std::vector<std::int64_t> moments(const MomentTask& task) const;
  [[nodiscard]] std::vector<ColumnCount> presence(const PresenceTask& task) const;
  [[nodiscard]] std::vector<std::int64_t> gram(const GramTask& task) const;

 private:
  // A sum refers to its loss.
  struct Gradients {
    Gradients(const data::Dataset& records, const GradientTask& task, base::ThreadPool& threads)
        : loss(task.loss), sum({records, loss, task.outputs}, task.limit, threads) {}
    model::Loss loss;
    GradientSum sum;
  };

  const data::Dataset* given_ = nullptr;
  std::unique_ptr<data::Dataset> own_;
  base::ThreadPool& threads_;
  std::unique_ptr<Gradients> gradients_;
};

}  // namespace tacet::optimize
