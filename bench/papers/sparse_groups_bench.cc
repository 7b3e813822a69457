// How fast sparse-groups converges: Theorem 2 of Zhang, Mironov and Hejazinia (2021), restated with
// noise that keeps its promise (groups in turn, delta 1e-6), beside what is measured. The rate
// follows records times epsilon: epsilon 1000 stands for a thousand times the records at epsilon 1.
//
//     sparse_groups_bench OUTPUT.md
//
// 100,000 made records from as many towns as there are groups, each with 10 columns of its own; a
// group, by the hash of the town, has up to five towns: gradients of 50 columns, as many as a step
// may move, as the theorem assumes.
// Logistic loss. The mean over ten passes of the squared norm of the whole gradient, for the
// theorem's step size, beside its bound: with K the smoothness, D what the loss can fall by, G the
// bound of a group's gradient, alpha the threshold at which no answer is wrong with probability
// 0.95, B = 2.5 sqrt(c) alpha and sigma^2 = 2 G^2 + 2 B^2,
//
//     2 D K / T + 2 sqrt(2) sigma sqrt(K D) / sqrt(T) + G B.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <random>
#include <vector>

#include "tacet/accounting/calibrate.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/select/group_scores.h"
#include "tacet/optimize/sums/group_sum.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

constexpr std::int64_t records = 100000;
constexpr std::int64_t positives = 50;  // up to five towns share a group
constexpr std::uint32_t columns_a_town = 10;
constexpr std::int64_t passes = 10;
constexpr int bits = 24;
constexpr auto adjacency = privacy::Adjacency::add_remove;
constexpr data::ColumnRange group_column{0, 1 << 16};  // a column a town
constexpr double smoothness = 0.25;                    // rows have a norm of at most 1
const double fall = std::log(2.0);
constexpr double group_bound = 1;

struct Problem {
  std::int64_t groups;
  std::int64_t columns;
};

// Column k of the first 2^16 says which town it is; about five of its ten columns have values.
data::Dataset records_of(const Problem& problem) {
  data::Dataset dataset(
      {.columns = (1 << 16) + problem.columns, .norm_bound = 1, .storage = data::Storage::sparse});
  std::mt19937_64 random(1);
  for (std::int64_t i = 0; i < records; ++i) {
    const auto town =
        static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(problem.groups));
    data::EncodedRow row;
    row.columns.push_back(town);
    row.values.push_back(1);
    double sum = 0;
    for (std::uint32_t k = 0; k < columns_a_town; ++k) {
      if (random() % 2 == 0) continue;
      const std::uint64_t at =
          (std::uint64_t{town} * columns_a_town + k) % static_cast<std::uint64_t>(problem.columns);
      row.columns.push_back((1U << 16) + static_cast<std::uint32_t>(at));
      row.values.push_back(random() % 2 == 0 ? 640 : -640);
      sum += (k % 2 == 0 ? 1 : -1) * row.values.back() / 640.0;
    }
    // Columns ascend, each once.
    std::vector<std::size_t> order(row.columns.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::sort(order, {}, [&](std::size_t k) { return row.columns[k]; });
    data::EncodedRow sorted;
    for (const auto k : order) {
      if (!sorted.columns.empty() && sorted.columns.back() == row.columns[k]) continue;
      sorted.columns.push_back(row.columns[k]);
      sorted.values.push_back(row.values[k]);
    }
    sorted.label = sum > 0 || (sum == 0 && random() % 2 == 0) ? 1 : -1;
    dataset.append(sorted);
  }
  return dataset;
}

double squared_gradient(const data::Dataset& dataset, const std::vector<double>& weights) {
  std::vector<double> gradient(weights.size(), 0.0);
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    const auto row = dataset.sparse_row(i);
    double margin = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      margin += weights[row.columns[k]] * row.values[k] / 2048.0;
    }
    const double slope = model::loss_slope(model::LogisticLoss{}, margin, dataset.label(i));
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      gradient[row.columns[k]] += slope * row.values[k] / 2048.0;
    }
  }
  double sum = 0;
  for (const double g : gradient) sum += g * g;
  return sum / static_cast<double>(records) / static_cast<double>(records);
}

struct Outcome {
  double threshold;
  double bound;
  double measured;
  double at_start;
};

Outcome measure(const Problem& problem, double epsilon) {
  const auto dataset = records_of(problem);
  const double coordinate = 640 / 2048.0;
  const double unit = coordinate * std::ldexp(1, -bits) * static_cast<double>(problem.groups) /
                      static_cast<double>(records);
  const auto columns = static_cast<double>(dataset.columns());
  const auto c = static_cast<double>(positives);
  mechanism::SparseVectorOptions run{.form = mechanism::SparseVectorForm::redrawn_threshold,
                                     .compared = mechanism::Compared::magnitude,
                                     .max_positives = positives,
                                     .selection_epsilon = privacy::Epsilon(1),
                                     .value_epsilon = privacy::Epsilon(1)};
  const auto events = [&](double whole) {
    run.selection_epsilon = privacy::Epsilon(2 * c / whole);
    run.value_epsilon = privacy::Epsilon(c / whole);
    return privacy::Event(privacy::Repeated{
        passes, mechanism::GroupPass::event(mechanism::sparse_vector_event(run, adjacency))});
  };
  const double whole =
      accounting::min_noise(events, {privacy::Epsilon(epsilon), privacy::Delta(1e-6), adjacency});
  const auto planned = events(whole);
  const auto steps = passes * problem.groups;
  // Scales of the noise, of the mean gradient: D/e1, 2D/e2, at shares 1 : 2^(2/3).
  const double moved = unit * std::ldexp(1, bits);
  const double share = 1 / (1 + std::pow(2.0, -2.0 / 3));
  const double each = 2 / whole;
  const double miss = 0.05 / static_cast<double>(steps);
  const double alpha = moved / ((1 - share) * each) * std::log(2 * c / miss) +
                       2 * moved / (share * each) * std::log(2 * columns / miss);
  run.threshold = alpha / unit;
  const double error = 2.5 * std::sqrt(c) * alpha;
  const double sigma = std::sqrt(2 * group_bound * group_bound + 2 * error * error);
  const auto t = static_cast<double>(steps);
  const double size =
      std::min(1 / smoothness, std::sqrt(2 * fall) / (sigma * std::sqrt(smoothness * t)));
  const double bound = 2 * fall * smoothness / t +
                       2 * std::sqrt(2.0) * sigma * std::sqrt(smoothness * fall) / std::sqrt(t) +
                       group_bound * error;
  random::SeededSource source(1);
  privacy::TrustingBudget budget(adjacency);
  auto reservation = budget.reserve(planned, {epsilon, 1e-6, adjacency});
  mechanism::GroupPass pass(problem.groups, mechanism::sparse_vector_event(run, adjacency),
                            adjacency, reservation);
  const optimize::GroupedRecords grouped(dataset, group_column, problem.groups);
  std::vector<double> weights(static_cast<std::size_t>(dataset.columns()), 0.0);
  double sum = 0;
  const double at_start = squared_gradient(dataset, weights);
  for (std::int64_t step = 0; step < steps; ++step) {
    if (step % problem.groups == 0) sum += squared_gradient(dataset, weights);
    const auto scores = grouped.gradient(step % problem.groups, weights, model::LogisticLoss{},
                                         {.bound = coordinate, .norm_bits = bits}, adjacency);
    const auto answer = mechanism::release_sparse_vector(
        scores, run, mechanism::GroupContext{{static_cast<std::uint64_t>(step), 0}, source, pass});
    for (const auto& positive : answer.value().positives) {
      weights[static_cast<std::size_t>(positive.index)] -= size * unit * *positive.value;
    }
  }
  return {alpha, bound, sum / static_cast<double>(passes), at_start};
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 2) throw base::UsageError("sparse_groups_bench OUTPUT.md");
    std::ofstream out(words[1]);
    out << "# Algorithm 2 of Zhang, Mironov and Hejazinia (2021): predicted and measured\n\n"
           "Written by `sparse_groups_bench`; what the columns mean is said at its top. "
           "Delta "
           "1e-6. Where nothing reaches the threshold nothing moves: measured is the start.\n\n"
           "| epsilon | groups m | columns p | threshold alpha | predicted bound | measured | at "
           "the start |\n|---|---|---|---|---|---|---|\n";
    for (const double epsilon : {1.0, 1000.0}) {
      for (const std::int64_t groups : {10, 100, 1000}) {
        for (const std::int64_t columns : {1000, 10000, 100000, 1000000}) {
          const auto found = measure({groups, columns}, epsilon);
          out << fmt::format("| {} | {} | {} | {:.4g} | {:.4g} | {:.4g} | {:.4g} |\n", epsilon,
                             groups, columns, found.threshold, found.bound, found.measured,
                             found.at_start);
          out.flush();
        }
      }
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
