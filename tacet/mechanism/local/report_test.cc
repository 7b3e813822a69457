#include "tacet/mechanism/local/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace report_test {

LocalRandomizer some(LocalMechanism mechanism, std::int64_t d, Embedding embedding) {
  return LocalRandomizer::calibrate({.mechanism = mechanism,
                                     .epsilon = 2,
                                     .dimension = d,
                                     .clipping_norm = 0.5,
                                     .embedding = embedding});
}

std::vector<double> decoded(const std::vector<std::int32_t>& coordinates,
                            const LocalRandomizer& randomizer) {
  std::vector<double> estimate(static_cast<std::size_t>(randomizer.spec().dimension));
  decode({coordinates}, randomizer, estimate);
  return estimate;
}

double length(const std::vector<double>& x) {
  double square = 0;
  for (const double value : x) square += value * value;
  return std::sqrt(square);
}

TEST(Report, WhatIsLongerThanHonestReportsIsCutAndSaid) {
  for (const auto mechanism : {LocalMechanism::privunitg, LocalMechanism::l2_laplace,
                               LocalMechanism::coordinate_laplace}) {
    const auto randomizer = some(mechanism, 3, Embedding::sign);
    std::vector<double> estimate(3);
    EXPECT_FALSE(decode({{1, 0, 0}}, randomizer, estimate));
    const double unit = estimate[0];
    const auto longest = static_cast<std::int32_t>(randomizer.noise().max_norm / unit);
    EXPECT_FALSE(decode({{longest - 1, 0, 0}}, randomizer, estimate));
    EXPECT_TRUE(decode({{0, longest + 1, 0}}, randomizer, estimate));
    EXPECT_NEAR(length(estimate), randomizer.noise().max_norm, 1e-12);
  }
  std::vector<double> estimate(3);  // a direction has no length
  EXPECT_FALSE(decode({{INT_MAX, 0, 0}}, some(LocalMechanism::djw, 3, Embedding::sign), estimate));
}

TEST(Report, ADirectionWeighsBWhateverIsSent) {
  for (const auto mechanism : {LocalMechanism::privunit, LocalMechanism::djw}) {
    const auto randomizer = some(mechanism, 3, Embedding::sign);
    const double b = *randomizer.noise().norm;
    for (const std::vector<std::int32_t>& sent :
         {std::vector<std::int32_t>{1, 0, 0}, {INT_MIN, INT_MIN, INT_MAX}, {-3, 4, 12}}) {
      EXPECT_NEAR(length(decoded(sent, randomizer)), b, 1e-14 * b);
    }
    EXPECT_NEAR(decoded({-3, 4, 12}, randomizer)[1], b * 4 / 13, 1e-14 * b);
    EXPECT_THROW(decoded({0, 0, 0}, randomizer), base::DataError);
    EXPECT_THROW(decoded({1, 0}, randomizer), base::DataError);
  }
  // Under lift the last coordinate is left out, so that it weighs at most B.
  const auto lift = some(LocalMechanism::privunit, 2, Embedding::lift);
  EXPECT_NEAR(decoded({3, 4, 12}, lift)[0], *lift.noise().norm * 3 / 13, 1e-14);
  EXPECT_LT(length(decoded({3, 4, 12}, lift)), *lift.noise().norm);
  const auto response = some(LocalMechanism::privunit, 1, Embedding::sign);
  EXPECT_EQ(decoded({-1}, response)[0], -*response.noise().norm);
  EXPECT_EQ(decoded({77}, response)[0], *response.noise().norm);
}

TEST(Report, OtherEstimatesAreCut) {
  for (const auto mechanism : {LocalMechanism::l2_laplace, LocalMechanism::coordinate_laplace,
                               LocalMechanism::privunitg}) {
    const auto randomizer = some(mechanism, 3, Embedding::sign);
    const double most = randomizer.noise().max_norm;
    EXPECT_NEAR(length(decoded({INT_MIN, INT_MAX, 5}, randomizer)), most, 1e-13 * most);
    EXPECT_LT(length(decoded({1000, -1000, 5}, randomizer)), most);
  }
  const auto randomizer = some(LocalMechanism::l2_laplace, 2, Embedding::sign);
  EXPECT_EQ(decoded({1 << 20, 0}, randomizer), (std::vector<double>{0.5, 0}));
  EXPECT_EQ(decoded({0, 0}, randomizer), (std::vector<double>{0, 0}));
}

TEST(Report, ItsBinaryFormReadsBack) {
  const auto randomizer = some(LocalMechanism::privunit, 2, Embedding::lift);
  const Report report{{INT_MIN, 0, 16909060}};
  const auto bytes = to_bytes(report, randomizer);
  const std::vector<std::uint8_t> expected{'T', 'L', 'R', 'P', 1, 0, 0, 2, 2, 0, 0, 0,
                                           0,   0,   0,   128, 0, 0, 0, 0, 4, 3, 2, 1};
  EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end() - 8), expected);
  EXPECT_EQ(std::ssize(bytes), randomizer.report_bytes());
  EXPECT_EQ(report_from_bytes(bytes, randomizer), report);
  // Nothing but the coordinates and their checksum tells devices apart, so that one report may
  // be any other's (docs/methods/local-randomizers.md).
  const auto other = to_bytes({{1, 2, 3}}, randomizer);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 12, other.begin()));
}

TEST(Report, EveryDamagedByteIsFound) {
  const auto randomizer = some(LocalMechanism::privunit, 2, Embedding::lift);
  const auto bytes = to_bytes({{5, -6, 7}}, randomizer);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      auto damaged = bytes;
      damaged[i] = static_cast<std::uint8_t>(damaged[i] ^ (1 << bit));
      EXPECT_THROW(static_cast<void>(report_from_bytes(damaged, randomizer)), base::DataError) << i;
    }
    const auto cut = std::span(bytes).first(i);
    EXPECT_THROW(static_cast<void>(report_from_bytes(cut, randomizer)), base::DataError);
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_THROW(static_cast<void>(report_from_bytes(longer, randomizer)), base::DataError);
  // Another embedding, mechanism or dimension is another task's report; zeros are no direction.
  for (const auto& other : {some(LocalMechanism::privunit, 3, Embedding::sign),
                            some(LocalMechanism::djw, 2, Embedding::lift),
                            some(LocalMechanism::l2_laplace, 3, Embedding::sign)}) {
    EXPECT_THROW(static_cast<void>(report_from_bytes(to_bytes({{5, -6, 7}}, other), randomizer)),
                 base::DataError);
  }
  EXPECT_THROW(static_cast<void>(report_from_bytes(to_bytes({{0, 0, 0}}, randomizer), randomizer)),
               base::DataError);
}

}  // namespace report_test
}  // namespace tacet::mechanism
