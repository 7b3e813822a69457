#include "tacet/model/wide/wide_net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::model {
namespace wide_net_test {

using Random = std::mt19937_64;

/// Parameters that are multiples of 2^-12, so that steps of that size are exact in floats.
constexpr double grid = 0x1p-12;

struct Parameters : WideRows {
  explicit Parameters(const privacy::RowLayout& of)
      : layout(of),
        cells(static_cast<std::size_t>(of.cells())),
        block(static_cast<std::size_t>(of.dense())) {}

  void fill(Random& random) {
    for (auto* part : {&cells, &block}) {
      for (float& value : *part) {
        value = static_cast<float>((static_cast<double>(random() % 8192) - 4096) * grid);
      }
    }
  }
  [[nodiscard]] std::span<const float> row(std::int64_t row, std::span<float>) const override {
    return std::span(cells).subspan(static_cast<std::size_t>(layout.first_cell(row)),
                                    static_cast<std::size_t>(layout.width(row)));
  }

  privacy::RowLayout layout;
  std::vector<float> cells;
  std::vector<float> block;
};

/// A gradient written out, cell by cell.
struct Written {
  explicit Written(const privacy::RowLayout& of)
      : layout(of),
        cells(static_cast<std::size_t>(of.cells())),
        block(static_cast<std::size_t>(of.dense())) {}
  [[nodiscard]] std::span<double> row(std::int64_t row) {
    return std::span(cells).subspan(static_cast<std::size_t>(layout.first_cell(row)),
                                    static_cast<std::size_t>(layout.width(row)));
  }
  [[nodiscard]] std::span<double> dense(std::size_t first, std::size_t count) {
    EXPECT_GE(first, end);
    end = first + count;
    return std::span(block).subspan(first, count);
  }
  void dense_products(std::size_t first, const numeric::PickedRows& picked,
                      std::span<const double> vector) {
    for (std::size_t k = 0; k < picked.places.size(); ++k) {
      const auto out = dense(first + picked.places[k] * vector.size(), vector.size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += picked.factors[k] * vector[i];
    }
  }

  privacy::RowLayout layout;
  std::vector<double> cells;
  std::vector<double> block;
  std::size_t end = 0;
};

struct Record {
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  double label = 0;
};

/// Every kind of model in turn.
WideShape shape_of(int number, Random& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  WideShape shape;
  std::int64_t next = below(2);
  const auto fields = number % 3 == 0 ? 0 : 1 + below(3);
  for (std::int64_t f = 0; f < fields; ++f) {
    shape.fields.push_back({.first = next,
                            .rows = 1 + below(6),
                            .width = 1 + below(4),
                            .pooling = below(2) == 0 ? Pooling::sum : Pooling::mean});
    next += shape.fields.back().rows + below(2);
  }
  const auto dense = fields == 0 ? 1 + below(4) : below(4);
  for (std::int64_t j = 0; j < dense; ++j) shape.dense.push_back(next++ + j);
  for (int l = number / 3 % 3; l > 0; --l) shape.hidden.push_back(1 + below(5));
  shape.linear = number / 9 % 2 == 0 ? LinearPart::present : LinearPart::absent;
  const WideLoss losses[] = {WideLoss::logistic, WideLoss::softmax, WideLoss::squared};
  shape.loss = losses[number / 18 % 3];
  shape.outputs = shape.loss == WideLoss::softmax ? 2 + below(3) : 1;
  if (number / 54 % 2 == 0 || fields < 2 || shape.loss == WideLoss::softmax) return shape;
  shape.head = WideHead::two_tower;
  shape.hidden.clear();
  if (shape.linear == LinearPart::absent) shape.dense.clear();
  for (auto& field : shape.fields) {
    field.width = shape.fields.front().width;
    field.side = below(2) == 0 ? WideSide::left : WideSide::right;
  }
  shape.fields.front().side = WideSide::left;
  shape.fields.back().side = WideSide::right;
  return shape;
}

Record record_of(const WideShape& shape, Random& random) {
  Record record;
  const auto add = [&](std::int64_t column) {
    if (random() % 3 == 0) return;
    record.columns.push_back(static_cast<std::uint32_t>(column));
    record.values.push_back((static_cast<double>(random() % 4097) - 2048) / 2048);
  };
  for (const auto& field : shape.fields) {
    for (std::int64_t i = 0; i < field.rows; ++i) add(field.first + i);
  }
  for (const auto column : shape.dense) add(column);
  record.label = shape.loss == WideLoss::logistic ? (random() % 2 == 0 ? -1.0 : 1.0)
                 : shape.loss == WideLoss::softmax
                     ? static_cast<double>(random() % static_cast<std::uint64_t>(shape.outputs))
                     : (static_cast<double>(random() % 2001) - 1000) / 1000;
  return record;
}

/// Which ReLUs are open.
std::vector<bool> open_units(const WideTrace& trace) {
  std::vector<bool> open;
  for (std::size_t l = 1; l < trace.values.size(); ++l) {
    for (const double value : trace.values[l]) open.push_back(value > 0);
  }
  return open;
}

// Central differences of step 2^-12 err by the third derivative times 2^-24 / 6, here below 1e-5,
// where no ReLU opens or shuts; 54 kinds of models, each parameter that a record meets.
TEST(WideNet, GradientsAreFiniteDifferences) {
  Random random(7);
  std::int64_t compared = 0;
  std::int64_t at_kinks = 0;
  std::int64_t towers = 0;
  std::map<int, std::int64_t> of_kind;
  for (int number = 0; compared < 30000; ++number) {
    const WideNet net(shape_of(number, random));
    Parameters parameters(net.layout());
    parameters.fill(random);
    const auto record = record_of(net.shape(), random);
    WideTrace trace;
    const auto loss_at = [&] {
      net.read(record.columns, record.values, trace);
      net.forward(parameters, parameters.block, trace);
      return net.loss(record.label, trace);
    };
    static_cast<void>(loss_at());
    net.backward(record.label, parameters.block, trace);
    Written written(net.layout());
    net.add_gradient(trace, written);
    const auto compare = [&](std::vector<float>& values, const std::vector<double>& gradient) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const float value = values[k];
        values[k] = value + static_cast<float>(grid);
        const double above = loss_at();
        const auto open = open_units(trace);
        values[k] = value - static_cast<float>(grid);
        const double below = loss_at();
        values[k] = value;
        if (open != open_units(trace)) {
          ++at_kinks;
          continue;
        }
        ++compared;
        ++of_kind[number % 54];
        if (net.shape().two_tower()) ++towers;
        ASSERT_NEAR(gradient[k], (above - below) / (2 * grid), 1e-5) << number << " " << k;
      }
    };
    compare(parameters.cells, written.cells);
    compare(parameters.block, written.block);
  }
  EXPECT_LT(at_kinks, compared / 100);
  EXPECT_EQ(of_kind.size(), 54U);
  EXPECT_GT(towers, 1000);
}

// 10^4 records: part by part, what is written out is as long as was said without writing it.
TEST(WideNet, NormsWithoutGradientsAreThoseOfGradients) {
  Random random(8);
  for (int number = 0; number < 10000; ++number) {
    const WideNet net(shape_of(number, random));
    const auto& shape = net.shape();
    Parameters parameters(net.layout());
    parameters.fill(random);
    const auto record = record_of(shape, random);
    WideTrace trace;
    net.read(record.columns, record.values, trace);
    net.forward(parameters, parameters.block, trace);
    net.backward(record.label, parameters.block, trace);
    const auto norms = net.norms(trace);
    Written written(net.layout());
    net.add_gradient(trace, written);
    const auto square = [](std::span<const double> values) {
      double sum = 0;
      for (const double value : values) sum += value * value;
      return sum;
    };
    const auto near = [&](double said, double found) {
      ASSERT_NEAR(said, found, 1e-12 * std::max(found, 1e-3)) << number;
    };
    const auto table = [&](std::size_t place) {
      const auto& tables = net.layout().tables();
      const auto first = net.layout().first_cell(net.layout().row(place, 0));
      return std::span(written.cells)
          .subspan(static_cast<std::size_t>(first),
                   static_cast<std::size_t>(tables[place].rows * tables[place].width));
    };
    const auto fields = shape.fields.size();
    for (std::size_t f = 0; f < fields; ++f) near(norms.fields[f], square(table(f)));
    ASSERT_EQ(norms.weights.size(), shape.linear == LinearPart::present ? fields : 0);
    for (std::size_t f = 0; f < norms.weights.size(); ++f) {
      near(norms.weights[f], square(table(fields + f)));
    }
    std::span<const double> rest(written.block);
    const auto take = [&](std::int64_t count) {
      const auto part = rest.first(static_cast<std::size_t>(count));
      rest = rest.subspan(static_cast<std::size_t>(count));
      return square(part);
    };
    const auto dense = shape.dense_weights() ? shape.outputs * std::ssize(shape.dense) : 0;
    near(norms.dense_weights, take(dense));
    auto width = shape.two_tower() ? 0 : shape.input_width();
    for (std::size_t l = 0; l < norms.layers.size(); ++l) {
      const auto out = l < shape.hidden.size() ? shape.hidden[l] : shape.outputs;
      near(norms.layers[l], take(out * (width + 1)));
      width = out;
    }
    EXPECT_TRUE(rest.empty());
    near(norms.square(), square(written.cells) + square(written.block));
  }
}

// Two ids, one dense feature, one hidden layer of two, by hand.
TEST(WideNet, TheSumIsWhatItSays) {
  WideShape shape{.fields = {{.first = 0, .rows = 3, .width = 1, .pooling = Pooling::mean}},
                  .dense = {4},
                  .hidden = {2},
                  .linear = LinearPart::present,
                  .loss = WideLoss::squared};
  const WideNet net(shape);
  EXPECT_EQ(net.layout().tables().size(), 2U);
  EXPECT_EQ(net.layout().dense(), 1 + 2 * 3 + 3);
  EXPECT_EQ(net.max_rows(2), 4);
  Parameters parameters(net.layout());
  parameters.cells = {1, 2, 4, 10, 20, 40};  // vectors, then weights
  parameters.block = {3,         /*W1, input by input*/ 1, -1, 1, 2, /*b1*/ 0.5, 0.25, /*w2*/ 2, 8,
                      /*b2*/ 100};
  WideTrace trace;
  const std::vector<std::uint32_t> columns{0, 2, 3, 4};
  const std::vector<double> values{0.3, 0.1, 7, 0.5};
  net.read(columns, values, trace);
  net.forward(parameters, parameters.block, trace);
  // input (2.5, .5); hidden 3.5 and max(0, -1.25) = 0; weights 25; dense 3 * .5
  EXPECT_DOUBLE_EQ(trace.outputs[0], 100 + 2 * 3.5 + 25 + 1.5);
  EXPECT_DOUBLE_EQ(net.loss(0.5, trace), 133 * 133 / 2.0);
}

// Two ids on the left, one on the right, a dense feature, by hand.
TEST(WideNet, TwoTowersAreADotProduct) {
  const WideNet net({.fields = {{.first = 0, .rows = 2, .width = 2, .pooling = Pooling::sum},
                                {.first = 2, .rows = 2, .width = 2, .side = WideSide::right}},
                     .dense = {4},
                     .loss = WideLoss::squared,
                     .head = WideHead::two_tower});
  EXPECT_EQ(net.layout().dense(), 2);
  Parameters parameters(net.layout());
  parameters.cells = {1, 2, 3, 4, /*right*/ 5, 6, 7, 8, /*weights*/ 10, 20, 30, 40};
  parameters.block = {100, 1000};
  WideTrace trace;
  const std::vector<std::uint32_t> columns{0, 1, 3, 4};
  const std::vector<double> values{1, 1, 1, 0.5};
  net.read(columns, values, trace);
  net.forward(parameters, parameters.block, trace);
  // (1 + 3, 2 + 4) . (7, 8) = 76; weights 10 + 20 + 40; 100 * .5; bias 1000
  EXPECT_DOUBLE_EQ(trace.outputs[0], 76 + 70 + 50 + 1000);
}

TEST(WideNet, EmptyBagsAndUnknownColumnsAreNothing) {
  const WideNet net({.fields = {{.first = 1, .rows = 2, .width = 2}}, .loss = WideLoss::logistic});
  Parameters parameters(net.layout());
  Random random(9);
  parameters.fill(random);
  WideTrace trace;
  const std::vector<std::uint32_t> columns{0, 1, 3};
  const std::vector<double> values{1, 0, 1};
  net.read(columns, values, trace);
  net.forward(parameters, parameters.block, trace);
  EXPECT_EQ(trace.outputs[0], static_cast<double>(parameters.block.back()));
  net.backward(1, parameters.block, trace);
  const auto norms = net.norms(trace);
  EXPECT_EQ(norms.fields[0] + norms.weights[0], 0);
  EXPECT_GT(norms.layers[0], 0);
}

TEST(WideNet, RecordsOutOfOrderAndLabelsOutOfTheirDomainAreRefused) {
  const WideNet net({.dense = {0, 1}, .loss = WideLoss::softmax, .outputs = 3});
  Parameters parameters(net.layout());
  WideTrace trace;
  const std::vector<std::uint32_t> twice{1, 1};
  const std::vector<double> values{1, 1};
  EXPECT_THROW(net.read(twice, values, trace), base::InternalError);
  const std::vector<std::uint32_t> columns{0, 1};
  net.read(columns, values, trace);
  net.forward(parameters, parameters.block, trace);
  EXPECT_NEAR(net.loss(2, trace), std::log(3.0), 1e-15);
  for (const double label : {3.0, -1.0, 0.5}) {
    EXPECT_THROW(net.backward(label, parameters.block, trace), base::InternalError);
  }
}

std::string error_of(const WideShape& shape) {
  try {
    static_cast<void>(WideNet(shape));
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WideShape, RefusesWhatIsNoArchitecture) {
  const auto says = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  EXPECT_EQ(error_of({.dense = {0}}), "no error");
  says(error_of({}), "a field of ids or a dense feature");
  says(error_of({.dense = {0}, .hidden = {4, 4, 4}}), "at most 2 hidden layers, got 3");
  says(error_of({.dense = {0}, .hidden = {0}}), "between 1 and 4096, got 0");
  says(error_of({.fields = {{.first = 0, .rows = 2, .width = 5000}}}), "got 5000");
  says(error_of({.fields = {{.first = 2, .rows = 2}, {.first = 3, .rows = 2}}}), "columns apart");
  says(error_of({.fields = {{.first = 2, .rows = 2}}, .dense = {3}}), "in no field");
  says(error_of({.dense = {3, 3}}), "ascend");
  says(error_of({.dense = {0}, .loss = WideLoss::softmax}), "an output a class");
  says(error_of({.dense = {0}, .outputs = 2}), "an output a class");
  const WideField one{.first = 0, .rows = 2};
  const WideField other{.first = 2, .rows = 2, .side = WideSide::right};
  constexpr auto towers = WideHead::two_tower;
  EXPECT_EQ(error_of({.fields = {one, other}, .dense = {4}, .head = towers}), "no error");
  says(error_of({.fields = {one, other}, .hidden = {4}, .head = towers}), "no hidden layer");
  says(error_of({.fields = {one}, .head = towers}), "on each side");
  says(error_of(
           {.fields = {one, other}, .dense = {4}, .linear = LinearPart::absent, .head = towers}),
       "no place in two towers");
  says(error_of({.fields = {one, {.first = 2, .rows = 2, .width = 3, .side = WideSide::right}},
                 .head = towers}),
       "have one width");
}

}  // namespace wide_net_test
}  // namespace tacet::model
