#include "tacet/audit/sensitivity_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sgd/sgd.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/sums/cell_sum.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/optimize/sums/moment_sum.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/optimize/sums/score_sum.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tests/support/mixed_records.h"
#include "tests/support/row_records.h"
#include "tests/support/scaled_distance.h"

namespace tacet::audit {
namespace sensitivity_search_test {

using enum privacy::Adjacency;
using Integers = std::vector<std::int64_t>;

template <typename Sum>
Integers opened(const Sum& sum) {
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

double length(const Integers& one, const Integers& other) {
  double square = 0;
  for (std::size_t j = 0; j < one.size(); ++j) {
    square += std::pow(static_cast<double>(one[j] - other[j]), 2);
  }
  return std::sqrt(square);
}

/// A record of two features within the unit disc, and its label.
struct Record {
  std::vector<std::int16_t> row;
  double label = 0;
};
using Records = std::vector<Record>;

constexpr std::size_t record_numbers = 3;

std::vector<std::int16_t> row_of(PairNumbers& pair) {
  const double x = pair.next();
  const double y = pair.next();
  const double scale = 2047.5 / std::max(1.0, std::hypot(x, y));
  return {static_cast<std::int16_t>(scale * x), static_cast<std::int16_t>(scale * y)};
}

Record signed_record(PairNumbers& pair) {
  auto row = row_of(pair);
  return {std::move(row), pair.sign()};
}

Record numbered_record(PairNumbers& pair) {
  auto row = row_of(pair);
  return {std::move(row), pair.next()};
}

data::Dataset dataset_of(const Records& records) {
  data::Dataset dataset({.columns = 2, .norm_bound = 1, .storage = data::Storage::dense});
  for (const auto& record : records) dataset.append_dense(record.row, record.label);
  return dataset;
}

base::ThreadPool& one_thread() {
  static base::ThreadPool threads(1);
  return threads;
}

// Certified sums: a record that stays, one that comes, and one that comes in its place.

template <bool replaced>
double gradients_apart(PairNumbers& pair, const model::Loss& loss) {
  const std::vector<double> weights{8 * pair.next(), 8 * pair.next()};
  const bool signs = model::properties(loss).classification;
  const auto record = [&] { return signs ? signed_record(pair) : numbered_record(pair); };
  const Record there = record();
  const Record one = record();
  const Records with{there, one};
  const Records without = replaced ? Records{there, record()} : Records{there};
  const auto sum_of = [&](const Records& records) {
    const auto dataset = dataset_of(records);
    return optimize::GradientSum({dataset, loss, 1}, {.clipping_norm = 0.5, .norm_bits = 24},
                                 one_thread())
        .at(weights);
  };
  const auto sum = sum_of(with);
  return length(opened(sum), opened(sum_of(without))) /
         sum.sensitivity(replaced ? replace_one : add_remove);
}

/// A unit of three records, of which two take part.
double units_apart(PairNumbers& pair) {
  const std::vector<double> weights{8 * pair.next(), 8 * pair.next()};
  const model::Loss loss = model::LogisticLoss{};
  data::Dataset dataset({.columns = 2, .norm_bound = 1, .storage = data::Storage::dense});
  dataset.declare_units();
  for (int i = 0; i < 3; ++i) {
    const auto record = signed_record(pair);
    dataset.append_dense(record.row, record.label, 0);
  }
  const auto sum =
      optimize::GradientSum({dataset, loss, 1},
                            {.clipping_norm = 0.5, .norm_bits = 24, .max_records_per_unit = 2},
                            one_thread())
          .at(weights);
  return length(opened(sum), Integers(2, 0)) / sum.sensitivity(add_remove);
}

double softmax_apart(PairNumbers& pair) {
  std::vector<double> weights(6);
  for (double& w : weights) w = 8 * pair.next();
  const auto record = [&] {
    auto row = row_of(pair);
    return Record{std::move(row), static_cast<double>(pair.one_of(3))};
  };
  const Record there = record();
  const model::Loss loss = model::SoftmaxLoss{};
  const auto sum_of = [&](const Records& records) {
    const auto dataset = dataset_of(records);
    return optimize::GradientSum({dataset, loss, 3}, {.clipping_norm = 1, .norm_bits = 24},
                                 one_thread())
        .at(weights);
  };
  const auto sum = sum_of({there, record()});
  return length(opened(sum), opened(sum_of({there}))) / sum.sensitivity(add_remove);
}

/// Two numbers and a constant, packed, and a label.
data::EncodedRow packed_record(PairNumbers& pair, const data::DatasetShape& shape) {
  constexpr double factor = 0.4;
  data::EncodedRow row;
  row.scale = factor * data::Dataset::feature_scale;
  const auto add = [&](std::uint32_t column, double value) {
    row.plain_columns.push_back(column);
    row.plain_values.push_back(value);
    const auto integer = static_cast<std::int16_t>(value * row.scale);
    if (integer == 0) return;
    row.columns.push_back(column);
    row.values.push_back(integer);
  };
  for (const auto& number : shape.hats) {
    const double share = (1 + pair.next()) / 2;
    const double place = share * (number.knots - 1);
    const auto knot = std::min(static_cast<std::uint32_t>(place), number.knots - 2);
    add(number.line, number.slope * (share - number.zero));
    add(number.line + 1 + knot, 0.5 * (knot + 1 - place));
    add(number.line + 2 + knot, 0.5 * (place - knot));
  }
  add(static_cast<std::uint32_t>(shape.columns - 1), 1);
  row.label = pair.sign();
  return row;
}

template <bool replaced>
double packed_gradients_apart(PairNumbers& pair) {
  constexpr std::uint32_t knots = 8;
  data::DatasetShape shape{.columns = 2 * (knots + 1) + 1, .norm_bound = 1};
  shape.hats = {{.line = 0, .knots = knots, .slope = 2, .zero = 0.5},
                {.line = knots + 1, .knots = knots, .slope = 1.5, .zero = 0.3}};
  std::vector<double> weights(static_cast<std::size_t>(shape.columns), 0.0);
  weights[0] = 8 * pair.next();
  weights[3] = 8 * pair.next();
  const auto there = packed_record(pair, shape);
  data::Dataset with(shape);
  data::Dataset without(shape);
  with.append(there);
  without.append(there);
  with.append(packed_record(pair, shape));
  if (replaced) without.append(packed_record(pair, shape));
  if (with.has_odd_rows() || without.has_odd_rows()) throw base::InternalError("rows do not pack");
  const model::Loss loss = model::LogisticLoss{};
  const auto sum_of = [&](const data::Dataset& dataset) {
    return optimize::GradientSum({dataset, loss, 1}, {.clipping_norm = 0.1, .norm_bits = 24},
                                 one_thread())
        .at(weights);
  };
  const auto sum = sum_of(with);
  return length(opened(sum), opened(sum_of(without))) /
         sum.sensitivity(replaced ? replace_one : add_remove);
}

template <optimize::Norm norm>
double vectors_apart(PairNumbers& pair) {
  std::vector<double> record(3);
  for (double& number : record) number = std::tan(1.57 * pair.next());  // up to 1256
  optimize::VectorSum with(3, norm, 1.5);
  with.add(record);
  const auto sum = std::move(with).take();
  const auto zeros = Integers(3, 0);
  if (norm == optimize::Norm::l2) {
    return length(opened(sum), zeros) / static_cast<double>(sum.contribution_bound());
  }
  double absolute = 0;
  for (const auto value : opened(sum)) absolute += std::fabs(static_cast<double>(value));
  return absolute / static_cast<double>(*sum.absolute_bound());
}

double means_apart(PairNumbers& pair) {
  optimize::MeanSum with(-2, 5, optimize::Norm::l2);
  with.add(20 * pair.next());
  const auto sum = std::move(with).take();
  return length(opened(sum), Integers(opened(sum).size(), 0)) /
         static_cast<double>(sum.contribution_bound());
}

double counts_apart(PairNumbers& pair) {
  optimize::Histogram one(4);
  optimize::Histogram other(4);
  one.add(pair.one_of(4));
  other.add(pair.one_of(4));
  const auto sum = std::move(one).take();
  return length(opened(sum), opened(std::move(other).take())) /
         (2 * static_cast<double>(sum.contribution_bound()));
}

template <bool replaced, int outputs>
double squares_apart(PairNumbers& pair) {
  const auto record = [&] {
    auto row = row_of(pair);
    return Record{std::move(row),
                  outputs > 1 ? static_cast<double>(pair.one_of(outputs)) : pair.next()};
  };
  const Record there = record();
  const Record one = record();
  const auto adjacency = replaced ? replace_one : add_remove;
  const auto sum_of = [&](const Records& records) {
    return optimize::gram_sum(dataset_of(records), outputs, adjacency, one_thread());
  };
  const auto other = replaced ? sum_of({there, record()}) : sum_of({there});
  return test::scaled_distance(sum_of({there, one}), other) / (replaced ? 2 : 1);
}

double presences_apart(PairNumbers& pair) {
  constexpr std::int64_t columns = 6;
  data::Dataset dataset({.columns = columns, .norm_bound = 1, .storage = data::Storage::dense});
  std::vector<std::int16_t> row(columns);
  for (auto& value : row) value = static_cast<std::int16_t>(500 * pair.one_of(2));
  dataset.append_dense(row, 1);
  const std::vector<data::ColumnRange> all{{0, columns}};
  const auto sum = optimize::presence_sum(dataset, all);
  double square = 0;
  for (const auto& item : sum.open(mechanism::AccessKeys::key())) {
    square += std::pow(static_cast<double>(item.score), 2);
  }
  return std::sqrt(square) / static_cast<double>(sum.contribution_bound());
}

double scores_apart(PairNumbers& pair) {
  const auto sum_of = [](const std::vector<double>& scores) {
    optimize::ScoreSum sum(2, 24, optimize::ScoreOrigin::half);
    sum.add(scores);
    return std::move(sum).take();
  };
  const auto record = [&] {
    const double score = pair.between(-0.5, 1.5);
    return std::vector<double>{score, pair.between(-0.5, 1.5)};
  };
  const auto one = sum_of(record());
  return length(opened(one), opened(sum_of(record()))) /
         (2 * static_cast<double>(one.contribution_bound()));
}

double cells_apart(PairNumbers& pair) {
  const auto sum_of = [](std::int64_t cell, double score) {
    optimize::CellSum sum({.groups = 1, .cells = 3, .scores = 1}, 24);
    sum.add(0, cell, std::vector<double>{score});
    return std::move(sum).take();
  };
  const auto cell = pair.one_of(3);
  const auto sum = sum_of(cell, pair.between(-0.5, 1.5));
  return length(opened(sum), Integers(opened(sum).size(), 0)) /
         static_cast<double>(sum.contribution_bound());
}

/// Cells around their even share: a record that leaves one for another.
double centred_cells_apart(PairNumbers& pair) {
  const auto sum_of = [](std::int64_t cell, double score) {
    optimize::CellSum sum({.groups = 1, .cells = 3, .scores = 1, .centred = true}, 24);
    sum.add(0, cell, std::vector<double>{score});
    return std::move(sum).take();
  };
  const auto record = [&] {
    const auto cell = pair.one_of(3);
    return sum_of(cell, pair.between(-0.5, 1.5));
  };
  const auto one = record();
  return length(opened(one), opened(record())) /
         (2 * static_cast<double>(one.contribution_bound()));
}

double marks_apart(PairNumbers& pair) {
  optimize::ScoreSum with(1, 24, optimize::ScoreOrigin::half, {.places = 5, .max_per_record = 3});
  const double score = pair.between(-0.5, 1.5);
  std::vector<std::size_t> places;
  for (int i = 0; i < 4; ++i) places.push_back(static_cast<std::size_t>(pair.one_of(5)));
  with.add(std::vector<double>{score}, places);
  const auto sum = std::move(with).take();
  return length(opened(sum), Integers(opened(sum).size(), 0)) /
         static_cast<double>(sum.contribution_bound());
}

double rows_apart(PairNumbers& pair) {
  static const privacy::RowLayout layout({{4, 2}}, 1);
  test::RowGradient record;
  const auto first = pair.one_of(4);
  record.touches.emplace_back(first, std::vector<double>{2 * pair.next(), 2 * pair.next()});
  record.touches.emplace_back(pair.one_of(4), std::vector<double>{2 * pair.next(), pair.next()});
  record.dense = {pair.next()};
  const optimize::RowLimit limit{.max_rows = 4, .max_records_per_unit = 1, .norm_bits = 20};
  optimize::RowBatch batch(layout, limit, one_thread());
  test::fill(batch, std::span(&record, 1));
  const auto sum = batch.sum(privacy::RowSelection::all(), {.clipping_norm = 1});
  const auto access = mechanism::AccessKeys::key();
  const auto values = sum.open(access).open(access);
  const Integers cells(values.begin(), values.end());
  return length(cells, Integers(cells.size(), 0)) / static_cast<double>(sum.contribution_bound());
}

double moments_apart(PairNumbers& pair) {
  static const auto schema = test::mixed_schema();
  static const auto raw = data::raw_schema(schema);
  const auto sum_of = [&] {
    const auto a = std::to_string(pair.between(0, 120));
    const auto f = std::to_string(pair.between(-0.1, 1.1));
    const auto* category = pair.next() < 0 ? "u" : "w";
    const auto y = std::to_string(pair.between(0, 1));
    return optimize::moment_sum(test::encode(raw, {{a, category, f, y}}), schema, 21,
                                {.categories = true, .target = true});
  };
  const auto one = sum_of();
  return length(opened(one), opened(sum_of())) /
         (2 * static_cast<double>(one.contribution_bound()));
}

/// A unit of three records, of which two take part.
double moments_of_units_apart(PairNumbers& pair) {
  static const auto schema = test::mixed_schema();
  static const auto raw = data::raw_schema(schema);
  std::vector<std::string> texts;
  for (int i = 0; i < 3; ++i) {
    texts.push_back(std::to_string(pair.between(0, 120)));
    texts.emplace_back(pair.next() < 0 ? "u" : "w");
    texts.push_back(std::to_string(pair.between(-0.1, 1.1)));
    texts.push_back(std::to_string(pair.between(0, 1)));
  }
  std::vector<test::Fields> records;
  for (std::size_t i = 0; i < texts.size(); i += 4) {
    records.push_back({texts[i], texts[i + 1], texts[i + 2], texts[i + 3]});
  }
  const auto sum =
      optimize::moment_sum(test::encode_units(raw, records, {0, 0, 0}), schema, 21,
                           {.categories = true, .target = true, .records_per_unit = 2});
  const auto values = opened(sum);
  return length(values, Integers(values.size(), 0)) / static_cast<double>(sum.contribution_bound());
}

// Minimisers: by at most 2 G / l2 where a record of slopes up to G is replaced, G / l2 where it
// comes, and the tolerance on both sides.
template <bool replaced>
double minimisers_apart(PairNumbers& pair) {
  constexpr double l2 = 4;
  constexpr double tolerance = 1e-9;
  constexpr double slope = 0.5;  // of this loss, at most
  const model::Loss loss = model::HuberLoss{slope};
  const auto minimiser = [&](const Records& records) {
    return optimize::minimise_certified(dataset_of(records),
                                        {.loss = optimize::GlmLoss(loss), .sum_l2 = l2}, tolerance,
                                        one_thread())
        .weights;
  };
  const Record one = numbered_record(pair);
  const auto with = minimiser({one});
  const auto other = replaced ? minimiser({numbered_record(pair)}) : std::vector<double>{0, 0};
  const double bound = (replaced ? 2 : 1) * slope / l2 + 2 * tolerance;
  return std::hypot(with[0] - other[0], with[1] - other[1]) / bound;
}

// Descents on a realised schedule: three records that are read twice, the first one replaced.
template <optimize::Averaging averaging>
double descents_apart(PairNumbers& pair, const model::Loss& loss) {
  constexpr int bits = 30;
  const optimize::SgdSchedule schedule{
      .records = 3, .order = {1, 0, 2, 0, 2, 1}, .step_sizes = {0.2}};
  const optimize::IterateWeights weights{.kind = averaging, .steps = schedule.steps()};
  const optimize::SgdProblem problem{.loss = loss, .columns = 2};
  const optimize::CertifiedSgd sgd(problem, schedule, weights, replace_one);
  const bool signs = model::properties(loss).classification;
  const auto record = [&] { return signs ? signed_record(pair) : numbered_record(pair); };
  Records one{record(), record(), record()};
  Records other = one;
  other[static_cast<std::size_t>(sgd.exact().record)] = record();
  const auto mean = [&](const Records& records) {
    const auto dataset = dataset_of(records);
    const std::vector<std::uint32_t> rows{0, 1, 2};
    const auto access = mechanism::AccessKeys::key();
    return opened(sgd.run({dataset, rows, {}, one_thread()}, bits, {0}).take(access));
  };
  return length(mean(one), mean(other)) /
         (privacy::distance_factor(replace_one) * std::ldexp(1.0, bits));
}

using optimize::Averaging;
using optimize::Norm;

constexpr std::size_t two = 2 * record_numbers;
constexpr std::size_t three = 3 * record_numbers;

/// tests/audits/registry.toml has a row for each, with the reason where less than 0.9 is asked for.
const std::vector<CertifiedBound> certificates{
    {"gradients, logistic", 0.9, 2 + two,
     [](auto& pair) { return gradients_apart<false>(pair, model::LogisticLoss{}); }},
    {"gradients, logistic, replaced", 0.9, 2 + three,
     [](auto& pair) { return gradients_apart<true>(pair, model::LogisticLoss{}); }},
    {"gradients, squared", 0.9, 2 + two,
     [](auto& pair) { return gradients_apart<false>(pair, model::SquaredLoss{}); }},
    {"gradients, hinge, replaced", 0.9, 2 + three,
     [](auto& pair) { return gradients_apart<true>(pair, model::HingeLoss{}); }},
    {"gradients, pinball", 0.9, 2 + two,
     [](auto& pair) { return gradients_apart<false>(pair, model::PinballLoss{0.9}); }},
    {"gradients, units", 0.9, 2 + three, units_apart},
    {"gradients, softmax", 0.9, 6 + two, softmax_apart},
    {"gradients, packed", 0.9, 2 + two, packed_gradients_apart<false>},
    {"gradients, packed, replaced", 0.9, 2 + three, packed_gradients_apart<true>},
    {"vectors, absolute", 0.9, 3, vectors_apart<Norm::l1>},
    {"vectors, Euclidean", 0.9, 3, vectors_apart<Norm::l2>},
    {"means", 0.9, 1, means_apart},
    {"counts, replaced", 0.7, 2, counts_apart},
    {"squares", 0.9, two, squares_apart<false, 1>},
    {"squares, replaced", 0.9, three, squares_apart<true, 1>},
    {"squares, classes, replaced", 0.9, three, squares_apart<true, 4>},
    {"presence", 0.9, 6, presences_apart},
    {"scores, replaced", 0.9, 4, scores_apart},
    {"cells", 0.9, 2, cells_apart},
    {"cells, centred, replaced", 0.9, 4, centred_cells_apart},
    {"scores, marks", 0.9, 5, marks_apart},
    {"rows", 0.9, 7, rows_apart},
    {"moments, replaced", 0.75, 8, moments_apart},
    {"moments, units", 0.9, 12, moments_of_units_apart},
    {"minimisers", 0.9, record_numbers, minimisers_apart<false>},
    {"minimisers, replaced", 0.9, two, minimisers_apart<true>},
    {"descents, hinge, last", 0.9, 4 * record_numbers,
     [](auto& pair) { return descents_apart<Averaging::last>(pair, model::HingeLoss{}); }},
    {"descents, hinge, mean", 0.9, 4 * record_numbers,
     [](auto& pair) { return descents_apart<Averaging::uniform>(pair, model::HingeLoss{}); }},
    {"descents, logistic, last", 0.48, 4 * record_numbers,
     [](auto& pair) { return descents_apart<Averaging::last>(pair, model::LogisticLoss{}); }}};

void search_all(std::int64_t pairs) {
  for (const auto& certificate : certificates) {
    const auto farthest = farthest_neighbours(certificate, pairs, 55);
    EXPECT_LE(farthest.share, 1) << certificate.name << " "
                                 << testing::PrintToString(farthest.pair);
    EXPECT_GE(farthest.share, certificate.reached) << certificate.name;
  }
}

TEST(SensitivitySearch, NoPairBeatsItsCertificate) { search_all(5000); }
TEST(SensitivitySearchLong, AHundredThousandPairsComeNearEachCertificate) { search_all(100000); }

// A bound that is a hundredth too small is beaten: the search is worth something.
TEST(SensitivitySearch, FindsWhatIsBeyondABoundThatIsTooSmall) {
  const CertifiedBound tight{"squares", 1, two,
                             [](auto& pair) { return squares_apart<false, 1>(pair) / 0.99; }};
  EXPECT_GT(farthest_neighbours(tight, 3000, 1).share, 1);
  EXPECT_EQ(farthest_neighbours(tight, 100, 1).pair, farthest_neighbours(tight, 100, 1).pair);
}

}  // namespace sensitivity_search_test
}  // namespace tacet::audit
