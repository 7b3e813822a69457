// An audit of Gaussian noise on a sum: one record at its bound, or at both ends of it.

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/evidence.h"
#include "tacet/mechanism/noise/gaussian.h"
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

}  // namespace gaussian_audit_test
}  // namespace tacet::mechanism
