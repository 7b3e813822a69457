#include "tacet/learn/output_perturbation/phased.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace phased_test {

constexpr auto replace_one = privacy::Adjacency::replace_one;

// Reference values at R = G = 1, replace_one, a smoothed loss.
TEST(Phased, ChoiceEqualsReferenceValues) {
  struct Row {
    std::int64_t records;
    std::int64_t dimension;
    double epsilon;
    double delta;
    std::int64_t phases;
    double step;
    double excess;
    double excess_of_one;
  };
  for (const auto& row :
       {Row{2000, 10, 1, 1e-6, 1, 0.0231069356, 0.08655409938, 0.08655409938},
        Row{20000, 10, 1, 1e-6, 5, 0.02277033642, 0.01756671455, 0.02737080949},
        Row{100000, 10, 1, 1e-6, 7, 0.01198908498, 0.006672736085, 0.01224059812},
        Row{100000, 10, 4, 1e-6, 9, 0.01259201734, 0.006353231403, 0.007286398435},
        Row{1000000, 50, 1, 1e-8, 8, 0.003844114068, 0.002081103697, 0.004216376471}}) {
    const double ratio =
        1 / accounting::gaussian::mu_for(privacy::Epsilon(row.epsilon), privacy::Delta(row.delta));
    const PhaseFacts facts{.records = row.records,
                           .dimension = row.dimension,
                           .scale = 1,
                           .lipschitz = 1,
                           .share = 0.75,
                           .ratio = ratio,
                           .distance = 2};
    const auto choice = best_phases(facts);
    EXPECT_EQ(choice.phases, row.phases);
    EXPECT_NEAR(choice.predicted_excess / row.excess, 1, 1e-8);
    EXPECT_NEAR(best_step(facts, 1).predicted_excess / row.excess_of_one, 1, 1e-8);
    EXPECT_NEAR(choice.step_size / row.step, 1, 1e-8) << row.records;
  }
}

TEST(Phased, PhasesVisitEveryRecordOnce) {
  for (const std::int64_t n : {1, 7, 100, 32561}) {
    for (std::int64_t k = 1; k <= 5 && (n >> k) > 0; ++k) {
      const auto phases = cut_into_phases(n, k, 1);
      std::int64_t next = 0;
      double step = 1;
      for (const auto& phase : phases) {
        EXPECT_EQ(phase.first, next);
        EXPECT_GT(phase.count, 0);
        next += phase.count;
        EXPECT_EQ(phase.step_size, step /= 4);
      }
      EXPECT_EQ(next, n);
    }
  }
}

using Setting = test::LabelledRecords;
using test::berkeley;

TEST(Phased, CostsWhatOnePhaseCosts) {
  const auto setting = berkeley();
  privacy::TrustingBudget budget({2, 1e-3, replace_one});
  base::ThreadPool pool(2);
  double spent = 0;
  for (int run = 0; run < 2; ++run) {
    const auto plan = plan_phased(setting.schema, phased_options({{"method", "phased"},
                                                                  {"epsilon", 1},
                                                                  {"delta", 1e-5},
                                                                  {"adjacency", replace_one},
                                                                  {"phases", 3}}));
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GE(plan.guarantee.epsilon, 1 - 1e-9);
    const double mu = 2 / plan.noise_multiplier;
    EXPECT_NEAR(accounting::gaussian::delta(mu, 1), 1e-5, 1e-13);
    random::SeededSource source(static_cast<std::uint64_t>(run));
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    const auto trained =
        train_phased(setting.train, setting.schema, plan, {source, reservation, pool});
    EXPECT_EQ(trained.receipt.events, plan.events);
    EXPECT_EQ(trained.receipt.guarantee, plan.guarantee);
    EXPECT_GT(budget.spent().epsilon, spent);  // the same data again cost again
    spent = budget.spent().epsilon;
    for (const double w : trained.model.coefficients) EXPECT_TRUE(std::isfinite(w));
  }
}

TEST(Phased, RefusesWhatHasNoProof) {
  const auto schema = berkeley().schema;
  EXPECT_THROW(
      (void)plan_phased(schema, phased_options({{"method", "phased"},
                                                {"epsilon", 1},
                                                {"adjacency", privacy::Adjacency::add_remove}})),
      base::GuaranteeError);
  EXPECT_THROW((void)plan_phased(schema, phased_options({{"method", "phased"},
                                                         {"epsilon", 1},
                                                         {"adjacency", replace_one},
                                                         {"phases", 13}})),
               base::UsageError);
}

TEST(Phased, EveryLossTrainsInEveryDomain) {
  const auto setting = berkeley();
  base::ThreadPool pool(2);
  for (const auto& name : model::loss_names()) {
    const auto loss = model::make_loss(name);
    // Of one output: softmax is for several classes.
    if (!model::properties(loss).classification || name == "softmax") continue;
    for (const std::optional<double> radius : {std::optional<double>{}, std::optional{2.0}}) {
      ParameterValues options{{"method", "phased"},
                              {"epsilon", 1},
                              {"delta", 1e-5},
                              {"adjacency", privacy::Adjacency::zero_out},
                              {"loss", loss}};
      if (radius) options.set("radius", *radius);
      const auto training = plan_training(setting.schema, options);
      random::SeededSource source(1);
      privacy::TrustingBudget budget(privacy::Adjacency::zero_out);
      auto reservation = budget.reserve(training.events, training.guarantee);
      const auto trained = training.run(setting.train, setting.schema, {source, reservation, pool});
      EXPECT_LE(trained.receipt.guarantee.epsilon, 1) << name;
    }
  }
}

}  // namespace phased_test
}  // namespace tacet::learn
