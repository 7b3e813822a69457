#include "tacet/numeric/fft.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <complex>
#include <random>

#include "tacet/base/error.h"

namespace tacet::numeric {
namespace fft_test {

std::size_t reversed(std::size_t value, int bits) {
  std::size_t result = 0;
  for (int i = 0; i < bits; ++i) result |= ((value >> i) & 1) << (bits - 1 - i);
  return result;
}

TEST(Fft, AgreesWithTheDefinitionWithinItsBound) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int bits = 0; bits <= 9; ++bits) {
    const Fft fft(bits);
    const auto n = fft.size();
    std::vector<double> re(n), im(n);
    double norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
      re[i] = normal(random);
      im[i] = normal(random);
      norm += std::hypot(re[i], im[i]);
    }
    auto out_re = re;
    auto out_im = im;
    fft.forward(out_re.data(), out_im.data());
    for (std::size_t f = 0; f < n; ++f) {
      std::complex<long double> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const auto angle = -2 * M_PIl * static_cast<long double>(f * j % n) / n;
        sum += std::complex<long double>(re[j], im[j]) * std::polar(1.0L, angle);
      }
      const auto at = reversed(f, bits);
      const auto error = std::abs(sum - std::complex<long double>(out_re[at], out_im[at]));
      EXPECT_LE(static_cast<double>(error), Fft::error_bound(bits) * norm) << bits << " " << f;
    }
    fft.inverse(out_re.data(), out_im.data());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(out_re[i], re[i], 1e-13 * norm);
      EXPECT_NEAR(out_im[i], im[i], 1e-13 * norm);
    }
  }
}

TEST(Fft, TwiddlesAreWithinTheUnitRoundoff) {
  using Wide = boost::multiprecision::cpp_bin_float_50;
  const Fft fft(13);
  const auto n = fft.size();
  const Wide pi = boost::math::constants::pi<Wide>();
  for (std::size_t k = 0; k < n / 2; ++k) {
    const Wide angle = 2 * pi * k / n;
    const Wide a = Wide(fft.cosines()[n / 2 + k]) - cos(angle);
    const Wide b = Wide(fft.minus_sines()[n / 2 + k]) + sin(angle);
    EXPECT_LE(static_cast<double>(a * a + b * b), std::ldexp(1.0, -106)) << k;
  }
}

TEST(Fft, MirrorFindsTheConjugateFrequency) {
  for (int bits = 1; bits <= 10; ++bits) {
    const auto n = std::size_t{1} << bits;
    for (std::size_t f = 0; f < n; ++f) {
      EXPECT_EQ(Fft::mirror(reversed(f, bits)), reversed((n - f) % n, bits));
    }
  }
}

TEST(Fft, RefusesLengthsOutOfRange) {
  EXPECT_THROW(Fft(-1), base::UsageError);
  EXPECT_THROW(Fft(30), base::UsageError);
}

}  // namespace fft_test
}  // namespace tacet::numeric
