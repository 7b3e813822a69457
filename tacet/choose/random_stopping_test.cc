#include "tacet/choose/random_stopping.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tacet/accounting/routes/repetition.h"
#include "tacet/base/error.h"

namespace tacet::choose {
namespace random_stopping_test {

privacy::RandomlyRepeated event_of(TrialLaw law, double mean, std::int64_t cap = 0) {
  return stopping_event(law, mean, cap, privacy::Gaussian{4});
}

random::Stream stream(random::Source& source, std::uint64_t step = 0) {
  return random::Stream(source.claim(random::Purpose::selection, step, 0));
}

// glm 9.6: gamma of the logarithmic law of mean 10, and of the geometric one.
TEST(RandomStopping, LawsAreThoseOfTheReference) {
  EXPECT_NEAR(event_of(TrialLaw::logarithmic, 10).gamma, .0269182596007, 1e-12);
  EXPECT_NEAR(event_of(TrialLaw::geometric, 10).gamma, .1, 1e-12);
  EXPECT_EQ(event_of(TrialLaw::poisson, 10).mean, 10);
  for (const double mean : {1.0, 0.5, 2e4, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(event_of(TrialLaw::poisson, mean)), base::UsageError);
  }
}

// Counts of each K within 5 standard deviations of 200,000 draws, of which none is off in 10^5
// correct programs; means likewise.
TEST(RandomStopping, TheNumberOfRunsHasItsLaw) {
  random::SeededSource source(1);
  std::uint64_t step = 0;
  for (const auto law : {TrialLaw::logarithmic, TrialLaw::geometric, TrialLaw::poisson}) {
    for (const double mean : {1.5, 10.0}) {
      const auto event = event_of(law, mean);
      const auto exact = accounting::repetition::law_of(event);
      auto words = stream(source, step++);
      constexpr int draws = 200000;
      std::vector<int> seen(40, 0);
      for (int i = 0; i < draws; ++i) {
        const auto k = draw_count(event, 100000, words);
        if (k < 40) ++seen[static_cast<std::size_t>(k)];
      }
      for (std::int64_t k = 0; k < 40; ++k) {
        const double expected = draws * accounting::repetition::probability(exact, k);
        EXPECT_NEAR(seen[static_cast<std::size_t>(k)], expected, 5 * std::sqrt(expected) + 1e-9)
            << k << " " << mean;
      }
    }
  }
}

TEST(RandomStopping, ACapIsKeptAndCutsOffNoMoreThanAllowed) {
  random::SeededSource source(2);
  auto words = stream(source);
  for (int i = 0; i < 2000; ++i) {
    const auto k = draw_count(event_of(TrialLaw::geometric, 10), 3, words);
    EXPECT_TRUE(k >= 1 && k <= 3);
  }
  for (const auto law : {TrialLaw::logarithmic, TrialLaw::geometric, TrialLaw::poisson}) {
    const auto event = event_of(law, 10);
    const auto cap = min_cap(event, 1e-9);
    EXPECT_LE(beyond(event, cap), 1e-9);
    EXPECT_GT(beyond(event, cap - 1), 1e-9);
  }
  EXPECT_NEAR(beyond(event_of(TrialLaw::logarithmic, 10), 1000) / 1.34e-14, 1, 2e-2);
}

TEST(RandomStopping, TheBestRunComesOutAndOfEqualOnesAnyAlike) {
  random::SeededSource source(3);
  auto words = stream(source);
  const std::vector<double> scores{1, 5, 3, 5, -HUGE_VAL, 5};
  std::array<int, 6> seen{};
  constexpr int draws = 30000;
  for (int i = 0; i < draws; ++i) {
    const auto best = best_of(6, words, [&](std::int64_t k) {
      return ScoredRun<std::int64_t>{scores[static_cast<std::size_t>(k)], k};
    });
    ++seen[static_cast<std::size_t>(best.value())];
  }
  for (const int k : {1, 3, 5}) {
    EXPECT_NEAR(seen[static_cast<std::size_t>(k)], draws / 3, 5 * std::sqrt(draws / 4.5));
  }
  EXPECT_EQ(seen[1] + seen[3] + seen[5], draws);
  EXPECT_FALSE(best_of(0, words, [](std::int64_t k) { return ScoredRun<int>{double(k), 0}; }));
}

/// Of a run with these probabilities of three outputs, scored 0, 1 and 2, the law of the best of K.
std::array<double, 3> exact_best(const std::array<double, 3>& run,
                                 const privacy::RandomlyRepeated& event) {
  const auto law = accounting::repetition::law_of(event);
  std::array<double, 3> out{};
  double below = 0;
  for (std::size_t s = 0; s < 3; ++s) {
    const double up_to = below + run[s];
    for (std::int64_t k = 1; k < 3000; ++k) {
      const auto power = static_cast<double>(k);
      out[s] += accounting::repetition::probability(law, k) *
                (std::pow(up_to, power) - std::pow(below, power));
    }
    below = up_to;
  }
  return out;
}

// T-5 and T-6 in the small: a base run of randomised response, epsilon 1, on neighbours; what comes
// out keeps the bound that the accountant states of it, and the drawn runs follow the exact law.
TEST(RandomStopping, WhatComesOutKeepsItsBoundAndItsLaw) {
  const double p = 1 / (1 + std::exp(1.0));
  const std::array<double, 3> one{0.5, 0.5 * p, 0.5 * (1 - p)};
  const std::array<double, 3> other{0.5, 0.5 * (1 - p), 0.5 * p};
  random::SeededSource source(4);
  std::uint64_t step = 0;
  for (const auto law : {TrialLaw::logarithmic, TrialLaw::geometric}) {
    const auto event = event_of(law, 10);
    const double bound =
        accounting::repetition::pure_epsilon(accounting::repetition::law_of(event), 1);
    const auto best = exact_best(one, event);
    const auto next = exact_best(other, event);
    for (std::size_t s = 0; s < 3; ++s) EXPECT_LE(std::abs(std::log(best[s] / next[s])), bound);
    EXPECT_GT(std::abs(std::log(best[1] / next[1])), 1);  // it does cost more than one run
    auto words = stream(source, step++);
    std::array<int, 3> seen{};
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      const auto count = draw_count(event, 3000, words);
      const auto output = best_of(count, words, [&](std::int64_t) {
        const double u = static_cast<double>(words.next() >> 11) * 0x1p-53;
        const int s = u < one[0] ? 0 : u < one[0] + one[1] ? 1 : 2;
        return ScoredRun<int>{static_cast<double>(s), s};
      });
      ++seen[static_cast<std::size_t>(output.value())];
    }
    for (std::size_t s = 0; s < 3; ++s) {
      EXPECT_NEAR(seen[s], draws * best[s], 5 * std::sqrt(draws * best[s]) + 1) << s;
    }
  }
}

}  // namespace random_stopping_test
}  // namespace tacet::choose
