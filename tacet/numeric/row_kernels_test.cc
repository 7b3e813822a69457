#include "tacet/numeric/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace row_kernels_test {

template <class Real>
std::vector<Real> numbers(std::mt19937_64& bits, std::size_t count) {
  std::uniform_real_distribution<double> law(-1, 1);
  std::vector<Real> out(count);
  for (auto& value : out) value = static_cast<Real>(law(bits));
  return out;
}

// The order that the header states, one number at a time.
template <class Real>
Real plain_dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  constexpr std::size_t group = 64 / sizeof(Real);
  std::vector<Real> lane(2 * group, 0);
  const std::size_t whole = a.size() / group * group;
  for (std::size_t j = 0; j < whole; ++j) lane[j % (2 * group)] += a[j] * b[j];
  for (std::size_t j = 0; j < group; ++j) lane[j] += lane[j + group];
  for (std::size_t j = whole; j < a.size(); ++j) lane[j - whole] += a[j] * b[j];
  for (std::size_t half = group / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
  }
  return lane[0];
}

template <class Real>
void compare_with_plain_loops() {
  std::mt19937_64 bits(1);
  for (const std::size_t size : {0U, 1U, 4U, 7U, 15U, 16U, 17U, 31U, 32U, 33U, 64U, 100U, 301U}) {
    std::vector<std::vector<Real>> rows;
    std::vector<const Real*> pointers;
    for (int r = 0; r < 5; ++r) rows.push_back(numbers<Real>(bits, size));
    for (const auto& row : rows) pointers.push_back(row.data());
    const auto vector = numbers<Real>(bits, size);
    const auto factors = numbers<Real>(bits, rows.size());
    std::vector<Real> dots(rows.size());
    row_dots<Real>(pointers, vector, dots);
    for (std::size_t r = 0; r < rows.size(); ++r) EXPECT_EQ(dots[r], plain_dot(rows[r], vector));

    auto sum = vector;
    auto expected = vector;
    add_row_multiples<Real>(pointers, factors, sum);
    std::vector<Real> combined(size);
    combine_rows<Real>(factors[0], rows[0], factors[1], rows[1], combined);
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t r = 0; r < rows.size(); ++r) expected[j] += factors[r] * rows[r][j];
      EXPECT_EQ(sum[j], expected[j]);
      EXPECT_EQ(combined[j], factors[0] * rows[0][j] + factors[1] * rows[1][j]);
    }
  }
}

TEST(RowKernels, FloatsAreThoseOfThePlainLoops) { compare_with_plain_loops<float>(); }
TEST(RowKernels, DoublesAreThoseOfThePlainLoops) { compare_with_plain_loops<double>(); }

TEST(RowKernels, DotsAreCloseToExactOnes) {
  std::mt19937_64 bits(2);
  const auto a = numbers<float>(bits, 1000);
  const auto b = numbers<float>(bits, 1000);
  double exact = 0;
  double size = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double term = static_cast<double>(a[j]) * static_cast<double>(b[j]);
    exact += term;
    size += std::fabs(term);
  }
  const std::vector<const float*> rows{a.data()};
  std::vector<float> dot(1);
  row_dots<float>(rows, b, dot);
  // At most 32 + 5 + 1 roundings of a term (1000 entries in 32 lanes), 2^-24 each.
  EXPECT_LE(std::fabs(static_cast<double>(dot[0]) - exact), 38 * 0x1p-24 * size);
}

}  // namespace row_kernels_test
}  // namespace tacet::numeric
