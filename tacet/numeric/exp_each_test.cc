#include "tacet/numeric/exp_each.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacet/numeric/elementary.h"

namespace tacet::numeric {
namespace exp_each_test {

TEST(ExpEach, HasTheBitsOfExp) {
  std::vector<double> numbers;
  for (int i = -70000; i <= 70000; i += 3) numbers.push_back(0.01 * i + 1e-7 * (i % 19));
  for (const double x : {-700.0, 700.0, 0.0, -0.0, 1e-300, -1e-18}) numbers.push_back(x);
  auto each = numbers;
  exp_each(each);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(each[i], exp(numbers[i])) << i;
}

}  // namespace exp_each_test
}  // namespace tacet::numeric
