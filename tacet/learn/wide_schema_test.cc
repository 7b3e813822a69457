#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/method.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/temporary_folder.h"

namespace tacet::learn {
namespace wide_schema_test {

TEST(WideSchemaLong, AMillionCategoriesAreReadTrainedAndWritten) {
  constexpr int count = 1000000;
  data::CategoricalColumn rule;
  for (int k = 0; k < count; ++k) rule.categories.push_back("c" + std::to_string(k));
  data::Schema schema;
  schema.columns.push_back({"c", std::move(rule)});
  schema.target = {"y", data::BinaryTarget{{"1"}, {"0"}}};
  schema.public_row_count = 1000;
  std::string content = "c,y\n";
  for (int k = 0; k < 1000; ++k) {
    content += "c" + std::to_string(k * 1000 + 999) + (k % 2 == 0 ? ",1\n" : ",0\n");
  }
  const test::TemporaryFile file(content);
  const auto dataset = data::read_dataset(file.path(), schema);
  EXPECT_EQ(dataset.columns(), count + 1);

  ParameterValues options{{"adjacency", "add_remove"}, {"epsilon", 1}, {"steps", 5}};
  const auto training = plan_training(schema, options);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(training.guarantee.adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(1);
  auto trained = training.run(dataset, schema, {source, reservation, pool});
  EXPECT_EQ(trained.model.features[999999], "c=c999999");
  const model::ModelFile written{schema, std::move(trained.model), trained.receipt};
  const auto copy = model::model_from_json(model::model_to_json(written), "m.json");
  EXPECT_EQ(copy.model.coefficients, written.model.coefficients);
  EXPECT_EQ(copy.model.features, written.model.features);
}

}  // namespace wide_schema_test
}  // namespace tacet::learn
