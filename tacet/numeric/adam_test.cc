#include "tacet/numeric/adam.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace adam_test {

constexpr AdamStep usual{.rate = 0.01F,
                         .first_decay = 0.9F,
                         .second_decay = 0.999F,
                         .first_growth = 0.271F,
                         .second_growth = 0.002997F,
                         .stabiliser = 1e-8F};

/// Numbers and what a rule keeps of them.
struct Kept {
  explicit Kept(std::size_t size) : values(size), first(size), second(size) {}

  [[nodiscard]] std::vector<std::uint32_t> bits() const {
    std::vector<std::uint32_t> all;
    for (const auto* numbers : {&values, &first, &second}) {
      for (const float number : *numbers) {
        // Which of the numbers that are none it is may differ.
        all.push_back(std::isnan(number) ? UINT32_MAX : std::bit_cast<std::uint32_t>(number));
      }
    }
    return all;
  }

  std::vector<float> values;
  std::vector<float> first;
  std::vector<float> second;
};

using Step = void (*)(Kept&, const Gradient&);
constexpr Step every_step[] = {
    [](Kept& kept, const Gradient& g) { descent_step(kept.values, g, 0.1F); },
    [](Kept& kept, const Gradient& g) { momentum_step(kept.values, kept.first, g, 0.1F, 0.9F); },
    [](Kept& kept, const Gradient& g) { adagrad_step(kept.values, kept.second, g, 0.1F, 1e-8F); },
    [](Kept& kept, const Gradient& g) {
      adam_step(kept.values, kept.first, kept.second, g, usual);
    }};

// Whatever the processor's vectors, and for numbers behind the last whole one: the operations of
// the header, one by one.
TEST(AdamStep, HasTheBitsOfItsFormulaNumberByNumber) {
  std::mt19937 bits(1);
  std::normal_distribution<float> normal;
  for (std::size_t size = 1; size < 70; ++size) {
    std::vector<float> values(size);
    std::vector<float> first(size);
    std::vector<float> second(size);
    std::vector<float> gradient(size);
    for (std::size_t j = 0; j < size; ++j) {
      values[j] = normal(bits);
      first[j] = j % 5 == 0 ? 1e-31F : normal(bits);
      second[j] = std::abs(normal(bits));
      gradient[j] = j % 5 == 0 ? 0 : normal(bits);
    }
    for (const bool rests : {false, true}) {
      auto moved = values;
      auto m = first;
      auto v = second;
      adam_step(moved, m, v, {.floats = rests ? nullptr : gradient.data()}, usual);
      for (std::size_t j = 0; j < size; ++j) {
        const float g = rests ? 0 : gradient[j];
        float m1 = usual.first_decay * first[j] + (1 - usual.first_decay) * g;
        if (std::abs(m1) < no_moment) m1 = 0;
        const float v1 = usual.second_decay * second[j] + (1 - usual.second_decay) * g * g;
        const float expected =
            values[j] - (usual.rate / usual.first_growth) * m1 /
                            (std::sqrt((1 / usual.second_growth) * v1) + usual.stabiliser);
        EXPECT_EQ(std::bit_cast<std::uint32_t>(moved[j]), std::bit_cast<std::uint32_t>(expected));
        EXPECT_EQ(m[j], m1);
        EXPECT_EQ(v[j], v1);
      }
    }
  }
}

TEST(DescentStep, HasTheBitsOfItsFormulaNumberByNumber) {
  std::mt19937 bits(4);
  std::normal_distribution<float> normal;
  for (std::size_t size = 1; size < 70; ++size) {
    std::vector<float> values(size);
    std::vector<float> gradient(size);
    std::ranges::generate(values, [&] { return normal(bits); });
    std::ranges::generate(gradient, [&] { return normal(bits); });
    auto moved = values;
    descent_step(moved, {.floats = gradient.data()}, 0.1F);
    for (std::size_t j = 0; j < size; ++j) EXPECT_EQ(moved[j], values[j] - 0.1F * gradient[j]);
  }
}

TEST(MomentumStep, HasTheBitsOfItsFormulaNumberByNumber) {
  std::mt19937 bits(2);
  std::normal_distribution<float> normal;
  for (std::size_t size = 1; size < 70; ++size) {
    std::vector<float> values(size);
    std::vector<float> velocity(size);
    std::vector<float> gradient(size);
    for (std::size_t j = 0; j < size; ++j) {
      values[j] = normal(bits);
      velocity[j] = j % 5 == 0 ? 1e-31F : normal(bits);
      gradient[j] = j % 5 == 0 ? 0 : normal(bits);
    }
    auto moved = values;
    auto v = velocity;
    momentum_step(moved, v, {.floats = gradient.data()}, 0.1F, 0.9F);
    for (std::size_t j = 0; j < size; ++j) {
      float v1 = 0.9F * velocity[j] + gradient[j];
      if (std::abs(v1) < no_moment) v1 = 0;
      EXPECT_EQ(v[j], v1);
      EXPECT_EQ(moved[j], values[j] - 0.1F * v1);
    }
  }
}

TEST(AdagradStep, HasTheBitsOfItsFormulaNumberByNumber) {
  std::mt19937 bits(3);
  std::normal_distribution<float> normal;
  for (std::size_t size = 1; size < 70; ++size) {
    std::vector<float> values(size);
    std::vector<float> squares(size);
    std::vector<float> gradient(size);
    for (std::size_t j = 0; j < size; ++j) {
      values[j] = normal(bits);
      squares[j] = std::abs(normal(bits));
      gradient[j] = normal(bits);
    }
    auto moved = values;
    auto sum = squares;
    adagrad_step(moved, sum, {.floats = gradient.data()}, 0.1F, 1e-8F);
    for (std::size_t j = 0; j < size; ++j) {
      const float s1 = squares[j] + gradient[j] * gradient[j];
      EXPECT_EQ(sum[j], s1);
      EXPECT_EQ(moved[j], values[j] - 0.1F * gradient[j] / (std::sqrt(s1) + 1e-8F));
    }
  }
}

// Integers of all sizes, those that no double holds among them, and gradients below and above all
// floats.
TEST(Gradient, OfIntegersIsThatOfTheirRoundedProducts) {
  std::mt19937_64 bits(5);
  std::normal_distribution<float> normal;
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::int64_t> integers(size);
    for (auto& integer : integers) integer = static_cast<std::int64_t>(bits()) >> (bits() % 64);
    if (size > 2) integers[1] = std::numeric_limits<std::int64_t>::min();
    if (size > 2) integers[2] = std::numeric_limits<std::int64_t>::max();
    Kept start(size);
    for (auto* numbers : {&start.values, &start.first, &start.second}) {
      std::ranges::generate(*numbers, [&] { return std::abs(normal(bits)); });
    }
    for (const double unit : {0x1p-24, 0.1, 1e30, 1e-55, 0x1p90, 0x1p-1040}) {
      const double factor = 1 / 19.7;
      std::vector<float> floats;
      for (const auto integer : integers) {
        const double real = static_cast<double>(integer) * unit;
        floats.push_back(static_cast<float>(real * factor));
      }
      for (const auto step : every_step) {
        Kept expected = start;
        step(expected, {.floats = floats.data()});
        for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
          hwy::SetSupportedTargetsForTest(target);
          Kept moved = start;
          auto taken = integers;
          step(moved, {.integers = taken.data(), .unit = unit, .factor = factor});
          EXPECT_EQ(moved.bits(), expected.bits())
              << hwy::TargetName(target) << ' ' << size << ' ' << unit;
          EXPECT_EQ(std::ranges::count(taken, 0), std::ssize(taken));
        }
        hwy::SetSupportedTargetsForTest(0);
      }
    }
  }
}

}  // namespace adam_test
}  // namespace tacet::numeric
