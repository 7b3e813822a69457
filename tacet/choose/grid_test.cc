#include "tacet/choose/grid.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"

namespace tacet::choose {
namespace grid_test {

std::string fault(std::string_view text) {
  try {
    static_cast<void>(grid_from_toml(text, "g.toml"));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "none";
}

void expect_fault(std::string_view text, std::string_view words) {
  EXPECT_NE(fault(text).find(words), std::string::npos) << text << "\n" << fault(text);
}

TEST(Grid, ValuesMultiplyAndWeightsDoToo) {
  const auto grid = grid_from_toml(R"(
    [values]
    steps = [50, 100]
    momentum = [0, 0.5, 0.9]
    [weights]
    steps = [1, 3]
    [[candidate]]
    method = "objective"
    weight = 0.5
  )",
                                   "g.toml");
  ASSERT_EQ(grid.candidates.size(), 7U);
  EXPECT_FALSE(grid.zero_model);
  double weight = 0;
  for (const auto& candidate : grid.candidates) weight += candidate.weight;
  EXPECT_EQ(weight, 3 * 1 + 3 * 3 + 0.5);
  EXPECT_EQ(grid.candidates[0].name, "momentum=0 steps=50");
  EXPECT_EQ(grid.candidates[5].values.integer("steps"), 100);
  EXPECT_EQ(grid.candidates[5].values.real("momentum"), 0.9);
  EXPECT_EQ(grid.candidates[6].values.text("method"), "objective");
}

TEST(Grid, FaultsSayWhereAndWhat) {
  expect_fault("", "the grid is empty");
  expect_fault("[values]\n", "the grid is empty");
  expect_fault("[values]\nsteps = []\n", "g.toml:2:9: steps has no values");
  expect_fault("[values]\nsteps = 5\n", "values are lists");
  expect_fault("[values]\nstep = [5]\n", "no parameter named step; did you mean 'steps'?");
  expect_fault("[values]\nepsilon = [1, 2]\n", "epsilon is one for all candidates");
  expect_fault("[values]\nsteps = [\"many\"]\n", "`steps` must be a whole number");
  expect_fault("[values]\nsteps = [5]\n[weights]\nl2 = [1]\n", "l2 has weights but no [values]");
  expect_fault("[values]\nsteps = [5]\n[weights]\nsteps = [1, 2]\n", "1 values and 2 weights");
  expect_fault("[values]\nsteps = [5]\n[weights]\nsteps = [0]\n", "a weight is a number above 0");
  expect_fault("[values]\nsteps = [5, 5]\n",
               "g.toml:2:13: steps has 5 twice; give it a weight instead");
  expect_fault("[[candidate]]\nsteps = 5\n[[candidate]]\nsteps = 5\n",
               "two candidates are alike: steps=5");
  expect_fault("[values]\nsteps = [5, \"many\"]\n", "2:13: `steps` must be a whole number");
  expect_fault("extra = 1\n", "no extra");
  expect_fault("[values]\nsteps = [true]\n", "a value is a number or a text");
  std::string wide = "[values]\n";
  for (const auto* name : {"steps", "batch-size", "phases", "order-seed", "max-records-per-unit"}) {
    wide += std::string(name) + " = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n";
  }
  expect_fault(wide, "more than 100000 candidates");
}

}  // namespace grid_test
}  // namespace tacet::choose
