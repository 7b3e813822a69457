#include "tacet/optimize/solver/erm.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <random>

#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::optimize {
namespace erm_test {

using data::Dataset;
using data::Storage;

Dataset random_dataset(std::int64_t rows, std::size_t columns, bool classes, Storage storage) {
  std::mt19937_64 bits(9);
  Dataset dataset(
      {.columns = static_cast<std::int64_t>(columns), .norm_bound = 1, .storage = storage});
  std::vector<std::int16_t> row(columns);
  const auto reach = static_cast<int>(2048 / std::sqrt(static_cast<double>(columns)));
  for (std::int64_t i = 0; i < rows; ++i) {
    double signal = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      row[j] = static_cast<std::int16_t>(static_cast<int>(bits() % 2001) * reach / 1000 - reach);
      signal += std::cos(static_cast<double>(j)) * row[j] / 400.0;
    }
    const double noise = static_cast<double>(bits() % 2001) / 1000 - 1;
    const double label = classes ? (signal + 2 * noise > 0 ? 1.0 : -1.0)
                                 : std::clamp(0.2 * signal + 0.3 * noise, -1.0, 1.0);
    dataset.append_dense(row, label);
  }
  return dataset;
}

double mean_loss(const Dataset& dataset, const model::Loss& loss,
                 const std::vector<double>& weights) {
  double sum = 0;
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    double dot = 0;
    const auto row = dataset.dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) dot += weights[j] * row[j] / 2048.0;
    sum += model::loss_value(loss, dot, dataset.label(i));
  }
  return sum / static_cast<double>(dataset.rows());
}

TEST(MinimiseWithoutProtection, SolvesLeastSquaresExactly) {
  const auto dataset = random_dataset(400, 6, false, Storage::dense);
  Eigen::MatrixXd x(400, 6);
  Eigen::VectorXd y(400);
  for (std::int64_t i = 0; i < 400; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      x(i, j) = dataset.dense_row(i)[static_cast<std::size_t>(j)] / 2048.0;
    }
    y[i] = dataset.label(i);
  }
  const Eigen::VectorXd truth = (x.transpose() * x).ldlt().solve(x.transpose() * y);
  base::ThreadPool pool(2);
  const auto fit = minimise_without_protection(dataset, model::SquaredLoss{}, {}, pool);
  EXPECT_LT(fit.gap, 1e-7);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(fit.weights[j], truth[static_cast<Eigen::Index>(j)], 1e-4);
  }
}

// Every loss: no step in any of many directions and sizes finds a loss smaller by more than 1e-6.
TEST(MinimiseWithoutProtection, NoNearbyPointIsBetter) {
  std::mt19937_64 bits(2);
  base::ThreadPool pool(2);
  for (const model::Loss& loss :
       {model::Loss{model::LogisticLoss{}}, model::Loss{model::SquaredLoss{}},
        model::Loss{model::HingeLoss{}}, model::Loss{model::SmoothedHingeLoss{0.5}},
        model::Loss{model::HuberLoss{0.1}}, model::Loss{model::AbsoluteLoss{}},
        model::Loss{model::PinballLoss{0.9}}}) {
    const bool classes = model::properties(loss).classification;
    const auto dataset = random_dataset(300, 5, classes, Storage::dense);
    const auto fit = minimise_without_protection(dataset, loss, {}, pool);
    const double best = mean_loss(dataset, loss, fit.weights);
    EXPECT_NEAR(best, fit.mean_loss, 2e-6) << model::loss_name(loss);
    for (int trial = 0; trial < 3000; ++trial) {
      auto other = fit.weights;
      const double size = std::pow(10.0, -static_cast<double>(bits() % 5));
      for (auto& w : other) w += size * (static_cast<double>(bits() % 2001) / 1000 - 1);
      EXPECT_GE(mean_loss(dataset, loss, other), best - 1e-6) << model::loss_name(loss);
    }
  }
}

TEST(MinimiseWithoutProtection, HasTheSameBitsForAnyNumberOfThreads) {
  const auto dataset = random_dataset(1000, 8, true, Storage::dense);
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  const auto a = minimise_without_protection(dataset, model::LogisticLoss{}, {}, one);
  const auto b = minimise_without_protection(dataset, model::LogisticLoss{}, {}, three);
  EXPECT_EQ(a.weights, b.weights);
}

TEST(MinimiseWithoutProtection, NewtonAndLimitedMemoryAgree) {
  // More than 500 columns take the second route; the extra columns are empty.
  const auto small = random_dataset(300, 5, true, Storage::dense);
  Dataset wide({.columns = 2100, .norm_bound = 1, .storage = Storage::sparse});
  for (std::int64_t i = 0; i < small.rows(); ++i) {
    data::EncodedRow row;
    const auto values = small.dense_row(i);
    for (std::uint32_t j = 0; j < 5; ++j) {
      if (values[j] == 0) continue;
      row.columns.push_back(j * 419);
      row.values.push_back(values[j]);
    }
    row.label = small.label(i);
    wide.append(row);
  }
  base::ThreadPool pool(2);
  const auto a = minimise_without_protection(small, model::LogisticLoss{}, {}, pool);
  const auto b = minimise_without_protection(wide, model::LogisticLoss{}, {}, pool);
  EXPECT_LT(b.gap, 1e-7);
  EXPECT_NEAR(a.mean_loss, b.mean_loss, 1e-7);
}

const std::vector<model::Loss>& losses() {
  static const std::vector<model::Loss> all{model::LogisticLoss{},
                                            model::SquaredLoss{},
                                            model::HingeLoss{},
                                            model::SmoothedHingeLoss{0.5},
                                            model::PowerHingeLoss{1.5},
                                            model::HuberLoss{0.1},
                                            model::AbsoluteLoss{},
                                            model::PinballLoss{0.9},
                                            model::PowerRegressionLoss{},
                                            model::EpsilonInsensitiveLoss{0.1},
                                            model::SmoothedAbsoluteLoss{},
                                            model::SquaredEpsilonInsensitiveLoss{0.1},
                                            model::SmoothedPinballLoss{0.3}};
  return all;
}

// Wherever the search is cut off, the gap covers what the full search still finds; and in the end
// it is small.
TEST(MinimiseWithoutProtection, SaysHowFarItIsWhereverItStops) {
  base::ThreadPool pool(2);
  for (const auto& loss : losses()) {
    const bool classes = model::properties(loss).classification;
    const auto dataset = random_dataset(300, 5, classes, Storage::dense);
    for (const double l2 : {0.0, 1e-3, 0.3}) {
      const auto objective = [&](const ErmResult& fit) {
        double square = 0;
        for (const double w : fit.weights) square += w * w;
        return mean_loss(dataset, loss, fit.weights) + l2 / 2 * square;
      };
      const auto best = minimise_without_protection(dataset, loss, {.mean_l2 = l2}, pool);
      EXPECT_LT(best.gap, 1e-6) << model::loss_name(loss) << l2;
      EXPECT_EQ(std::isinf(best.radius), l2 > 0);
      for (const std::int64_t steps : {0, 1, 2, 4}) {
        const auto cut =
            minimise_without_protection(dataset, loss, {.mean_l2 = l2, .max_steps = steps}, pool);
        EXPECT_GE(cut.gap, objective(cut) - objective(best)) << model::loss_name(loss) << steps;
        EXPECT_LT(cut.gap, 100);
      }
    }
  }
}

// Separable classes have no minimiser: the loss itself says how much is left, for all weights.
TEST(MinimiseWithoutProtection, SeparableClassesAreNearlyWithoutLoss) {
  Dataset dataset({.columns = 2, .norm_bound = 1, .storage = Storage::dense});
  for (const int side : {-1, 1}) {
    const std::vector<std::int16_t> row{static_cast<std::int16_t>(side * 700), 1000};
    dataset.append_dense(row, side);
  }
  base::ThreadPool pool(1);
  const auto fit = minimise_without_protection(dataset, model::LogisticLoss{}, {}, pool);
  EXPECT_TRUE(std::isinf(fit.radius));
  EXPECT_LT(fit.gap, 1e-7);
  EXPECT_GE(fit.gap, fit.mean_loss);
}

// One class against the rest for each of three: gaps add up over one radius.
TEST(MinimiseWithoutProtection, SeveralOutputsAreCertifiedTogether) {
  const auto two = random_dataset(300, 5, true, Storage::dense);
  Dataset dataset({.columns = 5, .norm_bound = 1, .storage = Storage::dense});
  for (std::int64_t i = 0; i < two.rows(); ++i) {
    dataset.append_dense(two.dense_row(i), two.label(i) < 0 ? 0 : static_cast<double>(1 + i % 2));
  }
  base::ThreadPool pool(2);
  const auto fit =
      minimise_without_protection(dataset, model::LogisticLoss{}, {.outputs = 3}, pool);
  EXPECT_EQ(fit.weights.size(), 15);
  EXPECT_LT(fit.gap, 3e-7);
  EXPECT_GT(fit.gap, 0);
}

Dataset three_classes(std::int64_t rows, Storage storage) {
  std::mt19937_64 bits(17);
  Dataset dataset({.columns = 5, .norm_bound = 1, .storage = storage});
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<std::int16_t> row(5);
    for (auto& v : row) v = static_cast<std::int16_t>(static_cast<int>(bits() % 1601) - 800);
    const auto noise = static_cast<int>(bits() % 1201) - 600;
    const int signal = row[0] + noise;
    dataset.append_dense(row, signal > 300 ? 2 : (row[1] + noise > 0 ? 1 : 0));
  }
  return dataset;
}

double softmax_objective(const Dataset& dataset, double l2, const std::vector<double>& weights) {
  double sum = 0;
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    const auto row = dataset.dense_row(i);
    std::vector<double> u(3, 0.0);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t j = 0; j < 5; ++j) u[c] += weights[c * 5 + j] * row[j] / 2048.0;
    }
    sum += std::log(std::exp(u[0]) + std::exp(u[1]) + std::exp(u[2])) -
           u[static_cast<std::size_t>(dataset.label(i))];
  }
  double square = 0;
  for (const double w : weights) square += w * w;
  return sum / static_cast<double>(dataset.rows()) + l2 / 2 * square;
}

// The minimum of all classes together: no point nearby is better, dense and sparse and any number
// of threads agree to the bit, and what a search that is cut off says of its distance is true.
TEST(MinimiseWithoutProtection, SoftmaxIsMinimisedJointlyAndCertified) {
  const auto dataset = three_classes(700, Storage::dense);
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  const model::Loss loss = model::SoftmaxLoss{};
  for (const double l2 : {1e-3, 0.0}) {
    const ErmOptions options{.mean_l2 = l2, .outputs = 3};
    const auto fit = minimise_without_protection(dataset, loss, options, one);
    ASSERT_EQ(fit.weights.size(), 15U);
    EXPECT_LE(fit.gap, 1e-6);
    EXPECT_GE(fit.gap, 0);
    EXPECT_EQ(std::isinf(fit.radius), l2 > 0);
    const double least = softmax_objective(dataset, l2, fit.weights);
    std::mt19937_64 bits(4);
    std::normal_distribution<double> normal(0, 0.05);
    for (int trial = 0; trial < 200; ++trial) {
      auto near = fit.weights;
      for (double& w : near) w += normal(bits);
      EXPECT_GT(softmax_objective(dataset, l2, near), least);
    }
    EXPECT_EQ(minimise_without_protection(dataset, loss, options, three).weights, fit.weights);
    const auto sparse = three_classes(700, Storage::sparse);
    EXPECT_EQ(minimise_without_protection(sparse, loss, options, one).weights, fit.weights);
    for (const std::int64_t steps : {0, 1, 3, 8}) {
      auto short_search = options;
      short_search.max_steps = steps;
      const auto cut = minimise_without_protection(dataset, loss, short_search, one);
      EXPECT_GE(cut.gap, softmax_objective(dataset, l2, cut.weights) - least) << steps;
    }
  }
}

TEST(SmoothedLoss, LiesBelowTheLossByAtMostHalfTheWidth) {
  for (const model::Loss& loss :
       {model::Loss{model::HingeLoss{}}, model::Loss{model::AbsoluteLoss{}},
        model::Loss{model::PinballLoss{0.7}}}) {
    for (const double width : {1.0, 0.1, 1e-3}) {
      for (double u = -3; u <= 3; u += 0.01) {
        for (const double y : {-1.0, 1.0}) {
          const double value = model::loss_value(model::smoothed(loss, width), u, y);
          const double truth = model::loss_value(loss, u, y);
          EXPECT_LE(value, truth + 1e-12);
          EXPECT_GE(value, truth - width / 2 - 1e-12);
        }
      }
    }
  }
}

}  // namespace erm_test
}  // namespace tacet::optimize
