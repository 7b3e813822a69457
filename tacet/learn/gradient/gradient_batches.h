#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/privacy/adjacency.h"

/// Which records each step of the descent reads, and for which adjacencies that is proved.
namespace tacet::learn {

struct GradientOptions;

/// How the records of a step are chosen.
enum class BatchSampling {
  full,        ///< all records
  poisson,     ///< each independently, in secret
  fixed_size,  ///< a uniform subset, kept secret; not under add_remove
  partition    ///< disjoint batches of one pass, in a public order; not under add_remove
};
[[nodiscard]] std::string to_string(BatchSampling sampling);

/// How batches are drawn, with all numbers resolved.
struct Batches {
  BatchSampling sampling = BatchSampling::full;
  double rate = 1;              ///< share of the records in a step; for samples the expected share
  std::int64_t batch = 0;       ///< records per step of fixed size; 0 for other kinds
  std::int64_t order_seed = 0;  ///< of the public order of a `partition`
  std::int64_t row_count = 0;
  /// records of a unit that take part; each joins a Poisson sample on its own
  std::int64_t max_records_per_unit = 1;

  /// Passes that `steps` steps of a partition begin.
  [[nodiscard]] std::int64_t passes(std::int64_t steps) const;
};

/// UsageError if the options make no sense together. GuaranteeError for fixed_size and partition
/// under add_remove or if a unit may have several records, and for a seed of a sample that must
/// stay secret.
[[nodiscard]] Batches resolve_batches(const data::Schema& schema, const GradientOptions& options,
                                      std::int64_t row_count);

/// GuaranteeError for fixed_size and partition under add_remove, and for all kinds but poisson and
/// full if units have several records. Checks options, and also what a receipt states.
void expect_sampling_proved(BatchSampling sampling, privacy::Adjacency adjacency, bool units);

}  // namespace tacet::learn
