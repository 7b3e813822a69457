// An audit of the one release of `adassp`, from the plan to the released numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/evidence.h"
#include "tacet/learn/ridge/adassp.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::learn {
namespace adassp_audit_test {

using enum privacy::Adjacency;

data::Schema plane() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}},
                    {"z", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::RegressionTarget{-1, 1}};
  schema.intercept = false;
  return schema;
}

struct Record {
  std::vector<std::int16_t> row;
  double label;
};

data::Dataset records_with(const std::vector<Record>& last) {
  data::Dataset dataset(plane().shape());
  for (int i = 0; i < 3; ++i) dataset.append_dense(std::vector<std::int16_t>{900, 300}, 0.5);
  for (const auto& record : last) dataset.append_dense(record.row, record.label);
  return dataset;
}

/// Two data sets whose sums are as far apart as they can be.
struct Neighbours {
  data::Dataset one;
  data::Dataset other;
};

Neighbours farthest(privacy::Adjacency adjacency) {
  const Record along{{2048, 0}, 1};
  if (adjacency == add_remove) return {records_with({along}), records_with({})};
  // At 60 degrees, with opposite labels.
  return {records_with({along}), records_with({{{1024, 1773}, -1}})};
}

/// `runs` releases as train_adassp makes them, at a noise multiplier.
std::vector<std::vector<double>> releases(const data::Dataset& dataset,
                                          privacy::Adjacency adjacency, double multiplier,
                                          int runs) {
  base::ThreadPool pool(1);
  random::SeededSource source(static_cast<std::uint64_t>(dataset.rows()) +
                              (adjacency == add_remove));
  privacy::TrustingBudget budget(adjacency);
  auto reservation =
      budget.reserve(privacy::Repeated{runs, privacy::Gaussian{multiplier}}, {1, 0, adjacency});
  std::vector<std::vector<double>> found;
  for (std::uint64_t run = 0; run < static_cast<std::uint64_t>(runs); ++run) {
    found.push_back(mechanism::release_gaussian(optimize::gram_sum(dataset, 1, adjacency, pool),
                                                privacy::NoiseMultiplier(multiplier),
                                                {{.step = run}, source, reservation})
                        .value());
  }
  return found;
}

/// What the audit looks along: the difference of the sums in units of the noise's standard
/// deviation.
std::vector<double> direction(const Neighbours& pair, privacy::Adjacency adjacency) {
  const auto one = releases(pair.one, adjacency, 1e-9, 1)[0];
  const auto other = releases(pair.other, adjacency, 1e-9, 1)[0];
  const auto noise = optimize::gram_noise(1, true, adjacency);
  const std::vector<double> stddevs{noise.diagonal, noise.diagonal, noise.beside, noise.labels,
                                    noise.labels};
  std::vector<double> weights(one.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = (one[i] - other[i]) / (stddevs[i] * stddevs[i]);
  }
  return weights;
}

/// The largest mu of a Gaussian pair that both error rates of a threshold refute, by exact binomial
/// bounds at level 1e-9 each (Nasr et al. 2023).
double audited_mu(privacy::Adjacency adjacency, double multiplier, int runs) {
  const auto pair = farthest(adjacency);
  const auto weights = direction(pair, adjacency);
  const auto seen = [&](const data::Dataset& dataset) {
    std::vector<double> values;
    for (const auto& released : releases(dataset, adjacency, multiplier, runs)) {
      double value = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) value += weights[i] * released[i];
      values.push_back(value);
    }
    return values;
  };
  const auto mean = [&](const data::Dataset& dataset) {
    const auto released = releases(dataset, adjacency, 1e-9, 1)[0];
    double value = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) value += weights[i] * released[i];
    return value;
  };
  const double threshold = (mean(pair.one) + mean(pair.other)) / 2;
  const auto high = seen(pair.one);
  const auto low = seen(pair.other);
  const auto above = [&](double value) { return value > threshold; };
  const auto misses = runs - std::ranges::count_if(high, above);
  const auto alarms = std::ranges::count_if(low, above);
  return audit::mu_refuted({{alarms, runs}, {misses, runs}}, 2e-9);
}

void audit(int runs, double least) {
  for (const auto adjacency : {add_remove, replace_one}) {
    ParameterValues options{
        {"adjacency", adjacency}, {"method", "adassp"}, {"epsilon", 4}, {"delta", 1e-6}};
    const double noise = plan_adassp(plane(), common_options(options)).noise_multiplier;
    const double mu = accounting::gaussian::mu_for(privacy::Epsilon(4), privacy::Delta(1e-6));
    const double honest = audited_mu(adjacency, noise, runs);
    EXPECT_LE(honest, mu);
    EXPECT_GE(honest, least * mu);
    // Half of the noise, and under replace_one that of a removed record alone: sqrt(2) for
    // sqrt(4.5).
    EXPECT_GT(audited_mu(adjacency, noise / 2, runs), mu);
    if (adjacency == replace_one) {
      EXPECT_GT(audited_mu(adjacency, noise / 1.5, runs), mu);
    }
  }
}

TEST(AdasspAudit, FrequenciesStayBelowTheClaimAndBetrayMissingNoise) { audit(6000, 0.7); }

TEST(AdasspAuditLong, FrequenciesOfManyRunsComeNearTheClaim) { audit(100000, 0.9); }

}  // namespace adassp_audit_test
}  // namespace tacet::learn
