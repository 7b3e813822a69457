#include "tacet/learn/rows/word_threshold.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/special.h"

namespace tacet::learn {
namespace {

constexpr double share_by_noise = 5e-4;

}  // namespace

double usual_threshold(const ThresholdFacts& facts) {
  // Word r of n has share 1 / (r H_n), and a unit counts 1 / sqrt(m) for each of m words.
  const double harmonic = std::log(facts.words) + 0.5772156649015329;
  const double mass = facts.units * std::sqrt(facts.max_words_per_unit) / harmonic;
  constexpr double finest = 0.05;
  constexpr int max = 240;  // 12 standard deviations
  for (int i = 1; i < max; ++i) {
    const double threshold = finest * i * facts.noise;
    const double expected = std::min(facts.words, mass / threshold);
    if (facts.words * numeric::normal_cdf(-finest * i) <= expected * share_by_noise) {
      return threshold;
    }
  }
  return finest * max * facts.noise;
}

}  // namespace tacet::learn
