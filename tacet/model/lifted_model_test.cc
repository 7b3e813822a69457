#include "tacet/model/lifted_model.h"

#include <gtest/gtest.h>

#include <random>

#include "tacet/base/error.h"
#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/uniform_encoder.h"

namespace tacet::model {
namespace lifted_model_test {

data::Schema schema_of(std::int64_t count, const data::Projection& projection) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = count, .lower = -1, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::RegressionTarget{0, 10}};
  schema.projection = projection;
  schema.validate();
  return schema;
}

// The short model on projected rows and the long one on the rows themselves agree but for what
// truncation takes: 1/2048 a place at most.
TEST(LiftedModel, PredictsTheSameFromRowsAsTheyWere) {
  std::mt19937_64 bits(12);
  std::normal_distribution<double> normal(0, 1);
  using Family = data::ProjectionFamily;
  for (const auto& projection : {data::Projection{.family = Family::countsketch, .width = 32},
                                 data::Projection{Family::countsketch, 32, 5, 4},
                                 data::Projection{.family = Family::srht, .width = 32, .seed = 3},
                                 data::Projection{.family = Family::gaussian, .width = 32},
                                 data::Projection{Family::gaussian, 32, 5, 1, 2}}) {
    auto schema = schema_of(300, projection);
    schema.intercept = false;  // with it all rows are as long as they may be, and many images cut
    auto model = empty_model(schema, SquaredLoss{});
    double weight = 0;
    for (auto& w : model.coefficients) {
      w = normal(bits);
      weight += std::fabs(w);
    }
    const auto dense = lifted(schema, model, LiftedColumns::all);
    ASSERT_EQ(dense.model.coefficients.size(), 300U);
    dense.model.validate();
    data::UniformEncoder narrow(schema);
    data::UniformEncoder wide(dense.schema);
    for (int trial = 0; trial < 50; ++trial) {
      // Short rows, so that no image is cut.
      const std::vector<std::uint32_t> columns{3, static_cast<std::uint32_t>(20 + trial), 290};
      const std::vector<double> values{0.2, -0.1, 0.05};
      data::EncodedRow short_row;
      data::EncodedRow long_row;
      narrow.encode(columns, values, short_row);
      wide.encode(columns, values, long_row);
      const auto of = [](const LinearModel& m, const data::EncodedRow& row) {
        return margin(m.coefficients, data::SparseRow{row.columns, row.values});
      };
      EXPECT_NEAR(of(model, short_row), of(dense.model, long_row), weight / 2048);
    }
  }
}

// The intercept is stored as half of what it is where rows are.
TEST(LiftedModel, TheInterceptCountsAsItIsStored) {
  auto schema =
      schema_of(300, {.family = data::ProjectionFamily::gaussian, .width = 16, .room = 2});
  auto model = empty_model(schema, SquaredLoss{});
  model.coefficients.back() = 3;
  data::EncodedRow row;
  data::UniformEncoder(schema).encode({}, {}, row);
  const double stored = margin(model.coefficients, data::SparseRow{row.columns, row.values});
  EXPECT_EQ(stored, 1.5);
  EXPECT_EQ(lifted(schema, model, LiftedColumns::all).model.coefficients.back(), stored);
}

TEST(LiftedModel, NamesWhatHasANameAlone) {
  const auto schema = schema_of(300, {.width = 16});
  const auto model = empty_model(schema, SquaredLoss{});
  const auto named = lifted(schema, model, LiftedColumns::named);
  EXPECT_EQ(named.model.features, (data::FeatureNames{"(intercept)"}));
  EXPECT_EQ(named.model.coefficients.size(), 1U);
  const auto wide = schema_of(std::int64_t{1} << 30, {.width = 16});
  EXPECT_THROW((void)lifted(wide, empty_model(wide, SquaredLoss{}), LiftedColumns::all),
               base::UsageError);
}

}  // namespace lifted_model_test
}  // namespace tacet::model
