#include "tacet/learn/rows/word_threshold.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/numeric/special.h"

namespace tacet::learn {
namespace word_threshold_test {

TEST(WordThreshold, FewWordsCrossByNoiseAlone) {
  const ThresholdFacts facts{.noise = 8, .units = 20000, .max_words_per_unit = 2, .words = 45892};
  const auto by_noise = [&](double threshold) {
    return facts.words * numeric::normal_cdf(-threshold / facts.noise);
  };
  const auto expected = [&](double threshold) {
    return facts.units * std::sqrt(2.0) / (std::log(facts.words) + .5772) / threshold;
  };
  const double threshold = usual_threshold(facts);
  EXPECT_LE(by_noise(threshold), expected(threshold) / 2000 * 1.001);
  // And not many fewer than that.
  const double lower = threshold - .05 * facts.noise;
  EXPECT_GT(by_noise(lower), expected(lower) / 2000 * .999);
}

// More noise, more words or fewer units ask for more.
TEST(WordThreshold, FollowsPublicFacts) {
  const ThresholdFacts facts{.noise = 8, .units = 20000, .max_words_per_unit = 2, .words = 45892};
  const auto with = [&](auto change) {
    auto other = facts;
    change(other);
    return usual_threshold(other);
  };
  EXPECT_GT(with([](auto& f) { f.noise *= 2; }), usual_threshold(facts));
  EXPECT_GT(with([](auto& f) { f.words *= 100; }), usual_threshold(facts));
  EXPECT_GT(with([](auto& f) { f.units /= 100; }), usual_threshold(facts));
  // Never further than twelve standard deviations.
  EXPECT_LE(with([](auto& f) { f.units = 1e-300; }), 12 * 8);
}

}  // namespace word_threshold_test
}  // namespace tacet::learn
