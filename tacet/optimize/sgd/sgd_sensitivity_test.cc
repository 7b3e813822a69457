#include "tacet/optimize/sgd/sgd_sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::optimize {
namespace sgd_sensitivity_test {

using numeric::infinity;

SgdSchedule schedule_of(std::int64_t records, std::vector<std::uint32_t> order, double step,
                        double l2 = 0, std::int64_t batch = 1) {
  return {.records = records,
          .batch = batch,
          .order = std::move(order),
          .step_sizes = {step},
          .mean_l2 = l2};
}

IterateWeights mean_of(const SgdSchedule& schedule, Averaging kind, std::int64_t suffix = 1,
                       std::int64_t power = 3) {
  return {.kind = kind, .steps = schedule.steps(), .suffix = suffix, .power = power};
}

StepLaw law_of(double growth, double distance) {
  return {.growth = {growth}, .distance = {distance}, .diameter = infinity};
}

// The definition, for every record.
double by_definition(const SgdSchedule& schedule, const IterateWeights& weights,
                     const StepLaw& law) {
  double largest = 0;
  for (std::int64_t j = 0; j < schedule.records; ++j) {
    largest = std::max(largest, record_sensitivity(schedule, weights, law, j));
  }
  return largest;
}

std::vector<std::uint32_t> quadratic_order(std::int64_t steps, std::int64_t records) {
  std::vector<std::uint32_t> order;
  for (std::int64_t t = 1; t <= steps; ++t) {
    order.push_back(static_cast<std::uint32_t>((t * t + 3 * t) % records));
  }
  return order;
}

constexpr double growth_of_power = 0.00433012701892;  // of max(0, 1 - yu)^1.5 at step 0.1

// Reference values: an independent implementation of the recursion in NumPy.
TEST(SgdSensitivity, EqualsReferenceValuesForEveryMean) {
  struct Row {
    Averaging kind;
    std::int64_t suffix;
    std::int64_t power;
    double l2;
    double values[3];  // growth 0, 0.1, that of the power
    std::int64_t record;
  };
  const Row rows[] = {
      {Averaging::uniform, 1, 3, 0, {0.66, 0.727862666235, 0.660139347845}, 4},
      {Averaging::uniform, 1, 3, 0.5, {0.469970983731, 0.525933490304, 0.47008792947}, 4},
      {Averaging::last, 1, 3, 0, {1.2, 1.31443396386, 1.20023588933}, 4},
      {Averaging::last, 1, 3, 0.5, {0.823997465834, 0.892512133664, 0.824139813098}, 5},
      {Averaging::suffix, 10, 3, 0, {0.96, 1.05577702839, 0.960197459667}, 4},
      {Averaging::suffix, 10, 3, 0.5, {0.644869857384, 0.719602994756, 0.645027015555}, 4},
      {Averaging::polynomial, 1, 1, 0, {0.846666666667, 0.932817378245, 0.846844004599}, 4},
      {Averaging::polynomial, 1, 1, 0.5, {0.577981936473, 0.646617179465, 0.578125908644}, 4},
  };
  for (const auto& row : rows) {
    const auto schedule = schedule_of(7, quadratic_order(20, 7), 0.1, row.l2);
    const auto weights = mean_of(schedule, row.kind, row.suffix, row.power);
    const double growths[] = {0, 0.1, growth_of_power};
    for (int i = 0; i < 3; ++i) {
      const auto found = sgd_sensitivity(schedule, weights, law_of(growths[i], 2));
      EXPECT_NEAR(found.value, row.values[i], 5e-12);  // twelve digits
      EXPECT_EQ(found.record, row.record);
      EXPECT_TRUE(found.exact);
      EXPECT_GE(found.bound, found.value);
      EXPECT_LE(found.bound, found.value * (1 + 2e-9));
    }
  }
}

TEST(SgdSensitivity, EqualsReferenceValuesForEveryRecord) {
  const auto schedule = schedule_of(7, quadratic_order(20, 7), 0.1);
  const auto weights = mean_of(schedule, Averaging::uniform);
  const double flat[] = {.46, 0, 0, .33, .66, .45, 0};
  const double grown[] = {.519596302, 0, 0, .43828456, .727862666, .487948741, 0};
  for (std::int64_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(record_sensitivity(schedule, weights, law_of(0, 2), j), flat[j], 1e-9);
    EXPECT_NEAR(record_sensitivity(schedule, weights, law_of(0.1, 2), j), grown[j], 1e-9);
  }
  auto decreasing = schedule;
  decreasing.step_sizes = decaying_steps(0.1, 0.5, 20);
  const auto found = sgd_sensitivity(decreasing, weights, law_of(0, 2));
  EXPECT_NEAR(found.value, 0.382384742474, 1e-12);
  EXPECT_EQ(found.record, 4);
}

TEST(SgdSensitivity, EqualsReferenceValuesForBatches) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 1; t <= 8; ++t) {
    order.push_back(2 * t % 6);
    order.push_back((2 * t + 3) % 6);
  }
  const auto schedule = schedule_of(6, order, 0.2, 0, 2);
  const auto weights = mean_of(schedule, Averaging::uniform);
  EXPECT_NEAR(sgd_sensitivity(schedule, weights, law_of(0, 2)).value, 0.3, 1e-12);
  EXPECT_NEAR(sgd_sensitivity(schedule, weights, law_of(0.2, 2)).value, 0.437901575112, 1e-12);
  const double flat[] = {.175, .225, .3};
  const double grown[] = {0.251194091, 0.331092861, 0.437901575};
  for (std::int64_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(record_sensitivity(schedule, weights, law_of(0, 2), j), flat[j % 3], 1e-9);
    EXPECT_NEAR(record_sensitivity(schedule, weights, law_of(0.2, 2), j), grown[j % 3], 1e-9);
  }
}

TEST(SgdSensitivity, EqualsReferenceValuesOnLongSchedules) {
  std::vector<std::uint32_t> order;
  for (std::int64_t t = 1; t <= 5000; ++t) {
    order.push_back(static_cast<std::uint32_t>(t * (t + 7) * (3 * t + 1) % 1000));
  }
  const auto schedule = schedule_of(1000, order, 0.01);
  const auto weights = mean_of(schedule, Averaging::uniform);
  const double power = std::sqrt(1.0 / 3) / 3 * std::pow(0.01 * 1.5, 2);
  struct Row {
    double growth;
    double value;
    double bound;
  };
  for (const auto& row : {Row{0, 1.67436, 1.67436}, Row{0.01, 1.87646805859, 1.87646807575},
                          Row{power, 1.67436520493, 1.67436521066}}) {
    const auto found = sgd_sensitivity(schedule, weights, law_of(row.growth, 2));
    EXPECT_NEAR(found.value, row.value, 1e-11);
    EXPECT_EQ(found.record, 32);
    EXPECT_TRUE(found.exact);
    if (row.growth == 0) continue;
    const auto upper =
        internal::sensitivity_bounds(schedule, weights, law_of(row.growth, 2), false);
    // The reference lost digits where growth is tiny, so its bounds are only from above.
    EXPECT_LE(*std::ranges::max_element(upper), row.bound + 1e-11);
    EXPECT_GE(*std::ranges::max_element(upper), found.value);
  }
}

TEST(SgdSensitivity, EqualsTheClosedFormForPasses) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < 5000; ++t) order.push_back(t % 1000);
  const double expected[] = {0.01998, 0.02998, 0, 0, 0.05998};
  for (const int passes : {1, 2, 5}) {
    const auto schedule = schedule_of(1000, {order.begin(), order.begin() + 1000 * passes}, 0.01);
    const auto weights = mean_of(schedule, Averaging::uniform);
    EXPECT_NEAR(sgd_sensitivity(schedule, weights, law_of(0, 2)).value, expected[passes - 1],
                1e-13);
    const auto last = mean_of(schedule, Averaging::last);
    EXPECT_NEAR(sgd_sensitivity(schedule, last, law_of(0, 2)).value, passes * 0.02, 1e-13);
  }
  const auto one = schedule_of(1000, {order.begin(), order.begin() + 1000}, 0.01);
  EXPECT_NEAR(sgd_sensitivity(one, mean_of(one, Averaging::uniform), law_of(0.01, 2)).value,
              0.211566025907, 1e-12);
}

struct Trial {
  SgdSchedule schedule;
  IterateWeights weights;
  StepLaw law;
};

Trial random_trial(std::mt19937_64& bits, std::int64_t max_steps) {
  std::uniform_real_distribution<double> share(0, 1);
  Trial trial;
  auto& schedule = trial.schedule;
  schedule.records = 1 + static_cast<std::int64_t>(bits() % 40);
  schedule.batch = bits() % 2 == 0 ? 1 : 1 + static_cast<std::int64_t>(bits() % 3);
  schedule.batch = std::min(schedule.batch, schedule.records);
  const auto steps = 1 + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(max_steps));
  for (std::int64_t i = 0; i < steps * schedule.batch; ++i) {
    schedule.order.push_back(
        static_cast<std::uint32_t>(bits() % static_cast<std::uint64_t>(schedule.records)));
  }
  const bool varying = bits() % 2 == 0;
  schedule.mean_l2 = bits() % 2 == 0 ? 0 : share(bits);
  schedule.step_sizes.clear();
  trial.law.growth.clear();
  trial.law.distance.clear();
  for (std::int64_t t = 0; t < (varying ? steps : 1); ++t) {
    schedule.step_sizes.push_back(0.01 + share(bits));
    trial.law.growth.push_back(bits() % 3 == 0 ? 0 : std::pow(10.0, -6 * share(bits)));
    trial.law.distance.push_back(0.5 + share(bits));
  }
  trial.law.diameter = bits() % 4 == 0 ? 2 + share(bits) : infinity;
  trial.weights = {
      .kind = static_cast<Averaging>(bits() % 4),
      .steps = steps,
      .suffix = 1 + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(steps)),
      .power = static_cast<std::int64_t>(bits() % 4)};
  return trial;
}

// Every route, with and without penalty, batches, varying steps and a bounded domain.
TEST(SgdSensitivity, RoutesAgreeWithTheDefinition) {
  std::mt19937_64 bits(11);
  for (int i = 0; i < 3000; ++i) {
    const auto trial = random_trial(bits, i % 10 == 0 ? 2000 : 60);
    const double truth = by_definition(trial.schedule, trial.weights, trial.law);
    const auto found = sgd_sensitivity(trial.schedule, trial.weights, trial.law);
    const bool capped = !std::isinf(trial.law.diameter);
    ASSERT_GE(found.bound, truth * (1 - 1e-12));
    if (found.exact && !capped) {
      ASSERT_NEAR(found.value, truth, 1e-12 * (1 + truth));
    }
    for (const bool general : {false, true}) {
      const auto upper =
          internal::sensitivity_bounds(trial.schedule, trial.weights, trial.law, general);
      for (std::int64_t j = 0; j < trial.schedule.records; ++j) {
        ASSERT_GE(upper[static_cast<std::size_t>(j)],
                  record_sensitivity(trial.schedule, trial.weights, trial.law, j) * (1 - 1e-12));
      }
    }
  }
}

// Prefix sums of weights that shrink like (1 + step l2)^-2t lose all digits after some hundred
// steps: a bound from them fell to 0.986 of the truth at this schedule, and became NaN further on.
TEST(SgdSensitivity, PenalisedLongRunsKeepTheirBounds) {
  std::mt19937_64 bits(5);
  SgdSchedule schedule;
  schedule.records = 400;
  for (int t = 0; t < 20000; ++t) {
    schedule.order.push_back(static_cast<std::uint32_t>(bits() % 400));
  }
  // One record is read at 800 and 850 only, another at 1000, a third at 15000.
  for (auto& record : schedule.order) record = std::max<std::uint32_t>(record, 3);
  schedule.order[799] = 0;
  schedule.order[849] = 0;
  schedule.order[999] = 1;
  schedule.order[14999] = 2;
  schedule.step_sizes = {0.2};
  schedule.mean_l2 = 0.1;
  const auto law = law_of(0.02, 2);
  for (const auto kind : {Averaging::uniform, Averaging::suffix, Averaging::polynomial}) {
    const auto weights = mean_of(schedule, kind, 5000);
    const auto upper = internal::sensitivity_bounds(schedule, weights, law, true);
    double truth = 0;
    for (std::int64_t j = 0; j < schedule.records; ++j) {
      const double exact = record_sensitivity(schedule, weights, law, j);
      ASSERT_TRUE(std::isfinite(upper[static_cast<std::size_t>(j)]));
      ASSERT_GE(upper[static_cast<std::size_t>(j)], exact * (1 - 1e-12));
      ASSERT_LE(upper[static_cast<std::size_t>(j)], exact * 1.2 + 1e-12);
      truth = std::max(truth, exact);
    }
    const auto found = sgd_sensitivity(schedule, weights, law);
    ASSERT_GE(found.bound, truth);
    ASSERT_LE(found.bound, truth * 1.01);
  }
}

// (A + m c)^1.5 - (A + c)^1.5 cancels where c is tiny beside A: up to 3e-3 below the sum at
// c/A = 2e-14.
TEST(SgdSensitivity, RootSumsAreBoundedWhateverTheirGrowth) {
  std::mt19937_64 bits(9);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 200000; ++i) {
    const double a = std::pow(10.0, 4 * share(bits) - 8);
    const double c = a * std::pow(10.0, -17 * share(bits));
    const auto m = 1 + static_cast<std::int64_t>(bits() % 11);
    long double sum = 0;
    for (std::int64_t k = 1; k <= m; ++k) {
      sum += std::sqrt(static_cast<long double>(a) + static_cast<long double>(k) * c);
    }
    const auto bounds = internal::root_sum_bounds(a, c, m);
    ASSERT_LE(static_cast<long double>(bounds.lower), sum);
    ASSERT_GE(static_cast<long double>(bounds.upper), sum);
    ASSERT_LE(bounds.upper, bounds.lower * 1.1);
  }
  EXPECT_EQ(internal::root_sum_bounds(0, 0, 5).upper, 0);
}

TEST(SgdSensitivity, GrowsWithEveryHazard) {
  std::mt19937_64 bits(3);
  for (int i = 0; i < 300; ++i) {
    auto trial = random_trial(bits, 60);
    trial.law.diameter = infinity;
    const double here = by_definition(trial.schedule, trial.weights, trial.law);
    auto more = trial;
    for (auto& kappa : more.law.growth) kappa *= 1.5;
    EXPECT_GE(by_definition(more.schedule, more.weights, more.law), here);
    more = trial;
    for (auto& distance : more.law.distance) distance *= 1.5;
    EXPECT_GE(by_definition(more.schedule, more.weights, more.law), here);
    more = trial;
    for (auto& kappa : more.law.growth) kappa = 0;
    const auto place = bits() % more.schedule.order.size();
    const auto record = static_cast<std::int64_t>(more.schedule.order[0]);
    const double rarely = record_sensitivity(more.schedule, more.weights, more.law, record);
    more.schedule.order[place] = static_cast<std::uint32_t>(record);  // one visit more
    EXPECT_GE(record_sensitivity(more.schedule, more.weights, more.law, record), rarely);
    if (trial.schedule.mean_l2 == 0) {
      more = trial;
      for (auto& step : more.schedule.step_sizes) step *= 1.5;
      EXPECT_GE(by_definition(more.schedule, more.weights, more.law), here);
    }
  }
}

TEST(SgdSensitivity, TooManyCloseRecordsGiveABoundThatSaysSo) {
  // Each step reads all records: 100 ties, more than are evaluated.
  SgdSchedule schedule;
  schedule.records = 100;
  schedule.batch = 100;
  constexpr std::int64_t steps = 50;
  for (std::int64_t t = 0; t < steps; ++t) {
    for (std::uint32_t j = 0; j < 100; ++j) schedule.order.push_back(j);
  }
  schedule.step_sizes = {0.1};
  const auto weights = mean_of(schedule, Averaging::uniform);
  const auto law = law_of(0.1, 2);
  const auto found = sgd_sensitivity(schedule, weights, law);
  const double truth = by_definition(schedule, weights, law);
  EXPECT_FALSE(found.exact);
  EXPECT_GE(found.bound, truth);
  EXPECT_LE(found.bound, 2 * truth);
}

TEST(SgdSensitivity, RefusesSchedulesWithoutMeaning) {
  const auto weights = IterateWeights{.steps = 2};
  EXPECT_THROW((void)sgd_sensitivity(schedule_of(2, {0, 2}, 0.1), weights, law_of(0, 1)),
               base::UsageError);
  EXPECT_THROW((void)sgd_sensitivity(schedule_of(2, {0, 1}, 0), weights, law_of(0, 1)),
               base::UsageError);
  EXPECT_THROW((void)sgd_sensitivity(schedule_of(2, {0, 1}, 0.1), weights, law_of(NAN, 1)),
               base::InternalError);
}

// 10^7 steps over 10^6 records; measured at under 1 s, tested with room for a loaded machine.
TEST(SgdSensitivity, TenMillionStepsTakeSeconds) {
  random::SeededSource source(1);
  const auto order = draw_order(RecordOrder::with_replacement, {1000000, 1, 10000000}, source);
  const auto schedule = schedule_of(1000000, order, 1e-3);
  const auto weights = mean_of(schedule, Averaging::uniform);
  double seconds = 0;
  for (const double growth : {0.0, 1e-3}) {
    const auto start = std::chrono::steady_clock::now();
    const auto found = sgd_sensitivity(schedule, weights, law_of(growth, 2));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    seconds = std::max(seconds, time.count());
    EXPECT_TRUE(found.exact);
    EXPECT_GT(found.value, 0);
    RecordProperty(growth == 0 ? "smooth" : "growing", std::to_string(time.count()));
  }
  EXPECT_LT(seconds, 20);
}

}  // namespace sgd_sensitivity_test
}  // namespace tacet::optimize
