#include "tacet/accounting/shapes/event_work.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacet::accounting::internal {
namespace event_work_test {

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

}  // namespace event_work_test
}  // namespace tacet::accounting::internal
