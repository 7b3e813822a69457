#include "tacet/learn/wide/net_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::learn {
namespace net_gradients_test {

using Random = std::mt19937_64;

struct Numbers : model::WideRows {
  Numbers(const privacy::RowLayout& of, Random& random, double size)
      : layout(of),
        cells(static_cast<std::size_t>(of.cells())),
        block(static_cast<std::size_t>(of.dense())) {
    for (auto* part : {&cells, &block}) {
      for (float& value : *part) {
        value = static_cast<float>((static_cast<double>(random() % 2001) / 1000 - 1) * size);
      }
    }
  }
  [[nodiscard]] std::span<const float> row(std::int64_t row, std::span<float>) const override {
    return std::span(cells).subspan(static_cast<std::size_t>(layout.first_cell(row)),
                                    static_cast<std::size_t>(layout.width(row)));
  }
  [[nodiscard]] NetState state() const { return {*this, block}; }

  privacy::RowLayout layout;
  std::vector<float> cells;
  std::vector<float> block;
};

model::WideShape small_shape(int number) {
  model::WideShape shape{
      .fields = {{.first = 0, .rows = 6, .width = 2}, {.first = 6, .rows = 4, .width = 3}},
      .dense = {10, 11}};
  shape.fields[1].pooling = model::Pooling::sum;
  for (int l = number % 3; l > 0; --l) shape.hidden.push_back(3);
  if (number % 2 == 1) shape.linear = model::LinearPart::absent;
  const model::WideLoss losses[] = {model::WideLoss::logistic, model::WideLoss::softmax,
                                    model::WideLoss::squared};
  shape.loss = losses[number / 6 % 3];
  if (shape.loss == model::WideLoss::softmax) shape.outputs = 3;
  if (number % 18 == 2 || number % 18 == 14) {
    shape.head = model::WideHead::two_tower;
    shape.hidden.clear();
    shape.linear = model::LinearPart::present;
    shape.fields[1].width = 2;
    shape.fields[1].side = model::WideSide::right;
  }
  return shape;
}

data::LabelDomain labels_for(const model::WideShape& shape) {
  switch (shape.loss) {
    case model::WideLoss::logistic:
      return data::LabelDomain::signs();
    case model::WideLoss::softmax:
      return data::LabelDomain::classes(3);
    default:
      return data::LabelDomain::interval(-1, 1);
  }
}

data::EncodedRow record_of(const model::WideShape& shape, Random& random) {
  data::EncodedRow row;
  for (std::uint32_t column = 0; column < 12; ++column) {
    if (random() % 2 == 0) continue;
    row.columns.push_back(column);
    row.values.push_back(static_cast<std::int16_t>(1 + random() % 591));  // 12 of them: norm 1
  }
  const double signs[] = {-1, 1};
  row.label = shape.loss == model::WideLoss::logistic  ? signs[random() % 2]
              : shape.loss == model::WideLoss::softmax ? static_cast<double>(random() % 3)
                                                       : signs[random() % 2] / 2;
  return row;
}

data::Dataset dataset_of(const model::WideShape& shape, const std::vector<data::EncodedRow>& rows,
                         bool units = false, data::Storage storage = data::Storage::sparse) {
  data::Dataset data(
      {.columns = 12, .norm_bound = 1, .storage = storage, .labels = labels_for(shape)});
  if (units) data.declare_units();
  std::map<std::int64_t, std::int64_t> numbers;  // of units, by first appearance
  for (auto row : rows) {
    if (units) row.unit = numbers.try_emplace(row.unit, std::ssize(numbers)).first->second;
    data.append(row);
  }
  return data;
}

/// A step's sum over all cells, the dense block behind them, in grid units.
struct Sum {
  std::vector<std::int64_t> cells;
  std::int64_t bound;
};

Sum sum_of(const model::WideNet& net, const data::Dataset& data, const NetState& state, double clip,
           std::int64_t max_records_per_unit = 1, int workers = 1) {
  base::ThreadPool pool(workers);
  optimize::RowBatch batch(
      net.layout(),
      {.max_rows = net.max_rows(6), .max_records_per_unit = max_records_per_unit, .norm_bits = 20},
      pool);
  batch.start(privacy::Sample::all());
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(data.rows()));
  std::iota(drawn.begin(), drawn.end(), 0);
  NetGradients(net, data, max_records_per_unit, pool).add(drawn, state, batch);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(net.layout().rows()));
  std::iota(rows.begin(), rows.end(), 0);
  const auto sum = batch.sum(privacy::RowSelection::rows(rows), {.clipping_norm = clip});
  const auto access = mechanism::AccessKeys::key();
  const auto values = sum.open(access).open(access);
  return {{values.begin(), values.end()}, sum.contribution_bound()};
}

double distance(const Sum& a, const Sum& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    const auto step = static_cast<double>(a.cells[i] - b.cells[i]);
    square += step * step;
  }
  return std::sqrt(square);
}

// One record more and one in another's place, from slopes far below the clipping norm to far above.
TEST(NetGradients, TenThousandNeighboursNeverBeatTheBound) {
  Random random(1);
  double farthest = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto shape = small_shape(i);
    const model::WideNet net(shape);
    const Numbers numbers(net.layout(), random,
                          std::ldexp(1.0, static_cast<int>(random() % 7) - 3));
    std::vector<data::EncodedRow> rows;
    for (auto count = random() % 4; count > 0; --count) rows.push_back(record_of(shape, random));
    const auto fewer = dataset_of(shape, rows);
    rows.push_back(record_of(shape, random));
    const auto more = dataset_of(shape, rows);
    rows.back() = record_of(shape, random);
    const auto other = dataset_of(shape, rows);
    const double clip = std::ldexp(1.0, static_cast<int>(random() % 6) - 4);
    const auto of = [&](const data::Dataset& data) {
      return sum_of(net, data, numbers.state(), clip);
    };
    const auto with = of(more);
    const auto bound = static_cast<double>(with.bound);
    ASSERT_EQ(with.bound, std::int64_t{1} << 20);
    ASSERT_LE(distance(of(fewer), with), bound) << i;
    ASSERT_LE(distance(of(other), with), 2 * bound) << i;
    farthest = std::max(farthest, distance(of(fewer), with) / bound);
  }
  EXPECT_GT(farthest, 0.99);  // the bound is no larger than it must be
}

// All records of a unit are taken away at once: two of them share the bound, a third takes no part.
TEST(NetGradients, UnitsNeverBeatTheBound) {
  Random random(2);
  double farthest = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto shape = small_shape(i);
    const model::WideNet net(shape);
    const Numbers numbers(net.layout(), random, 2);
    std::vector<data::EncodedRow> rows;
    for (auto count = random() % 6; count > 0; --count) {
      rows.push_back(record_of(shape, random));
      rows.back().unit = static_cast<std::int64_t>(random() % 3);
    }
    std::vector<data::EncodedRow> without;
    for (const auto& row : rows) {
      if (row.unit != 2) without.push_back(row);
    }
    for (const std::int64_t records : {1, 2}) {
      const auto of = [&](const std::vector<data::EncodedRow>& of_rows) {
        return sum_of(net, dataset_of(shape, of_rows, true), numbers.state(), 0.125, records);
      };
      const auto with = of(rows);
      const double moved = distance(of(without), with) / static_cast<double>(with.bound);
      ASSERT_LE(moved, 1) << i;
      farthest = std::max(farthest, moved);
    }
  }
  EXPECT_GT(farthest, 0.9);
}

// Which records of a unit may be in a sample must not depend on the sample: of one with several
// records the first ones alone may be chosen, each its own.
TEST(NetGradients, FurtherRecordsOfAUnitTakeNoPartWhereTheFirstWereNotDrawn) {
  Random random(12);
  const auto shape = small_shape(1);
  const model::WideNet net(shape);
  const Numbers numbers(net.layout(), random, 2);
  std::vector<data::EncodedRow> rows;
  for (int k = 0; k < 5; ++k) {
    do rows.push_back(record_of(shape, random));
    while (rows.back().columns.empty());
    rows.back().unit = k == 3 ? 1 : 0;
  }
  const auto data = dataset_of(shape, rows, true);
  base::ThreadPool pool(1);
  for (const std::int64_t records : {1, 2}) {
    NetGradients gradients(net, data, records, pool);
    const auto counted = [&](std::vector<std::int64_t> drawn) {
      optimize::RowBatch batch(net.layout(), {.max_rows = 20, .max_records_per_unit = records},
                               pool);
      batch.start(privacy::Sample::all());
      gradients.add(drawn, numbers.state(), batch);
      return batch.arena(0).size();
    };
    EXPECT_EQ(counted({0, 1, 2, 3, 4}), records + 1);
    EXPECT_EQ(counted({2, 4}), 0);
    EXPECT_EQ(counted({1, 2, 3}), records);
  }
}

// As they come, on the rows that were chosen alone, the sum is that of a batch.
TEST(NetGradients, ARunningSumHasTheBitsOfABatch) {
  Random random(13);
  for (int i = 0; i < 200; ++i) {
    const auto shape = small_shape(i);
    const model::WideNet net(shape);
    const Numbers numbers(net.layout(), random, 1);
    std::vector<data::EncodedRow> rows;
    for (int k = 0; k < 8; ++k) rows.push_back(record_of(shape, random));
    const auto data = dataset_of(shape, rows);
    const std::vector<std::int64_t> drawn{0, 2, 3, 7};
    base::ThreadPool pool(1 + i % 3);
    NetGradients gradients(net, data, 1, pool);
    const auto ids = id_count(shape);
    const std::vector<std::int64_t> chosen_ids{static_cast<std::int64_t>(random() % 3),
                                               3 + static_cast<std::int64_t>(random() % 3),
                                               ids - 1};
    const auto chosen = rows_of_ids(net, chosen_ids);
    const optimize::RowLimit limit{.max_rows = net.max_rows(6), .norm_bits = 20};
    const auto access = mechanism::AccessKeys::key();
    const auto opened = [&](const privacy::RowSum& sum) {
      const auto values = sum.open(access).open(access);
      return std::vector<std::int64_t>(values.begin(), values.end());
    };
    optimize::RowBatch batch(net.layout(), limit, pool);
    batch.start(privacy::Sample::all());
    gradients.add(drawn, numbers.state(), batch);
    optimize::RunningRowSum running(net.layout(), limit, pool);
    running.start(privacy::Sample::all(), chosen, 0.5);
    gradients.add(drawn, numbers.state(), running);
    EXPECT_EQ(opened(running.take()), opened(batch.sum(chosen, {.clipping_norm = 0.5}))) << i;
  }
}

TEST(NetGradients, IdsAreThoseThatRecordsHave) {
  Random random(14);
  const auto shape = small_shape(0);
  const model::WideNet net(shape);
  ASSERT_EQ(id_count(shape), 10);
  data::EncodedRow row;
  row.columns = {1, 4, 8, 10};
  row.values = {5, 5, 5, 5};
  row.label = 1;
  base::ThreadPool pool(1);
  optimize::RowBatch touched(privacy::RowLayout({{.rows = 10, .width = 1}}), {.max_rows = 20},
                             pool);
  touched.start(privacy::Sample::all());
  const auto data = dataset_of(shape, {row});
  const std::vector<std::int64_t> drawn{0};
  NetGradients(net, data, 1, pool).touch(drawn, touched);
  const auto found = touched.arena(0).record(0).rows;
  EXPECT_EQ(std::vector<std::int64_t>(found.begin(), found.end()),
            (std::vector<std::int64_t>{1, 4, 8}));
  // Of each id its vector, and its weight behind all vectors.
  EXPECT_EQ(*rows_of_ids(net, std::vector<std::int64_t>{1, 8}).rows(),
            (std::vector<std::int64_t>{1, 8, 11, 18}));
}

TEST(NetGradients, TheSumHasTheSameBitsForAnyThreadsAndBothStorages) {
  Random random(3);
  const auto shape = small_shape(7);
  const model::WideNet net(shape);
  const Numbers numbers(net.layout(), random, 1);
  std::vector<data::EncodedRow> rows;
  for (int k = 0; k < 1000; ++k) rows.push_back(record_of(shape, random));
  const auto sparse = dataset_of(shape, rows);
  const auto dense = dataset_of(shape, rows, false, data::Storage::dense);
  const auto one = sum_of(net, sparse, numbers.state(), 0.5);
  for (const int workers : {1, 2, 3}) {
    EXPECT_EQ(one.cells, sum_of(net, sparse, numbers.state(), 0.5, 1, workers).cells);
    EXPECT_EQ(one.cells, sum_of(net, dense, numbers.state(), 0.5, 1, workers).cells);
  }
}

// Of a record with more ids than count the same ones do, however it is stored.
TEST(NetGradients, WhichIdsAreOverTheLimitDoesNotFollowTheStorage) {
  Random random(15);
  const auto shape = small_shape(1);
  const model::WideNet net(shape);
  const Numbers numbers(net.layout(), random, 1);
  data::EncodedRow row;
  for (std::uint32_t column = 0; column < 12; ++column) {
    row.columns.push_back(column);
    row.values.push_back(100);
  }
  row.label = 1;
  base::ThreadPool pool(1);
  const auto rows_of = [&](data::Storage storage, std::int64_t most) {
    const auto data = dataset_of(shape, {row}, false, storage);
    optimize::RowBatch batch(net.layout(), {.max_rows = most}, pool);
    batch.start(privacy::Sample::all());
    const std::vector<std::int64_t> drawn{0};
    NetGradients(net, data, 1, pool).add(drawn, numbers.state(), batch);
    const auto found = batch.arena(0).record(0).rows;
    return std::vector<std::int64_t>(found.begin(), found.end());
  };
  for (const std::int64_t most : {1, 4, 7, 100}) {
    EXPECT_EQ(rows_of(data::Storage::sparse, most), rows_of(data::Storage::dense, most));
  }
  EXPECT_EQ(rows_of(data::Storage::sparse, 4), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

// What an arena holds is as long as the ghost norms say.
TEST(NetGradients, NormsAreThoseOfTheArena) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const auto shape = small_shape(i);
    const model::WideNet net(shape);
    const Numbers numbers(net.layout(), random, 1);
    const auto row = record_of(shape, random);
    std::vector<double> values;
    for (const auto value : row.values) values.push_back(value / 2048.0);
    model::WideTrace trace;
    net.read(row.columns, values, trace);
    net.forward(numbers, numbers.block, trace);
    net.backward(row.label, numbers.block, trace);
    optimize::RowArena arena(net.layout(), {.max_rows = net.max_rows(6)});
    arena.start();
    net.add_gradient(trace, arena);
    arena.finish();
    double square = 0;
    for (const double part : arena.record(0).squares) square += part;
    square = std::ldexp(square, 2 * arena.record(0).exponent);
    ASSERT_NEAR(net.norms(trace).square(), square, 1e-12 * std::max(square, 1e-6)) << i;
  }
}

// Slopes that are no numbers count nothing: they move no other record's part.
TEST(NetGradients, RecordsWhoseGradientIsNoNumberCountNothing) {
  Random random(5);
  const auto shape = small_shape(2);
  const model::WideNet net(shape);
  Numbers numbers(net.layout(), random, 1);
  numbers.cells[0] = std::numeric_limits<float>::quiet_NaN();  // id 0 of the first field
  std::vector<data::EncodedRow> rows;
  for (int k = 0; k < 20; ++k) {
    rows.push_back(record_of(shape, random));
    if (rows.back().columns.empty() || rows.back().columns.front() != 0) continue;
    rows.back().columns.erase(rows.back().columns.begin());
    rows.back().values.erase(rows.back().values.begin());
  }
  const auto clean = sum_of(net, dataset_of(shape, rows), numbers.state(), 0.5);
  data::EncodedRow faulty;
  faulty.columns = {0};
  faulty.values = {1};
  faulty.label = 1;
  rows.push_back(faulty);
  EXPECT_EQ(clean.cells, sum_of(net, dataset_of(shape, rows), numbers.state(), 0.5).cells);
}

TEST(NetGradients, RefuseAStateOrABatchOfAnotherLayout) {
  Random random(6);
  base::ThreadPool pool(1);
  const auto shape = small_shape(0);
  const model::WideNet net(shape);
  const model::WideNet other(small_shape(2));
  const Numbers numbers(net.layout(), random, 1);
  const auto data = dataset_of(shape, {record_of(shape, random)});
  NetGradients gradients(net, data, 1, pool);
  const std::vector<std::int64_t> drawn{0};
  const auto add = [&](const model::WideNet& of, const NetState& state) {
    optimize::RowBatch batch(of.layout(), {.max_rows = 20}, pool);
    batch.start(privacy::Sample::all());
    gradients.add(drawn, state, batch);
  };
  EXPECT_NO_THROW(add(net, numbers.state()));
  EXPECT_THROW(add(other, numbers.state()), base::InternalError);
  EXPECT_THROW(add(net, {numbers, std::span(numbers.block).first(3)}), base::InternalError);
}

TEST(NetGradients, RefuseRecordsOfAnotherShape) {
  base::ThreadPool pool(1);
  const auto logistic = small_shape(0);
  const auto softmax = small_shape(6);
  const model::WideNet net(logistic);
  EXPECT_THROW(NetGradients(net, dataset_of(softmax, {}), 1, pool), base::InternalError);
  auto wider = logistic;
  wider.dense.push_back(12);
  const model::WideNet wide(wider);
  EXPECT_THROW(NetGradients(wide, dataset_of(logistic, {}), 1, pool), base::InternalError);
}

}  // namespace net_gradients_test
}  // namespace tacet::learn
