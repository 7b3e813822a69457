#include "tacet/random/exact/real_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace real_interval_test {

std::vector<std::uint64_t> words() {
  SeededSource source(41);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  std::vector<std::uint64_t> result = {1, 2, ~std::uint64_t{0} - 1, std::uint64_t{1} << 63,
                                       (std::uint64_t{1} << 63) - 1};
  for (int i = 0; i < 30; ++i) result.push_back(stream.next());
  for (int octave = 1; octave < 63; octave += 3) {
    result.push_back((stream.next() >> octave) | 1);
    result.push_back(~(stream.next() >> octave) - 1);
  }
  return result;
}

constexpr std::array<std::uint64_t, 7> rest = {0x0123456789abcdefU, 5, 6, 7, 8, 9, 10};

TEST(RealInterval, RoughExponentialsKeepTheirBounds) {
  for (const std::uint64_t word : words()) {
    const Approximate rough = exponential_of_word(word);
    const RealInterval fine = exponential_of(TwoStageUniform(word, rest));
    EXPECT_LE(Real(rough.value) - rough.error, fine.low) << word;
    EXPECT_GE(Real(rough.value) + rough.error, fine.high) << word;
    EXPECT_LT(fine.high - fine.low, ldexp(Real(1), -380)) << word;
  }
}

TEST(RealInterval, RoughNormalsKeepTheirBounds) {
  for (const std::uint64_t word : words()) {
    const Approximate rough = approximate_normal(word);
    const RealInterval fine = normal_of(TwoStageUniform(word, rest));
    EXPECT_LT(fine.high - fine.low, ldexp(Real(1), -380)) << word;
    if (std::isinf(rough.error)) continue;
    EXPECT_LE(Real(rough.value) - rough.error, fine.low) << word;
    EXPECT_GE(Real(rough.value) + rough.error, fine.high) << word;
  }
}

TEST(RealInterval, LogarithmsInDoublesKeepTheirBound) {
  for (double x = 1e-19; x < 1e19; x *= 1.0371) {
    const Real exact = boost::multiprecision::log(Real(x));
    const Real error = abs(Real(certain_log(x)) - exact);
    EXPECT_LE(error, std::max(Real(abs(exact) * std::ldexp(1.0, -47)), Real(0x1p-49))) << x;
  }
  EXPECT_EQ(certain_log(1.0), 0.0);
}

TEST(RealInterval, OperationsHoldTheResult) {
  const RealInterval a{Real(-2), Real(3)};
  const RealInterval b{Real(4), Real(5)};
  EXPECT_LE((a * b).low, -10);
  EXPECT_GE((a * b).high, 15);
  EXPECT_LE((a - b).low, -7);
  EXPECT_GE((a / b).high, Real(3) / 4);
  EXPECT_LE(sqrt(b).low, 2);
  const RealInterval one = interval(1.0) / interval(3.0) * interval(3.0);
  EXPECT_LT(one.low, 1);
  EXPECT_GT(one.high, 1);
}

TEST(RealInterval, RoundsOnlyWhatItsBoundsAgreeOn) {
  std::int64_t k = 0;
  EXPECT_TRUE(rounds_certainly({Real(2.4), Real(2.49)}, k));
  EXPECT_EQ(k, 2);
  EXPECT_TRUE(rounds_certainly({Real(-2.5), Real(-2.4)}, k));
  EXPECT_EQ(k, -2);
  EXPECT_FALSE(rounds_certainly({Real(2.49), Real(2.51)}, k));
}

TEST(RealInterval, AnIncompleteNumberIsNotRead) {
  SeededSource source(1);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  const TwoStageUniform uniform(stream);
  EXPECT_THROW(static_cast<void>(uniform.all_bits()), base::InternalError);
}

}  // namespace real_interval_test
}  // namespace tacet::random::internal
