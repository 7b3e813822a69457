#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tacet/accounting/composition.h"
#include "tacet/audit/evidence.h"
#include "tacet/learn/objective/objective.h"
#include "tacet/learn/regularized_output/regularized_output.h"
#include "tacet/privacy/trusting_budget.h"

// Audits of what `objective` and `regularized-output` release, from the plan to the coefficient:
// how often it falls beyond a cut on neighbouring data sets bounds epsilon from below.
namespace tacet::learn {
namespace minimum_audit_test {

using enum privacy::Adjacency;

data::Schema line() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  return schema;
}

data::Dataset records(const std::vector<double>& labels) {
  data::Dataset dataset(line().shape());
  const std::vector<std::int16_t> row{2048};
  for (const double label : labels) dataset.append_dense(row, label);
  return dataset;
}

ParameterValues asked(double delta, privacy::Adjacency adjacency) {
  return {{"adjacency", adjacency}, {"epsilon", 1}, {"delta", delta}, {"public-row-count", 6}};
}

/// The coefficient of one run.
using Release = std::function<double(const data::Dataset&, const TrainingContext&)>;

struct Pair {
  data::Dataset one;
  data::Dataset other;
  privacy::Event events;
  privacy::Guarantee guarantee;
};

/// A lower bound of epsilon. Cuts are quantiles of the first tenth of the runs; exact binomial
/// bounds of the rest at each, both tails and orders: together they fail once in 10^9 audits.
double audited_epsilon(const Pair& pair, const Release& release, std::size_t runs) {
  base::ThreadPool pool(1);
  const auto draw = [&](const data::Dataset& dataset, std::uint64_t first) {
    std::vector<double> found;
    found.reserve(runs);
    for (std::uint64_t run = 0; run < runs; ++run) {
      random::SeededSource source(first + run);
      privacy::TrustingBudget budget(pair.guarantee.adjacency);
      auto reservation = budget.reserve(pair.events, pair.guarantee);
      found.push_back(release(dataset, {source, reservation, pool}));
    }
    return found;
  };
  const auto one = draw(pair.one, 1);
  const auto other = draw(pair.other, 1 + runs);
  const std::size_t pilot = runs / 10;
  const auto trials = static_cast<std::int64_t>(runs - pilot);
  std::vector<double> cuts;
  for (const auto* found : {&one, &other}) {
    std::vector<double> sorted(found->begin(), found->begin() + static_cast<std::ptrdiff_t>(pilot));
    std::ranges::sort(sorted);
    for (double share = .5; share * static_cast<double>(pilot) > 4; share /= 1.5) {
      const auto place = static_cast<std::size_t>(share * static_cast<double>(pilot));
      cuts.push_back(sorted[place]);
      cuts.push_back(sorted[pilot - 1 - place]);
    }
  }
  const double alpha = 1e-9 / (8 * static_cast<double>(cuts.size()));
  const auto beyond = [&](const std::vector<double>& found, double cut, bool above) {
    return std::count_if(found.begin() + static_cast<std::ptrdiff_t>(pilot), found.end(),
                         [&](double w) { return (w > cut) == above; });
  };
  double best = 0;
  for (const double cut : cuts) {
    for (const bool above : {false, true}) {
      const auto a = beyond(one, cut, above);
      const auto b = beyond(other, cut, above);
      for (const auto& [often, seldom] : {std::pair{a, b}, std::pair{b, a}}) {
        best = std::max(best, audit::epsilon_refuted({often, trials}, {seldom, trials},
                                                     pair.guarantee.delta, alpha));
      }
    }
  }
  return best;
}

struct Runs {
  std::size_t honest;
  std::size_t faulty;
  double fault;  // what the noise is divided by
};

// Five records of one class and one of the other, which is removed or gets the label of the rest.
// In one dimension a changed label moves the gradient by half of what the proof has to allow for,
// and a removed record by all of it only where the prediction is far on the wrong side.
void audit_objective(double delta, privacy::Adjacency adjacency, const Runs& runs) {
  auto options = asked(delta, adjacency);
  options.set("method", "objective");
  options.set("l2", 1.0 / 6);  // Lambda = 1
  const auto plan = plan_objective(line(), objective_options(options));
  const Pair pair{
      records({1, 1, 1, 1, 1, 1}),
      adjacency == replace_one ? records({1, 1, 1, 1, 1, -1}) : records({1, 1, 1, 1, 1}),
      plan.events, plan.guarantee};
  const auto release_by = [](const ObjectivePlan& used) -> Release {
    return [used](const data::Dataset& dataset, const TrainingContext& context) {
      return release_objective(dataset, used, context).value()[0];
    };
  };
  EXPECT_LE(audited_epsilon(pair, release_by(plan), runs.honest), 1);

  auto faulty = plan;
  auto events = pair;
  faulty.linear_scale /= runs.fault;
  faulty.output_scale /= runs.fault;
  if (!plan.pure()) {
    auto event = *plan.events.as<privacy::ObjectivePerturbation>();
    event.sigma /= runs.fault;
    event.output_sigma /= runs.fault;
    faulty.events = event;
    events.events = event;
    events.guarantee.epsilon = std::numeric_limits<double>::infinity();
  }
  EXPECT_GT(audited_epsilon(events, release_by(faulty), runs.faulty), 1);
}

TEST(ObjectiveAudit, FrequenciesStayBelowTheClaimAndBetrayMissingNoise) {
  for (const auto adjacency : {add_remove, replace_one}) {
    for (const double delta : {0.0, 1e-5}) audit_objective(delta, adjacency, {600, 1500, 50});
  }
}

TEST(ObjectiveAuditLong, FrequenciesOfManyRunsStayBelowTheClaim) {
  for (const auto adjacency : {add_remove, replace_one}) {
    for (const double delta : {0.0, 1e-5})
      audit_objective(delta, adjacency, {100000, 50000, delta == 0 ? 8.0 : 16.0});
  }
}

// The same records; regularized so strongly that all lie on the straight part of the hinge, where
// a changed label moves the minimiser by all that the proof allows for.
void audit_regularized_output(double delta, privacy::Adjacency adjacency, const Runs& runs) {
  auto options = asked(delta, adjacency);
  options.set("method", "regularized-output");
  options.set("loss", model::Loss{model::SmoothedHingeLoss{.1}});
  options.set("l2", 20.0 / 6);
  const auto plan = plan_regularized_output(line(), regularized_options(options));
  const Pair pair{
      records({1, 1, 1, 1, 1, 1}),
      adjacency == replace_one ? records({1, 1, 1, 1, 1, -1}) : records({1, 1, 1, 1, 1}),
      plan.events, plan.guarantee};
  const auto release_by = [](const RegularizedOutputPlan& used) -> Release {
    return [used](const data::Dataset& dataset, const TrainingContext& context) {
      return train_regularized_output(dataset, line(), used, context).model.coefficients[0];
    };
  };
  const double honest = audited_epsilon(pair, release_by(plan), runs.honest);
  EXPECT_LE(honest, 1);
  if (plan.pure() && runs.honest > 10000) {
    EXPECT_GT(honest, .9);
  }

  auto faulty = plan;
  auto events = pair;
  if (plan.pure()) {
    faulty.guarantee.epsilon *= runs.fault;
    faulty.events = privacy::PureDp{faulty.guarantee.epsilon, adjacency};
  } else {
    faulty.noise_multiplier /= runs.fault;
    faulty.events = privacy::Gaussian{faulty.noise_multiplier};
    faulty.guarantee = accounting::account(faulty.events, adjacency, privacy::Delta(delta));
  }
  events.events = faulty.events;
  events.guarantee = faulty.guarantee;
  EXPECT_GT(audited_epsilon(events, release_by(faulty), runs.faulty), 1);
}

TEST(RegularizedOutputAudit, FrequenciesStayBelowTheClaimAndBetrayMissingNoise) {
  for (const auto adjacency : {add_remove, replace_one}) {
    for (const double delta : {0.0, 1e-5})
      audit_regularized_output(delta, adjacency, {600, 600, 12});
  }
}

TEST(RegularizedOutputAuditLong, FrequenciesOfManyRunsStayBelowTheClaim) {
  for (const auto adjacency : {add_remove, replace_one}) {
    for (const double delta : {0.0, 1e-5}) {
      audit_regularized_output(delta, adjacency, {200000, 20000, delta == 0 ? 2.0 : 4.0});
    }
  }
}

}  // namespace minimum_audit_test
}  // namespace tacet::learn
