#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/parts/record_sums.h"

namespace tacet::optimize {

/// Records that are all in this process.
class LocalParts final : public PartSums {
 public:
  /// Keeps references to all.
  LocalParts(const data::Dataset& records, base::ThreadPool& threads,
             const base::CancelToken* cancel = nullptr)
      : sums_(records, threads), cancel_(cancel) {}
  /// Takes over records that nobody else needs.
  LocalParts(data::Dataset&& records, base::ThreadPool& threads)
      : sums_(std::move(records), threads) {}

  [[nodiscard]] const data::Dataset* here() const override { return &sums_.records(); }
  [[nodiscard]] data::DatasetShape shape() const override { return sums_.records().shape(); }
  [[nodiscard]] bool has_units() const override { return sums_.records().has_units(); }
  [[nodiscard]] std::int64_t rows() override { return sums_.records().rows(); }
  void rewrite(const ReleasedSchema& released) override { sums_.rewrite(released); }

 protected:
  void start(const GradientTask& task) override { sums_.start(task); }
  [[nodiscard]] std::vector<std::int64_t> add_gradients(std::span<const double> weights,
                                                        Basis /*basis*/) override {
    return sums_.gradients(weights);
  }
  [[nodiscard]] std::vector<std::int64_t> add_moments(const MomentTask& task) override {
    return sums_.moments(task);
  }
  [[nodiscard]] std::vector<ColumnCount> add_presence(const PresenceTask& task) override {
    return sums_.presence(task);
  }
  [[nodiscard]] std::vector<std::int64_t> add_gram(const GramTask& task) override {
    return sums_.gram(task);
  }
  [[nodiscard]] std::vector<std::int64_t> add_predictions(const model::LinearModel& model,
                                                          const PredictionCells& cells) override {
    return prediction_integers(sums_.records(), model, cells, cancel_);
  }

 private:
  RecordSums sums_;
  const base::CancelToken* cancel_ = nullptr;
};

}  // namespace tacet::optimize
