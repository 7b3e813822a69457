#include "tacet/accounting/shapes/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace grouping_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;

TEST(Coarsened, FewDifferentPartsStayAsTheyAre) {
  Composed few;
  for (int i = 0; i < 500; ++i) few.parts.emplace_back(Laplace{1.0 + i % 20});
  EXPECT_FALSE(internal::coarsened(few));
  EXPECT_FALSE(internal::coarsened(Repeated{1000, Laplace{3}}));
  Partitioned blocks{Assignment::by_record, {}};
  for (int i = 0; i < 20; ++i) blocks.parts.emplace_back(Repeated{5, Laplace{1.0 + i}});
  EXPECT_FALSE(internal::coarsened(blocks));
}

TEST(Coarsened, EveryPartCountsAsMuchAsTheLargestOfItsGroup) {
  // Pure epsilons: the sum of the groups is never below the sum of the parts, and near it where
  // the parts are near each other.
  for (const double spread : {1e-4, .1, 3.0}) {
    Composed many;
    Partitioned blocks{Assignment::by_record, {}};
    for (int i = 0; i < 400; ++i) {
      const double noise = std::exp(spread * std::sin(i));
      many.parts.emplace_back(Repeated{1 + i % 3, Laplace{noise}});
      many.parts.emplace_back(PoissonSampled{.1 * std::exp(-spread * (1 + std::cos(i))),
                                             PureDp{1 / noise, add_remove}});
      blocks.parts.emplace_back(Repeated{1 + i % 3, Laplace{noise}});
    }
    const auto coarse = internal::coarsened(many);
    ASSERT_TRUE(coarse);
    EXPECT_LE(coarse->as<Composed>()->parts.size(), internal::max_different_parts);
    const double before = internal::pure_epsilon(many, add_remove);
    const double after = internal::pure_epsilon(*coarse, add_remove);
    EXPECT_GE(after, before * (1 - 1e-12)) << spread;
    EXPECT_LE(after, before * std::exp(3 * spread + .02)) << spread;
    // Of blocks with several releases each nothing is lost.
    if (const auto fewer = internal::coarsened(blocks)) {
      EXPECT_GE(internal::pure_epsilon(*fewer, add_remove),
                internal::pure_epsilon(blocks, add_remove));
    }
  }
}

TEST(Coarsened, ShapesAreKeptApart) {
  Composed many;
  for (int i = 0; i < 40; ++i) {
    const double x = 1 + .01 * i;
    many.parts.emplace_back(Laplace{x});
    many.parts.emplace_back(FixedSizeSampled{10 + i, 1000, Gaussian{x}});
    many.parts.emplace_back(FixedSizeSampled{10, 1000, Laplace{x}});
    many.parts.emplace_back(ApproximateDp{.1 * x, 1e-9 / x, replace_one});
    many.parts.emplace_back(BoundedRange{.1 * x, replace_one});
    many.parts.emplace_back(Zcdp{.1 * x, replace_one});
  }
  const auto coarse = internal::coarsened(many, 6);
  ASSERT_TRUE(coarse);
  Composed expected;
  const auto have = coarse->as<Composed>()->parts;
  ASSERT_EQ(have.size(), 6U);
  const auto holds = [&](const Event& event) {
    for (const auto& part : have) {
      if (part == Event(Repeated{40, event})) return true;
    }
    return false;
  };
  EXPECT_TRUE(holds(Laplace{1}));
  EXPECT_TRUE(holds(FixedSizeSampled{49, 1000, Gaussian{1}}));
  EXPECT_TRUE(holds(FixedSizeSampled{10, 1000, Laplace{1}}));
  EXPECT_TRUE(holds(ApproximateDp{.1 * (1 + .01 * 39), 1e-9, replace_one}));
  EXPECT_TRUE(holds(BoundedRange{.1 * (1 + .01 * 39), replace_one}));
  EXPECT_TRUE(holds(Zcdp{.1 * (1 + .01 * 39), replace_one}));
}

// A unit with more records in a sample costs more, whatever else is alike.
TEST(Coarsened, SamplesOfSmallAndLargeUnitsAreKeptApart) {
  Composed many;
  for (int i = 0; i < 40; ++i) {
    many.parts.emplace_back(PoissonSampled{.01, Gaussian{1 + .01 * i}, 9});
    many.parts.emplace_back(PoissonSampled{.01, Gaussian{1 + .01 * i}, 1});
  }
  const auto coarse = internal::coarsened(many, 2);
  ASSERT_TRUE(coarse);
  const auto have = coarse->as<Composed>()->parts;
  ASSERT_EQ(have.size(), 2U);
  for (const std::int64_t records : {1, 9}) {
    const Event expected = Repeated{40, PoissonSampled{.01, Gaussian{1}, records}};
    EXPECT_EQ(std::count(have.begin(), have.end(), expected), 1) << records;
  }
}

double seconds(const Event& event, Adjacency adjacency, double delta, PrivacyInterval& out) {
  const auto start = std::chrono::steady_clock::now();
  out = epsilon_interval(event, adjacency, Delta(delta));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The limits are generous: without them these take minutes.
TEST(AccountingLong, EveryEventIsAccountedForWithinSeconds) {
  Composed sampled;
  Composed laplace;
  Composed profiles;
  for (int i = 0; i < 3000; ++i) {
    sampled.parts.emplace_back(
        PoissonSampled{1e-4 * (1 + i % 97 * .01), Gaussian{1 + i % 89 * .01}});
    laplace.parts.emplace_back(Laplace{50 + i * .01});
  }
  Event nested = Gaussian{20};
  for (int i = 0; i < 6; ++i) {
    nested =
        RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, 0, .5, 0, 0, 0, 0, nested};
  }
  for (const Event& event :
       {Event(sampled), Event(laplace), nested, Event(Composed{{nested, Laplace{3}}})}) {
    PrivacyInterval interval{};
    EXPECT_LT(seconds(event, add_remove, 1e-6, interval), 20);
    EXPECT_LT(interval.upper, 100);
    EXPECT_FALSE(interval.lower_is_attained);
  }
}

TEST(Accounting, LikePartsCostNextToNothingMore) {
  // Ninety nearly equal parts against ninety of the cheapest and ninety of the dearest.
  const auto all = [](double first, double step) {
    Composed parts;
    for (int i = 0; i < 90; ++i) {
      parts.parts.emplace_back(PoissonSampled{.01 * (1 + (first + step * i) * 1e-3), Gaussian{1}});
    }
    return epsilon_interval(parts, add_remove, Delta(1e-6)).upper;
  };
  const double between = all(0, 1);
  EXPECT_GE(between, all(0, 0));
  EXPECT_LE(between, all(90, 0) * 1.01);
}

TEST(Accounting, TuningInsideTuningKeepsABoundAtEveryDepth) {
  const auto nested = [](int levels, const Event& base, RepetitionLaw law) {
    Event event = base;
    for (int i = 0; i < levels; ++i) event = RandomlyRepeated{law, 0, .5, 2, 0, 0, 0, event};
    return event;
  };
  constexpr auto tnb = RepetitionLaw::truncated_negative_binomial;
  double last = 0;
  for (const int levels : {1, 2, 4, 6}) {
    const Event event = nested(levels, Gaussian{20}, tnb);
    const auto interval = epsilon_interval(event, add_remove, Delta(1e-6));
    EXPECT_GT(interval.upper, last) << levels;
    EXPECT_LT(delta_interval(event, add_remove, Epsilon(interval.upper)).upper, 1e-6 * 1.001);
    last = interval.upper;
  }
  const Event pure = nested(5, PureDp{.1, add_remove}, RepetitionLaw::poisson);
  EXPECT_LT(epsilon_interval(pure, add_remove, Delta(1e-6)).upper, 50);
  EXPECT_LT(delta_interval(pure, add_remove, Epsilon(0)).upper, 1);
  EXPECT_THROW(static_cast<void>(epsilon_interval(nested(5, Gaussian{20}, RepetitionLaw::poisson),
                                                  add_remove, Delta(1e-6))),
               base::GuaranteeError);
}

}  // namespace grouping_test
}  // namespace tacet::accounting

namespace tacet::accounting::internal {
namespace grouping_test {

constexpr auto add_remove = Adjacency::add_remove;

const std::vector<Event> parts{Gaussian{1},
                               Laplace{2},
                               DiscreteGaussian{4, 1, 1},
                               Zcdp{0.1, add_remove},
                               ShuffledLocal{1, 1000},
                               ObjectivePerturbation{4, 1, .25, 1, 0, 1},
                               PoissonSampled{0.1, Gaussian{1}},
                               FixedSizeSampled{1, 10, Gaussian{1}}};

TEST(EventWork, EveryEventIsWorkAndMoreOfThemMore) {
  for (const auto& part : parts) {
    EXPECT_GT(work_of_reading(part), 0) << event_to_json(part);
    EXPECT_GT(work_of_pair(part), 0) << event_to_json(part);
    double last = work_of_reading(part);
    for (std::size_t count = 2; count < 5; ++count) {
      Composed several;
      several.parts.assign(count, part);
      const double here = work_of_reading(several);
      EXPECT_GE(here, last + work_of_reading(part)) << event_to_json(part);
      last = here;
    }
    EXPECT_GT(work_of_reading(Repeated{1000000, part}), work_of_reading(part));
  }
}

// A limit of work is met before a search begins that nothing else counts.
TEST(EventWork, SearchesCountAsManyPlainParts) {
  const double plain = work_of_reading(Gaussian{1});
  EXPECT_GE(work_of_reading(ShuffledLocal{1, 1000}), 100 * plain);
  EXPECT_GE(work_of_reading(ObjectivePerturbation{4, 1, .25, 1, 0, 1}), 100 * plain);
  const auto tuned = [](std::int64_t cap) {
    return Event(RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, 0, 0.1, 0, 0, 0, cap,
                                  Gaussian{1}});
  };
  EXPECT_GE(work_of_reading(tuned(50)), 100 * work_of_reading(tuned(0)));
}

// Each mass of a sampled unit's law is a sum over the numbers of records that may join, of which
// the pair keeps a limited number apart.
TEST(EventWork, UnitsOfMoreRecordsAreMoreWorkUpToAPoint) {
  const auto of = [](std::int64_t records) {
    return work_of_pair(PoissonSampled{0.1, Gaussian{1}, records});
  };
  EXPECT_GT(of(10), of(1));
  EXPECT_GT(of(100), of(10));
  EXPECT_EQ(of(1000), of(100000));
}

}  // namespace grouping_test
}  // namespace tacet::accounting::internal
