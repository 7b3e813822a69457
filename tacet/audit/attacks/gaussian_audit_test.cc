// An audit of Gaussian noise on a sum: one record at its bound, or at both ends of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/black_box.h"
#include "tacet/audit/evidence.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace gaussian_audit_test {

// The largest mu of a Gaussian pair that a threshold on N outputs a side refutes.
double audited_mu(double multiplier, double shift_in_bounds, int trials) {
  constexpr std::int64_t bound = 4096;
  const auto shift = static_cast<std::int64_t>(shift_in_bounds * bound);
  const auto count = static_cast<std::size_t>(trials);
  test::Spender spender(8, privacy::Gaussian{multiplier}, privacy::Adjacency::add_remove, 2);
  const auto release = [&](std::int64_t value) {
    auto sum = privacy::BoundedSum::from_certified(
        privacy::Certifier::clipped(), std::vector<std::int64_t>(count, value), 1.0, bound);
    return release_gaussian(std::move(sum), privacy::NoiseMultiplier(multiplier),
                            {spender.next(), spender.source, spender.reservation})
        .value();
  };
  const auto low = release(0);
  const auto high = release(shift);
  const double threshold = static_cast<double>(shift) / 2;
  std::int64_t false_positives = 0;
  std::int64_t false_negatives = 0;
  for (std::size_t i = 0; i < count; ++i) {
    false_positives += low[i] > threshold ? 1 : 0;
    false_negatives += high[i] <= threshold ? 1 : 0;
  }
  return audit::mu_refuted({{false_positives, trials}, {false_negatives, trials}}, 2e-9);
}

TEST(GaussianAudit, FrequenciesStayBelowTheClaimAndFindPlantedFaults) {
  // Calibrated for epsilon 1, delta 1e-5 under add_remove.
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-5));
  constexpr int trials = 200000;
  EXPECT_LE(audited_mu(1 / mu, 1, trials), mu);
  EXPECT_GE(audited_mu(1 / mu, 1, trials), 0.7 * mu);
  // Faults: half the noise; variance taken for standard deviation; replace_one accounted at
  // distance C.
  EXPECT_GT(audited_mu(0.5 / mu, 1, trials), mu);
  EXPECT_GT(audited_mu(1 / mu / std::sqrt(2), 1, trials), mu);
  EXPECT_GT(audited_mu(1 / mu, 2, trials), mu);
}

using Vectors = std::vector<std::vector<double>>;

/// A sum of nothing and one of these vectors of six numbers, under noise for one vector at the
/// bound.
audit::Subject noisy_sum(const Vectors& vectors, const privacy::Guarantee& claim) {
  const double mu =
      accounting::gaussian::mu_for(privacy::Epsilon(claim.epsilon), privacy::Delta(claim.delta));
  audit::Subject subject{.statistic = audit::Statistic::direction, .claim = claim};
  subject.gaussian = true;
  subject.width = 6;
  subject.draw = [=](bool other, std::uint64_t seed, std::span<double> out) {
    test::Spender spender(seed, privacy::Gaussian{1 / mu}, claim.adjacency, std::ssize(out) / 6);
    for (; !out.empty(); out = out.subspan(6)) {
      optimize::VectorSum sum(6, optimize::Norm::l2, 1, {}, 12);
      for (const auto& vector : other ? vectors : Vectors{}) sum.add(vector);
      const auto released =
          release_gaussian(std::move(sum).take(), privacy::NoiseMultiplier(1 / mu),
                           {spender.next(), spender.source, spender.reservation});
      std::ranges::copy(released.value(), out.begin());
    }
  };
  return subject;
}

// A record at its bound in each block of coordinates in turn, then in all of them. One that is at
// the bound in each of three blocks, as if these had been clipped one by one, is found.
TEST(GaussianAudit, BlocksOfCoordinatesShowWhatAllOfThemDo) {
  base::ThreadPool threads(2);
  const privacy::Guarantee claim{4, 1e-5, privacy::Adjacency::add_remove};
  Vectors blocks;
  for (std::size_t block = 0; block < 3; ++block) {
    auto& record = blocks.emplace_back(6, 0.0);
    record[2 * block] = record[2 * block + 1] = std::sqrt(0.5);
  }
  const std::vector<double> everywhere(6, std::sqrt(1.0 / 6));
  for (const auto& record : {blocks[0], blocks[1], blocks[2], everywhere}) {
    const auto found = audit::audit(noisy_sum({record}, claim), {.trials = 10000}, threads);
    EXPECT_FALSE(found.refuted);
    EXPECT_GE(found.epsilon_at_least, 0.7 * claim.epsilon);
  }
  EXPECT_TRUE(audit::audit(noisy_sum(blocks, claim), {.trials = 10000}, threads).refuted);
}

}  // namespace gaussian_audit_test
}  // namespace tacet::mechanism
