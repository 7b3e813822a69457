#include "tacet/learn/rows/row_optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tacet::learn {
namespace row_optimizer_test {

using enum RowOptimizerKind;

constexpr std::int64_t rows = 30;
constexpr std::int64_t width = 4;

privacy::RowLayout layout() { return privacy::RowLayout({{.rows = rows, .width = width}}); }

void start_at_one(std::int64_t /*row*/, std::span<float> out) { std::ranges::fill(out, 1.0F); }

mechanism::NoisyRows noisy_rows(std::vector<std::int64_t> chosen, std::vector<double> values) {
  return {privacy::RowSelection::rows(std::move(chosen)), layout(), std::move(values)};
}

// Rows chosen by a step, and what was released of them.
struct Step {
  std::vector<std::int64_t> chosen;
  std::vector<double> values;
};

std::vector<Step> random_steps(int count) {
  std::mt19937_64 bits(5);
  std::vector<Step> steps(static_cast<std::size_t>(count));
  for (auto& step : steps) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (bits() % 8 == 0) step.chosen.push_back(row);
    }
    for (std::size_t k = 0; k < step.chosen.size() * width; ++k) {
      step.values.push_back(static_cast<double>(bits() % 2001) / 1000 - 1);
    }
  }
  return steps;
}

// Every number of every row, in every step, by the textbook's formulas.
class Dense {
 public:
  explicit Dense(const RowOptimizerSettings& settings)
      : settings_(settings), value_(rows * width, 1), first_(value_.size()), second_(first_) {}

  void step(const Step& step) {
    ++now_;
    std::vector<double> gradient(value_.size(), 0);
    std::vector<bool> chosen(value_.size(), false);
    for (std::size_t k = 0; k < step.values.size(); ++k) {
      const auto at = static_cast<std::size_t>(step.chosen[k / width] * width) + k % width;
      gradient[at] = step.values[k];
      chosen[at] = true;
    }
    for (std::size_t i = 0; i < value_.size(); ++i) move(i, gradient[i], chosen[i]);
  }
  [[nodiscard]] double value(std::int64_t row, std::size_t j) const {
    return value_[static_cast<std::size_t>(row * width) + j];
  }

 private:
  void move(std::size_t i, double g, bool chosen) {
    const double rate = settings_.step_size;
    if (settings_.kind == momentum) {
      first_[i] = settings_.momentum * first_[i] + g;
      value_[i] -= rate * first_[i];
    } else {
      if (settings_.kind == adam && !chosen) return;
      const auto n = settings_.kind == adam ? ++moves_[i] : now_;
      first_[i] = settings_.momentum * first_[i] + (1 - settings_.momentum) * g;
      second_[i] = settings_.second_decay * second_[i] + (1 - settings_.second_decay) * g * g;
      const double m = first_[i] / (1 - std::pow(settings_.momentum, n));
      const double v = second_[i] / (1 - std::pow(settings_.second_decay, n));
      if (second_[i] > 0) value_[i] -= rate * m / (std::sqrt(v) + settings_.stabiliser);
    }
  }

  RowOptimizerSettings settings_;
  std::vector<double> value_;
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<int> moves_ = std::vector<int>(rows * width);
  int now_ = 0;
};

TEST(RowOptimizer, MovesAsTheTextbookSays) {
  for (const auto kind : {momentum, adam, adam_dense_zero}) {
    const RowOptimizerSettings settings{.kind = kind, .step_size = .01};
    RowOptimizer rows_moved(layout(), start_at_one, settings);
    Dense dense(settings);
    for (const auto& step : random_steps(200)) {
      rows_moved.step(noisy_rows(step.chosen, step.values), 1);
      dense.step(step);
    }
    std::vector<float> room(rows_moved.room_size());
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto values = rows_moved.read(row, room);
      for (std::size_t j = 0; j < width; ++j) {
        EXPECT_NEAR(values[j], dense.value(row, j), 2e-4) << row_optimizer_names.of(kind);
      }
    }
  }
}

// The same step for all rows, those that were not chosen with a gradient of 0.
Step eager(const Step& step) {
  Step all{{}, std::vector<double>(rows * width, 0)};
  for (std::int64_t row = 0; row < rows; ++row) all.chosen.push_back(row);
  for (std::size_t k = 0; k < step.values.size(); ++k) {
    all.values[static_cast<std::size_t>(step.chosen[k / width] * width) + k % width] =
        step.values[k];
  }
  return all;
}

// What rests and is caught up later has the bits of what moved in every step.
void expect_same_bits(std::int64_t eager_rows) {
  for (const auto kind : {sgd, momentum, adagrad, adam_dense_zero}) {
    RowOptimizerSettings settings{.kind = kind, .step_size = .1, .fall = 1000};
    RowOptimizer moving(layout(), start_at_one, settings);
    settings.eager_rows = eager_rows;
    RowOptimizer lazy(layout(), start_at_one, settings);
    std::vector<float> room(lazy.room_size());
    std::vector<float> other(lazy.room_size());
    int count = 0;
    for (auto step : random_steps(400)) {
      if (++count > 200) std::erase_if(step.chosen, [](std::int64_t row) { return row % 3 == 0; });
      step.values.resize(step.chosen.size() * width);
      lazy.step(noisy_rows(step.chosen, step.values), 3);
      const auto all = eager(step);
      moving.step(noisy_rows(all.chosen, all.values), 3);
      if (count % 40 != 0) continue;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto a = lazy.read(row, room);
        const auto b = moving.read(row, other);
        for (std::size_t j = 0; j < width; ++j) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(a[j]), std::bit_cast<std::uint32_t>(b[j]))
              << row_optimizer_names.of(kind) << " row " << row << " after " << count;
        }
      }
    }
  }
}

// Whether all of few rows move in every step, or each when it is looked at.
TEST(RowOptimizer, LazyRowsHaveTheBitsOfEagerOnes) {
  for (const std::int64_t eager_rows : {0, 5, 4096}) expect_same_bits(eager_rows);
}

// Where noise of unit variance comes in each step, position and velocity have the covariance of the
// recurrence z' = A z + b xi, A = [[1, -lr beta], [0, beta]], b = (-lr, 1), scaled by tau^2: values
// of an independent program for beta .9, lr .1, tau 2, five steps. (As one draw of that covariance
// rounded noise must not be put off: its steps lie on lattices of their own.)
TEST(RowOptimizer, MomentumCarriesNoiseAsItsRecurrenceSays) {
  const RowOptimizerSettings settings{.kind = momentum, .step_size = .1, .momentum = .9};
  const privacy::RowLayout one({{.rows = 1, .width = 1}});
  // Where an impulse in one of the steps has led: position, and velocity from the next step's way.
  const auto response = [&](int impulse, int steps) {
    RowOptimizer moved(
        one, [](std::int64_t, std::span<float> out) { out[0] = 0; }, settings);
    std::vector<float> room(moved.room_size());
    for (int t = 0; t < steps; ++t) {
      moved.step({privacy::RowSelection::rows({0}), one, {t == impulse ? 1.0 : 0.0}}, 1);
    }
    const double position = moved.read(0, room)[0];
    moved.step({privacy::RowSelection::rows({0}), one, {0.0}}, 1);
    return std::pair(position, (position - double{moved.read(0, room)[0]}) / (.1 * .9));
  };
  double covariance[3] = {};
  for (int t = 0; t < 5; ++t) {
    const auto [position, velocity] = response(t, 5);
    covariance[0] += 4 * position * position;
    covariance[1] += 4 * position * velocity;
    covariance[2] += 4 * velocity * velocity;
  }
  EXPECT_NEAR(covariance[0], 1.6220266004, 1e-5);
  EXPECT_NEAR(covariance[1], -4.039570444, 1e-5);
  EXPECT_NEAR(covariance[2], 13.71203284, 1e-4);
  // A^5 takes a velocity of 1 to 0.59049, and the position by -0.368559.
  const auto [before, first] = response(0, 1);
  const auto [after, last] = response(0, 6);
  EXPECT_NEAR(first, 1, 1e-5);
  EXPECT_NEAR(last, 0.59049, 1e-5);
  EXPECT_NEAR(after - before, -0.368559, 1e-6);
}

// Decays to the power of the steps so far fall below every number; what they correct stays finite.
TEST(RowOptimizer, AdamMovesOnAfterTensOfThousandsOfSteps) {
  for (const auto kind : {adam, adam_dense_zero}) {
    RowOptimizer moved(layout(), start_at_one, {.kind = kind, .step_size = 1e-4});
    std::vector<float> room(moved.room_size());
    for (int i = 0; i < 20000; ++i) moved.step(noisy_rows({0}, {1, 1, 1, 1}), 1);
    // A gradient that is always 1 moves a number by the step size each time.
    EXPECT_NEAR(moved.read(0, room)[0], -1, 0.01) << row_optimizer_names.of(kind);
  }
}

TEST(RowOptimizer, ChosenCellsMoveAndOthersOfTheirRowDoNot) {
  RowOptimizer moved(layout(), start_at_one, {.kind = sgd, .step_size = .5});
  moved.step({privacy::RowSelection::cells({5, 7, 8}), layout(), {1, 2, 4}}, 2);
  std::vector<float> room(moved.room_size());
  const auto first = moved.read(1, room);
  EXPECT_EQ(std::vector<float>(first.begin(), first.end()), (std::vector<float>{1, .75F, 1, .5F}));
  const auto second = moved.read(2, room);
  EXPECT_EQ(second[0], 0);
  EXPECT_EQ(moved.table().stored_rows().size(), 2U);
}

// A number that left the floats has no way back, whatever comes: what touches it counts nothing
// (RowSum), so that the vector is frozen.
TEST(RowOptimizer, WhatLeftTheNumbersStaysOutside) {
  for (const auto kind : {sgd, momentum, adagrad, adam, adam_dense_zero}) {
    RowOptimizer moved(layout(), start_at_one, {.kind = kind, .step_size = 10});
    std::vector<float> room(moved.room_size());
    moved.step(noisy_rows({0}, {1e39, 1, 1, -1e39}), 1);
    for (int i = 0; i < 20; ++i) {
      moved.step(noisy_rows({0}, {-1, 1, 1, 1}), 1);
      const auto values = moved.read(0, room);
      EXPECT_FALSE(std::isfinite(values[0])) << row_optimizer_names.of(kind);
      EXPECT_TRUE(std::isfinite(values[1]));
      EXPECT_FALSE(std::isfinite(values[3]));
    }
  }
}

TEST(RowOptimizer, StoresNoRowThatWasNotChosen) {
  RowOptimizer moved(layout(), start_at_one, {.kind = adagrad});
  std::vector<float> room(moved.room_size());
  for (std::int64_t row = 0; row < rows; ++row) (void)moved.read(row, room);
  EXPECT_TRUE(moved.table().stored_rows().empty());
  moved.step(noisy_rows({3}, {0, 0, 0, 0}), 1);
  ASSERT_EQ(moved.table().stored_rows().size(), 1U);
  EXPECT_EQ(moved.table().stored_rows()[0], 3);
}

}  // namespace row_optimizer_test
}  // namespace tacet::learn
