// An audit of the release that says which columns are kept, from the records to the list.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/evidence.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::optimize {
namespace presence_audit_test {

constexpr auto add_remove = privacy::Adjacency::add_remove;
constexpr std::int64_t columns = 40;
constexpr std::int64_t sought = 7;

/// Records of other columns, and one of `sought` alone where asked for.
data::Dataset records(bool with) {
  data::Dataset dataset({.columns = columns, .norm_bound = 1});
  for (std::size_t j = 20; j < 30; ++j) {
    std::vector<std::int16_t> row(columns, 0);
    row[j] = 2048;
    dataset.append_dense(row, 1);
  }
  std::vector<std::int16_t> row(columns, 0);
  row[sought] = 3;
  if (with) dataset.append_dense(row, 1);
  return dataset;
}

/// How many of `runs` lists hold the sought column, at a threshold of half a record's count.
std::int64_t kept(bool with, double multiplier, std::int64_t runs) {
  const auto dataset = records(with);
  const std::vector<data::ColumnRange> ranges{{0, columns}};
  random::SeededSource source(with ? 1 : 2);
  privacy::TrustingBudget budget(add_remove);
  auto reservation =
      budget.reserve(privacy::Repeated{runs, privacy::Gaussian{multiplier}}, {1, 0, add_remove});
  std::int64_t found = 0;
  for (std::uint64_t run = 0; run < static_cast<std::uint64_t>(runs); ++run) {
    const auto list = mechanism::release_crossings(
                          presence_sum(dataset, ranges), privacy::NoiseMultiplier(multiplier),
                          presence_norm / 2, {{.step = run}, source, reservation})
                          .value();
    found += std::ranges::binary_search(list, sought) ? 1 : 0;
  }
  return found;
}

/// The largest mu of a Gaussian pair that both error rates refute, by exact binomial bounds at
/// level 1e-9 each (Nasr et al. 2023).
double audited_mu(double multiplier, std::int64_t runs) {
  const auto misses = runs - kept(true, multiplier, runs);
  const auto alarms = kept(false, multiplier, runs);
  return audit::mu_refuted({{alarms, runs}, {misses, runs}}, 2e-9);
}

TEST(PresenceAudit, FrequenciesStayBelowTheClaimAndBetrayMissingNoise) {
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(4), privacy::Delta(1e-6));
  const double honest = audited_mu(1 / mu, 6000);
  EXPECT_LE(honest, mu);
  EXPECT_GE(honest, 0.7 * mu);
  EXPECT_GT(audited_mu(0.5 / mu, 6000), mu);
}

}  // namespace presence_audit_test
}  // namespace tacet::optimize
