#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/data/encode/standardise.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/parts/local_parts.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tests/support/mixed_records.h"
#include "tests/support/parts_in_process.h"

namespace tacet::optimize {
namespace parts_test {

using privacy::Adjacency;

data::Schema uniform_schema(std::int64_t columns, data::StorageChoice storage) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = columns, .lower = -1, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}}};
  schema.storage = storage;
  return schema;
}

/// Records whose numbers are anything that a certified row may hold.
data::Dataset random_records(const data::Schema& schema, std::int64_t count,
                             std::mt19937_64& bits) {
  data::Dataset records(schema.shape());
  const auto columns = records.columns();
  for (std::int64_t i = 0; i < count; ++i) {
    data::EncodedRow row;
    std::int64_t left = records.squared_norm_bound();
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto most = static_cast<std::int64_t>(std::sqrt(static_cast<double>(left) / 4));
      const auto value = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(most + 1)) *
                         (bits() % 2 == 0 ? 1 : -1);
      if (value == 0 || bits() % 3 == 0) continue;
      left -= value * value;
      row.columns.push_back(static_cast<std::uint32_t>(j));
      row.values.push_back(static_cast<std::int16_t>(std::clamp<std::int64_t>(value, -2048, 2048)));
    }
    row.label = bits() % 2 == 0 ? 1 : -1;
    records.append(row);
  }
  return records;
}

std::vector<std::int64_t> opened(const privacy::BoundedSum& sum) {
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

/// What a run may ask: numbers with the public facts beside them.
struct Answers {
  std::vector<std::int64_t> gradients, gram, presence;
  double grid = 0;
  std::int64_t bound = 0;
  std::int64_t rows = 0;
  friend bool operator==(const Answers&, const Answers&) = default;
};

Answers answers_of(PartSums& records, const data::Schema& schema, std::span<const double> weights) {
  Answers out;
  out.rows = records.rows();
  records.start_gradients({.loss = model::make_loss("logistic"),
                           .outputs = 1,
                           .limit = {.clipping_norm = 0.7, .norm_bits = 28}});
  const auto sum = records.gradient(weights, Basis::released);
  out.gradients = opened(sum);
  out.grid = sum.grid();
  out.bound = sum.contribution_bound();
  const auto key = mechanism::AccessKeys::key();
  const auto gram = records.gram({1}, Adjacency::replace_one);
  out.gram.assign(gram.open(key).begin(), gram.open(key).end());
  const auto presence = records.presence({schema});
  for (const auto& item : presence.open(key)) {
    out.presence.push_back(item.index);
    out.presence.push_back(item.score);
  }
  return out;
}

// 10^3 partitions of 50 tables, empty parts among them, dense and sparse, 1 and 3 threads.
TEST(Parts, AddUpToTheSumsOfOneTableHoweverItIsDivided) {
  std::mt19937_64 bits(53);
  for (int table = 0; table < 50; ++table) {
    const auto schema =
        uniform_schema(1 + static_cast<std::int64_t>(bits() % 12),
                       table % 2 == 0 ? data::StorageChoice::dense : data::StorageChoice::sparse);
    const auto records = random_records(schema, static_cast<std::int64_t>(bits() % 40), bits);
    std::vector<double> weights(static_cast<std::size_t>(records.columns()));
    for (auto& weight : weights) weight = static_cast<double>(bits() % 2001) / 500 - 2;
    base::ThreadPool pool(2);
    LocalParts here(records, pool);
    const auto whole = answers_of(here, schema, weights);
    for (int partition = 0; partition < 20; ++partition) {
      const auto count = 1 + static_cast<std::int64_t>(bits() % 9);
      test::PartsInProcess parts(test::divided_at_random(records, count, bits()), schema,
                                 partition % 2 == 0 ? 1 : 3);
      RemoteParts remote(parts.run());
      ASSERT_EQ(answers_of(remote, schema, weights), whole) << table << ' ' << partition;
    }
  }
}

// Units count once in their means, whichever parts they lie in and however many records they have.
TEST(Parts, MeansOfUnitsAreThoseOfOneTable) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = -1, .upper = 1}},
                    {"c", data::CategoricalColumn{.categories = {"u", "v"}}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.unit = "who";
  schema.public_row_count = 16;
  const auto raw = data::raw_schema(schema);
  std::mt19937_64 bits(58);
  for (int table = 0; table < 40; ++table) {
    data::Dataset records(raw.shape());
    records.declare_units();
    test::UnitNumbers numbers;
    for (int k = 0; k < 60; ++k) {
      data::EncodedRow row;
      row.columns = {0, bits() % 2 == 0 ? 1u : 2u};
      row.values = {static_cast<std::int16_t>(1 + bits() % 2048), 2048};
      row.unit = numbers.of(static_cast<std::int64_t>(bits() % 17) - 1);  // some have none
      row.label = 1;
      records.append(row);
    }
    const MomentTask task{schema, 24, {.categories = true, .records_per_unit = 1 + table % 6}};
    base::ThreadPool pool(2);
    LocalParts here(records, pool);
    const auto whole = opened(here.moments(task));
    test::PartsInProcess parts(test::divided_at_random(records, 1 + table % 5, bits()), raw, 3);
    RemoteParts remote(parts.run());
    ASSERT_EQ(opened(remote.moments(task)), whole) << table;
  }
}

// Noise that a part adds, however small, is seen: the sums are compared by their bits.
TEST(Parts, NoiseInAPartIsAnotherSum) {
  const auto schema = uniform_schema(3, data::StorageChoice::dense);
  std::mt19937_64 bits(54);
  const auto records = random_records(schema, 30, bits);
  const std::vector<double> weights(static_cast<std::size_t>(records.columns()), 0.5);
  base::ThreadPool pool(1);
  LocalParts here(records, pool);
  const auto whole = answers_of(here, schema, weights);
  test::PartsInProcess parts(test::divided_at_random(records, 3, 1), schema);
  parts.on_the_way = [](std::vector<std::string>& answers) {
    auto answer = PartAnswer::from_bytes(answers[1]);
    if (!answer.sums.empty()) answer.sums.front() += 1;
    answers[1] = answer.to_bytes();
  };
  RemoteParts remote(parts.run());
  EXPECT_NE(answers_of(remote, schema, weights), whole);
}

// Sums of 2^30 a record are beyond what a double tells apart after 2^23 records.
TEST(Parts, SumsAreExactBeyondWhatADoubleHolds) {
  const auto schema = uniform_schema(1, data::StorageChoice::dense);
  test::PartsInProcess parts(test::divided_at_random(data::Dataset(schema.shape()), 2, 1), schema);
  constexpr std::int64_t large = (std::int64_t{1} << 61) - 1;
  parts.on_the_way = [&](std::vector<std::string>& answers) {
    for (std::size_t k = 0; k < answers.size(); ++k) {
      auto answer = PartAnswer::from_bytes(answers[k]);
      answer.rows = std::int64_t{1} << 31;
      for (auto& sum : answer.sums) sum = large - static_cast<std::int64_t>(k);
      answers[k] = answer.to_bytes();
    }
  };
  RemoteParts remote(parts.run());
  remote.start_gradients({.loss = model::make_loss("squared"), .limit = {.norm_bits = 30}});
  const std::vector<double> weights(static_cast<std::size_t>(schema.shape().columns), 0.0);
  for (const auto sum : opened(remote.gradient(weights, Basis::stated))) {
    EXPECT_EQ(sum, 2 * large - 1);
  }
}

}  // namespace parts_test
}  // namespace tacet::optimize
