#include "tacet/report/record/calibration_picture.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tacet::report {
namespace calibration_picture_test {

using nlohmann::ordered_json;

/// Ten tenths, each with the share in its middle and noise of .01.
ordered_json calibrated() {
  ordered_json values;
  for (int k = 0; k < 10; ++k) {
    values["calibration"].push_back(
        {{"lower", k / 10.0},
         {"upper", (k + 1) / 10.0},
         {"records", {{"value", 100.0 + k}, {"noise_sd", 3.0}}},
         {"positive_fraction", {{"value", k / 10.0 + 0.05}, {"noise_sd", 0.01}}}});
  }
  return values;
}

TEST(CalibrationPicture, HasAMarkAndARowForEachTenth) {
  const auto picture = calibration_picture(calibrated(), "evaluation-1-calibration");
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->numbers.rows.size(), 10U);
  ASSERT_EQ(picture->plots.at(0).marks.size(), 10U);
  EXPECT_DOUBLE_EQ(picture->plots[0].marks[3].at, 0.35);
  EXPECT_DOUBLE_EQ(picture->plots[0].marks[3].value, 0.35);
  EXPECT_NEAR(*picture->plots[0].marks[3].high, 0.35 + 0.0196, 1e-4);
  EXPECT_NE(picture->finding.find("In 10 of 10 tenths"), std::string::npos) << picture->finding;
}

TEST(CalibrationPicture, SaysWhereTheModelIsWrongAndWhatIsLost) {
  auto values = calibrated();
  values["calibration"][9]["positive_fraction"]["value"] =
      0.7;  // below its tenth by ten deviations
  values["calibration"][0]["positive_fraction"] = nullptr;
  const auto picture = calibration_picture(values, "e");
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->plots.at(0).marks.size(), 9U);
  EXPECT_EQ(picture->numbers.rows.size(), 10U);
  EXPECT_NE(picture->finding.find("In 8 of 9 tenths"), std::string::npos) << picture->finding;
  EXPECT_NE(picture->finding.find("1 tenth is lost in the noise"), std::string::npos);
}

TEST(CalibrationPicture, IsNotMadeOfOtherThings) {
  EXPECT_FALSE(calibration_picture(ordered_json::object(), "e"));
  auto exact = calibrated();
  for (auto& one : exact["calibration"]) one["records"] = 7;  // as exact figures have it
  EXPECT_FALSE(calibration_picture(exact, "e"));
  EXPECT_FALSE(calibration_picture({{"calibration", "tight"}}, "e"));
}

}  // namespace calibration_picture_test
}  // namespace tacet::report
