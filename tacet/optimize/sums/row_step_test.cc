#include <gtest/gtest.h>

#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/mechanism/select/top_k.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tests/support/row_records.h"
#include "tests/support/spender.h"

// Whole steps on tables: what they release, and what they are booked at.
namespace tacet::optimize {
namespace row_step_test {

using mechanism::SamplePermit;
using privacy::Adjacency;
using privacy::Event;
using privacy::Gaussian;
using privacy::NoiseMultiplier;
using privacy::RowLayout;
using privacy::RowSelection;
using privacy::Sample;
using test::RowGradient;
using test::Spender;

constexpr auto adjacency = Adjacency::add_remove;
const RowLayout layout({{100000, 3}}, 1);
constexpr RowLimit limit{.max_rows = 4};
// Counts far above the noise cross, the others hardly ever.
constexpr std::int64_t threshold = std::int64_t{20} << 20;

/// 300 records that touch row 7 or rows 7 and 500, and a few that touch a row of their own.
std::vector<RowGradient> usual_records() {
  std::vector<RowGradient> records;
  for (int i = 0; i < 300; ++i) {
    RowGradient record{{{7, {1, 0, 0}}}, {0.5}};
    if (i % 2 == 0) record.touches.push_back({500, {0, 1, 0}});
    if (i % 100 == 0) record.touches.push_back({1000 + i, {0, 0, 1}});
    records.push_back(record);
  }
  return records;
}

struct Step {
  explicit Step(const Sample& sample) {
    const auto records = usual_records();
    test::fill(batch, records, 1, sample);
  }
  base::ThreadPool pool{1};
  RowBatch batch{layout, limit, pool};
};

std::vector<Event> two_gaussians() { return {Gaussian{1}, Gaussian{1}}; }

TEST(RowStep, AdafestNoisesTheRowsThatManyTouch) {
  const auto sample = Sample::poisson(privacy::SamplingRate(0.02));
  const Step step(sample);
  Spender spender(3, SamplePermit::event(sample, two_gaussians()), adjacency, 1);
  SamplePermit permit(sample, two_gaussians(), spender.reservation);
  const mechanism::PermitContext context{spender.next(), spender.source, permit};
  const auto rows =
      mechanism::release_crossings(step.batch.presence(), NoiseMultiplier(1), threshold, context);
  EXPECT_EQ(rows.value(), (std::vector<std::int64_t>{7, 500}));
  const auto noisy = mechanism::release_rows(
      step.batch.sum(RowSelection::rows(rows.value()), {.clipping_norm = 2}), NoiseMultiplier(1),
      context);
  ASSERT_EQ(noisy.value().values.size(), 7U);
  EXPECT_NEAR(noisy.value().cells()[0], 300, 20);
  EXPECT_NEAR(noisy.value().cells()[4], 150, 20);
  EXPECT_NEAR(noisy.value().dense()[0], 150, 20);
  EXPECT_EQ(noisy.event(), sample.event(privacy::Composed{two_gaussians()}));
}

// Rate .02, multipliers 1 and 1, 1,000 steps, delta 1e-5: 8.84, where two debits would say 5.62.
TEST(RowStep, SelectionAndSumAreOneDebit) {
  const auto sample = Sample::poisson(privacy::SamplingRate(0.02));
  const auto cost = [](const Event& each) {
    return accounting::epsilon_interval(privacy::Repeated{1000, each}, adjacency,
                                        privacy::Delta(1e-5))
        .upper;
  };
  EXPECT_NEAR(cost(SamplePermit::event(sample, two_gaussians())), 8.8365, 5e-3);
  EXPECT_NEAR(cost(privacy::Composed{{sample.event(Gaussian{1}), sample.event(Gaussian{1})}}),
              5.617, 5e-3);
}

TEST(RowStep, ASampleIsReadByOneDebitOnly) {
  for (const auto& sample :
       {Sample::poisson(privacy::SamplingRate(0.02)), Sample::fixed_size({300, 15000})}) {
    const auto asked = sample.fixed() != nullptr ? Adjacency::zero_out : adjacency;
    const Step step(sample);
    Spender spender(3, sample.event(Gaussian{1}), asked, 3);
    (void)mechanism::release_crossings(step.batch.presence(), NoiseMultiplier(1), threshold,
                                       {spender.next(), spender.source, spender.reservation});
    EXPECT_THROW((void)mechanism::release_rows(
                     step.batch.sum(RowSelection::rows({7}), {}), NoiseMultiplier(1),
                     {spender.next(), spender.source, spender.reservation}),
                 base::InternalError);
    EXPECT_THROW((void)SamplePermit(sample, {Gaussian{1}}, spender.reservation),
                 base::InternalError);
  }
}

TEST(RowStep, RowsChosenBeforeTrainingAreCountedOverAllRecords) {
  const Step step(Sample::all());
  // By k draws, and by a threshold on noisy counts.
  const privacy::Epsilon each(4);
  const auto counts = step.batch.row_counts(adjacency);
  EXPECT_EQ(counts.movement(), mechanism::Movement::one_way);
  const Event draws = mechanism::top_event(2, each, adjacency);
  Spender drawing(3, draws, adjacency, 1);
  auto top =
      mechanism::select_top(counts, 2, each, {drawing.next(), drawing.source, drawing.reservation});
  EXPECT_EQ(top.event(), draws);
  EXPECT_EQ(top.value(), (std::vector<std::int64_t>{7, 500}));
  Spender counting(3, Gaussian{1}, adjacency, 1);
  const auto crossed =
      mechanism::release_crossings(step.batch.presence(), NoiseMultiplier(1), threshold,
                                   {counting.next(), counting.source, counting.reservation});
  EXPECT_EQ(crossed.value(), top.value());
}

// AdaFEST+: among rows that were chosen before, places of that list are released.
TEST(RowStep, AdafestAmongRowsChosenBefore) {
  const auto sample = Sample::poisson(privacy::SamplingRate(0.02));
  const Step step(sample);
  Spender spender(3, sample.event(Gaussian{1}), adjacency, 1);
  const std::vector<std::int64_t> before{3, 7, 400, 1000};
  const auto presence = step.batch.presence(RowSelection::rows(before));
  EXPECT_EQ(presence.size(), 4);
  const auto places =
      mechanism::release_crossings(presence, NoiseMultiplier(1), threshold,
                                   {spender.next(), spender.source, spender.reservation});
  EXPECT_EQ(places.value(), (std::vector<std::int64_t>{1}));  // row 7
}

TEST(RowStep, AnEmptySampleReleasesNoise) {
  const auto sample = Sample::poisson(privacy::SamplingRate(0.02));
  base::ThreadPool pool(1);
  RowBatch batch(layout, limit, pool);
  batch.start(sample);
  Spender spender(3, SamplePermit::event(sample, two_gaussians()), adjacency, 1);
  SamplePermit permit(sample, two_gaussians(), spender.reservation);
  const mechanism::PermitContext context{spender.next(), spender.source, permit};
  // A threshold that one row in a thousand crosses by noise alone.
  const auto rows = mechanism::release_crossings(batch.presence(), NoiseMultiplier(1),
                                                 std::int64_t{3} << 20, context);
  EXPECT_GT(rows.value().size(), 60U);
  const auto noisy = mechanism::release_rows(batch.sum(RowSelection::rows(rows.value()), {}),
                                             NoiseMultiplier(1), context);
  for (const double value : noisy.value().values) EXPECT_NE(value, 0);
}

}  // namespace row_step_test
}  // namespace tacet::optimize
