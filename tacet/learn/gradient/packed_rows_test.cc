#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/spool.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/temporary_folder.h"

namespace tacet::learn {
namespace packed_rows_test {

constexpr int numbers = 18;
constexpr int rows = 400;

std::string name_of(int j) { return "x" + std::to_string(j); }

data::Schema wide_schema() {
  std::string text = "public_row_count = " + std::to_string(rows) +
                     "\n[target]\ncolumn = \"y\"\nlower = -5\nupper = 5\n";
  for (int j = 0; j < numbers; ++j) {
    text +=
        "[[column]]\nname = \"" + name_of(j) + "\"\nkind = \"numeric\"\nlower = -3\nupper = 3\n";
  }
  return data::schema_from_toml(text, "s.toml");
}

data::Dataset records_of(const data::Schema& schema, std::shared_ptr<base::Spool> spool = nullptr) {
  std::vector<std::string> columns{"y"};
  for (int j = 0; j < numbers; ++j) columns.push_back(name_of(j));
  data::Encoder encoder(schema, columns, data::TargetUse::required, "");
  data::Dataset records(schema.shape(), std::move(spool));
  std::mt19937_64 bits(5);
  std::uniform_real_distribution<double> uniform(-3.5, 3.5);
  for (int i = 0; i < rows; ++i) {
    std::vector<data::Value> values(numbers + 1);
    for (auto& value : values) value = uniform(bits);
    values[0] = std::fabs(std::get<double>(values[1])) - 1;
    encoder.append(values, records);
  }
  encoder.flush(records);
  return records;
}

std::vector<double> trained(const Training& plan, const data::Dataset& records,
                            const data::Schema& schema, int threads = 2) {
  random::SeededSource source(7);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  return plan.run(records, schema, {source, reservation, pool}).model.coefficients;
}

data::Schema unpacked_schema(data::Schema schema) {
  schema.packs_numbers = false;
  return schema;
}

// Positions are rounded to half a step, so that weights differ a little; the noise is the same.
void expect_near(const std::vector<double>& one, const std::vector<double>& other) {
  ASSERT_EQ(one.size(), other.size());
  double largest = 0;
  for (const double weight : other) largest = std::max(largest, std::fabs(weight));
  EXPECT_GT(largest, 0);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_NEAR(one[k], other[k], 0.005 * largest) << k;
  }
}

TEST(PackedRows, TrainingGivesNearlyTheModelThatStoredRowsGive) {
  for (const char* standardise : {"none", "private"}) {
    for (const char* knots : {"8", "32"}) {
      const auto plan = plan_training(wide_schema(), {{"method", "gradient"},
                                                      {"epsilon", 1},
                                                      {"adjacency", "add_remove"},
                                                      {"delta", 1e-6},
                                                      {"steps", 15},
                                                      {"curves", "none"},
                                                      {"standardise", standardise},
                                                      {"knots", knots}});
      ASSERT_FALSE(plan.schema.shape().hats.empty());
      const auto stored = unpacked_schema(plan.schema);
      EXPECT_TRUE(stored.shape().hats.empty());
      const auto read = records_of(plan.reading_schema());
      EXPECT_EQ(read.packing() != nullptr, plan.reading_schema().packs_numbers);
      expect_near(trained(plan, read, plan.schema),
                  trained(plan, records_of(unpacked_schema(plan.reading_schema())), stored));
    }
  }
}

TEST(PackedRows, AModelIsTheSameForAnyThreadsInMemoryAndInASpool) {
  const test::TemporaryFolder folder;
  for (const char* knots : {"8", "32"}) {
    const auto plan = plan_training(wide_schema(), {{"method", "gradient"},
                                                    {"epsilon", 1},
                                                    {"adjacency", "add_remove"},
                                                    {"delta", 1e-6},
                                                    {"steps", 15},
                                                    {"curves", "none"},
                                                    {"standardise", "none"},
                                                    {"knots", knots}});
    const auto held = records_of(plan.reading_schema());
    ASSERT_NE(held.packing(), nullptr);
    const auto expected = trained(plan, held, plan.schema, 1);
    EXPECT_EQ(trained(plan, held, plan.schema, 3), expected);
    const auto spooled = records_of(plan.reading_schema(), base::Spool::in(folder.path()));
    EXPECT_EQ(trained(plan, spooled, plan.schema, 1), expected);
  }
}

TEST(PackedRows, MethodsThatReadRowsTakeThemToo) {
  auto schema = wide_schema();
  for (auto& column : schema.columns) std::get<data::NumericColumn>(column.rule).knots = 8;
  auto packs = schema;
  packs.packs_numbers = true;
  const auto packed = records_of(packs);
  ASSERT_NE(packed.packing(), nullptr);
  for (const char* method : {"output", "adassp", "ladder"}) {
    const auto plan = plan_training(
        schema,
        {{"method", method}, {"adjacency", "replace_one"}, {"epsilon", 2}, {"delta", 1e-5}});
    EXPECT_TRUE(plan.schema.shape().hats.empty()) << method;
    expect_near(trained(plan, packed, plan.schema), trained(plan, records_of(schema), plan.schema));
  }
}

}  // namespace packed_rows_test
}  // namespace tacet::learn
