// Certified logistic regression on sparse data beside LIBLINEAR's, at equal gradient norm, in one
// run and on one thread each.
//
//     solver_bench [FILE]        from the source tree; writes the rows (name, value, unit,
//     baseline, ratio) there as JSON
//
// The set is made here: 100,000 rows of 47,236 columns with 6.7 million non-zeros, columns by
// Zipf's law, rows of norm 1. Ours ends with a certificate of its distance from the exact
// minimiser; the gradient norm that it reached is then asked of LIBLINEAR (solver 0, the same
// objective), whose result is measured by our gradient.

#include <fmt/format.h>
#include <linear.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "tacet/data/read/read_dataset.h"
#include "tacet/optimize/solver/regularized_objective.h"

namespace {

using namespace tacet;

constexpr std::int64_t row_count = 100'000;
constexpr std::uint32_t column_count = 47'236;
constexpr int entries_per_row = 67;

data::Dataset sparse_set() {
  std::mt19937_64 bits(47236);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<double> truth(column_count);
  for (auto& w : truth) w = 4 * normal(bits);
  data::Dataset dataset(
      {.columns = column_count, .norm_bound = 1, .storage = data::Storage::sparse});
  for (std::int64_t i = 0; i < row_count; ++i) {
    std::set<std::uint32_t> columns;
    // Column k with probability about 1/k: the inverse of the logarithm.
    while (std::ssize(columns) < entries_per_row) {
      const double u = std::pow(static_cast<double>(column_count), uniform(bits));
      columns.insert(std::min(column_count - 1, static_cast<std::uint32_t>(u) - 1));
    }
    std::vector<double> values;
    double square = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      values.push_back(0.2 + uniform(bits));
      square += values.back() * values.back();
    }
    data::EncodedRow row;
    double signal = 0;
    std::size_t k = 0;
    for (const auto column : columns) {
      const double value = values[k++] / std::sqrt(square);
      const auto stored = static_cast<std::int16_t>(2048 * value);
      if (stored == 0) continue;
      row.columns.push_back(column);
      row.values.push_back(stored);
      signal += truth[column] * value;
    }
    row.label = signal + normal(bits) > 0 ? 1 : -1;
    dataset.append(row);
  }
  return dataset;
}

// The same numbers for LIBLINEAR, which holds 16 bytes an entry and counts columns from 1.
struct Baseline {
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
  std::vector<double> labels;
  ::problem set{};

  explicit Baseline(const data::Dataset& dataset) {
    std::vector<std::size_t> starts;
    for (std::int64_t i = 0; i < dataset.rows(); ++i) {
      starts.push_back(nodes.size());
      const auto row = dataset.sparse_row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        nodes.push_back({static_cast<int>(row.columns[k]) + 1, row.values[k] / 2048.0});
      }
      nodes.push_back({-1, 0});
      labels.push_back(dataset.label(i));
    }
    for (const auto start : starts) rows.push_back(nodes.data() + start);
    set.l = static_cast<int>(dataset.rows());
    set.n = column_count;
    set.y = labels.data();
    set.x = rows.data();
    set.bias = -1;
  }

  [[nodiscard]] std::vector<double> minimise(double stop) const {
    ::parameter options{};
    options.solver_type = L2R_LR;
    options.C = 1;
    options.eps = stop;
    struct ::model* trained = ::train(&set, &options);
    std::vector<double> weights(trained->w, trained->w + column_count);
    const bool flipped = trained->label[0] < 0;
    free_and_destroy_model(&trained);
    if (flipped) {
      for (auto& w : weights) w = -w;
    }
    return weights;
  }
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Body>
double fastest(int repetitions, const Body& body) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const double start = seconds();
    body();
    best = std::min(best, seconds() - start);
  }
  return best;
}

// Objective noise, regularization and tolerance as `tacet plan` chooses them at epsilon 1, delta
// 9.4e-10.
void time_adult(const std::string& folder, nlohmann::json& rows) {
  const auto schema = data::load_schema("data/schemas/adult.toml");
  const auto dataset = data::read_dataset(folder + "/adult/adult.train.csv.gz", schema);
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal(0, 11.68);
  std::vector<double> linear(static_cast<std::size_t>(dataset.columns()));
  for (auto& b : linear) b = normal(bits);
  const optimize::RegularizedProblem problem{
      .loss = optimize::GlmLoss(model::LogisticLoss{}), .sum_l2 = 6.518, .linear = linear};
  for (const int threads : {1, 2}) {
    base::ThreadPool pool(threads);
    const double time =
        fastest(10, [&] { (void)optimize::minimise_certified(dataset, problem, 3.5e-7, pool); });
    std::cout << fmt::format("Adult, {} threads: {:.4f} s\n", threads, time);
    rows.push_back(
        {{"name", fmt::format("adult_fit/{}", threads)}, {"value", time}, {"unit", "s"}});
  }
}

}  // namespace

int main(int count, char** words) {
  set_print_string_function([](const char*) {});
  const auto dataset = sparse_set();
  const Baseline baseline(dataset);
  base::ThreadPool pool(1);
  const optimize::RegularizedProblem problem{.loss = optimize::GlmLoss(model::LogisticLoss{}),
                                             .sum_l2 = 1};
  const optimize::internal::RegularizedObjective objective(dataset, problem, pool);
  const auto gradient_norm = [&](const std::vector<double>& weights) {
    return optimize::internal::norm(objective.gradient(weights, optimize::Precision::fine).sum);
  };
  const double first = gradient_norm(std::vector<double>(column_count, 0.0));
  const auto positive =
      std::count_if(baseline.labels.begin(), baseline.labels.end(), [](double y) { return y > 0; });
  const double share = static_cast<double>(std::min(positive, row_count - positive)) /
                       static_cast<double>(row_count);

  nlohmann::json rows = nlohmann::json::array();
  if (const char* folder = std::getenv("TACET_DATA"); folder != nullptr) time_adult(folder, rows);
  for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
    std::vector<double> ours;
    const double our_time = fastest(
        3, [&] { ours = optimize::minimise_certified(dataset, problem, tolerance, pool).weights; });
    const double reached = gradient_norm(ours);
    std::vector<double> theirs;
    const double their_time =
        fastest(3, [&] { theirs = baseline.minimise(reached / (share * first)); });
    std::cout << fmt::format(
        "certified to {:g}: {:.3f} s, gradient {:.3g}; LIBLINEAR {:.3f} s, gradient {:.3g}; "
        "ratio {:.2f}\n",
        tolerance, our_time, reached, their_time, gradient_norm(theirs), our_time / their_time);
    rows.push_back({{"name", fmt::format("certified_logistic/{:g}", tolerance)},
                    {"value", our_time},
                    {"unit", "s"},
                    {"baseline", their_time},
                    {"ratio", our_time / their_time},
                    {"gradient_norm", reached},
                    {"baseline_gradient_norm", gradient_norm(theirs)}});
  }
  if (count > 1) std::ofstream(words[1]) << rows.dump(1) << "\n";
}
