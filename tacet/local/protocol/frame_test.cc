#include "tacet/local/protocol/frame.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tacet/base/error.h"

namespace tacet::local {
namespace frame_test {

const std::string digest = "0123456789abcdef" + std::string(48, '7');

mechanism::LocalRandomizer randomizer_of(std::int64_t dimension, double epsilon = 4) {
  return mechanism::LocalRandomizer::calibrate({.epsilon = epsilon, .dimension = dimension});
}

class FrameTest : public testing::Test {
 protected:
  FrameTest() {
    frame_.round = 7;
    for (std::size_t i = 0; i < frame_.model.size(); ++i) {
      frame_.model[i] = static_cast<std::uint8_t>(i);
    }
    frame_.report_id = 0xfedcba9876543210;
    frame_.report.coordinates = {1, -1, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()};
  }
  [[nodiscard]] FrameFault fault_of(std::string_view bytes) const {
    Frame read;
    return read_frame(bytes, layout_, read);
  }

  FrameLayout layout_ = frame_layout(digest, randomizer_of(3));
  Frame frame_;
};

TEST_F(FrameTest, IsReadAsItWasWritten) {
  const auto bytes = frame_bytes(frame_, layout_);
  EXPECT_EQ(bytes.size(), 64U + 16 + 4);  // lifted: one coordinate more
  Frame read;
  ASSERT_EQ(read_frame(bytes, layout_, read), FrameFault::none);
  EXPECT_EQ(read, frame_);
}

TEST_F(FrameTest, HasTheBytesOfTheProtocol) {
  const auto bytes = frame_bytes(frame_, layout_);
  const auto hex = [&](std::size_t from, std::size_t count) {
    std::string text;
    for (const char c : bytes.substr(from, count)) {
      text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    return text;
  };
  EXPECT_EQ(hex(0, 8), "544c445001000000");   // TLDP, version 1, privunit, int32
  EXPECT_EQ(hex(8, 8), "0123456789abcdef");   // the task
  EXPECT_EQ(hex(16, 8), "0700000000000000");  // the round
  EXPECT_EQ(hex(24, 16), "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(hex(40, 8), "1032547698badcfe");  // the report's number
  EXPECT_EQ(hex(48, 16),
            "03000000"
            "10000000"
            "00093d00"
            "01000000");  // epsilon 4e6, lift
  EXPECT_EQ(hex(64, 16),
            "01000000"
            "ffffffff"
            "00000080"
            "ffffff7f");
}

TEST_F(FrameTest, EachFlippedBitIsFound) {
  const auto bytes = frame_bytes(frame_, layout_);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(fault_of(flipped), FrameFault::none) << bit;
  }
}

TEST_F(FrameTest, AnotherLengthIsRefused) {
  const auto bytes = frame_bytes(frame_, layout_);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(fault_of(bytes.substr(0, size)), FrameFault::wrong_length);
  }
  EXPECT_EQ(fault_of(bytes + "x"), FrameFault::wrong_length);
}

TEST_F(FrameTest, WhatAnotherTaskWritesIsNamed) {
  const auto fault = [&](const FrameLayout& other) { return fault_of(frame_bytes(frame_, other)); };
  auto other = layout_;
  other.task ^= 1;
  EXPECT_EQ(fault(other), FrameFault::wrong_task);
  other = layout_;
  other.mechanism = 2;
  EXPECT_EQ(fault(other), FrameFault::wrong_mechanism);
  other = layout_;
  other.dimension = 4;
  EXPECT_EQ(fault(other), FrameFault::wrong_dimension);
  other = layout_;
  ++other.epsilon_micro;
  EXPECT_EQ(fault(other), FrameFault::wrong_epsilon);
  other = layout_;
  other.flags = 0;
  EXPECT_EQ(fault(other), FrameFault::wrong_flags);
}

TEST_F(FrameTest, ZerosAreNoDirectionButANoisyValue) {
  frame_.report.coordinates = {0, 0, 0, 0};
  EXPECT_EQ(fault_of(frame_bytes(frame_, layout_)), FrameFault::zero_report);
  const auto additive = mechanism::LocalRandomizer::calibrate(
      {.mechanism = mechanism::LocalMechanism::l2_laplace, .dimension = 4});
  const auto layout = frame_layout(digest, additive);
  Frame read;
  EXPECT_EQ(read_frame(frame_bytes(frame_, layout), layout, read), FrameFault::none);
}

TEST_F(FrameTest, EpsilonIsRoundedUp) {
  EXPECT_EQ(frame_layout(digest, randomizer_of(3, 0.1000001)).epsilon_micro, 100001U);
  EXPECT_THROW((void)frame_layout(digest, randomizer_of(1, 5000)), base::UsageError);
}

}  // namespace frame_test
}  // namespace tacet::local
