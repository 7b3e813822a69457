#include "tacet/data/schema/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace tacet::data {
namespace number_text_test {

TEST(NumberText, IsBase64OfTheBytes) {
  EXPECT_EQ(text_of_floats({}), "");
  const std::vector<float> one{1.0F};  // bytes 00 00 80 3f
  EXPECT_EQ(text_of_floats(one), "AACAPw==");
  const std::vector<std::int16_t> shorts{1, -2};  // bytes 01 00 fe ff
  EXPECT_EQ(text_of_shorts(shorts), "AQD+/w==");
}

TEST(NumberText, ReadsBackEveryShort) {
  std::vector<std::int16_t> values;
  for (int k = -32768; k <= 32767; ++k) values.push_back(static_cast<std::int16_t>(k));
  EXPECT_EQ(shorts_of_text(text_of_shorts(values)), values);
  values.pop_back();
  EXPECT_EQ(shorts_of_text(text_of_shorts(values)), values);
  EXPECT_FALSE(shorts_of_text("AQD+"));  // three bytes
}

TEST(NumberText, ReadsBackEveryBit) {
  std::vector<float> values{0.0F,
                            -0.0F,
                            1.0F / 3,
                            -1e30F,
                            std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::infinity()};
  for (std::uint32_t k = 1; k < 200; ++k) values.push_back(std::bit_cast<float>(k * 20000003U));
  for (std::size_t count = 0; count <= values.size(); ++count) {
    const std::vector<float> first(values.begin(),
                                   values.begin() + static_cast<std::ptrdiff_t>(count));
    const auto back = floats_of_text(text_of_floats(first));
    ASSERT_TRUE(back);
    ASSERT_EQ(back->size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>((*back)[k]), std::bit_cast<std::uint32_t>(first[k]));
    }
  }
}

TEST(NumberText, RefusesEverythingElse) {
  for (const auto* text : {"A", "AACAPw", "AACAPw=", "AACAPw===", "AACAP!==", "AACAPx==", "AACA",
                           "AACAPw==AACAPw==", " AACAPw="}) {
    EXPECT_FALSE(floats_of_text(text)) << text;
  }
}

}  // namespace number_text_test
}  // namespace tacet::data
