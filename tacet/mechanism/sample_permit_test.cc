#include "tacet/mechanism/sample_permit.h"

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace sample_permit_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Event;
using privacy::Gaussian;
using privacy::NoiseMultiplier;
using privacy::PoissonSampled;
using privacy::Sample;
using privacy::SparseBoundedSum;

constexpr double rate = 0.02;

Sample poisson() { return Sample::poisson(privacy::SamplingRate(rate)); }

BoundedSum dense(const Sample& sample) {
  return BoundedSum::from_certified(privacy::Certifier::clipped(), {3, -1}, 1.0, 16, sample);
}

SparseBoundedSum sparse(const Sample& sample) {
  return SparseBoundedSum::from_certified(privacy::Certifier::clipped(), 100, {{7, 16}}, 16,
                                          sample);
}

privacy::PartialSum selected(const Sample& sample) {
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), {3}, 1.0, 16), sample);
}

Event together(double a, double b) {
  return PoissonSampled{rate, privacy::Composed{{Gaussian{a}, Gaussian{b}}}};
}

/// Noise for a few steps, and a reservation of everything that the tests debit.
struct Steps {
  explicit Steps(const Event& planned, Adjacency adjacency = Adjacency::add_remove)
      : budget(adjacency), reservation(budget.reserve(planned, {1, 0, adjacency})) {}

  void noised(const Sample& sample, double multiplier = 1) {
    (void)release_gaussian(dense(sample), NoiseMultiplier(multiplier),
                           {{.step = step++}, source, reservation});
  }
  void noised(const Sample& sample, SamplePermit& permit, double multiplier = 1) {
    const auto released = release_gaussian(dense(sample), NoiseMultiplier(multiplier),
                                           {{.step = step++}, source, permit});
    EXPECT_EQ(released.event(), permit.event());
  }
  void crossed(const Sample& sample) {
    (void)release_crossings(sparse(sample), NoiseMultiplier(1), 40,
                            {{.step = step++}, source, reservation});
  }
  void crossed(const Sample& sample, SamplePermit& permit) {
    const auto released = release_crossings(sparse(sample), NoiseMultiplier(1), 40,
                                            {{.step = step++}, source, permit});
    EXPECT_EQ(released.event(), permit.event());
  }
  void drawn(const Sample& sample) {
    (void)release_gaussian_of_sample(selected(sample), NoiseMultiplier(1),
                                     {{.step = step++}, source, reservation});
  }

  random::SeededSource source{1};
  privacy::TrustingBudget budget;
  privacy::Reservation reservation;
  std::uint64_t step = 0;
};

Event ten_of(const Event& event) { return privacy::Repeated{10, event}; }

// The literal values are those of the exact pair: one Gaussian of multiplier 2^-1/2 a sample.
TEST(SamplePermit, BooksWhatTwoReleasesFromOneSampleCost) {
  const privacy::Delta delta(1e-5);
  const auto epsilon = [&](const Event& step, std::int64_t count) {
    return accounting::account(privacy::Repeated{count, step}, Adjacency::add_remove, delta)
        .epsilon;
  };
  EXPECT_NEAR(epsilon(SamplePermit::event(poisson(), {Gaussian{1}, Gaussian{1}}), 1000), 8.8365,
              1e-3);
  // What two debits of their own would have stated.
  EXPECT_NEAR(epsilon(PoissonSampled{rate, Gaussian{1}}, 2000), 5.617, 1e-3);
}

TEST(SamplePermit, HandsOutItsPartsInAnyOrder) {
  Steps steps(ten_of(together(1, 2)));
  for (int i = 0; i < 2; ++i) {
    const auto sample = poisson();
    SamplePermit permit(sample, {Gaussian{1}, Gaussian{2}}, steps.reservation);
    EXPECT_EQ(permit.event(), together(1, 2));
    if (i == 0) steps.crossed(sample, permit);
    steps.noised(sample, permit, 2);
    if (i == 1) steps.crossed(sample, permit);
    EXPECT_THROW(steps.noised(sample, permit, 2), base::BudgetError);
    EXPECT_THROW(steps.crossed(sample, permit), base::BudgetError);
  }
  EXPECT_EQ(steps.reservation.spent(), Event(privacy::Repeated{2, together(1, 2)}));
}

static_assert(!std::is_copy_constructible_v<SamplePermit>);
static_assert(!std::is_copy_assignable_v<SamplePermit>);

TEST(SamplePermit, WhatItWasMovedFromGivesNothing) {
  Steps steps(ten_of(together(1, 1)));
  const auto sample = poisson();
  SamplePermit first(sample, {Gaussian{1}, Gaussian{1}}, steps.reservation);
  SamplePermit second = std::move(first);
  steps.noised(sample, second);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is what is tested.
  EXPECT_THROW(steps.noised(sample, first), base::BudgetError);
  steps.noised(sample, second);
  EXPECT_THROW(steps.noised(sample, second), base::BudgetError);
}

TEST(SamplePermit, EndsWithItsReservation) {
  Steps steps(ten_of(together(1, 1)));
  const auto sample = poisson();
  SamplePermit permit(sample, {Gaussian{1}, Gaussian{1}}, steps.reservation);
  privacy::Reservation kept = std::move(steps.reservation);
  steps.noised(sample, permit);
  kept.commit();
  EXPECT_THROW(steps.noised(sample, permit), base::BudgetError);

  const auto another = poisson();
  auto unended = std::make_unique<Steps>(ten_of(together(1, 1)));
  SamplePermit left(another, {Gaussian{1}, Gaussian{1}}, unended->reservation);
  unended.reset();
  EXPECT_THROW(steps.noised(another, left), base::BudgetError);
}

TEST(SamplePermit, OnePartIsTheReleaseItself) {
  const Event event = PoissonSampled{rate, Gaussian{1}};
  Steps steps(event);
  const auto sample = poisson();
  SamplePermit permit(sample, {Gaussian{1}}, steps.reservation);
  steps.noised(sample, permit);
  EXPECT_EQ(steps.reservation.spent(), event);
}

TEST(SamplePermit, AllRecordsComposePlainly) {
  Steps steps(privacy::Composed{{Gaussian{1}, Gaussian{2}}});
  SamplePermit permit(Sample::all(), {Gaussian{1}, Gaussian{2}}, steps.reservation);
  steps.noised(Sample::all(), permit);
  steps.noised(Sample::all(), permit, 2);
  EXPECT_EQ(steps.reservation.spent(), Event(privacy::Composed{{Gaussian{1}, Gaussian{2}}}));
}

TEST(SamplePermit, CoversItsOwnSampleOnly) {
  Steps steps(ten_of(together(1, 1)));
  const auto sample = poisson();
  SamplePermit permit(sample, {Gaussian{1}, Gaussian{1}}, steps.reservation);
  EXPECT_THROW(steps.noised(poisson(), permit), base::InternalError);
  EXPECT_THROW(steps.noised(Sample::all(), permit), base::InternalError);
  steps.noised(sample, permit);
}

TEST(SamplePermit, IsNotGivenForWhatWasNotReserved) {
  Steps steps(together(1, 2));
  EXPECT_THROW(SamplePermit(poisson(), {Gaussian{1}, Gaussian{1}}, steps.reservation),
               base::BudgetError);
  EXPECT_THROW(SamplePermit(poisson(), {Gaussian{1}}, steps.reservation), base::BudgetError);
}

TEST(SamplePermit, ASecondDebitFromOneSampleIsRefused) {
  Steps steps(ten_of(privacy::Composed{{PoissonSampled{rate, Gaussian{1}}, together(1, 1)}}));
  const auto sample = poisson();
  steps.noised(sample);
  EXPECT_THROW(steps.noised(sample), base::InternalError);
  EXPECT_THROW(steps.crossed(sample), base::InternalError);
  EXPECT_THROW(SamplePermit(sample, {Gaussian{1}, Gaussian{1}}, steps.reservation),
               base::InternalError);
  Steps others(ten_of(PoissonSampled{rate, Gaussian{1}}));
  EXPECT_THROW(others.noised(sample), base::InternalError);  // nor from another reservation

  const auto crossed = poisson();
  steps.crossed(crossed);
  EXPECT_THROW(steps.noised(crossed), base::InternalError);

  const auto permitted = poisson();
  const SamplePermit permit(permitted, {Gaussian{1}, Gaussian{1}}, steps.reservation);
  EXPECT_THROW(steps.noised(permitted), base::InternalError);

  for (int i = 0; i < 3; ++i) steps.noised(poisson());  // other samples are their own
  EXPECT_NO_THROW(steps.noised(poisson()));
}

TEST(SamplePermit, ASecondDebitFromOneFixedSizeSampleIsRefused) {
  const Event once = privacy::FixedSizeSampled{3, 30, Gaussian{1}};
  const Event twice =
      privacy::FixedSizeSampled{3, 30, privacy::Composed{{Gaussian{1}, Gaussian{1}}}};
  Steps steps(ten_of(privacy::Composed{{once, twice}}), Adjacency::replace_one);
  const auto sample = Sample::fixed_size({3, 30});
  steps.drawn(sample);
  EXPECT_THROW(steps.drawn(sample), base::InternalError);
  const auto both = Sample::fixed_size({3, 30});
  SamplePermit permit(both, {Gaussian{1}, Gaussian{1}}, steps.reservation);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const auto released = release_gaussian_of_sample(selected(both), NoiseMultiplier(1),
                                                     {{.step = 90 + i}, steps.source, permit});
    EXPECT_EQ(released.event(), twice);
  }
  EXPECT_THROW(steps.drawn(both), base::InternalError);
}

// Laplace noise on a sample is booked without its secrecy; what goes with it may count on that.
TEST(SamplePermit, NoiseThatIsBookedWithoutTheSampleClaimsIt) {
  Steps steps(ten_of(
      privacy::Composed{{PoissonSampled{rate, Gaussian{1}}, privacy::Event(privacy::Laplace{2})}}));
  const auto sample = poisson();
  (void)release_laplace(dense(sample), NoiseMultiplier(2),
                        {{.step = 50}, steps.source, steps.reservation});
  EXPECT_THROW(steps.noised(sample), base::InternalError);
}

TEST(Sample, RowsAreDrawnAsTheEventSays) {
  random::SeededSource drawn(3);
  random::SeededSource again(3);
  const auto claim = [](random::Source& source, std::uint64_t step) {
    return source.claim(random::Purpose::sampling, step, 0);
  };
  const auto q = random::PoissonRate::at_least(0.3);
  const auto sample = privacy::DrawnSample::poisson(claim(drawn, 0), q, 5000);
  const auto rows = random::poisson_sample(claim(again, 0), q, 5000);
  EXPECT_TRUE(std::equal(sample.rows().begin(), sample.rows().end(), rows.begin(), rows.end()));
  EXPECT_EQ(sample.sample().event(Gaussian{1}), Event(PoissonSampled{q.value(), Gaussian{1}}));
  EXPECT_EQ(sample.population(), 5000);

  const auto fixed = privacy::DrawnSample::fixed_size(claim(drawn, 1), {40, 5000});
  const auto subset = random::uniform_subset(claim(again, 1), 40, 5000);
  EXPECT_TRUE(std::equal(fixed.rows().begin(), fixed.rows().end(), subset.begin(), subset.end()));
  EXPECT_EQ(fixed.sample().event(Gaussian{1}),
            Event(privacy::FixedSizeSampled{40, 5000, Gaussian{1}}));
  EXPECT_FALSE(fixed.sample() == sample.sample());
  const Sample copy = fixed.sample();
  EXPECT_TRUE(copy == fixed.sample());

  const auto whole =
      privacy::DrawnSample::poisson(claim(drawn, 2), random::PoissonRate::at_least(1), 10);
  EXPECT_TRUE(whole.sample().is_all());
  EXPECT_THROW((void)Sample::fixed_size({4, 3}), base::UsageError);
}

}  // namespace sample_permit_test
}  // namespace tacet::mechanism
