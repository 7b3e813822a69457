#include "tacet/learn/plan/model_size.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace model_size_test {

constexpr std::int64_t gib = std::int64_t{1} << 30;

Training training_of(std::int64_t columns, std::int64_t outputs = 1) {
  Training training{};
  training.method = "gradient";
  training.columns = columns;
  training.outputs = outputs;
  return training;
}

std::string refusal(Training training, std::int64_t available) {
  try {
    check_model_size(training, available);
  } catch (const base::UsageError& error) {
    EXPECT_TRUE(training.reasons.empty());
    return error.what();
  }
  return {};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ModelSize, FewWeightsAreNotSpokenOf) {
  auto training = training_of((1 << 24) - 1);
  check_model_size(training, 1);
  EXPECT_TRUE(training.reasons.empty());
}

TEST(ModelSize, ManyWeightsAreSaidWithWhatTheyTake) {
  for (auto training : {training_of(1 << 24), training_of(1 << 22, 4)}) {
    check_model_size(training, gib);
    ASSERT_EQ(training.reasons.size(), 1U);
    EXPECT_TRUE(has(training.reasons[0], "16777216 weights take 0.75 GiB"));
  }
}

// 48 bytes each: 3/4 of a GiB is enough for 2^24, and a byte less is not.
TEST(ModelSize, MoreThanThereIsIsRefusedWithTheNumbersAndAWayOut) {
  EXPECT_EQ(refusal(training_of(1 << 24), gib / 4 * 3), "");
  const auto text = refusal(training_of(1 << 24), gib / 4 * 3 - 1);
  EXPECT_TRUE(has(text, "16777216 weights take 0.75 GiB of memory")) << text;
  EXPECT_TRUE(has(text, "`projection=countsketch`")) << text;
  EXPECT_TRUE(has(text, "`feature_selection=auto`")) << text;
  EXPECT_TRUE(has(refusal(training_of(gib), 24 * gib),
                  "take 48 GiB of memory beside the records, "
                  "and there are 24 GiB"));
}

TEST(ModelSize, MinimisersHoldTheirHistory) {
  auto training = training_of(1 << 24);
  training.method = "objective";
  EXPECT_TRUE(has(refusal(training, 6 * gib), "16777216 weights take 6.25 GiB of memory"));
  EXPECT_EQ(refusal(training, 7 * gib), "");
}

TEST(ModelSize, AModelThatCouldNotBeReadAgainIsRefusedOnAnyMachine) {
  EXPECT_EQ(refusal(training_of(gib / 34), 1024 * gib), "");
  const auto text = refusal(training_of(gib / 34 + 1), 1024 * gib);
  EXPECT_TRUE(has(text, "would be a file of 1 GiB or more")) << text;
  EXPECT_TRUE(has(text, "`projection=countsketch`")) << text;
}

TEST(ModelSize, ColumnsThatAreChosenFirstAreFew) {
  auto training = training_of(gib);
  training.settings.push_back({"feature_selection_noise_multiplier", 3.0});
  EXPECT_NO_THROW(check_model_size(training, 1));
  EXPECT_TRUE(training.reasons.empty());
}

}  // namespace model_size_test
}  // namespace tacet::learn
