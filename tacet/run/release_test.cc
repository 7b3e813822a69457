#include "tacet/run/release.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace release_test {

using privacy::Adjacency;

constexpr std::array kinds{Noise::gaussian, Noise::laplace, Noise::discrete_gaussian,
                           Noise::discrete_laplace};

privacy::BoundedSum counts(std::int64_t bins, std::int64_t records,
                           optimize::UnitLimit units = {}) {
  optimize::Histogram histogram(bins, std::move(units));
  const bool has_units = units.has_units();
  for (std::int64_t k = 0; k < records; ++k) {
    histogram.add(0, has_units ? std::optional(k) : std::nullopt);
  }
  return std::move(histogram).take();
}

double delta_for(Noise noise) {
  return noise == Noise::gaussian || noise == Noise::discrete_gaussian ? 1e-6 : 0;
}

// The receipt states what is proved of what was released, and hardly less than was asked for.
TEST(Release, KeepsWhatItsReceiptSays) {
  for (const auto noise : kinds) {
    for (const auto adjacency :
         {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
      SCOPED_TRACE(to_string(noise) + " " + privacy::to_string(adjacency));
      random::SeededSource source(1);
      accounting::MemoryBudget budget(adjacency);
      const privacy::Guarantee asked{0.8, delta_for(noise), adjacency};
      const auto released =
          release(counts(5, 1000), asked, {.noise = noise, .budget = &budget, .source = &source});
      const auto& receipt = released.receipt;
      EXPECT_LE(receipt.guarantee.epsilon, asked.epsilon);
      EXPECT_EQ(receipt.guarantee.delta, asked.delta);
      const auto proved =
          accounting::account(receipt.events, adjacency, privacy::Delta(asked.delta));
      EXPECT_LE(proved.epsilon, receipt.guarantee.epsilon);
      EXPECT_GE(proved.epsilon, 0.99 * asked.epsilon);
      EXPECT_EQ(budget.spent(), receipt.guarantee);
      EXPECT_FALSE(receipt.is_protected());  // a known seed
      EXPECT_NO_THROW(static_cast<void>(privacy::checked(receipt)));
      ASSERT_EQ(released.values.size(), 5);
      EXPECT_NEAR(released.values[0], 1000, 10 * released.noise_stddev);
    }
  }
}

// A record in one bin of many: Laplace noise of scale 1/epsilon, whatever the number of bins.
TEST(Release, TheNoiseOfAHistogramDoesNotGrowWithItsBins) {
  for (const auto noise : kinds) {
    random::SeededSource source(1);
    const privacy::Guarantee asked{1, delta_for(noise), Adjacency::add_remove};
    const auto few = release(counts(2, 0), asked, {.noise = noise, .source = &source});
    const auto many = release(counts(2000, 0), asked, {.noise = noise, .source = &source});
    if (noise != Noise::discrete_gaussian) {  // whose proof knows less in many dimensions
      EXPECT_NEAR(many.noise_stddev, few.noise_stddev, 1e-3 * few.noise_stddev);
    }
    if (delta_for(noise) == 0) {
      EXPECT_NEAR(few.noise_stddev, std::sqrt(2.0), 2e-3);
    }
    double squares = 0;
    for (const double v : many.values) squares += v * v;
    // 2000 draws: their mean square misses by a sixth with probability below 1e-4 (fixed seed).
    EXPECT_NEAR(squares / 2000 / (many.noise_stddev * many.noise_stddev), 1, 0.17)
        << to_string(noise);
    const bool whole = noise == Noise::discrete_gaussian || noise == Noise::discrete_laplace;
    if (whole) {
      for (const double v : many.values) ASSERT_EQ(v, std::round(v));
    }
  }
}

TEST(Release, AUnitOfSeveralRecordsHasTheNoiseOfAll) {
  const auto noise_for = [](std::int64_t records) {
    random::SeededSource source(1);
    return release(counts(3, 0, optimize::UnitLimit(records)), {1, 0, Adjacency::add_remove},
                   {.noise = Noise::laplace, .privacy_unit = "person", .source = &source});
  };
  EXPECT_NEAR(noise_for(4).noise_stddev, 4 * noise_for(1).noise_stddev, 1e-9);
  EXPECT_EQ(noise_for(4).receipt.privacy_unit, "person");
}

// One source serves any number of releases, each with noise of its own.
TEST(Release, ASourceIsSharedWithoutReusingNoise) {
  random::SeededSource source(1);
  const privacy::Guarantee asked{1, 0, Adjacency::add_remove};
  const ReleaseOptions options{.noise = Noise::laplace, .source = &source};
  const auto first = release(counts(8, 0), asked, options);
  const auto second = release(counts(8, 0), asked, options);
  EXPECT_NE(first.values, second.values);
  EXPECT_EQ(first.receipt.prg_slack, second.receipt.prg_slack);
  const auto secure = release(counts(8, 0), asked, {.noise = Noise::laplace});
  EXPECT_TRUE(secure.receipt.is_protected());  // of a source of its own
}

TEST(Release, WhatIsRefusedCostsNothing) {
  accounting::MemoryBudget budget(privacy::Guarantee{1, 1e-6, Adjacency::add_remove});
  const auto refused = [&](const privacy::Guarantee& asked, Noise noise, auto error) {
    using Error = decltype(error);
    EXPECT_THROW(
        static_cast<void>(release(counts(3, 9), asked, {.noise = noise, .budget = &budget})),
        Error);
    EXPECT_EQ(budget.spent().epsilon, 0);
  };
  const base::UsageError usage("");
  const base::GuaranteeError guarantee("");
  refused({0, 1e-6, Adjacency::add_remove}, Noise::gaussian, usage);
  refused({INFINITY, 1e-6, Adjacency::add_remove}, Noise::gaussian, usage);
  refused({1, 1e-6, Adjacency::replace_one}, Noise::gaussian, usage);  // not the budget's
  refused({1, 0, Adjacency::add_remove}, Noise::gaussian, guarantee);
  refused({1, 1e-60, Adjacency::add_remove}, Noise::gaussian, guarantee);
  refused({2, 1e-6, Adjacency::add_remove}, Noise::laplace,
          privacy::BudgetExceeded("", {}, {}, {}));
}

// Noise that the grid has no room for is found out before anything is booked.
TEST(Release, NoiseThatLeavesTheGridCostsNothing) {
  using optimize::MeanSum;
  using optimize::Norm;
  using optimize::UnitLimit;
  using optimize::VectorSum;
  accounting::MemoryBudget budget(privacy::Guarantee{1, 1e-6, Adjacency::add_remove});
  const auto refused = [&](privacy::BoundedSum sum, double epsilon, Noise noise) {
    const privacy::Guarantee asked{epsilon, 1e-6, Adjacency::add_remove};
    EXPECT_THROW(
        static_cast<void>(release(std::move(sum), asked, {.noise = noise, .budget = &budget})),
        base::UsageError);
    EXPECT_EQ(budget.spent().epsilon, 0);
  };
  refused(VectorSum(1, Norm::l2, 1).take(), 0.01, Noise::gaussian);
  refused(MeanSum(0, 1, Norm::l2, UnitLimit(20)).take(), 1, Noise::gaussian);
  refused(VectorSum(1, Norm::l2, 1, UnitLimit(4096)).take(), 1, Noise::gaussian);
  refused(VectorSum(3, Norm::l2, 1).take(), 1, Noise::discrete_gaussian);
  refused(VectorSum(1, Norm::l1, 1, UnitLimit(4096)).take(), 0.01, Noise::laplace);
  const privacy::Guarantee asked{1, 1e-6, Adjacency::add_remove};
  const auto coarse =
      release(MeanSum(0, 1, Norm::l2, UnitLimit(20), 12).take(), asked, {.budget = &budget});
  EXPECT_EQ(budget.spent(), coarse.receipt.guarantee);
}

// What is released of a secret sample is amplified together: not for one call.
TEST(Release, ASumOverASecretSampleIsRefused) {
  accounting::MemoryBudget budget(Adjacency::add_remove);
  auto sum =
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), {1}, 1.0, 1,
                                          privacy::Sample::poisson(privacy::SamplingRate(0.5)));
  EXPECT_THROW(static_cast<void>(
                   release(std::move(sum), {1, 1e-6, Adjacency::add_remove}, {.budget = &budget})),
               base::UsageError);
  EXPECT_EQ(budget.spent().epsilon, 0);
}

/// Releases counts for `unit` from the account of a ledger; what is booked of it.
double booked_of(ledger::RunDetails details, const ReleaseOptions& given) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "a.ledger";
  ledger::Ledger::create(path);
  ledger::Ledger book(path);
  book.enrol({.data_set = "visits",
              .adjacency = Adjacency::add_remove,
              .privacy_unit = "person",
              .cap = {.currency = ledger::Currency::pure, .value = 2},
              .fingerprints = {},
              .file = {}});
  details.data_set = "visits";
  details.command = "test";
  ledger::LedgerBudget budget(book, details);
  auto options = given;
  options.noise = Noise::laplace;
  options.budget = &budget;
  const privacy::Guarantee asked{1, 0, Adjacency::add_remove};
  try {
    const auto released = release(counts(3, 9), asked, options);
    budget.release("counts", "counts", released.receipt.prg_slack);
  } catch (const base::UsageError&) {
    EXPECT_TRUE(book.books().account("visits").runs.empty());
  }
  return book.books().account("visits").counted().total().value;
}

// An account of persons does not pay for the protection of single records, whatever it is told.
TEST(Release, ALedgerPaysOnlyForItsUnit) {
  EXPECT_EQ(booked_of({.privacy_unit = "person"}, {}), 0);
  EXPECT_EQ(booked_of({.privacy_unit = "record"}, {.privacy_unit = "person"}), 0);
  EXPECT_NEAR(booked_of({.privacy_unit = "person"}, {.privacy_unit = "person"}), 1, 1e-3);
}

// Seeded noise protects nobody, so that no ledger keeps it as if it did.
TEST(Release, SeededNoiseIsNoProtectionInALedger) {
  random::SeededSource source(1);
  const ReleaseOptions seeded{.privacy_unit = "person", .source = &source};
  EXPECT_EQ(booked_of({.privacy_unit = "person"}, seeded), 0);
  const double booked = booked_of({.privacy_unit = "person",
                                   .override_reason = "a test",
                                   .unprotected_reason = "a seed",
                                   .for_ever = true},
                                  seeded);
  EXPECT_EQ(booked, INFINITY);
}

}  // namespace release_test
}  // namespace tacet::run
