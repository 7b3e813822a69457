#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"
#include "tacet/model/loss/loss.h"
#include "tacet/numeric/elementary.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/solver/regularized_objective.h"

/// For tests: a second solver, from the dual side, written independently of the one that ships.
namespace tacet::optimize::dual_ascent {

/// sum_i loss(<w, x_i>, y_i) + (sum_l2 / 2) |w - centre|^2 over the whole space or a ball around
/// the origin. Kinks need no rounding: width 0 keeps them.
struct DualProblem {
  model::Loss loss;
  double smoothing_width = 0;
  double sum_l2 = 1;  ///< of the sum
  std::vector<double> centre{};
  Domain domain = WholeSpace{};
};

using internal::norm;

inline constexpr double rounding = 0x1p-53;
inline constexpr double unit = 1.0 / data::Dataset::feature_scale;

/// The loss of one record as max over a in [low, high] of a r - width a^2 / 2, r = offset + sign z;
/// the dual number of the record's row is -sign a.
struct BoxLoss {
  double offset;
  double sign;
  double low;
  double high;
  double width;

  [[nodiscard]] double margin(double z) const { return offset + sign * z; }
  [[nodiscard]] double gap(double z, double a) const {
    const double r = margin(z);
    const double best = width > 0 ? std::clamp(r / width, low, high)
                        : r > 0   ? high
                        : r < 0   ? low
                                  : a;
    return width / 2 * (best - a) * (best - a) + (best - a) * (r - width * best);
  }
  [[nodiscard]] double step(double z, double a, double scale) const {
    const double r = margin(z);
    if (scale + width == 0) return r > 0 ? high : r < 0 ? low : a;
    return std::clamp((a * scale + r) / (scale + width), low, high);
  }
};

/// |x(alpha) - w*| <= sqrt(gap / mu) for the primal point that belongs to a dual one (both the
/// primal function and the regulariser's conjugate contribute mu/2). `gap_error` bounds the
/// rounding of the gap, which may come out as 0 or below at the minimum.
[[nodiscard]] inline double fenchel_certificate(double gap, double gap_error,
                                                double strong_convexity) {
  return std::sqrt((std::max(gap, 0.0) + gap_error) / strong_convexity) * (1 + 0x1p-30);
}

// t -> (1 + t) ln(1 + t) - t, without cancellation at 0.
inline double entropy_gap(double t) {
  if (std::fabs(t) < 1e-3) return t * t * (0.5 - t * (1.0 / 6 - t * (1.0 / 12 - t / 20)));
  if (t <= -1) return 1;
  return (1 + t) * std::log1p(t) - t;
}

/// ln(1 + e^{-yz}) with the dual number b in [0, 1].
struct LogisticDual {
  double label;

  [[nodiscard]] double gap(double z, double b) const {
    const double p = numeric::sigmoid(-label * z);
    const double q = numeric::sigmoid(label * z);
    return p * entropy_gap((b - p) / p) + q * entropy_gap((p - b) / q);
  }
  // The root of ln((1 - b) / b) - y z - (b - old) scale, by Newton's method kept in a bracket.
  [[nodiscard]] double step(double z, double old, double scale) const {
    double low = 0;
    double high = 1;
    double b = std::clamp(numeric::sigmoid(-label * z), 1e-12, 1 - 1e-12);
    for (int i = 0; i < 60; ++i) {
      const double value = std::log((1 - b) / b) - label * z - (b - old) * scale;
      (value > 0 ? low : high) = b;
      double next = b + value / (1 / (b * (1 - b)) + scale);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (std::fabs(next - b) <= 1e-15 * b) break;
      b = next;
    }
    return b;
  }
};

struct SquaredDual {
  double label;
  [[nodiscard]] double gap(double z, double a) const {
    const double rest = label - z - a;
    return rest * rest / 2;
  }
  [[nodiscard]] double step(double z, double a, double scale) const {
    return a + (label - z - a) / (1 + scale);
  }
};

/// The dual of one record: its number, and the factor that turns it into its row's weight.
class RecordDual {
 public:
  RecordDual(const DualProblem& problem, double label) {
    const auto& loss = problem.loss;
    const auto facts = model::properties(loss);
    const bool classes = facts.classification;
    const double y = model::sanitised_label(facts.labels, label);
    factor_ = classes ? y : 1;
    if (std::holds_alternative<model::LogisticLoss>(loss)) {
      kind_ = LogisticDual{y};
    } else if (std::holds_alternative<model::SquaredLoss>(loss)) {
      kind_ = SquaredDual{y};
    } else if (std::holds_alternative<model::HingeLoss>(loss)) {
      kind_ = BoxLoss{1, -y, 0, 1, problem.smoothing_width};
    } else if (const auto* hinge = std::get_if<model::SmoothedHingeLoss>(&loss)) {
      kind_ = BoxLoss{1, -y, 0, 1, hinge->width};
    } else if (const auto* huber = std::get_if<model::HuberLoss>(&loss)) {
      kind_ = BoxLoss{y, -1, -huber->threshold, huber->threshold, 1};
    } else if (std::holds_alternative<model::AbsoluteLoss>(loss)) {
      kind_ = BoxLoss{y, -1, -1, 1, problem.smoothing_width};
    } else if (const auto* pinball = std::get_if<model::PinballLoss>(&loss)) {
      kind_ = BoxLoss{y, -1, pinball->quantile - 1, pinball->quantile, problem.smoothing_width};
    } else if (const auto* rounded = std::get_if<model::SmoothedAbsoluteLoss>(&loss)) {
      kind_ = BoxLoss{y, -1, -1, 1, rounded->width};
    } else if (const auto* smooth = std::get_if<model::SmoothedPinballLoss>(&loss)) {
      kind_ = BoxLoss{y, -1, smooth->quantile - 1, smooth->quantile, smooth->width};
    } else {
      throw base::UsageError("dual ascent does not know this loss");
    }
  }

  [[nodiscard]] double factor() const { return factor_; }
  [[nodiscard]] double gap(double z, double dual) const {
    return std::visit([&](const auto& kind) { return kind.gap(z, dual); }, kind_);
  }
  [[nodiscard]] double step(double z, double dual, double scale) const {
    return std::visit([&](const auto& kind) { return kind.step(z, dual, scale); }, kind_);
  }

 private:
  double factor_ = 1;
  std::variant<BoxLoss, LogisticDual, SquaredDual> kind_ = SquaredDual{0};
};

inline double row_dot(const data::Dataset& dataset, std::int64_t i,
                      std::span<const double> weights) {
  double sum = 0;
  if (dataset.sparse()) {
    const auto row = dataset.sparse_row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      sum += weights[row.columns[k]] * row.values[k];
    }
  } else {
    const auto row = dataset.dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) sum += weights[j] * row[j];
  }
  return sum * unit;
}

template <typename Add>
void for_row(const data::Dataset& dataset, std::int64_t i, const Add& add) {
  if (dataset.sparse()) {
    const auto row = dataset.sparse_row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) add(row.columns[k], row.values[k] * unit);
  } else {
    const auto row = dataset.dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] != 0) add(j, row[j] * unit);
    }
  }
}

/// The point before the projection, centre + v / l2, its scale onto the ball, and the duals.
class Ascent {
 public:
  Ascent(const data::Dataset& dataset, const DualProblem& problem)
      : dataset_(dataset),
        problem_(problem),
        duals_(static_cast<std::size_t>(dataset.rows()), 0.0) {
    if (const auto* ball = std::get_if<Ball>(&problem.domain); ball != nullptr) {
      radius_ = ball->radius;
      if (!ball->centre.empty()) throw base::UsageError("dual ascent needs a ball at the origin");
    } else if (!std::holds_alternative<WholeSpace>(problem.domain)) {
      throw base::UsageError("dual ascent needs the whole space or a ball as its domain");
    }
    records_.reserve(duals_.size());
    for (std::int64_t i = 0; i < dataset.rows(); ++i) {
      records_.emplace_back(problem, dataset.label(i));
    }
    // A start inside of every dual domain.
    if (std::holds_alternative<model::LogisticLoss>(problem.loss)) {
      std::fill(duals_.begin(), duals_.end(), 0.5);
    }
    refresh();
  }

  void epoch() {
    const std::int64_t n = dataset_.rows();
    // A fixed order that jumps around: every record once, since the stride has no factor in common.
    std::int64_t stride =
        std::max<std::int64_t>(1, std::llround(0.6180339887 * static_cast<double>(n)));
    while (std::gcd(stride, n) != 1) ++stride;
    for (std::int64_t k = 0, i = 0; k < n; ++k, i = (i + stride) % n) visit(i);
    refresh();
  }

  [[nodiscard]] CertifiedMinimum certify() const {
    CertifiedMinimum found{point_, 0, SolverRoute::fast};
    for (double& w : found.weights) w *= scale_;
    const double size = norm(point_) + norm(problem_.centre);
    // v is summed with compensation: two roundings of the sum, and second-order terms.
    const double n = static_cast<double>(dataset_.rows());
    const double point_error =
        64 * rounding * size + n * n * rounding * rounding * absolute_ / problem_.sum_l2;
    double gap = 0;
    double gap_error = 0;
    for (std::int64_t i = 0; i < dataset_.rows(); ++i) {
      const auto place = static_cast<std::size_t>(i);
      const double length =
          std::sqrt(static_cast<double>(dataset_.squared_norm(i))) * unit * (1 + 4 * rounding);
      const double z = row_dot(dataset_, i, found.weights);
      const double z_error =
          length * (static_cast<double>(dataset_.columns() + 2) * rounding * size + point_error) +
          4 * rounding * (1 + std::fabs(z));
      const double term = records_[place].gap(z, duals_[place]);
      gap += std::max(0.0, term);
      const double slope = 2 * std::min(model::properties(problem_.loss).slope_bound,
                                        1 + std::fabs(z) + std::fabs(duals_[place]));
      gap_error += (slope + z_error) * z_error + 0x1p-48 * (1 + std::fabs(z));
    }
    gap_error += n * rounding * gap;
    found.distance_bound = fenchel_certificate(gap, gap_error, problem_.sum_l2) + point_error;
    return found;
  }

 private:
  void visit(std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    const auto& record = records_[place];
    const double along = row_dot(dataset_, i, point_);
    const double square = static_cast<double>(dataset_.squared_norm(i)) * unit * unit;
    const double old = duals_[place];
    const double next = record.step(scale_ * along, old, square / problem_.sum_l2);
    const double change = (next - old) * record.factor() / problem_.sum_l2;
    if (change == 0) return;
    duals_[place] = next;
    for_row(dataset_, i, [&](std::size_t j, double x) { point_[j] += change * x; });
    square_ += 2 * change * along + change * change * square;
    rescale();
  }

  void rescale() { scale_ = square_ > radius_ * radius_ ? radius_ / std::sqrt(square_) : 1; }

  // The point from the duals alone, so that rounding does not pile up.
  void refresh() {
    const auto columns = static_cast<std::size_t>(dataset_.columns());
    point_.assign(columns, 0.0);
    std::vector<double> rest(columns, 0.0);
    absolute_ = 0;
    for (std::int64_t i = 0; i < dataset_.rows(); ++i) {
      const auto place = static_cast<std::size_t>(i);
      const double factor = duals_[place] * records_[place].factor();
      absolute_ += std::fabs(factor);
      for_row(dataset_, i, [&](std::size_t j, double x) {
        const double term = factor * x;
        const double sum = point_[j] + term;
        const double back = sum - point_[j];
        rest[j] += (point_[j] - (sum - back)) + (term - back);
        point_[j] = sum;
      });
    }
    square_ = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      point_[j] = (problem_.centre.empty() ? 0 : problem_.centre[j]) +
                  (point_[j] + rest[j]) / problem_.sum_l2;
      square_ += point_[j] * point_[j];
    }
    rescale();
  }

  const data::Dataset& dataset_;
  const DualProblem& problem_;
  double radius_ = std::numeric_limits<double>::infinity();
  std::vector<RecordDual> records_;
  std::vector<double> duals_;
  std::vector<double> point_;
  double square_ = 0;
  double scale_ = 1;
  double absolute_ = 0;
};

/// Minimises by stochastic dual coordinate ascent (Shalev-Shwartz, Zhang 2014), one dual number a
/// record, in a fixed order of records, and certifies the primal point by the Fenchel gap:
/// |w(alpha) - w*| <= sqrt(gap / l2). The gap is a sum of one Fenchel-Young term a record, each
/// computed without cancellation; its rounding is counted.
///
/// The bound is valid whether or not it reaches `tolerance` within `max_epochs` visits of every
/// record. Where the loss has a kink no useful number of visits can be proved to be enough, so that
/// a release of the minimiser must not rest on this solver alone: minimise_certified, with rounded
/// kinks, always delivers. UsageError for another domain.
[[nodiscard]] inline CertifiedMinimum minimise_by_dual_ascent(const data::Dataset& dataset,
                                                              const DualProblem& problem,
                                                              double tolerance,
                                                              std::int64_t max_epochs) {
  if (!(problem.sum_l2 > 0) || !(tolerance > 0)) {
    throw base::UsageError("dual ascent needs a positive l2 and tolerance");
  }
  (void)checked(problem.domain, static_cast<std::size_t>(dataset.columns()));
  Ascent ascent(dataset, problem);
  auto best = ascent.certify();
  for (std::int64_t epoch = 0; epoch < max_epochs && best.distance_bound > tolerance; ++epoch) {
    ascent.epoch();
    auto found = ascent.certify();
    if (found.distance_bound < best.distance_bound) best = std::move(found);
  }
  return best;
}

}  // namespace tacet::optimize::dual_ascent
