#include "tacet/optimize/parts/sum_request.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/model/loss/own.h"
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
