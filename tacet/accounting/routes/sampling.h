#pragma once

#include "tacet/accounting/routes/language.h"

/// How sampling and disjoint blocks change a cost, and between which neighbours.
namespace tacet::accounting::internal {

/// Whether an event reads a secret sample.
[[nodiscard]] inline bool is_sampled(const Event& event) {
  return event.as<PoissonSampled>() != nullptr || event.as<FixedSizeSampled>() != nullptr;
}

/// The adjacency under which the mechanism on the sample must be accounted. A fixed-size sample
/// swaps records, so a sum moves by two bounds there even under zero_out.
[[nodiscard]] Adjacency inner_adjacency(const FixedSizeSampled& event, Adjacency adjacency);

/// Whether neighbours of a Poisson sample differ by one record that replaces another in it: always
/// under replace_one; under zero_out where the base is known by a stated guarantee, for which an
/// emptied record is still a record. The base then compares a sample with and without the record.
[[nodiscard]] bool is_replaced(const PoissonSampled& event, Adjacency adjacency);

/// The event with every sample replaced by all records. It costs at least as much: sampling mixes
/// the pair with equal laws, and hockey-stick divergences are jointly convex.
[[nodiscard]] Event without_sampling(const Event& event);

/// Whether disjoint blocks protect as much as the worst block under `adjacency`.
[[nodiscard]] bool blocks_are_parallel(const Partitioned& event, Adjacency adjacency);

/// An upper bound of the probability that a unit takes part in any release. If it takes part in
/// none, both laws are equal; so delta is at most this probability, at any epsilon.
[[nodiscard]] double participation(const Event& event);

/// log(1 + rate (e^loss - 1)) for a rate in [0, 1] and a loss of at least 0, rounded up: the loss
/// after sampling, or the exponent of a moment. It is 0 only if the rate or the loss is 0.
[[nodiscard]] double amplified(double rate, double loss);

/// ln[(1 - q + q e^loss) / (1 - q + q e^-loss)], rounded up: the pure loss after sampling if one
/// record replaces another. docs/proofs/replaced_record.md, section 3.
[[nodiscard]] double amplified_replaced(double rate, double loss);

/// The probability that a unit has any record in the sample, 1 - (1 - q)^k, rounded up; the rate
/// itself for units of one record. A proof about the base for the whole unit applies as if the unit
/// joined the sample whole with this probability (docs/proofs/sampled_units.md, section 1).
[[nodiscard]] double unit_rate(const PoissonSampled& event);

/// sample_size / population, rounded up.
[[nodiscard]] double sampled_fraction(const FixedSizeSampled& event);

}  // namespace tacet::accounting::internal
