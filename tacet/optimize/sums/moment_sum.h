#pragma once

#include <cstdint>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/bounded_sum.h"

/// Means and squares of numbers, and how often categories occur, as one bounded sum.
namespace tacet::optimize {

/// What the sum is about.
struct Moments {
  bool categories = false;            ///< how often they occur, beside means and squares of numbers
  bool target = false;                ///< mean and square of the label, a number in [-1, 1]
  std::int64_t records_per_unit = 0;  ///< that take part at most; 0: records have no units
};

/// Sums over the records of (2 v - 1) / 2 and (2 v - 1)^2 - 1/2, a pair a numeric column, the same
/// of the label where the target is asked for, and then 1/2 for each category that a record has,
/// one at most of a column. Each is within 1/2, so that a record with k numbers, the target's among
/// them, and m listed columns contributes at most sqrt(2 k + m) / 2, certified in integers. `raw`
/// holds records of data::raw_schema(schema).
///
/// Of a unit the first records take part, and each of its j counts 1/j: a unit adds the mean of its
/// records, which is as bounded as one record. It adds 1/2 more, which counts it, since how many
/// units there are is checked against nothing: at most sqrt(2 k + 1 + m) / 2 together
/// (docs/proofs/gradient.md, 5). InternalError for records that have units where that was not said.
[[nodiscard]] privacy::BoundedSum moment_sum(const data::Dataset& raw, const data::Schema& schema,
                                             int norm_bits, Moments moments = {});

/// What moment_sum adds up, in grid units: as private as the records. For sums over parts.
[[nodiscard]] std::vector<std::int64_t> moment_integers(const data::Dataset& raw,
                                                        const data::Schema& schema, int norm_bits,
                                                        Moments moments);

/// The sum of what moment_integers says of all parts of the records, with the same settings.
/// InternalError for another number of integers.
[[nodiscard]] privacy::BoundedSum certified_moments(std::vector<std::int64_t> integers,
                                                    const data::Schema& schema, int norm_bits,
                                                    Moments moments);

/// Where units are counted, if records have some.
[[nodiscard]] std::size_t place_of_count(const data::Schema& schema, Moments moments);

/// How many integers there are.
[[nodiscard]] std::int64_t moment_terms(const data::Schema& schema, Moments moments);

}  // namespace tacet::optimize
