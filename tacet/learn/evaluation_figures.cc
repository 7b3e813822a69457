#include "tacet/learn/evaluation_figures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "tacet/learn/evaluation_histogram.h"
#include "tacet/model/confusion.h"
#include "tacet/model/linear_model.h"

namespace tacet::learn {
namespace {

/// A ratio (u x + more) / (v x) of noisy counts x. If v is absent, the denominator is exact.
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

/// The ratio r and its noise to first order: that of (u - r v) x + more, over v x.
NoisyRatio ratio(const Parts& parts, const ReleasedCounts& counts) {
  const bool exact = parts.lower.empty();
  const double lower = exact ? *counts.public_records : sum_of(parts.lower, counts.cells);
  const double upper = sum_of(parts.upper, counts.cells) + parts.more;
  const double noise = std::max(std::hypot(counts.stddev * length(parts.upper), parts.more_noise),
                                counts.stddev * length(parts.lower));
  if (!(lower > 0) || lower < clear_of_noise * noise) return std::nullopt;
  const double value = std::clamp(upper / lower, 0.0, 1.0);
  auto weights = parts.upper;
  for (std::size_t i = 0; i < parts.lower.size(); ++i) weights[i] -= value * parts.lower[i];
  return NoisyValue{value, std::hypot(counts.stddev * length(weights), parts.more_noise) / lower};
}

NoisyRatio scaled(NoisyRatio value, double scale) {
  if (!value) return value;
  return NoisyValue{value->value * scale, value->noise_stddev * scale};
}

/// The mean of a score in [0, 1].
NoisyRatio mean_of_score(std::size_t score, const ReleasedCounts& counts) {
  const double sum = counts.scores[score];
  const std::vector<double> halves(counts.cells.size(), 0.5);
  if (counts.public_records) {
    return ratio({{}, {}, sum + 0.5 * *counts.public_records, counts.stddev}, counts);
  }
  const std::vector<double> every(counts.cells.size(), 1.0);
  return ratio({halves, every, sum, counts.stddev}, counts);
}

NoisyRatio mean_of(optimize::NumberScore score, const ReleasedCounts& counts) {
  return mean_of_score(static_cast<std::size_t>(score), counts);
}

/// 1 - E/V for the mean squared error E and the variance V of the target, both in units of half its
/// range. The noise to first order comes from the three means and from the number of records that
/// they share.
NoisyRatio r2_of(const NoisyValue& records, const ReleasedCounts& counts) {
  const auto error = mean_of(optimize::NumberScore::squared_error, counts);
  const auto target = mean_of(optimize::NumberScore::target, counts);
  const auto square = mean_of(optimize::NumberScore::squared_target, counts);
  if (!error || !target || !square) return std::nullopt;
  const double mean = 2 * target->value - 1;
  const double variance = square->value - mean * mean;
  const auto noise = [&](double of_error, double of_target, double of_square) {
    const double of_records = of_error * (0.5 - error->value) + of_target * (0.5 - target->value) +
                              of_square * (0.5 - square->value);
    return std::hypot(std::hypot(of_error, of_target, of_square) * counts.stddev,
                      of_records * records.noise_stddev) /
           records.value;
  };
  if (!(variance > clear_of_noise * noise(0, -4 * mean, 1))) return std::nullopt;
  const double share = 4 * error->value / variance;
  const double each = share / variance;  // the derivative of R2 by the variance
  return NoisyValue{1 - share, noise(-4 / variance, -4 * mean * each, each)};
}

/// A function of means of scores, by how much it grows with each.
struct CountGrowth {
  optimize::NumberScore score;
  double factor;
};

/// First order: the noise of the means, and of the number of records that they share.
double noise_of(std::span<const CountGrowth> growths, const NoisyValue& records,
                const ReleasedCounts& counts) {
  double square = 0;
  double of_records = 0;
  for (const auto& [score, factor] : growths) {
    square += factor * factor;
    of_records += factor * (0.5 - mean_of(score, counts)->value);
  }
  return std::hypot(std::sqrt(square) * counts.stddev, of_records * records.noise_stddev) /
         records.value;
}

/// Half the deviance of the predictions, D = c l - a s, and of the best constant, D0 = h(t) - b s.
/// Here c is the cap, l the mean of capped losses over c, t the mean of the targets and s the mean
/// of their entropies. For counts a = 0 (their loss is half the deviance), b = 1/e and h = -t ln t.
/// For probabilities a = b = ln 2, and h is the entropy. Both are in units of the largest target.
struct Deviances {
  double half;
  double constant;
  double steep;  ///< h'(t)
  double a;
  double b;
};

Deviances deviances_of(const ReleasedCounts& counts, const EvaluationPlan& plan) {
  const bool log = plan.link == model::Link::log;
  const double t = mean_of(optimize::NumberScore::target, counts)->value;
  const double s = mean_of(optimize::NumberScore::entropy, counts)->value;
  const double a = log ? 0 : std::numbers::ln2;
  const double b = log ? 1 / std::numbers::e : std::numbers::ln2;
  const double h = -t * std::log(t) - (log ? 0 : (1 - t) * std::log(1 - t));
  return {*plan.loss_cap * mean_of(optimize::NumberScore::loss, counts)->value - a * s, h - b * s,
          log ? -std::log(t) - 1 : std::log((1 - t) / t), a, b};
}

void add_deviance(const ReleasedCounts& counts, const EvaluationPlan& plan, NoisyFigures& out) {
  using enum optimize::NumberScore;
  const auto t = mean_of(target, counts);
  if (!t || !mean_of(loss, counts) || !mean_of(optimize::NumberScore::entropy, counts)) return;
  const auto found = deviances_of(counts, plan);
  const double cap = *plan.loss_cap;
  const double unit = 4 * plan.error_unit;  // twice the largest target
  const auto noise = [&](const std::vector<CountGrowth>& growths) {
    return noise_of(growths, out.records, counts);
  };
  out.deviance = NoisyValue{unit * found.half, unit * noise({{loss, cap}, {entropy, -found.a}})};
  if (!(t->value > 0 && t->value < 1)) return;
  if (!(found.constant > clear_of_noise * noise({{target, found.steep}, {entropy, -found.b}}))) {
    return;
  }
  const double share = found.half / found.constant;
  out.d2 = NoisyValue{1 - share, noise({{loss, -cap / found.constant},
                                        {target, share * found.steep / found.constant},
                                        {entropy, (found.a - found.b * share) / found.constant}})};
}

NoisyRatio root(NoisyRatio square) {
  if (!square || !(square->value > 0)) return std::nullopt;
  const double value = std::sqrt(square->value);
  return NoisyValue{value, square->noise_stddev / (2 * value)};
}

void add_numbers(const ReleasedCounts& counts, const EvaluationPlan& plan, NoisyFigures& out) {
  out.r2 = r2_of(out.records, counts);
  out.mae = scaled(mean_of(optimize::NumberScore::error, counts), 2 * plan.error_unit);
  out.rmse =
      scaled(root(mean_of(optimize::NumberScore::squared_error, counts)), 2 * plan.error_unit);
  if (plan.has_deviance()) add_deviance(counts, plan, out);
}

void add_classes(const ReleasedCounts& counts, const EvaluationPlan& plan, NoisyFigures& out) {
  for (std::int64_t of = plan.classes == 2 ? 1 : 0; of < plan.classes; ++of) {
    NoisyClass found{.of = of, .figures = {}};
    for (const auto& figure : model::class_ratios(plan.classes, of)) {
      found.figures.emplace_back(
          figure.name,
          ratio({over_bins(figure.upper, plan), over_bins(figure.lower, plan)}, counts));
    }
    out.by_class.push_back(std::move(found));
  }
}

/// Fills each cell of the confusion matrix with the sum of the histogram's cells that belong to it.
void add_matrix(const ReleasedCounts& counts, const EvaluationPlan& plan, NoisyFigures& out) {
  for (std::int64_t i = 0; i < plan.classes * plan.classes; ++i) {
    std::vector<double> one(static_cast<std::size_t>(plan.classes * plan.classes), 0.0);
    one[static_cast<std::size_t>(i)] = 1;
    const auto weights = over_bins(one, plan);
    out.matrix.push_back(sum_of(weights, counts.cells));
    out.matrix_stddev = std::max(out.matrix_stddev, counts.stddev * length(weights));
  }
}

/// The share of the class with the largest noisy count.
NoisyRatio majority_of(const ReleasedCounts& counts, const EvaluationPlan& plan,
                       const std::vector<double>& all) {
  const auto cells = counts.cells.size() / static_cast<std::size_t>(plan.classes);
  std::vector<double> largest;
  for (std::size_t k = 0; k < static_cast<std::size_t>(plan.classes); ++k) {
    std::vector<double> row(counts.cells.size(), 0.0);
    std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(k * cells), cells, 1.0);
    if (largest.empty() || sum_of(row, counts.cells) > sum_of(largest, counts.cells)) largest = row;
  }
  return ratio({largest, all}, counts);
}

/// The probabilities at the ends of a bin.
struct BinEnds {
  double lower;
  double upper;
  [[nodiscard]] double middle() const { return (lower + upper) / 2; }
};

BinEnds ends_of(const EvaluationPlan& plan, std::size_t bin) {
  const auto& edges = plan.score_edges;
  return {bin == 0 ? 0 : model::logistic(edges[bin - 1]),
          bin == edges.size() ? 1 : model::logistic(edges[bin])};
}

/// Weights of the cells for the mean of (probability - outcome)^2, taken at the middle of each bin
/// and at its ends.
std::optional<NoisyInterval> brier_of(const ReleasedCounts& counts, const EvaluationPlan& plan,
                                      const std::vector<double>& all) {
  const auto bins = static_cast<std::size_t>(plan.score_bins());
  std::vector<double> min(2 * bins);
  std::vector<double> middle(2 * bins);
  std::vector<double> max(2 * bins);
  for (std::size_t b = 0; b < bins; ++b) {
    const auto ends = ends_of(plan, b);
    const auto square = [](double miss) { return miss * miss; };
    min[b] = square(ends.lower);
    middle[b] = square(ends.middle());
    max[b] = square(ends.upper);
    min[bins + b] = square(1 - ends.upper);
    middle[bins + b] = square(1 - ends.middle());
    max[bins + b] = square(1 - ends.lower);
  }
  const auto value = ratio({middle, all}, counts);
  const auto lower = ratio({min, all}, counts);
  const auto upper = ratio({max, all}, counts);
  if (!value || !lower || !upper) return std::nullopt;
  constexpr double one_sided = 1.959963984540054;  // for 2.5 of 100 runs on each side
  return NoisyInterval{value->value, value->noise_stddev,
                       std::max(lower->value - one_sided * lower->noise_stddev, 0.0),
                       std::min(upper->value + one_sided * upper->noise_stddev, 1.0)};
}

std::vector<NoisyTenth> calibration_of(const ReleasedCounts& counts, const EvaluationPlan& plan) {
  constexpr std::size_t tenths = 10;
  const auto bins = static_cast<std::size_t>(plan.score_bins());
  std::vector<NoisyTenth> out;
  for (std::size_t k = 0; k < tenths; ++k) {
    std::vector<double> positive(counts.cells.size(), 0.0);
    std::vector<double> both(counts.cells.size(), 0.0);
    for (std::size_t b = 0; b < bins; ++b) {
      if (static_cast<std::size_t>(ends_of(plan, b).middle() * tenths) != k) continue;
      both[b] = 1;
      both[bins + b] = 1;
      positive[bins + b] = 1;
    }
    out.push_back({{sum_of(both, counts.cells), counts.stddev * length(both)},
                   ratio({positive, both}, counts)});
  }
  return out;
}

}  // namespace

NoisyFigures figures_of(const ReleasedCounts& counts, const EvaluationPlan& plan) {
  const std::vector<double> every(counts.cells.size(), 1.0);
  const bool exact = counts.public_records.has_value();
  NoisyFigures out{
      .records = exact ? NoisyValue{*counts.public_records, 0}
                       : NoisyValue{sum_of(every, counts.cells), counts.stddev * length(every)}};
  const auto all = exact ? std::vector<double>() : every;
  if (plan.has_matrix()) {
    const auto right = over_bins(model::accuracy_ratio(plan.classes).upper, plan);
    out.accuracy = ratio({right, all}, counts);
    add_matrix(counts, plan, out);
    add_classes(counts, plan, out);
    if (plan.has_histogram()) out.auc = auc_of(counts, plan);
    if (plan.has_histogram() && plan.probabilities) {
      out.brier = brier_of(counts, plan, all);
      out.calibration = calibration_of(counts, plan);
    }
  } else if (plan.counts_classes()) {
    out.accuracy = mean_of_score(0, counts);
  } else if (plan.classes > 0) {
    out.accuracy = ratio({{0, 1}, all}, counts);
  }
  if (plan.has_majority()) out.majority_share = majority_of(counts, plan, all);
  if (plan.loss_cap)
    out.mean_loss = scaled(mean_of(optimize::NumberScore::loss, counts), *plan.loss_cap);
  if (plan.classes == 0) add_numbers(counts, plan, out);
  return out;
}

}  // namespace tacet::learn
