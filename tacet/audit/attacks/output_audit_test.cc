#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/audit/evidence.h"
#include "tacet/learn/output_perturbation/output.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::learn {
namespace output_audit_test {

constexpr auto replace_one = privacy::Adjacency::replace_one;

// Whole trainings in one dimension: six records on the line, with or without the label of one of
// them turned round.
struct Line {
  Line() {
    schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
    schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
    schema.intercept = false;
    options = {{"method", "output"}, {"epsilon", 1}, {"delta", 1e-5}, {"adjacency", replace_one}};
    options.set("loss", model::Loss{model::HingeLoss{}});
    options.set("public-row-count", rows);
    options.set("step-size",
                0.05);  // the weight stays where the loss is linear, so nothing contracts
    plan = plan_output(schema, output_options(options));
  }

  [[nodiscard]] data::Dataset records(std::int64_t turned) const {
    data::Dataset dataset(schema.shape());
    const std::vector<std::int16_t> row{2048};
    for (std::int64_t i = 0; i < rows; ++i) dataset.append_dense(row, i == turned ? -1.0 : 1.0);
    return dataset;
  }

  /// The released weight, `runs` times, in units of the plan's standard deviation.
  [[nodiscard]] std::vector<double> results(const OutputPlan& used, std::int64_t turned,
                                            std::uint64_t first_seed, std::uint64_t runs) const {
    const auto dataset = records(turned);
    base::ThreadPool pool(1);
    std::vector<double> found;
    for (std::uint64_t run = 0; run < runs; ++run) {
      random::SeededSource source(first_seed + run);
      privacy::TrustingBudget budget(replace_one);
      auto reservation = budget.reserve(used.events, used.guarantee);
      const auto trained = train_output(dataset, schema, used, {source, reservation, pool});
      found.push_back(trained.model.coefficients[0] / plan.stddev);
    }
    return found;
  }

  static constexpr std::int64_t rows = 6;
  data::Schema schema;
  ParameterValues options{{"adjacency", "add_remove"}};
  OutputPlan plan;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// A lower bound of epsilon from the frequencies beyond some 30 thresholds, by exact bounds at level
// 1e-7 each.
double audited_epsilon(std::vector<double> low, std::vector<double> high, double delta) {
  if (mean_of(low) > mean_of(high)) std::swap(low, high);
  std::ranges::sort(low);
  std::ranges::sort(high);
  double best = 0;
  for (double cut = mean_of(low) - 1; cut < mean_of(high) + 4; cut += 0.2) {
    const auto above = [&](const std::vector<double>& values) -> audit::Seen {
      return {values.end() - std::ranges::lower_bound(values, cut), std::ssize(values)};
    };
    best = std::max(best, audit::epsilon_refuted(above(high), above(low), delta, 1e-7));
  }
  return best;
}

TEST(OutputAuditLong, FrequenciesStayBelowTheClaimAndBetrayAThirdOfTheNoise) {
  const Line line;
  // The record that the public order visits first moves the result most.
  std::int64_t worst = 0;
  double furthest = 0;
  const double centre = mean_of(line.results(line.plan, -1, 0, 3000));
  for (std::int64_t row = 0; row < Line::rows; ++row) {
    const double moved = std::fabs(mean_of(line.results(line.plan, row, 0, 3000)) - centre);
    if (moved > furthest) worst = row;
    furthest = std::max(furthest, moved);
  }
  constexpr std::uint64_t runs = 200000;
  EXPECT_GT(furthest, 0.2);  // of 0.268, what the plan's noise is made for
  EXPECT_LE(audited_epsilon(line.results(line.plan, -1, 10000, runs),
                            line.results(line.plan, worst, 10000 + runs, runs), 1e-5),
            1);
  auto faulty = line.plan;
  faulty.noise_multiplier /= 3;
  faulty.events =
      mechanism::BlockGaussian::event(privacy::NoiseMultiplier(faulty.noise_multiplier));
  faulty.guarantee = accounting::account(faulty.events, replace_one, privacy::Delta(1e-5));
  EXPECT_GT(audited_epsilon(line.results(faulty, -1, 10000, runs / 4),
                            line.results(faulty, worst, 10000 + runs, runs / 4), 1e-5),
            1);
}

}  // namespace output_audit_test
}  // namespace tacet::learn
