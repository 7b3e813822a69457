#include "tacet/learn/gradient/gradient_batches.h"

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/random/choose/subset.h"

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
  // Units may have any number of records. A unit that replaces another changes the number of
  // records, and with it the probability or the batch of all other records.
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

}  // namespace tacet::learn
