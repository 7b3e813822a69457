#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sgd/sgd_schedule.h"

/// For tests: stochastic gradient descent in plain doubles, written independently of the engine,
/// and random records on the grid of a data set.
namespace tacet::optimize::sgd_test {

struct Point {
  std::vector<double> x;
  double y;
  bool absent = false;  // the empty record of zero_out
};

struct Rule {
  model::Loss loss;
  std::vector<double> steps;  // one a step
  double l2 = 0;
  double radius = std::numeric_limits<double>::infinity();
  double clip = std::numeric_limits<double>::infinity();
  bool smooth = false;
  double norm_bound = 1;
};

inline std::vector<std::vector<double>> iterates(const std::vector<Point>& points,
                                                 const std::vector<std::uint32_t>& order,
                                                 std::int64_t batch, const Rule& rule) {
  std::vector<double> w(points[0].x.size(), 0);
  std::vector<std::vector<double>> all{w};
  const auto b = static_cast<std::size_t>(batch);
  for (std::size_t t = 0; t * b < order.size(); ++t) {
    const double step = rule.steps[t];
    std::vector<double> gradient(w.size(), 0);
    model::Loss loss = rule.loss;
    if (rule.smooth && model::can_be_smoothed(loss)) {
      loss = model::smoothed(loss,
                             model::width_for_step(loss, step * rule.norm_bound * rule.norm_bound));
    }
    for (std::size_t k = 0; k < b; ++k) {
      const auto& point = points[order[t * b + k]];
      if (point.absent) continue;
      double u = 0;
      double square = 0;
      for (std::size_t j = 0; j < w.size(); ++j) {
        u += point.x[j] * w[j];
        square += point.x[j] * point.x[j];
      }
      double slope = model::loss_slope(loss, u, point.y);
      if (square > 0)
        slope = std::clamp(slope, -rule.clip / std::sqrt(square), rule.clip / std::sqrt(square));
      for (std::size_t j = 0; j < w.size(); ++j) {
        gradient[j] += slope * point.x[j] / static_cast<double>(batch);
      }
    }
    double square = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] = (w[j] - step * gradient[j]) / (1 + step * rule.l2);
      square += w[j] * w[j];
    }
    if (std::sqrt(square) > rule.radius) {
      for (double& v : w) v *= rule.radius / std::sqrt(square);
    }
    all.push_back(w);
  }
  return all;
}

inline std::vector<double> mean_of(const std::vector<std::vector<double>>& all,
                                   const IterateWeights& weights) {
  std::vector<double> mean(all[0].size(), 0);
  for (std::size_t t = 0; t < all.size(); ++t) {
    const double share = weights.at(static_cast<std::int64_t>(t) + 1);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += share * all[t][j];
  }
  return mean;
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

class PointMaker {
 public:
  PointMaker(std::size_t columns, bool classes, std::uint64_t seed)
      : columns_(columns), classes_(classes), bits_(seed) {}

  Point operator()() {
    Point point{std::vector<double>(columns_, 0), 0};
    double square = 0;
    for (double& x : point.x) {
      x = bits_() % 3 == 0 ? 0 : unit_(bits_);
      square += x * x;
    }
    if (square == 0) point.x[0] = square = 1;
    const double length = bits_() % 3 == 0 ? std::fabs(unit_(bits_)) : 1;
    for (double& x : point.x) x = std::trunc(x / std::sqrt(square) * length * 2048) / 2048;
    point.y = classes_ ? (bits_() % 2 == 0 ? 1 : -1)
                       : (bits_() % 2 == 0 ? unit_(bits_) : (bits_() % 2 == 0 ? 1.0 : -1.0));
    return point;
  }
  std::uint64_t bits() { return bits_(); }

 private:
  std::size_t columns_;
  bool classes_;
  std::mt19937_64 bits_;
  std::uniform_real_distribution<double> unit_{-1, 1};
};

inline std::vector<model::Loss> losses() {
  return {model::LogisticLoss{},
          model::SquaredLoss{},
          model::HingeLoss{},
          model::SmoothedHingeLoss{0.3},
          model::HuberLoss{0.4},
          model::AbsoluteLoss{},
          model::PinballLoss{0.8},
          model::PowerHingeLoss{1.5},
          model::PowerHingeLoss{2},
          model::PowerRegressionLoss{1.3},
          model::SmoothedAbsoluteLoss{0.2},
          model::SmoothedPinballLoss{0.7, 0.2},
          model::EpsilonInsensitiveLoss{0.2},
          model::SmoothedEpsilonInsensitiveLoss{0.1, 0.3},
          model::SquaredEpsilonInsensitiveLoss{0.1},
          model::LinearisedPowerHingeLoss{1.5, 0.2},
          model::LinearisedPowerRegressionLoss{1.6, 0.3}};
}

}  // namespace tacet::optimize::sgd_test
