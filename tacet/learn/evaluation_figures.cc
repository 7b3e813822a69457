#include "tacet/learn/evaluation_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "tacet/model/confusion.h"

namespace tacet::learn {
namespace {

// A ratio of two noisy sums means something only while the lower one stands clear of the noise.
constexpr double clear_of_noise = 5;

/// (u x + more) / (v x) for noisy counts x; without v the lower sum is exact.
struct Parts {
  std::vector<double> upper;  ///< u
  std::vector<double> lower;  ///< v, or empty
  double more = 0;
  double more_noise = 0;  ///< standard deviation of the noise in `more`
};

double sum_of(std::span<const double> weights, std::span<const double> cells) {
  return std::inner_product(weights.begin(), weights.end(), cells.begin(), 0.0);
}

double length(std::span<const double> weights) { return std::sqrt(sum_of(weights, weights)); }

/// First order in the noise: that of (u - r v) x + more over v x, where r is the ratio.
NoisyRatio ratio(const Parts& parts, const ReleasedCounts& counts) {
  const bool exact = parts.lower.empty();
  const double lower = exact ? *counts.public_records : sum_of(parts.lower, counts.cells);
  const double upper = sum_of(parts.upper, counts.cells) + parts.more;
  const double noise =
      std::max(std::hypot(counts.deviation * length(parts.upper), parts.more_noise),
               counts.deviation * length(parts.lower));
  if (!(lower > 0) || lower < clear_of_noise * noise) return std::nullopt;
  const double value = std::clamp(upper / lower, 0.0, 1.0);
  auto weights = parts.upper;
  for (std::size_t i = 0; i < parts.lower.size(); ++i) weights[i] -= value * parts.lower[i];
  return NoisyValue{value,
                    std::hypot(counts.deviation * length(weights), parts.more_noise) / lower};
}

NoisyRatio scaled(NoisyRatio value, double scale) {
  if (!value) return value;
  return NoisyValue{value->value * scale, value->noise_deviation * scale};
}

void add_classes(const ReleasedCounts& counts, const EvaluationPlan& plan, NoisyFigures& out) {
  for (std::int64_t of = plan.classes == 2 ? 1 : 0; of < plan.classes; ++of) {
    NoisyClass found{.of = of, .figures = {}};
    for (const auto& figure : model::class_ratios(plan.classes, of)) {
      found.figures.emplace_back(figure.name, ratio({figure.upper, figure.lower}, counts));
    }
    out.by_class.push_back(std::move(found));
  }
}

}  // namespace

NoisyFigures figures_of(const ReleasedCounts& counts, const EvaluationPlan& plan) {
  const std::vector<double> every(counts.cells.size(), 1.0);
  const bool exact = counts.public_records.has_value();
  NoisyFigures out{
      .records = exact ? NoisyValue{*counts.public_records, 0}
                       : NoisyValue{sum_of(every, counts.cells), counts.deviation * length(every)}};
  const auto all = exact ? std::vector<double>() : every;
  if (plan.has_matrix()) {
    out.accuracy = ratio({model::accuracy_ratio(plan.classes).upper, all}, counts);
    out.matrix = counts.cells;
    out.matrix_deviation = counts.deviation;
    add_classes(counts, plan, out);
  } else if (plan.classes > 0) {
    out.accuracy = ratio({{0, 1}, all}, counts);
  }
  if (plan.loss_cap) {
    const std::vector<double> of_each(counts.cells.size(), counts.loss_of_each);
    out.mean_loss =
        scaled(ratio({of_each, all, counts.losses, counts.deviation}, counts), *plan.loss_cap);
  }
  return out;
}

}  // namespace tacet::learn
