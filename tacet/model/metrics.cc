#include "tacet/model/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacet/base/error.h"

namespace tacet::model {
namespace {

constexpr double smallest_probability = 1e-15;  // the customary floor of a reported log loss

template <typename Left, typename Right>
void expect_pairs(std::span<const Left> left, std::span<const Right> right) {
  if (left.size() != right.size() || left.empty()) {
    throw base::UsageError(
        "a metric needs as many predictions as outcomes, at least one; got {} and {}", left.size(),
        right.size());
  }
}

template <typename Term>
double mean_of(std::size_t count, Term term) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += term(i);
  return sum / static_cast<double>(count);
}

}  // namespace

double accuracy(std::span<const std::int64_t> predicted, std::span<const std::int64_t> actual) {
  expect_pairs(predicted, actual);
  return mean_of(predicted.size(), [&](auto i) { return predicted[i] == actual[i] ? 1.0 : 0.0; });
}

std::optional<double> auc(std::span<const double> scores, std::span<const std::int64_t> positive) {
  expect_pairs(scores, positive);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double wins = 0;  // pairs, ties half
  double negatives = 0;
  double positives = 0;
  for (std::size_t first = 0; first < order.size();) {
    double tied_negatives = 0;
    double tied_positives = 0;
    std::size_t last = first;
    for (; last < order.size() && scores[order[last]] == scores[order[first]]; ++last) {
      (positive[order[last]] != 0 ? tied_positives : tied_negatives) += 1;
    }
    wins += tied_positives * (negatives + tied_negatives / 2);
    negatives += tied_negatives;
    positives += tied_positives;
    first = last;
  }
  if (negatives == 0 || positives == 0) return std::nullopt;
  return wins / (negatives * positives);
}

double log_loss(std::span<const double> probability_of_actual) {
  expect_pairs(probability_of_actual, probability_of_actual);
  return mean_of(probability_of_actual.size(), [&](auto i) {
    return -std::log(std::clamp(probability_of_actual[i], smallest_probability, 1.0));
  });
}

double brier_score(std::span<const double> probabilities, std::span<const std::int64_t> positive) {
  expect_pairs(probabilities, positive);
  return mean_of(probabilities.size(), [&](auto i) {
    const double miss = probabilities[i] - (positive[i] != 0 ? 1.0 : 0.0);
    return miss * miss;
  });
}

double mean_absolute_error(std::span<const double> predicted, std::span<const double> actual) {
  expect_pairs(predicted, actual);
  return mean_of(predicted.size(), [&](auto i) { return std::abs(predicted[i] - actual[i]); });
}

double root_mean_squared_error(std::span<const double> predicted, std::span<const double> actual) {
  expect_pairs(predicted, actual);
  return std::sqrt(mean_of(predicted.size(), [&](auto i) {
    return (predicted[i] - actual[i]) * (predicted[i] - actual[i]);
  }));
}

std::optional<double> r_squared(std::span<const double> predicted, std::span<const double> actual) {
  expect_pairs(predicted, actual);
  const double mean = mean_of(actual.size(), [&](auto i) { return actual[i]; });
  const double spread =
      mean_of(actual.size(), [&](auto i) { return (actual[i] - mean) * (actual[i] - mean); });
  if (spread == 0) return std::nullopt;
  const double error = root_mean_squared_error(predicted, actual);
  return 1.0 - error * error / spread;
}

double pinball_loss(std::span<const double> predicted, std::span<const double> actual,
                    double level) {
  expect_pairs(predicted, actual);
  if (!(level > 0 && level < 1)) {
    throw base::UsageError("a pinball level must lie between 0 and 1, got {}", level);
  }
  return mean_of(predicted.size(), [&](auto i) {
    const double residual = actual[i] - predicted[i];
    return residual >= 0 ? level * residual : (level - 1) * residual;
  });
}

namespace {

constexpr double furthest_margin = 700;  // beyond it e^-u is no double any more

double finite_best(const Loss& loss, double label) {
  return std::clamp(best_prediction(loss, label), -furthest_margin, furthest_margin);
}

double best_constant(const Loss& loss, std::span<const double> labels) {
  return finite_best(loss, mean_of(labels.size(), [&](auto i) { return labels[i]; }));
}

}  // namespace

double mean_deviance(const Loss& loss, std::span<const double> predicted,
                     std::span<const double> labels) {
  expect_pairs(predicted, labels);
  return 2 * mean_of(labels.size(), [&](auto i) {
           return loss_value(loss, predicted[i], labels[i]) -
                  loss_value(loss, finite_best(loss, labels[i]), labels[i]);
         });
}

std::optional<double> deviance_explained(const Loss& loss, std::span<const double> predicted,
                                         std::span<const double> labels) {
  const std::vector<double> constant(labels.size(), best_constant(loss, labels));
  const double of_constant = mean_deviance(loss, constant, labels);
  if (!(of_constant > 0)) return std::nullopt;
  return 1 - mean_deviance(loss, predicted, labels) / of_constant;
}

double best_constant_loss(const Loss& loss, std::span<const double> labels) {
  expect_pairs(labels, labels);
  if (properties(loss).labels == Labels::shares) {
    const double constant = best_constant(loss, labels);
    return mean_of(labels.size(), [&](auto i) { return loss_value(loss, constant, labels[i]); });
  }
  const auto at = [&](double constant) {
    return mean_of(labels.size(), [&](auto i) { return loss_value(loss, constant, labels[i]); });
  };
  // Golden-section search.
  const double share = (std::sqrt(5.0) - 1) / 2;
  double low = -1;
  double high = 1;
  double left = high - share * (high - low);
  double right = low + share * (high - low);
  double at_left = at(left);
  double at_right = at(right);
  while (high - low > 1e-9) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - share * (high - low);
      at_left = at(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + share * (high - low);
      at_right = at(right);
    }
  }
  return std::min(at_left, at_right);
}

std::vector<CalibrationBin> calibration_table(std::span<const double> probabilities,
                                              std::span<const std::int64_t> positive, int bins) {
  expect_pairs(probabilities, positive);
  if (bins < 1) throw base::UsageError("a calibration table needs at least 1 bin, got {}", bins);
  std::vector<CalibrationBin> table(static_cast<std::size_t>(bins));
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i].lower = static_cast<double>(i) / bins;
    table[i].upper = static_cast<double>(i + 1) / bins;
  }
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double place = std::floor(std::clamp(probabilities[i], 0.0, 1.0) * bins);
    auto& bin = table[static_cast<std::size_t>(std::min<double>(place, bins - 1))];
    bin.count += 1;
    bin.mean_probability += probabilities[i];
    bin.positive_fraction += positive[i] != 0 ? 1.0 : 0.0;
  }
  for (auto& bin : table) {
    if (bin.count == 0) continue;
    bin.mean_probability /= static_cast<double>(bin.count);
    bin.positive_fraction /= static_cast<double>(bin.count);
  }
  return table;
}

}  // namespace tacet::model
