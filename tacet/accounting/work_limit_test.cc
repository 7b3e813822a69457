#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/base/error.h"
#include "tacet/base/progress.h"

namespace tacet::accounting {
namespace work_limit_test {

constexpr auto add_remove = Adjacency::add_remove;

const Event training = Repeated{1000, PoissonSampled{.01, Gaussian{1.1}}};

RandomlyRepeated tuned(double gamma, const Event& run) {
  return {RepetitionLaw::truncated_negative_binomial, .5, gamma, 0, 0, 0, 0, run};
}

/// Minutes of work in a few kilobytes: each of many tunings is a search over accountings.
Event endless() {
  Composed all;
  for (int i = 0; i < 60; ++i) {
    all.parts.emplace_back(
        tuned(.01 + .01 * i, Repeated{1000 + i, PoissonSampled{.01 + 1e-4 * i, Gaussian{1.1}}}));
  }
  return all;
}

TEST(WorkMeter, CountsTheSameWorkForTheSameQuestion) {
  WorkMeter first(INFINITY);
  WorkMeter second(INFINITY);
  const auto metered = epsilon_interval(training, add_remove, Delta(1e-5), {.work = &first});
  (void)epsilon_interval(training, add_remove, Delta(1e-5), {.work = &second});
  EXPECT_GT(first.spent(), 0);
  EXPECT_EQ(first.spent(), second.spent());
  // The answer is that without a meter.
  EXPECT_EQ(metered.upper, epsilon_interval(training, add_remove, Delta(1e-5)).upper);
  // And far below what is allowed by default.
  EXPECT_LT(first.spent(), .1 * base::default_patience * base::units_of_a_second);
}

TEST(WorkMeter, RefusesWhatTakesTooLong) {
  WorkMeter second(.05);
  try {
    (void)epsilon_interval(endless(), add_remove, Delta(1e-5), {.work = &second});
    FAIL() << "an endless accounting ended with " << second.spent();
  } catch (const base::GuaranteeError& error) {
    EXPECT_NE(std::string(error.what()).find("`patience`"), std::string::npos) << error.what();
  }
  WorkMeter other(.05);
  EXPECT_THROW((void)delta_interval(endless(), add_remove, Epsilon(5), {.work = &other}),
               base::GuaranteeError);
  WorkMeter third(1e-3);
  EXPECT_THROW((void)min_noise(
                   [](double noise) {
                     return Event(PoissonSampled{.1, Laplace{noise}});
                   },
                   {Epsilon(1), Delta(1e-6), add_remove, &third}),
               base::GuaranteeError);
  // Parts that are read alone count too.
  Composed many;
  for (int i = 0; i < 3000; ++i) many.parts.emplace_back(PureDp{.001 + 1e-7 * i, add_remove});
  WorkMeter little(1e-3);
  EXPECT_THROW((void)epsilon_interval(many, add_remove, Delta(1e-5), {.work = &little}),
               base::GuaranteeError);
}

TEST(WorkMeter, HearsAnInterrupt) {
  base::CancelToken cancel;
  WorkMeter work(INFINITY, &cancel);
  (void)epsilon_interval(training, add_remove, Delta(1e-5), {.work = &work});
  cancel.cancel();
  EXPECT_THROW((void)epsilon_interval(training, add_remove, Delta(1e-5), {.work = &work}),
               base::Interrupted);
}

TEST(WorkMeter, NeedsTime) {
  for (const double seconds : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW(WorkMeter{seconds}, base::UsageError);
  }
}

}  // namespace work_limit_test
}  // namespace tacet::accounting
