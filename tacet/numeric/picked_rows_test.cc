#include "tacet/numeric/picked_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace picked_rows_test {

struct Case {
  std::vector<float> table;
  std::vector<std::uint32_t> places;
  std::vector<double> factors;
  std::vector<double> vector;
};

Case some_case(std::size_t width, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Case result;
  const std::size_t rows = 1 + random() % 20;
  for (std::size_t k = 0; k < rows * width; ++k) {
    result.table.push_back(static_cast<float>(normal(random)));
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (random() % 3 == 0) continue;
    result.places.push_back(row);
    result.factors.push_back(normal(random));
  }
  for (std::size_t i = 0; i < width; ++i) result.vector.push_back(normal(random));
  return result;
}

// Bit for bit the sum that the header names, for widths around those of vectors.
TEST(PickedRows, SumsAreThoseOfOneRowAfterTheOther) {
  std::mt19937_64 random(1);
  for (std::size_t width = 1; width < 70; ++width) {
    const auto given = some_case(width, random);
    auto sums = given.vector;
    add_picked_rows(given.table, {given.places, given.factors}, sums);
    for (std::size_t i = 0; i < width; ++i) {
      double sum = given.vector[i];
      for (std::size_t k = 0; k < given.places.size(); ++k) {
        sum += given.factors[k] * static_cast<double>(given.table[given.places[k] * width + i]);
      }
      ASSERT_EQ(sums[i], sum) << width << " " << i;
    }
  }
}

TEST(PickedRows, DotsAddEveryEighthProductInAFixedOrder) {
  std::mt19937_64 random(2);
  for (std::size_t width = 1; width < 70; ++width) {
    const auto given = some_case(width, random);
    std::vector<double> dots(given.table.size() / width, -7.0);
    auto expected = dots;
    picked_row_dots(given.table, given.places, given.vector, dots);
    for (const auto place : given.places) {
      std::array<double, 8> sums{};
      for (std::size_t i = 0; i < width; ++i) {
        sums[i % 8] += static_cast<double>(given.table[place * width + i]) * given.vector[i];
      }
      expected[place] =
          ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
    ASSERT_EQ(dots, expected) << width;
  }
}

TEST(PickedRows, ProductsAreAddedWhereTheyBelong) {
  std::mt19937_64 random(3);
  for (std::size_t width = 1; width < 40; ++width) {
    const auto given = some_case(width, random);
    std::vector<double> sums(20 * width, -7.0);
    auto expected = sums;
    add_products({given.places, given.factors}, given.vector, sums);
    for (std::size_t k = 0; k < given.places.size(); ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        expected[given.places[k] * width + i] += given.factors[k] * given.vector[i];
      }
    }
    ASSERT_EQ(sums, expected) << width;
  }
}

TEST(PickedRows, PlacesThatAreNotZero) {
  std::mt19937_64 random(4);
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::int16_t> values;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t j = 0; j < size; ++j) {
      const bool zero = random() % 4 != 0;
      values.push_back(zero ? std::int16_t{0}
                            : static_cast<std::int16_t>(random() % 3 * 256 - 256));
      if (values.back() != 0) expected.push_back(j);
    }
    std::vector<std::uint32_t> places(size);
    places.resize(nonzero_places(values, places));
    ASSERT_EQ(places, expected) << size;
  }
}

TEST(PickedRows, NothingPickedIsNothing) {
  std::vector<double> sums{1, 2};
  const std::vector<float> table(4, 1.0F);
  add_picked_rows(table, {}, sums);
  EXPECT_EQ(sums, (std::vector<double>{1, 2}));
}

}  // namespace picked_rows_test
}  // namespace tacet::numeric
