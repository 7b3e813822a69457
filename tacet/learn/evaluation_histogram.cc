#include "tacet/learn/evaluation_histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacet/model/confusion.h"

namespace tacet::learn {
namespace {

constexpr int tenths = 10;
// Quantiles of a normal distribution. Out of 5 in 100 runs, half is for the noise in the area. The
// other half is for the noise in the width of the interval: in its pairs, and in the numbers of
// both classes.
constexpr double two_sided = 2.241402727604947;
constexpr double one_sided = 2.393979799818510;

/// Noisy counts of the two classes, by bin.
struct Bins {
  std::span<const double> negative;
  std::span<const double> positive;

  [[nodiscard]] std::size_t size() const { return negative.size(); }
};

double total(std::span<const double> counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

double squares(std::span<const double> numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
}

/// How a pair counts: the positive record in bin `b`, the negative one in bin `c`.
double pair(std::size_t b, std::size_t c) { return b > c ? 1 : b == c ? 0.5 : 0; }

/// The sum over all pairs of records.
double pairs_in_order(const Bins& bins) {
  double sum = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    for (std::size_t c = 0; c <= b; ++c) sum += bins.positive[b] * bins.negative[c] * pair(b, c);
  }
  return sum;
}

/// Standard deviation of the noise in p' M n, where M counts pairs less the area: first order, and
/// the product of both noises.
double noise_of_pairs(const Bins& bins, double area, double stddev) {
  std::vector<double> by_positive(bins.size(), 0.0);
  std::vector<double> by_negative(bins.size(), 0.0);
  double frobenius = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    for (std::size_t c = 0; c < bins.size(); ++c) {
      const double m = pair(b, c) - area;
      by_positive[b] += m * bins.negative[c];
      by_negative[c] += m * bins.positive[b];
      frobenius += m * m;
    }
  }
  return stddev *
         std::sqrt(squares(by_positive) + squares(by_negative) + stddev * stddev * frobenius);
}

/// At least the number of pairs within one bin, but in the share of runs of one_sided.
double pairs_in_bins(const Bins& bins, double stddev) {
  double sum = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    // Noise makes counts negative; without noise none is negative.
    sum += std::max(bins.positive[b], 0.0) * std::max(bins.negative[b], 0.0);
  }
  const double noise = stddev * std::sqrt(squares(bins.positive) + squares(bins.negative) +
                                          static_cast<double>(bins.size()) * stddev * stddev);
  return sum + one_sided * noise;
}

}  // namespace

std::vector<double> score_edges(double threshold) {
  constexpr double one_edge = 1e-9;  // they differ only by rounding
  std::vector<double> edges;
  bool there = false;
  for (int k = 1; k < tenths; ++k) {
    const double edge = std::log(static_cast<double>(k) / (tenths - k));
    const bool same = std::abs(edge - threshold) <= one_edge;
    edges.push_back(same ? threshold : edge);
    there = there || same;
  }
  if (!there) edges.insert(std::ranges::upper_bound(edges, threshold), threshold);
  return edges;
}

std::vector<double> over_bins(std::span<const double> of_matrix, const EvaluationPlan& plan) {
  if (!plan.has_histogram()) return {of_matrix.begin(), of_matrix.end()};
  const auto bins = static_cast<std::size_t>(plan.score_bins());
  std::vector<double> out(2 * bins);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto bin = i % bins;
    const bool above = bin > 0 && plan.score_edges[bin - 1] >= plan.threshold;
    out[i] = of_matrix[model::cell_of(i < bins ? 0 : 1, above ? 1 : 0, 2)];
  }
  return out;
}

std::optional<NoisyInterval> auc_of(const ReleasedCounts& counts, const EvaluationPlan& plan) {
  const auto size = static_cast<std::size_t>(plan.score_bins());
  const std::span cells(counts.cells);
  const Bins bins{cells.first(size), cells.subspan(size)};
  const double positive = total(bins.positive);
  const double negative = total(bins.negative);
  const double noise = counts.stddev * std::sqrt(static_cast<double>(size));
  if (!(std::min(positive, negative) > clear_of_noise * noise)) return std::nullopt;
  const double all = positive * negative;
  const double area = std::clamp(pairs_in_order(bins) / all, 0.0, 1.0);
  const double stddev = noise_of_pairs(bins, area, counts.stddev) / all;
  const double fewest = (positive - one_sided * noise) * (negative - one_sided * noise);
  const double reach = two_sided * stddev + pairs_in_bins(bins, counts.stddev) / fewest / 2;
  return NoisyInterval{area, stddev, std::max(area - reach, 0.0), std::min(area + reach, 1.0)};
}

}  // namespace tacet::learn
