#include "tacet/learn/method.h"

#include <gtest/gtest.h>

#include <set>

#include "tacet/base/error.h"
#include "tacet/data/read_dataset.h"
#include "tacet/learn/localization.h"
#include "tacet/learn/parameters.h"
#include "tests/support/data_sets.h"

namespace tacet::learn {
namespace {

TEST(Method, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    (void)find_method("magic");
    FAIL() << "a method named magic";
  } catch (const base::UsageError& error) {
    for (const auto& method : methods()) {
      EXPECT_NE(std::string(error.what()).find(method.name), std::string::npos) << method.name;
    }
  }
}

TEST(Method, ReadsOnlyDeclaredParametersAndEachParameterHasAReader) {
  std::set<std::string_view> read;
  for (const auto& method : methods()) {
    for (const auto name : method.options) {
      EXPECT_NE(find_parameter(name), nullptr) << method.name << " reads " << name;
      ParameterValues values;
      values.set(name, find_parameter(name)->type == ParameterType::text ? "word" : "1");
      EXPECT_NO_THROW(check_parameters(method, values)) << method.name << " " << name;
      read.insert(name);
    }
  }
  // Whatever no method lists is read by all.
  for (const auto& parameter : parameters()) {
    if (read.contains(parameter.name)) continue;
    ParameterValues values;
    values.set(parameter.name, parameter.type == ParameterType::text ? "word" : "1");
    for (const auto& method : methods()) {
      EXPECT_NO_THROW(check_parameters(method, values)) << method.name << " " << parameter.name;
    }
  }
}

std::vector<double> coefficients_of(const Training& training, const data::Dataset& dataset,
                                    const data::Schema& schema, int threads) {
  random::SeededSource source(1);
  privacy::MemoryBudget budget(training.guarantee.adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(threads);
  base::LocalReducer reducer;
  return training.run(dataset, schema, {source, reservation, pool, reducer}).model.coefficients;
}

// How records are stored, and how many threads read them, changes no bit of what any method learns.
TEST(Method, StorageAndThreadsChangeNoBitOfAModel) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  const auto dense = data::read_dataset(test::source_file("data/berkeley1973.csv"), schema);
  auto shape = schema.shape();
  ASSERT_EQ(shape.storage, data::Storage::dense);
  shape.storage = data::Storage::sparse;
  data::Dataset sparse(shape);
  for (std::int64_t i = 0; i < dense.rows(); ++i) {
    sparse.append_dense(dense.dense_row(i), dense.label(i));
  }
  for (const auto& method : methods()) {
    SCOPED_TRACE(std::string(method.name));
    LinearOptions options{.method = std::string(method.name),
                          .epsilon = 1,
                          .delta = 1e-5,
                          .adjacency = method.usual_adjacency};
    if (method.name == "inverse-sensitivity") options.delta = 0.0;
    if (method.plan == &localization_training) options.radius = 5;
    if (method.name == "growth") options.growth = 2;
    for (const bool batches : {false, true}) {
      if (batches && method.name != "gradient") continue;
      if (batches) options.batch_size = 100;
      const auto training = plan_training(schema, options);
      const auto found = coefficients_of(training, dense, schema, 1);
      EXPECT_EQ(found, coefficients_of(training, sparse, schema, 2));
    }
  }
}

}  // namespace
}  // namespace tacet::learn
