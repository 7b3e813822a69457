// An audit of the score of a model on held-out records, as a tuning releases it.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tacet/audit/evidence.h"
#include "tacet/choose/score.h"
#include "tacet/mechanism/noise/gaussian.h"

namespace tacet::choose {
namespace score_audit_test {

using enum privacy::Adjacency;

model::LinearModel classifier() {
  data::Schema schema;
  schema.intercept = false;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{.positive = {"yes"}, .negative = {"no"}}};
  auto model = model::empty_model(schema, model::LogisticLoss{});
  model.coefficients = {2};
  return model;
}

data::Dataset records(std::initializer_list<std::pair<int, double>> rows) {
  data::Dataset dataset({.columns = 1, .norm_bound = 1});
  for (const auto& [value, label] : rows) {
    dataset.append_dense(std::array{static_cast<std::int16_t>(value)}, label);
  }
  return dataset;
}

// The sum without noise worth mentioning.
double sum_of(const data::Dataset& data, privacy::Adjacency adjacency) {
  const auto model = classifier();
  random::SeededSource source(1);
  privacy::Reservation permit(privacy::Gaussian{1e-7}, {1, 0, adjacency}, nullptr);
  return mechanism::release_gaussian(score_sum(model, data, {}, adjacency, 30),
                                     privacy::NoiseMultiplier(1e-7), {{}, source, permit})
      .value()[0];
}

/// The largest mu of a Gaussian pair that both error rates of a threshold refute, by exact binomial
/// bounds at level 1e-9 each, of noisy sums as a tuning releases them.
double audited_mu(const data::Dataset& one, const data::Dataset& other,
                  privacy::Adjacency adjacency, double multiplier) {
  constexpr int runs = 4000;
  const auto model = classifier();
  const double threshold = (sum_of(one, adjacency) + sum_of(other, adjacency)) / 2;
  const bool above = sum_of(one, adjacency) > threshold;
  const auto says_one = [&](const data::Dataset& data, std::uint64_t seed) {
    random::SeededSource source(seed);
    privacy::Reservation permit(privacy::Repeated{runs, privacy::Gaussian{multiplier}},
                                {1, 0, adjacency}, nullptr);
    std::int64_t count = 0;
    for (std::uint64_t step = 0; step < runs; ++step) {
      const double sum = mechanism::release_gaussian(score_sum(model, data, {}, adjacency, 24),
                                                     privacy::NoiseMultiplier(multiplier),
                                                     {{.step = step}, source, permit})
                             .value()[0];
      count += (sum > threshold) == above ? 1 : 0;
    }
    return count;
  };
  return audit::mu_refuted({{says_one(other, 11), runs}, {runs - says_one(one, 12), runs}}, 2e-9);
}

// T-8: noise that is stated as mu = 1 is not refuted (once in 10^8 correct programs), half of it
// is.
TEST(ScoreAudit, AnAuditOfItsNoiseFindsHalfOfIt) {
  const auto all = records({{2048, 1}, {2048, -1}, {-1024, -1}});
  const auto less = records({{2048, -1}, {-1024, -1}});
  const auto replaced = records({{2048, 1}, {2048, 1}, {-1024, -1}});
  for (const auto adjacency : {add_remove, replace_one}) {
    const auto& other = adjacency == add_remove ? less : replaced;
    const double stated = privacy::distance_factor(adjacency);
    EXPECT_LE(audited_mu(all, other, adjacency, stated), 1);
    EXPECT_GT(audited_mu(all, other, adjacency, stated / 2), 1);
  }
}

}  // namespace score_audit_test
}  // namespace tacet::choose
