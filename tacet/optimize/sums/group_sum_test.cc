#include "tacet/optimize/sums/group_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/spender.h"

namespace tacet::optimize {
namespace group_sum_test {

using privacy::Adjacency;

constexpr std::int64_t columns = 6;
constexpr data::ColumnRange by_first{0, 2};
constexpr std::int64_t groups = 5;

struct Record {
  std::vector<std::int16_t> features;
  double label;
};

std::vector<Record> random_records(int count, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) {
    Record record{{}, bits() % 2 == 0 ? 1.0 : -1.0};
    for (std::int64_t j = 0; j < columns; ++j) {
      record.features.push_back(static_cast<std::int16_t>(bits() % 1601) - 800);
    }
    records.push_back(record);
  }
  return records;
}

data::Dataset dataset_of(const std::vector<Record>& records, data::Storage storage) {
  data::Dataset dataset({.columns = columns, .norm_bound = 1, .storage = storage});
  for (const auto& record : records) {
    data::EncodedRow row;
    for (std::uint32_t j = 0; j < record.features.size(); ++j) {
      if (record.features[j] == 0) continue;
      row.columns.push_back(j);
      row.values.push_back(record.features[j]);
    }
    row.label = record.label;
    dataset.append(row);
  }
  return dataset;
}

const std::vector<double> weights{0.5, -1, 2, 0, 1, -0.3};
const CoordinateClip clip{.bound = 0.05, .norm_bits = 14};

/// The coordinates of a group's scores, which a run with next to no noise releases as they are.
std::vector<std::int64_t> revealed(const mechanism::GroupScores& scores) {
  // So much epsilon that all noise is 0 but for a probability below e^-25.
  const mechanism::SparseVectorOptions run{.form = mechanism::SparseVectorForm::redrawn_threshold,
                                           .compared = mechanism::Compared::magnitude,
                                           .threshold = -1e9,
                                           .max_positives = columns,
                                           .selection_epsilon = privacy::Epsilon(3e6),
                                           .value_epsilon = privacy::Epsilon(3e6)};
  const auto part = mechanism::sparse_vector_event(run, Adjacency::add_remove);
  test::Spender spender(3, mechanism::GroupPass::event(part), Adjacency::add_remove, 1);
  mechanism::GroupPass pass(scores.groups(), part, Adjacency::add_remove, spender.reservation);
  std::vector<std::int64_t> found(columns, 0);
  const auto answer = mechanism::release_sparse_vector(
      scores, run, mechanism::GroupContext{spender.next(), spender.source, pass});
  for (const auto& positive : answer.value().positives) {
    found[static_cast<std::size_t>(positive.index)] =
        static_cast<std::int64_t>(std::llround(*positive.value));
  }
  return found;
}

/// All coordinates of the sums of all groups.
std::vector<std::vector<std::int64_t>> sums_of(const data::Dataset& dataset) {
  const GroupedRecords records(dataset, by_first, groups);
  std::vector<std::vector<std::int64_t>> sums;
  for (std::int64_t group = 0; group < groups; ++group) {
    sums.push_back(revealed(
        records.gradient(group, weights, model::LogisticLoss{}, clip, Adjacency::add_remove)));
  }
  return sums;
}

// A record more changes one group, and each coordinate there by at most the bound; two records
// that agree in the column are in one group.
TEST(GroupedRecords, ARecordMovesOneGroupByAtMostTheBound) {
  int moved_to_the_bound = 0;
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto records = random_records(12, seed);
    const auto without = sums_of(dataset_of(records, data::Storage::dense));
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(seed % 12),
                   random_records(1, seed + 1000)[0]);
    const auto with = sums_of(dataset_of(records, data::Storage::dense));
    int changed = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      if (with[g] == without[g]) continue;
      ++changed;
      seen.insert(g);
      for (std::size_t j = 0; j < columns; ++j) {
        const auto moved = std::abs(with[g][j] - without[g][j]);
        EXPECT_LE(moved, 1 << 14);
        moved_to_the_bound += moved == 1 << 14 ? 1 : 0;
      }
    }
    EXPECT_EQ(changed, 1);
  }
  EXPECT_GT(moved_to_the_bound, 100);
  EXPECT_EQ(seen.size(), groups);
}

TEST(GroupedRecords, TheSumIsThatOfClippedGradients) {
  const auto records = random_records(50, 3);
  for (const auto storage : {data::Storage::dense, data::Storage::sparse}) {
    const auto sums = sums_of(dataset_of(records, storage));
    for (std::size_t j = 0; j < columns; ++j) {
      double expected = 0;
      for (const auto& record : records) {
        double margin = 0;
        for (std::size_t k = 0; k < columns; ++k) {
          margin += weights[k] * record.features[k] / 2048.0;
        }
        const double slope = -record.label / (1 + std::exp(record.label * margin));
        expected += std::clamp(slope * record.features[j] / 2048.0, -clip.bound, clip.bound);
      }
      double found = 0;
      for (const auto& sum : sums) found += static_cast<double>(sum[j]);
      EXPECT_NEAR(found * clip.bound / (1 << 14), expected, 50 * clip.bound / (1 << 14));
    }
  }
}

TEST(GroupedRecords, GradientsThatAreNoNumbersCountNothing) {
  const auto dataset = dataset_of(random_records(20, 4), data::Storage::dense);
  const GroupedRecords records(dataset, by_first, 1);
  const std::vector<double> lost(columns, std::numeric_limits<double>::quiet_NaN());
  const auto scores = records.gradient(0, lost, model::SquaredLoss{}, clip, Adjacency::add_remove);
  EXPECT_EQ(revealed(scores), std::vector<std::int64_t>(columns, 0));
}

TEST(GroupedRecords, RefusesWhatIsOutOfRange) {
  const auto dataset = dataset_of(random_records(3, 4), data::Storage::dense);
  EXPECT_THROW(GroupedRecords(dataset, by_first, 0), base::UsageError);
  const GroupedRecords records(dataset, by_first, 2);
  const auto gradient = [&](const CoordinateClip& given, Adjacency adjacency) {
    (void)records.gradient(0, weights, model::LogisticLoss{}, given, adjacency);
  };
  EXPECT_THROW(gradient(clip, Adjacency::replace_one), base::UsageError);
  EXPECT_THROW(gradient({.bound = 0}, Adjacency::add_remove), base::UsageError);
  EXPECT_THROW(gradient({.bound = 1, .norm_bits = 31}, Adjacency::add_remove), base::UsageError);
}

}  // namespace group_sum_test
}  // namespace tacet::optimize
