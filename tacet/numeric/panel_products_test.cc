#include "tacet/numeric/panel_products.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <vector>

namespace tacet::numeric {
namespace panel_products_test {

// Bit for bit what a loop says that rounds each product and each sum.
TEST(PanelProducts, AreSumsInOrderWhateverTheInstructionSet) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr std::size_t stride = 75;
  std::vector<double> left(panel_rows * stride);
  std::vector<double> panel(stride * panel_columns);
  for (double& value : left) value = normal(random);
  for (double& value : panel) value = normal(random);
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (std::size_t rows = 1; rows <= panel_rows; ++rows) {
      for (const std::size_t inner : {0U, 1U, 16U, 75U}) {
        std::vector<double> out(rows * panel_columns, -1.0);
        multiply_panel(left.data(), stride, rows, panel.data(), inner, out.data());
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t c = 0; c < panel_columns; ++c) {
            double sum = 0;
            for (std::size_t j = 0; j < inner; ++j) {
              const double product = left[i * stride + j] * panel[j * panel_columns + c];
              sum += product;
            }
            EXPECT_EQ(out[i * panel_columns + c], sum) << rows << " " << inner;
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace panel_products_test
}  // namespace tacet::numeric
