#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/learn/plan/coefficient_noise.h"
#include "tacet/model/model_file.h"

namespace tacet::learn {

/// Standard deviations that bound the noise of weights in every direction: the noise of a sum of
/// weights times features has at most the variance that independent weights with these standard
/// deviations would give. The steps of weight j are rates[j] times as long as the law says.
/// docs/explanations/coefficient-noise.md has the proof. Empty if noise grows without bound.
[[nodiscard]] std::vector<double> bounded_stddevs(const DescentLaw& law,
                                                  std::span<const double> rates);

/// The noise of the training's steps in predictions of one output: a bound of its standard
/// deviation, from the path's law as the receipt has it, or from one standard deviation that the
/// file states for all coefficients. It does not depend on the training records.
class PredictionNoise {
 public:
  /// Nothing if no law is known, and for several outputs.
  [[nodiscard]] static std::optional<PredictionNoise> of(const model::ModelFile& file);

  /// The standard deviation of the noise in the prediction for one record: in units of the target
  /// if a number is predicted on its own scale, else of the margin.
  [[nodiscard]] double stddev(const data::Dataset& records, std::int64_t row) const;
  /// The largest of these for any row of norm at most 1.
  [[nodiscard]] double longest() const;

 private:
  PredictionNoise(std::vector<double> stddevs, double unit)
      : stddevs_(std::move(stddevs)), unit_(unit) {}

  std::vector<double>
      stddevs_;  ///< of coefficients; their noise is at most that of independent ones
  double unit_;
};

}  // namespace tacet::learn
