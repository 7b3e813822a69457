#include "tacet/learn/gradient/gradient_batches.h"

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/routes/remembered.h"
#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

BatchSampling sampling_of(const GradientOptions& options) {
  if (!options.sampling) {
    return options.batch_size ? BatchSampling::poisson : BatchSampling::full;
  }
  for (const auto kind :
       {BatchSampling::poisson, BatchSampling::fixed_size, BatchSampling::partition}) {
    if (*options.sampling != to_string(kind)) continue;
    if (!options.batch_size) {
      throw base::UsageError("sampling {} needs `batch_size`, the records of a step",
                             *options.sampling);
    }
    return kind;
  }
  throw base::UsageError(
      "sampling of method gradient must be poisson, fixed_size or partition, got '{}'",
      *options.sampling);
}

void check_seed(BatchSampling sampling, const GradientOptions& options) {
  if (!options.order_seed || sampling == BatchSampling::partition) return;
  if (sampling == BatchSampling::full) {
    throw base::UsageError("`order_seed` has no meaning where every step reads all records");
  }
  throw base::GuaranteeError(
      "`order_seed` would make the {} samples known, and the guarantee counts on their secrecy: "
      "with a known seed each step would cost as much as one on all records; leave it out, or use "
      "`sampling=partition`, whose order may be public",
      to_string(sampling));
}

// The accountant decides; its epsilon falls as the noise grows. Candidates of a grid that differ in
// what costs nothing ask the same again.
double sampled_noise(const Batches& batches, std::int64_t steps, const CommonOptions& options,
                     privacy::Delta delta) {
  thread_local accounting::MemoCache<9> remembered;
  const auto number = [](auto value) { return static_cast<double>(value); };
  const accounting::CalibrationTarget target{privacy::Epsilon(options.epsilon), delta,
                                             options.adjacency};
  return remembered(
      {number(batches.sampling), batches.rate, number(steps), number(batches.max_records_per_unit),
       number(batches.batch), number(batches.row_count), options.epsilon, delta.value(),
       number(options.adjacency)},
      [&] {
        if (batches.sampling == BatchSampling::fixed_size) {
          return accounting::min_noise([&](double z) { return batch_events(batches, steps, z); },
                                       target);
        }
        return accounting::calibrate_noise(
                   {privacy::SamplingRate(batches.rate), steps, batches.max_records_per_unit},
                   target)
            .value();
      });
}

}  // namespace

std::string to_string(BatchSampling sampling) {
  using enum BatchSampling;
  static constexpr auto names = base::names<BatchSampling>(
      {{full, "full"}, {poisson, "poisson"}, {fixed_size, "fixed_size"}, {partition, "partition"}});
  return names.of(sampling);
}

void expect_sampling_proved(BatchSampling sampling, privacy::Adjacency adjacency, bool units) {
  if (sampling == BatchSampling::full || sampling == BatchSampling::poisson) return;
  if (adjacency == privacy::Adjacency::add_remove) {
    throw base::GuaranteeError(
        "sampling {} has no proof under add_remove: a record more displaces others from the "
        "batches; use `adjacency=zero_out` or replace_one, or `sampling=poisson`",
        to_string(sampling));
  }
  // Units have any number of records: one that replaces another changes how many there are, and
  // with it every other record's probability or batch.
  if (!units) return;
  throw base::GuaranteeError(
      "sampling {} has no proof for units of several records: two units differ in how many records "
      "they have, so that one instead of the other displaces further records from the batches; use "
      "`sampling=poisson`, or leave `batch_size` out to use all records in each step",
      to_string(sampling));
}

std::int64_t Batches::passes(std::int64_t steps) const {
  const std::int64_t steps_per_pass = row_count / batch;
  return (steps + steps_per_pass - 1) / steps_per_pass;
}

Batches resolve_batches(const data::Schema& schema, const GradientOptions& options,
                        std::int64_t row_count) {
  Batches batches{.sampling = sampling_of(options), .row_count = row_count};
  check_seed(batches.sampling, options);
  expect_sampling_proved(batches.sampling, options.adjacency, schema.unit.has_value());
  if (batches.sampling == BatchSampling::full) return batches;
  if (*options.batch_size > row_count) {
    throw base::UsageError("`batch_size` must be at most public_row_count = {}, got {}", row_count,
                           *options.batch_size);
  }
  batches.max_records_per_unit = options.max_records_per_unit;
  batches.rate = static_cast<double>(*options.batch_size) / static_cast<double>(row_count);
  if (batches.sampling == BatchSampling::poisson) {
    batches.rate = random::PoissonRate::at_least(batches.rate).value();
    return batches;
  }
  batches.batch = *options.batch_size;
  batches.order_seed = options.order_seed.value_or(0);
  return batches;
}

privacy::Event batch_events(const Batches& batches, std::int64_t steps, double noise_multiplier) {
  const privacy::Gaussian noise{noise_multiplier};
  switch (batches.sampling) {
    case BatchSampling::full:
      return privacy::Repeated{steps, noise};
    case BatchSampling::poisson:
      return accounting::to_event(
          {privacy::SamplingRate(batches.rate), steps, batches.max_records_per_unit},
          privacy::NoiseMultiplier(noise_multiplier));
    case BatchSampling::fixed_size:
      return privacy::Repeated{steps,
                               privacy::FixedSizeSampled{batches.batch, batches.row_count, noise}};
    case BatchSampling::partition:
      return privacy::Repeated{
          batches.passes(steps),
          mechanism::BlockGaussian::event(privacy::NoiseMultiplier(noise_multiplier))};
  }
  throw base::InternalError("unknown way of sampling");
}

privacy::Event gradient_events(const Batches& batches, std::int64_t steps, double noise_multiplier,
                               const FirstNoises& before) {
  auto steps_alone = batch_events(batches, steps, noise_multiplier);
  if (before.first == 0) return steps_alone;
  if (before.whitening == 0) {
    return privacy::Composed{{privacy::Gaussian{before.first}, std::move(steps_alone)}};
  }
  return privacy::Composed{{privacy::Gaussian{before.first}, privacy::Gaussian{before.whitening},
                            std::move(steps_alone)}};
}

double batch_noise(const Batches& batches, std::int64_t steps, const CommonOptions& options,
                   privacy::Delta delta) {
  const privacy::Epsilon epsilon(options.epsilon);
  switch (batches.sampling) {
    case BatchSampling::full:
      return full_batch_noise(steps, epsilon, delta, options.adjacency);
    case BatchSampling::poisson:
    case BatchSampling::fixed_size:
      return sampled_noise(batches, steps, options, delta);
    case BatchSampling::partition:
      // A record is in one batch a pass.
      return full_batch_noise(batches.passes(steps), epsilon, delta, options.adjacency);
  }
  throw base::InternalError("unknown way of sampling");
}

double batch_prg_slack(const Batches& batches, std::int64_t steps, std::int64_t released) {
  const double noise = random::prg_slack_of(steps, released);
  constexpr std::int64_t max_records = std::int64_t{1} << 32;
  const bool secret =
      batches.sampling == BatchSampling::poisson || batches.sampling == BatchSampling::fixed_size;
  return secret ? noise + random::prg_slack_of(steps, max_records) : noise;
}

}  // namespace tacet::learn
