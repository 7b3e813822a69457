#include "tacet/optimize/sums/residual.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/elementary.h"
#include "tacet/optimize/sums/joint_bound.h"

namespace tacet::optimize {
namespace {

constexpr auto label_units = static_cast<double>(residual_units);

/// To the nearest unit, cut to the bounds.
std::int64_t in_label_units(double share) {
  return std::llround(std::clamp(share, -1.0, 1.0) * label_units);
}

Residual count_residual(const Response& response, double label, double predictor) {
  // The mean is cut at K: beyond, the residual says nothing of it.
  const double mean = numeric::exp(std::min(predictor, numeric::log(response.cut)));
  const auto cut = static_cast<std::int64_t>(response.cut);
  const auto law = cut_poisson(mean, cut);
  const double count = std::min(std::round(label * response.largest), response.cut);
  const double curvature = mean * law.below;
  const double weight =
      curvature > response.curvature_bound ? response.curvature_bound / curvature : 1;
  return {.value = in_label_units(weight * (count - law.mean) / response.cut),
          .curvature = in_label_units(weight * curvature / response.curvature_bound)};
}

}  // namespace

CutPoisson cut_poisson(double m, std::int64_t cut) {
  // K - E min(Y, K) = sum over k < K of (K - k) P(Y = k).
  double probability = numeric::exp(-m);
  double below = 0;
  double lacks = 0;
  for (std::int64_t k = 0; k < cut; ++k) {
    below += probability;
    lacks += static_cast<double>(cut - k) * probability;
    probability *= m / static_cast<double>(k + 1);
  }
  return {.mean = static_cast<double>(cut) - lacks, .below = below};
}

Residual residual_of(const Response& response, double label, double predictor) {
  if (!std::isfinite(label) || !std::isfinite(predictor)) return {};
  switch (response.mean) {
    case MeanModel::none:
      return {.value = in_label_units(label), .curvature = residual_units};
    case MeanModel::identity: {
      const double residual = label - predictor;
      return {.value = in_label_units(residual / response.cut),
              .curvature = std::abs(residual) < response.cut ? residual_units : 0};
    }
    case MeanModel::logistic: {
      const double y = label > 0 ? 1 : 0;
      const auto value = in_label_units(y - numeric::sigmoid(predictor));
      return {.value = value, .curvature = logistic_curvature(value)};
    }
    case MeanModel::poisson:
      return count_residual(response, label, predictor);
  }
  return {};
}

}  // namespace tacet::optimize
