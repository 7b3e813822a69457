#include "tacet/optimize/parts/sum_request.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_directions.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/model/loss/custom.h"
#include "tacet/optimize/parts/curve_maps.h"
#include "tacet/optimize/parts/part_answer.h"

namespace tacet::optimize {
namespace sum_request_test {

data::Schema schema_of(std::int64_t columns) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = columns, .lower = 0, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}}};
  return schema;
}

std::string text_of(const SumTask& task) {
  return settings_to_text({schema_of(3), std::nullopt, task});
}

TEST(SumRequest, SettingsSurviveTheWay) {
  const ContributionLimit limit{.clipping_norm = 0.1,
                                .norm_bits = 27,
                                .slope_bound = 0.3,
                                .max_records_per_unit = 4,
                                .class_weights = model::ClassWeights({0.3, 1})};
  for (const auto& name : model::loss_names()) {
    const auto text = text_of(GradientTask{model::make_loss(name), 3, limit});
    const auto read = settings_from_text(text);
    EXPECT_EQ(settings_to_text(read), text);
    const auto& task = std::get<GradientTask>(read.task);
    EXPECT_EQ(model::loss_name(task.loss), name);
    EXPECT_EQ(task.limit.clipping_norm, 0.1);
    EXPECT_EQ(task.limit.slope_bound, 0.3);
    EXPECT_EQ(task.limit.class_weights.of_classes(), limit.class_weights.of_classes());
  }
  for (const SumTask& task :
       {SumTask(RowsTask{}), SumTask(GradientTask{model::make_loss("huber", 0.37)}),
        SumTask(MomentTask{schema_of(4), 21, {.categories = true}}),
        SumTask(PresenceTask{schema_of(4)}), SumTask(GramTask{5})}) {
    const auto text = text_of(task);
    EXPECT_EQ(settings_to_text(settings_from_text(text)), text);
    EXPECT_EQ(settings_from_text(text).task.index(), task.index());
  }
}

TEST(SumRequest, RowsThatAreScaledAfterAReleaseAreReadUnscaled) {
  for (const auto scaling :
       {data::RowScaling::clip1, data::RowScaling::constant_root, data::RowScaling::none}) {
    auto schema = schema_of(3);
    schema.row_scaling = scaling;
    const auto text = settings_to_text({schema, std::nullopt, RowsTask{}});
    EXPECT_EQ(settings_from_text(text).reading.row_scaling, scaling);
  }
}

TEST(SumRequest, APartHoldsRowsPackedWhereOneTableWould) {
  for (const bool packs : {false, true}) {
    auto schema = schema_of(3);
    schema.packs_numbers = packs;
    for (const auto& released : {std::optional<ReleasedSchema>(),
                                 std::optional(ReleasedSchema{schema, Rewriting::standards})}) {
      const auto read = settings_from_text(settings_to_text({schema, released, RowsTask{}}));
      EXPECT_EQ(read.reading.packs_numbers, packs);
      EXPECT_EQ(read.released.has_value(), released.has_value());
      EXPECT_EQ(read.released && read.released->schema.packs_numbers, released && packs);
    }
  }
}

/// As after a release, with a map that parts make for themselves.
data::Schema curved_schema() {
  data::Schema schema;
  for (const auto* name : {"a", "b"}) {
    data::NumericColumn rule{.lower = -1, .upper = 1};
    rule.standard = data::Standard{.mean = 0.1, .stddev = 1.0 / 3};
    schema.columns.push_back({name, rule});
  }
  schema.target = {"y", data::RegressionTarget{.lower = -1, .upper = 1}};
  auto& curves = schema.curves.emplace();
  curves.share = 0.3;
  curves.directions = data::few_directions;
  curves.frequencies = 100;
  curves.whitening = {1.1, 1.0 / 7, 1.0 / 7, 0.9};
  curves.target = {.mean = 0.1, .stddev = 0.7};
  return schema;
}

TEST(SumRequest, CurvesTravelWithoutTheirMapWhichPartsMakeOnce) {
  base::ThreadPool threads(1);
  auto schema = curved_schema();
  const auto shape = data::curve_shape(schema);
  schema.curves = data::with_map(*schema.curves, shape, threads);
  const auto raw = data::raw_schema(schema);
  const auto text = settings_to_text({raw, ReleasedSchema{schema, Rewriting::curves}, RowsTask{}});
  const auto read = settings_from_text(text);
  EXPECT_EQ(settings_to_text(read), text);
  const auto& released = read.released.value().schema;
  EXPECT_TRUE(released.curves.value().weights.empty());
  CurveMaps maps;
  for (int time = 0; time < 2; ++time) {
    const auto made = maps.of(released, threads);
    EXPECT_EQ(made.weights, schema.curves->weights);
    EXPECT_EQ(made.lines, schema.curves->lines);
    EXPECT_EQ(made.energy, schema.curves->energy);
    EXPECT_EQ(made.even, schema.curves->even);
    EXPECT_EQ(made.whitening, schema.curves->whitening);
    EXPECT_EQ(made.target.stddev, schema.curves->target.stddev);
    // Another map in between.
    auto other = curved_schema();
    other.curves->directions = data::few_directions - 1;
    EXPECT_EQ(maps.of(other, threads).weights,
              data::with_map(*other.curves, shape, threads).weights);
    // And one for other released moments.
    other = curved_schema();
    other.curves->whitening = {1.1, -1.0 / 7, -1.0 / 7, 0.9};
    EXPECT_EQ(maps.of(other, threads).weights,
              data::with_map(*other.curves, shape, threads).weights);
    EXPECT_NE(maps.of(other, threads).weights, schema.curves->weights);
  }
  auto too_many = curved_schema();
  too_many.curves->directions = data::Curves::max_directions + 1;
  EXPECT_THROW((void)maps.of(too_many, threads), base::DataError);
  auto too_few = curved_schema();
  too_few.curves->whitening.pop_back();
  EXPECT_THROW((void)maps.of(too_few, threads), base::DataError);
  for (const auto how : {Rewriting::standards, Rewriting::columns}) {
    const auto wrong = settings_to_text({raw, ReleasedSchema{schema, how}, RowsTask{}});
    EXPECT_THROW((void)settings_from_text(wrong), base::DataError);
  }
}

TEST(SumRequest, SecondMomentsAreOfNumbersByTheirReleasedMeans) {
  const auto schema = curved_schema();
  const auto text = settings_to_text(
      {data::raw_schema(schema), std::nullopt, GramTask{.outputs = 0, .numbers = schema}});
  const auto read = settings_from_text(text);
  EXPECT_EQ(settings_to_text(read), text);
  const auto& numbers = std::get<GramTask>(read.task).numbers.value();
  const auto& standard = std::get<data::NumericColumn>(numbers.columns[1].rule).standard;
  EXPECT_EQ(standard.value().stddev, 1.0 / 3);
}

TEST(SumRequest, EveryDifferenceChangesTheDigest) {
  const SumRequest request{.settings = "settings", .weights = {0.5, -0.0}};
  auto other = request;
  EXPECT_EQ(digest_of(other.to_bytes()), digest_of(request.to_bytes()));
  other.basis = Basis::released;
  EXPECT_NE(digest_of(other.to_bytes()), digest_of(request.to_bytes()));
  other = request;
  other.weights[1] = 0.0;
  EXPECT_NE(digest_of(other.to_bytes()), digest_of(request.to_bytes()));
  other = request;
  other.settings += " ";
  EXPECT_NE(digest_of(other.to_bytes()), digest_of(request.to_bytes()));
}

TEST(SumRequest, WeightsSurviveTheWayBitForBit) {
  const SumRequest request{.settings = "s",
                           .weights = {-0.0, 1e-310, std::numeric_limits<double>::max(), 1.0 / 3}};
  const auto read = SumRequest::from_bytes(request.to_bytes());
  ASSERT_EQ(read.weights.size(), request.weights.size());
  EXPECT_EQ(read.to_bytes(), request.to_bytes());
  EXPECT_TRUE(std::signbit(read.weights[0]));
}

TEST(SumRequest, BytesThatEndElsewhereAreNoRequestAndNoAnswer) {
  const auto request = SumRequest{.settings = "settings", .weights = {1, 2}}.to_bytes();
  const auto answer = PartAnswer{.request = "r", .version = "v", .sums = {1, 2}}.to_bytes();
  EXPECT_EQ(PartAnswer::from_bytes(answer).to_bytes(), answer);
  for (std::size_t size = 0; size < request.size(); ++size) {
    EXPECT_THROW((void)SumRequest::from_bytes(request.substr(0, size)), base::DataError);
  }
  for (std::size_t size = 0; size < answer.size(); ++size) {
    EXPECT_THROW((void)PartAnswer::from_bytes(answer.substr(0, size)), base::DataError);
  }
  EXPECT_THROW((void)SumRequest::from_bytes(request + "x"), base::DataError);
  EXPECT_THROW((void)PartAnswer::from_bytes(answer + "x"), base::DataError);
  EXPECT_THROW((void)PartAnswer::from_bytes(request), base::DataError);
}

TEST(SumRequest, RefusesOtherVersionsAndLossesThatAreCode) {
  auto text = text_of(RowsTask{});
  const auto place = text.find("\"version\":\"");
  ASSERT_NE(place, std::string::npos);
  text.insert(place + 11, "9");
  EXPECT_THROW((void)settings_from_text(text), base::DataError);
  EXPECT_THROW((void)settings_from_text("{"), base::DataError);
  EXPECT_THROW((void)settings_from_text("{}"), base::DataError);
  const auto own =
      model::custom_loss(model::Labels::signs, {.value = [](double, double) { return 0.0; },
                                                .slope = [](double, double) { return 0.0; },
                                                .largest_slope = 1,
                                                .largest_curvature = 1});
  EXPECT_THROW((void)text_of(GradientTask{own}), base::UsageError);
}

}  // namespace sum_request_test
}  // namespace tacet::optimize
