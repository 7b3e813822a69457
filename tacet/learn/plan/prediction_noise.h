#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/learn/plan/coefficient_noise.h"
#include "tacet/model/model_file.h"

namespace tacet::learn {

/// Weights whose noise is bounded in every direction: that of a sum of weights times features has
/// at most the variance of independent weights with these standard deviations. The steps of weight
/// j are rates[j] times as long as the law says. docs/explanations/coefficient-noise.md has the
/// proof. Empty where noise grows beyond all numbers.
[[nodiscard]] std::vector<double> bounded_stddevs(const DescentLaw& law,
                                                  std::span<const double> rates);

/// The noise of the training's steps in predictions of one output: a bound of its standard
/// deviation, from the path's law as the receipt has it, or from one standard deviation that the
/// file states for all coefficients. Nothing of records that were trained on goes into it.
class PredictionNoise {
 public:
  /// Nothing where no law is known, and for several outputs.
  [[nodiscard]] static std::optional<PredictionNoise> of(const model::ModelFile& file);

  /// The standard deviation of the noise in the prediction for one record: in units of the target
  /// if a number is predicted on its own scale, otherwise of the margin.
  [[nodiscard]] double stddev(const data::Dataset& records, std::int64_t row) const;
  /// The largest of these for any record whose row has norm 1 at most.
  [[nodiscard]] double longest() const;

 private:
  PredictionNoise(std::vector<double> stddevs, double unit)
      : stddevs_(std::move(stddevs)), unit_(unit) {}

  std::vector<double>
      stddevs_;  ///< of coefficients, whose noise is at most as if it were independent
  double unit_;
};

}  // namespace tacet::learn
