#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/exact/exact_normal.h"
#include "tacet/random/exact/real_interval.h"
#include "tacet/random/noise/rounded_gaussian.h"

/// One word, one integer: every path and instruction set against exact arithmetic.
namespace tacet::random {
namespace rounded_gaussian_words_test {

/// Extension words for draws given by hand; the reference values below used the same two.
std::uint64_t fixed_extension(std::uint64_t, int i) {
  return i % 2 == 0 ? 0x0123456789abcdefU : 0xfedcba9876543210U;
}

std::int64_t exact(std::uint64_t word, double sigma) {
  return internal::exact_rounded_gaussian(word, sigma, [](int i) { return fixed_extension(0, i); });
}

/// What doubles say about one draw, in scalar code: decided where they are certain of the integer.
/// The vector code is tested against it.
struct Certain {
  bool decided;
  std::int64_t value;
};
Certain certain(std::uint64_t word, double sigma) {
  const auto [z, bound] = internal::approximate_normal(word);
  const double y = sigma * z;
  const double nearest = std::nearbyint(y);
  if (!(std::fabs(y - nearest) < 0.5 - sigma * bound)) return {false, 0};
  return {true, static_cast<std::int64_t>(nearest)};
}

struct Reference {
  std::uint64_t word;
  double sigma;
  std::int64_t value;
};

// floor(sigma z + 1/2) for U = word, then the words of fixed_extension; both tails, from the centre
// to beyond 9 sigma. Reference values computed at 70 digits.
constexpr Reference references[] = {{0x9f4d93e3608983baU, 1.0, 0LL},
                                    {0x9f4d93e3608983baU, 0x1.4p20, 408247LL},
                                    {0x9f4d93e3608983baU, 0x1p32, 1337744022LL},
                                    {0x6de47ddebde5c099U, 1.0, 0LL},
                                    {0x6de47ddebde5c099U, 0x1.4p20, -233621LL},
                                    {0x6de47ddebde5c099U, 0x1p32, -765529417LL},
                                    {0xd00f85720e802c8bU, 1.0, 1LL},
                                    {0xd00f85720e802c8bU, 0x1.4p20, 1163955LL},
                                    {0xd00f85720e802c8bU, 0x1p32, 3814046121LL},
                                    {0x2351904ea6233255U, 1.0, -1LL},
                                    {0x2351904ea6233255U, 0x1.4p20, -1428050LL},
                                    {0x2351904ea6233255U, 0x1p32, -4679433410LL},
                                    {0xeafb12ee195e95c4U, 1.0, 1LL},
                                    {0xeafb12ee195e95c4U, 0x1.4p20, 1823266LL},
                                    {0xeafb12ee195e95c4U, 0x1p32, 5974477912LL},
                                    {0x1be5bb2f1cfb10f6U, 1.0, -1LL},
                                    {0x1be5bb2f1cfb10f6U, 0x1.4p20, -1614810LL},
                                    {0x1be5bb2f1cfb10f6U, 0x1p32, -5291408270LL},
                                    {0xf1e86a63c0e09a57U, 1.0, 2LL},
                                    {0xf1e86a63c0e09a57U, 0x1.4p20, 2094226LL},
                                    {0xf1e86a63c0e09a57U, 0x1p32, 6862358983LL},
                                    {0x09a1afe88b33e968U, 1.0, -2LL},
                                    {0x09a1afe88b33e968U, 0x1.4p20, -2331715LL},
                                    {0x09a1afe88b33e968U, 0x1p32, -7640562449LL},
                                    {0xfa015ee56d1230baU, 1.0, 2LL},
                                    {0xfa015ee56d1230baU, 0x1.4p20, 2605457LL},
                                    {0xfa015ee56d1230baU, 0x1p32, 8537560984LL},
                                    {0x0743e4b3377b9aa2U, 1.0, -2LL},
                                    {0x0743e4b3377b9aa2U, 0x1.4p20, -2497130LL},
                                    {0x0743e4b3377b9aa2U, 0x1p32, -8182594443LL},
                                    {0xffa8b1beb873d7e2U, 1.0, 3LL},
                                    {0xffa8b1beb873d7e2U, 0x1.4p20, 3937432LL},
                                    {0xffa8b1beb873d7e2U, 0x1p32, 12902177503LL},
                                    {0x0071d914c4069545U, 1.0, -3LL},
                                    {0x0071d914c4069545U, 0x1.4p20, -3830341LL},
                                    {0x0071d914c4069545U, 0x1p32, -12551260885LL},
                                    {0xfffb6caf33ee2ca8U, 1.0, 4LL},
                                    {0xfffb6caf33ee2ca8U, 0x1.4p20, 4992296LL},
                                    {0xfffb6caf33ee2ca8U, 0x1p32, 16358756223LL},
                                    {0x00078f069e115e4bU, 1.0, -4LL},
                                    {0x00078f069e115e4bU, 0x1.4p20, -4827139LL},
                                    {0x00078f069e115e4bU, 0x1p32, -15817567646LL},
                                    {0xfffd7895df90a399U, 1.0, 4LL},
                                    {0xfffd7895df90a399U, 0x1.4p20, 5181275LL},
                                    {0xfffd7895df90a399U, 0x1p32, 16978000499LL},
                                    {0x00020570df1461aaU, 1.0, -4LL},
                                    {0x00020570df1461aaU, 0x1.4p20, -5251105LL},
                                    {0x00020570df1461aaU, 0x1p32, -17206821189LL},
                                    {0xfffeab1404800cc8U, 1.0, 4LL},
                                    {0xfffeab1404800cc8U, 0x1.4p20, 5378939LL},
                                    {0xfffeab1404800cc8U, 0x1p32, 17625707263LL},
                                    {0x0001553ddf561d80U, 1.0, -4LL},
                                    {0x0001553ddf561d80U, 0x1.4p20, -5378655LL},
                                    {0x0001553ddf561d80U, 0x1p32, -17624775832LL},
                                    {0xfffff2fbb5f018a2U, 1.0, 5LL},
                                    {0xfffff2fbb5f018a2U, 0x1.4p20, 6297298LL},
                                    {0xfffff2fbb5f018a2U, 0x1p32, 20634986968LL},
                                    {0x00000b2ef6236bf2U, 1.0, -5LL},
                                    {0x00000b2ef6236bf2U, 0x1.4p20, -6336996LL},
                                    {0x00000b2ef6236bf2U, 0x1p32, -20765067730LL},
                                    {0xfffffffacb9391d4U, 1.0, 6LL},
                                    {0xfffffffacb9391d4U, 0x1.4p20, 7820438LL},
                                    {0xfffffffacb9391d4U, 0x1p32, 25626010036LL},
                                    {0x00000005b0cde917U, 1.0, -6LL},
                                    {0x00000005b0cde917U, 0x1.4p20, -7801320LL},
                                    {0x00000005b0cde917U, 0x1p32, -25563364731LL},
                                    {0xfffffffc1b33becdU, 1.0, 6LL},
                                    {0xfffffffc1b33becdU, 0x1.4p20, 7882300LL},
                                    {0xfffffffc1b33becdU, 0x1p32, 25828719604LL},
                                    {0x000000024c7d6df0U, 1.0, -6LL},
                                    {0x000000024c7d6df0U, 0x1.4p20, -7993470LL},
                                    {0x000000024c7d6df0U, 0x1p32, -26193003643LL},
                                    {0xfffffffea3890e75U, 1.0, 6LL},
                                    {0xfffffffea3890e75U, 0x1.4p20, 8102574LL},
                                    {0xfffffffea3890e75U, 0x1p32, 26550515883LL},
                                    {0x00000001254cb864U, 1.0, -6LL},
                                    {0x00000001254cb864U, 0x1.4p20, -8138152LL},
                                    {0x00000001254cb864U, 0x1p32, -26667096562LL},
                                    {0xffffffffff6f5300U, 1.0, 7LL},
                                    {0xffffffffff6f5300U, 0x1.4p20, 9341118LL},
                                    {0xffffffffff6f5300U, 0x1p32, 30608975043LL},
                                    {0x0000000000d4f46aU, 1.0, -7LL},
                                    {0x0000000000d4f46aU, 0x1.4p20, -9271090LL},
                                    {0x0000000000d4f46aU, 0x1p32, -30379507412LL},
                                    {0xffffffffffffccb6U, 1.0, 8LL},
                                    {0xffffffffffffccb6U, 0x1.4p20, 10464003LL},
                                    {0xffffffffffffccb6U, 0x1p32, 34288445448LL},
                                    {0x0000000000002037U, 1.0, -8LL},
                                    {0x0000000000002037U, 0x1.4p20, -10538949LL},
                                    {0x0000000000002037U, 0x1p32, -34534028326LL},
                                    {0xfffffffffffffff2U, 1.0, 9LL},
                                    {0xfffffffffffffff2U, 0x1.4p20, 11519098LL},
                                    {0xfffffffffffffff2U, 0x1p32, 37745778837LL},
                                    {0x0000000000000009U, 1.0, -9LL},
                                    {0x0000000000000009U, 0x1.4p20, -11583874LL},
                                    {0x0000000000000009U, 0x1p32, -37958039592LL}};

TEST(RoundedGaussianWords, EveryRegionOfBothTailsAgreesWithReferenceValues) {
  for (const Reference& row : references) {
    EXPECT_EQ(exact(row.word, row.sigma), row.value) << row.word << " " << row.sigma;
    const Certain fast = certain(row.word, row.sigma);
    if (fast.decided) {
      EXPECT_EQ(fast.value, row.value) << row.word << " " << row.sigma;
    }
  }
}

// Reading the word as two's complement without inverting its first bit would put U next to 1/2 in
// the slow path, and lose the tails beyond 6 sigma.
TEST(RoundedGaussianWords, TailsBeyondSixSigmaExist) {
  EXPECT_NEAR(static_cast<double>(exact(0xfffffffdfd906464U, 0x1p20)), 6.12 * 0x1p20, 2);
  EXPECT_NEAR(static_cast<double>(exact(0x00000002026f9b9bU, 0x1p20)), -6.12 * 0x1p20, 2);
  EXPECT_FALSE(certain(0xfffffffdfd906464U, 0x1p20).decided);
}

// The cell of a negative q reaches away from the tail's end: its centre is plus half a cell. A
// whole cell of error near 2^-30 gives wrong integers called certain at sigma = 2^32.
TEST(RoundedGaussianWords, CertainAnswersInTheFarTailsAreRight) {
  std::int64_t decided = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t tail = (std::uint64_t{1} << 34) + i * 9973;
    for (const std::uint64_t word : {tail, ~tail}) {
      const Certain fast = certain(word, 0x1p32);
      if (!fast.decided) continue;
      ++decided;
      EXPECT_EQ(fast.value, exact(word, 0x1p32));
    }
  }
  EXPECT_GT(decided, 1700);
}

TEST(RoundedGaussianWords, TailsAreSymmetric) {
  for (const Reference& row : references) {
    const auto more = [](int i) { return ~fixed_extension(0, i); };
    EXPECT_EQ(internal::exact_rounded_gaussian(~row.word, row.sigma, more), -row.value);
  }
}

TEST(RoundedGaussianWords, TheOutermostWordsAreDecidedByTheirExtension) {
  for (const double sigma : {0.3, 1.0, 0x1p20, 0x1p32}) {
    const std::int64_t low = exact(0, sigma);
    const std::int64_t high = exact(~std::uint64_t{0}, sigma);
    EXPECT_LT(static_cast<double>(low), -9.0 * sigma + 0.5);
    EXPECT_GT(static_cast<double>(high), 9.0 * sigma - 0.5);
    EXPECT_GT(static_cast<double>(low), -13.0 * sigma - 1);
    EXPECT_LT(static_cast<double>(high), 13.0 * sigma + 1);
  }
}

TEST(RoundedGaussianWords, ABrokenGeneratorIsNoticed) {
  EXPECT_THROW(static_cast<void>(
                   internal::exact_rounded_gaussian(0, 1.0, [](int) { return std::uint64_t{0}; })),
               base::InternalError);
}

/// Words over every region: uniform ones and, for each magnitude of the tail probability, some.
std::vector<std::uint64_t> words_of_every_region(std::size_t uniform, std::size_t per_octave) {
  SeededSource source(21);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < uniform; ++i) words.push_back(stream.next());
  for (int octave = 1; octave < 64; ++octave) {
    for (std::size_t i = 0; i < per_octave; ++i) {
      const std::uint64_t tail = (stream.next() >> octave) | (std::uint64_t{1} << (63 - octave));
      words.push_back(stream.next_bit() ? tail : ~tail);
    }
  }
  return words;
}

/// Runs `check` once for every instruction set that this machine and this build have.
template <class Check>
void on_every_instruction_set(Check check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    check(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
}

void expect_forced_slow_path_agrees(std::size_t uniform, std::size_t per_octave) {
  const auto words = words_of_every_region(uniform, per_octave);
  for (const double sigma : {0.7, 1153433.6, 0x1p32}) {
    std::vector<std::int64_t> slow(words.size());
    internal::add_gaussians_from_words(words, sigma, slow, 0, fixed_extension, 0.49);
    on_every_instruction_set([&](const char* name) {
      std::vector<std::int64_t> fast(words.size());
      internal::add_gaussians_from_words(words, sigma, fast, 0, fixed_extension);
      EXPECT_EQ(fast, slow) << sigma << " " << name;
    });
  }
}

TEST(RoundedGaussianWords, ForcedSlowPathGivesTheSameIntegers) {
  expect_forced_slow_path_agrees(2000, 15);
}

TEST(RoundedGaussianWordsLong, ForcedSlowPathGivesTheSameIntegers) {
  expect_forced_slow_path_agrees(1000000, 2000);
}

/// Words whose cells lie at the boundary between k and k + 1 for many k, and next to it.
std::vector<std::uint64_t> threshold_words(double sigma, std::size_t count) {
  using boost::multiprecision::cpp_int;
  SeededSource source(22);
  Stream stream(source.claim(Purpose::audit, 0, 0));
  std::vector<std::uint64_t> words;
  while (words.size() < count) {
    // Magnitudes spread evenly over z in (0, 6.5).
    const double z = 6.5 * static_cast<double>(stream.next() >> 11) * 0x1p-53;
    const double threshold = std::floor(sigma * z) + 0.5;
    if (threshold / sigma > 7) continue;
    constexpr int p = 128;
    const cpp_int x =
        (cpp_int(2 * threshold) << (p - 1)) * (cpp_int(1) << 52) / cpp_int(std::ldexp(sigma, 52));
    const cpp_int distance = internal::centred_normal(x, p).low >> (p - 64);
    const auto cell = static_cast<std::uint64_t>(distance) + stream.next() % 5 - 2;
    const std::uint64_t centred = stream.next_bit() ? cell : ~cell;
    words.push_back(centred ^ (std::uint64_t{1} << 63));
  }
  return words;
}

/// Phi(x), by Boost.Math: code that shares nothing with the sampler.
template <class Digits>
Digits independent_normal_cdf(const Digits& x) {
  return boost::math::erfc(Digits(-x / boost::multiprecision::sqrt(Digits(2)))) / 2;
}

/// U of the word and fixed_extension.
template <class Digits>
Digits uniform_of(std::uint64_t word) {
  Digits u = ldexp(Digits(word), -64);
  for (int i = 0; i < 4; ++i) u += ldexp(Digits(fixed_extension(0, i)), -64 * (i + 2));
  return u;
}

/// Phi((k - 1/2) / sigma) <= U, for an x given as k - 1/2.
bool normal_cdf_is_at_most(double threshold, double sigma, std::uint64_t word) {
  // 113 bits, whose error Boost states as a few units, unless the two come closer than 2^-100.
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  const Quad distance =
      uniform_of<Quad>(word) - independent_normal_cdf(Quad(Quad(threshold) / Quad(sigma)));
  if (abs(distance) > ldexp(Quad(1), -100)) return distance > 0;
  using Digits = boost::multiprecision::cpp_bin_float_100;
  return independent_normal_cdf(Digits(Digits(threshold) / sigma)) <= uniform_of<Digits>(word);
}

/// Whether U of the word and fixed_extension lies where K = k.
bool lies_in_cell(std::uint64_t word, std::int64_t k, double sigma) {
  const auto middle = static_cast<double>(k);
  return normal_cdf_is_at_most(middle - 0.5, sigma, word) &&
         !normal_cdf_is_at_most(middle + 0.5, sigma, word);
}

/// Every instruction set against the sampler's exact arithmetic, and that against Boost.Math.
void expect_threshold_words_agree(std::size_t count) {
  for (const double sigma : {1.5, 1153433.6, 0x1p31}) {
    const auto words = threshold_words(sigma, count);
    std::vector<std::int64_t> reference(words.size());
    for (std::size_t j = 0; j < words.size(); ++j) {
      reference[j] = exact(words[j], sigma);
      ASSERT_TRUE(lies_in_cell(words[j], reference[j], sigma)) << words[j] << " " << sigma;
    }
    on_every_instruction_set([&](const char* name) {
      std::vector<std::int64_t> values(words.size());
      internal::add_gaussians_from_words(words, sigma, values, 0, fixed_extension);
      EXPECT_EQ(values, reference) << sigma << " " << name;
    });
  }
}

TEST(RoundedGaussianWords, BorderWordsAgreeWithMultiPrecisionArithmetic) {
  expect_threshold_words_agree(300);
}

TEST(RoundedGaussianWordsLong, BorderWordsAgreeWithMultiPrecisionArithmetic) {
  expect_threshold_words_agree(100000);
}

TEST(RoundedGaussianWordsLong, InstructionSetsAgreeOnAHundredMillionWords) {
  constexpr std::size_t part = std::size_t{1} << 20;
  SeededSource source(23);
  const KeystreamBlock block(source.claim(Purpose::noise, 0, 0));
  std::vector<std::int64_t> reference(part);
  std::vector<std::int64_t> values(part);
  for (std::uint64_t first = 0; first < 100000000; first += part) {
    bool have_reference = false;
    on_every_instruction_set([&](const char* name) {
      std::fill(values.begin(), values.end(), 0);
      internal::add_rounded_gaussian(block, 1153433.6, values, first);
      if (!have_reference) reference = values;
      have_reference = true;
      ASSERT_EQ(values, reference) << first << " " << name;
    });
  }
}

TEST(RoundedGaussianWords, NeighbouringCoordinatesUseDifferentExtensions) {
  std::vector<std::uint64_t> asked;
  const auto record = [&](std::uint64_t coordinate, int i) {
    if (i == 0) asked.push_back(coordinate);
    return fixed_extension(coordinate, i);
  };
  // Cells at the very end of the range need more bits.
  const std::array<std::uint64_t, 3> words = {0, ~std::uint64_t{0}, 0};
  std::array<std::int64_t, 3> values{};
  internal::add_gaussians_from_words(words, 0x1p32, values, 70, record);
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{70, 71, 72}));
}

}  // namespace rounded_gaussian_words_test
}  // namespace tacet::random
