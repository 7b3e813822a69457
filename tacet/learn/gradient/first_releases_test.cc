#include "tacet/learn/gradient/first_releases.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient_noise.h"
#include "tests/support/mixed_records.h"
#include "tests/support/wide_records.h"

namespace tacet::learn {
namespace first_releases_test {

using test::mixed_schema;

ParameterValues options_of(Standardise standardise) {
  return {{"epsilon", 1},
          {"delta", 1e-5},
          {"adjacency", "add_remove"},
          {"public-row-count", 20000},
          {"standardise", standardise_names.of(standardise)}};
}

TEST(FirstReleases, AreRefusedWhereTheyHaveNoMeaning) {
  const auto refused = [](const std::string& head, ParameterValues options) {
    auto schema = mixed_schema();
    if (head == "unit") schema.unit = "u";
    if (head == "none") schema.columns = {schema.columns[1]};
    EXPECT_THROW((void)resolve_standardise(schema, gradient_options(options), 20000),
                 base::UsageError)
        << head;
    options.set("standardise", "auto");
    EXPECT_FALSE(resolve_standardise(schema, gradient_options(options), 20000)) << head;
  };
  const auto options = options_of(Standardise::demanded);
  auto many = options;
  many.set("max-records-per-unit", 1025);
  refused("unit", many);
  refused("none", options);
  auto samples = options;
  samples.set("batch-size", 10);
  refused("samples", samples);
  EXPECT_TRUE(resolve_standardise(mixed_schema(),
                                  gradient_options(options_of(Standardise::automatic)), 20000));
  EXPECT_FALSE(resolve_standardise(mixed_schema(),
                                   gradient_options(options_of(Standardise::automatic)), 1999));
  EXPECT_FALSE(
      resolve_standardise(mixed_schema(), gradient_options(options_of(Standardise::none)), 20000));
}

FirstChoice choice_of(const data::Schema& schema, const ParameterValues& asked) {
  const auto options = gradient_options(asked);
  return choose_first_releases(plan_gradient(schema, options), schema, options, 5);
}

// mu^2 of a release is 1 over its squared noise: shares and the rest for the steps are the whole.
TEST(FirstReleases, LeaveTheRestOfTheBudgetToTheSteps) {
  auto selecting = options_of(Standardise::none);
  selecting.set("feature-selection", 0.3);
  for (const auto& choice : {choice_of(mixed_schema(), options_of(Standardise::demanded)),
                             choice_of(mixed_schema(), options_of(Standardise::none)),
                             choice_of(test::wide_schema(20000), selecting)}) {
    const auto& shares = choice.shares;
    const double steps = 1 / (shares.beside(1) * shares.beside(1));
    EXPECT_NEAR(shares.first() + shares.whitening + steps, 1, 1e-12);
    EXPECT_EQ(shares.prg_slack > 0, shares.first() > 0);
    EXPECT_EQ(choice.reasons.empty(), shares.first() == 0);
  }
}

// One release on all records is what the steps are chosen by; on samples as many steps have more
// noise in the mean gradient than on all records.
TEST(FirstReleases, TheBudgetAllowsMoreNoiseOnSamples) {
  const accounting::CalibrationTarget target{privacy::Epsilon(1), privacy::Delta(1e-5),
                                             privacy::Adjacency::add_remove};
  const auto all = noise_of_budget({}, 50, target);
  EXPECT_EQ(all.on_samples, 1);
  EXPECT_NEAR(batch_noise({}, 16, target), 4 * all.one_release, 1e-9);
  const Batches samples{.sampling = BatchSampling::poisson, .rate = 0.1, .row_count = 1000};
  const auto of_samples = noise_of_budget(samples, 50, target);
  EXPECT_EQ(of_samples.one_release, all.one_release);
  EXPECT_GT(of_samples.on_samples, 1);
}

}  // namespace first_releases_test
}  // namespace tacet::learn
