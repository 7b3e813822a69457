#include "tacet/numeric/fft.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

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

/// Level by level, number by number.
void plain_forward(const Fft& fft, std::vector<double>& re, std::vector<double>& im) {
  for (auto half = fft.size() / 2; half >= 1; half /= 2) {
    for (std::size_t top = 0; top < fft.size(); top += top % half == half - 1 ? half + 1 : 1) {
      const auto low = top + half;
      const double cosine = fft.cosines()[half + top % half];
      const double sine = fft.minus_sines()[half + top % half];
      const double difference_re = re[top] - re[low];
      const double difference_im = im[top] - im[low];
      re[top] += re[low];
      im[top] += im[low];
      re[low] = difference_re * cosine - difference_im * sine;
      im[low] = difference_re * sine + difference_im * cosine;
    }
  }
}

void plain_inverse(const Fft& fft, std::vector<double>& re, std::vector<double>& im) {
  for (std::size_t half = 1; half < fft.size(); half *= 2) {
    for (std::size_t top = 0; top < fft.size(); top += top % half == half - 1 ? half + 1 : 1) {
      const auto low = top + half;
      const double cosine = fft.cosines()[half + top % half];
      const double sine = fft.minus_sines()[half + top % half];
      const double turned_re = re[low] * cosine + im[low] * sine;
      const double turned_im = im[low] * cosine - re[low] * sine;
      re[low] = re[top] - turned_re;
      im[low] = im[top] - turned_im;
      re[top] += turned_re;
      im[top] += turned_im;
    }
  }
  for (double& x : re) x /= static_cast<double>(fft.size());
  for (double& x : im) x /= static_cast<double>(fft.size());
}

// Sizes on both sides of the blocks that are done before the next one.
TEST(Fft, EveryVectorWidthGivesTheBitsOfTheScalarForm) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int bits = 0; bits <= 13; ++bits) {
    const Fft fft(bits);
    std::vector<double> re(fft.size()), im(fft.size());
    for (double& x : re) x = normal(random);
    for (double& x : im) x = normal(random);
    auto plain_re = re;
    auto plain_im = im;
    plain_forward(fft, plain_re, plain_im);
    auto back_re = plain_re;
    auto back_im = plain_im;
    plain_inverse(fft, back_re, back_im);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      auto out_re = re;
      auto out_im = im;
      fft.forward(out_re.data(), out_im.data());
      EXPECT_TRUE(out_re == plain_re && out_im == plain_im) << bits << hwy::TargetName(target);
      fft.inverse(out_re.data(), out_im.data());
      EXPECT_TRUE(out_re == back_re && out_im == back_im) << bits << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
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
