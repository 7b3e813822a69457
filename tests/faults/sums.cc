// Faults of sums: records that move them further than is stated.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/mechanism/noise/discrete_noise.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/point/column_summary.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/optimize/sums/moment_sum.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {
namespace {

using enum privacy::Adjacency;
using mechanism::ReleaseContext;

constexpr privacy::Guarantee claimed{1, 1e-5, add_remove};

/// A sum of nothing, and of one record that is not as it should be. Shown along the diagonal.
audit::Subject with_record(const std::vector<double>& record) {
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-5));
  const privacy::NoiseMultiplier noise(1 / mu);
  auto subject = subject_of(
      privacy::Gaussian{noise.value()}, claimed, [=](bool other, const ReleaseContext& context) {
        optimize::VectorSum sum(std::ssize(record), optimize::Norm::l2, 1);
        if (other) sum.add(record);
        const auto noisy = mechanism::release_gaussian(std::move(sum).take(), noise, context);
        double total = 0;
        for (const double number : noisy.value()) total += number;
        return total;
      });
  subject.gaussian = true;
  return subject;
}

Finding clipping_off() { return audited(with_record({10}), 1000); }
Finding clipping_by_coordinate() {
  return audited(with_record(std::vector<double>(16, 1.0)), 1000);
}
/// What overflows is far away on either side.
Finding infinity_past_the_clip() {
  auto subject = with_record({std::numeric_limits<double>::infinity()});
  subject.gaussian = false;
  subject.draw = [draw = std::move(subject.draw)](bool other, std::uint64_t seed,
                                                  std::span<double> out) {
    draw(other, seed, out);
    for (double& number : out) number = std::fabs(number);
  };
  return audited(subject, 1000);
}

/// Ten records of one unit, of which one counts.
Finding units_without_limit() {
  const privacy::NoiseMultiplier noise(1);
  optimize::Histogram shape(1, optimize::UnitLimit(1));
  const auto event = mechanism::discrete_laplace_event(std::move(shape).take(), noise);
  return audited(subject_of(event, {1, 0, add_remove},
                            [=](bool other, const ReleaseContext& context) {
                              optimize::Histogram counts(1, optimize::UnitLimit(1));
                              for (int i = 0; other && i < 10; ++i) counts.add(0, 7);
                              return mechanism::release_discrete_laplace(std::move(counts).take(),
                                                                         noise, context)
                                  .value()[0];
                            }),
                 3000);
}

/// A record that leaves one count for another.
Finding replaced_count_as_one_change() {
  const mechanism::SummaryCost cost{privacy::Epsilon(1), replace_one, 1};
  return audited(
      subject_of(cost.counts_event(), {1, 0, replace_one},
                 [=](bool other, const ReleaseContext& context) {
                   using Counts = std::vector<std::int64_t>;
                   const privacy::Private<Counts> counts(other ? Counts{1, 0} : Counts{0, 1});
                   const auto noisy = mechanism::release_counts(counts, cost, context);
                   const auto cut = [](std::int64_t count) {
                     return static_cast<double>(std::clamp<std::int64_t>(count, 0, 1));
                   };
                   return cut(noisy.value()[0]) - cut(noisy.value()[1]);
                 }),
      10000);
}

/// A record whose norm is in its last feature, next to nothing in the first.
Finding intercept_left_out_of_the_norm() {
  data::Dataset records({.columns = 2, .norm_bound = 1, .storage = data::Storage::sparse});
  records.append({.columns = {0, 1}, .values = {20, 2047}, .label = 1});
  const model::Loss loss = model::AbsoluteLoss{};
  base::ThreadPool threads(1);
  const privacy::NoiseMultiplier none(0x1p-10);
  random::SeededSource source(6);
  privacy::TrustingBudget budget(add_remove);
  const auto event = privacy::Gaussian{none.value()};
  auto reservation = budget.reserve(event, {1, 1e-5, add_remove});
  const optimize::GradientSum sums({records, loss, 1}, {.clipping_norm = 0.125, .norm_bits = 20},
                                   threads);
  const auto shown = mechanism::release_gaussian(sums.at(std::vector<double>{0, 0}), none,
                                                 {{}, source, reservation});
  return certain(std::hypot(shown.value()[0], shown.value()[1]) > 1.1 * 0.125, 1);
}

/// A unit of ten equal records, the means of which may count as one.
Finding means_of_each_record_in_full() {
  const auto schema = data::schema_from_toml(R"(
    unit = "who"
    [target]
    column = "y"
    positive = ["1"]
    [[column]]
    name = "x"
    kind = "numeric"
    lower = 0
    upper = 1
  )",
                                             "s.toml");
  const auto raw = data::raw_schema(schema);
  data::Dataset records(raw.shape());
  records.declare_units();
  const std::vector<std::int16_t> row{2048, 2048};
  for (int k = 0; k < 10; ++k) records.append_dense(row, 1, 0);
  const privacy::NoiseMultiplier none(0x1p-10);
  random::SeededSource source(6);
  privacy::TrustingBudget budget(add_remove);
  auto reservation = budget.reserve(privacy::Gaussian{none.value()}, {1, 1e-5, add_remove});
  auto sum = optimize::moment_sum(records, schema, 20, {.records_per_unit = 10});
  const double bound = static_cast<double>(sum.contribution_bound()) * sum.grid();
  const auto shown = mechanism::release_gaussian(std::move(sum), none, {{}, source, reservation});
  return certain(std::hypot(shown.value()[0], shown.value()[1]) > 1.1 * bound, 1);
}

constexpr FaultTest tests[] = {{"clipping_off", clipping_off},
                               {"clipping_by_coordinate", clipping_by_coordinate},
                               {"infinity_past_the_clip", infinity_past_the_clip},
                               {"units_without_limit", units_without_limit},
                               {"means_of_each_record_in_full", means_of_each_record_in_full},
                               {"replaced_count_as_one_change", replaced_count_as_one_change},
                               {"intercept_left_out_of_the_norm", intercept_left_out_of_the_norm}};

}  // namespace

std::span<const FaultTest> sum_tests() { return tests; }

}  // namespace tacet::faults
