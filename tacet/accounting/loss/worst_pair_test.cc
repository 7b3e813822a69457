#include "tacet/accounting/loss/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/loss/single_use.h"

namespace tacet::accounting {
namespace worst_pair_test {

using pairs::Order;

std::vector<pairs::PairPointer> some(Order order) {
  std::vector<pairs::PairPointer> parts;
  parts.push_back(pairs::poisson(pairs::gaussian(1), .1, order));
  parts.push_back(pairs::poisson(pairs::laplace(3), .3, order));
  parts.push_back(pairs::approximate(.2, 1e-3));
  return parts;
}

TEST(WorstPair, ProfileIsTheLargestOfItsParts) {
  for (const auto order : {Order::remove, Order::add}) {
    const auto parts = some(order);
    const auto pair = pairs::worst(parts);
    for (double epsilon = -3; epsilon < 3; epsilon += .037) {
      double least = 0;
      double most = 0;
      for (const auto& part : parts) {
        const auto ends = pld::single_log_delta(*part, epsilon).value();
        least = std::max(least, std::exp(ends.lower));
        most = std::max(most, std::exp(ends.upper));
      }
      const auto ends = pld::single_log_delta(*pair, epsilon).value();
      EXPECT_GE(std::exp(ends.upper), least) << epsilon;
      EXPECT_LE(std::exp(ends.lower), most * 1.003) << epsilon;  // a chord at a kink
    }
  }
}

TEST(WorstPair, OfTinyLossesKeepsItsDigits) {
  for (const double rate : {1e-3, 1e-6, 1e-9}) {
    std::vector<pairs::PairPointer> parts;
    parts.push_back(pairs::poisson(pairs::gaussian(.5), rate, Order::remove));
    parts.push_back(pairs::poisson(pairs::laplace(2), rate, Order::remove));
    const auto pair = pairs::worst(parts);
    for (const double part : {.05, .2, .5}) {
      const double epsilon = part * rate;
      double most = 0;
      for (const auto& one : parts) {
        most = std::max(most, std::exp(pld::single_log_delta(*one, epsilon)->upper));
      }
      EXPECT_NEAR(std::exp(pld::single_log_delta(*pair, epsilon)->upper) / most, 1, 2e-3) << rate;
    }
  }
}

// Two faces with bounds of the total variation of their own gave laws whose masses differed by
// their slack, 1e-11, and a profile that lay below the truth by as much at losses below 0.
TEST(WorstPair, BothLawsHaveTheSameMass) {
  for (const auto order : {Order::remove, Order::add}) {
    for (const double rate : {.1, .5, .9}) {
      for (const double scale : {.7, 3.0}) {
        std::vector<pairs::PairPointer> parts;
        parts.push_back(pairs::poisson(pairs::gaussian(1), rate, order));
        parts.push_back(pairs::poisson(pairs::laplace(scale), rate, order));
        const auto pair = pairs::worst(parts);
        double difference = pair->infinite_mass();
        for (const auto& atom : pair->list()) difference += atom.p - atom.q;
        EXPECT_NEAR(difference, 0, 0x1p-46) << rate << ' ' << scale;
      }
    }
  }
}

// A pure pair stays pure: nothing at infinity.
TEST(WorstPair, OfPurePairsIsPure) {
  std::vector<pairs::PairPointer> parts;
  parts.push_back(pairs::approximate(.5, 0));
  parts.push_back(pairs::laplace(4));
  const auto pair = pairs::worst(parts);
  EXPECT_EQ(pair->infinite_mass(), 0);
  EXPECT_NEAR(pair->highest(), .5, 1e-13);
  const auto ends = pld::single_log_delta(*pair, .25).value();
  EXPECT_NEAR(std::exp(ends.upper) / ((1 - std::exp(-.25)) / (1 + std::exp(-.5))), 1, 1e-3);
}

}  // namespace worst_pair_test
}  // namespace tacet::accounting
