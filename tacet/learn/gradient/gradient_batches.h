#pragma once

#include <cstdint>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::learn {

/// UsageError when the options make no sense together. GuaranteeError for fixed_size and partition
/// under add_remove and where a unit may have several records, and for a seed of a sample that must
/// stay secret.
[[nodiscard]] Batches resolve_batches(const data::Schema& schema, const GradientOptions& options,
                                      std::int64_t row_count);

/// GuaranteeError for fixed_size and partition under add_remove, and for all but poisson and full
/// where units have several records: of options, and of what a receipt states.
void expect_sampling_proved(BatchSampling sampling, privacy::Adjacency adjacency, bool units);

/// What `steps` steps release at this noise multiplier.
[[nodiscard]] privacy::Event batch_events(const Batches& batches, std::int64_t steps,
                                          double noise_multiplier);

/// Noise multipliers of the releases before the steps; 0: there is none.
struct FirstNoises {
  double first = 0;      ///< of means and squares of numbers, or of the columns to keep
  double whitening = 0;  ///< of second moments of numbers, after their means
};

/// The same after the releases before them.
[[nodiscard]] privacy::Event gradient_events(const Batches& batches, std::int64_t steps,
                                             double noise_multiplier, const FirstNoises& before);

/// The noise multiplier at which they are (epsilon, delta)-DP, rounded up until the accountant
/// agrees.
[[nodiscard]] double batch_noise(const Batches& batches, std::int64_t steps,
                                 const CommonOptions& options, privacy::Delta delta);

/// The PRG slack: a word a released number, and one a record for a secret sample.
[[nodiscard]] double batch_prg_slack(const Batches& batches, std::int64_t steps,
                                     std::int64_t released);

}  // namespace tacet::learn
