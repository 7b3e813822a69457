#pragma once

#include <cstdint>
#include <span>

#include "tacet/numeric/picked_rows.h"

/// Operations on every row that a record touches, once per step and record. They are as fast as
/// memory, and give the same bits on every machine and for every vector width.
namespace tacet::numeric {

/// The sum of the squares. Eight sums of every eighth one are added up in a fixed order, so the
/// result has the same bits everywhere; its relative error is below (count / 8 + 8) 2^-53.
/// Overflows to infinity; NaN if a value is NaN.
[[nodiscard]] double sum_of_squares(std::span<const double> values);

/// sums[j] += z_j, z_j = trunc(values[j] * factor) clamped to [-bound, bound]; returns the sum of
/// z_j^2. A call with -factor undoes the call with factor, exactly as long as |sums| stay below
/// 2^53, since truncation is odd. No value may be NaN, nor its product with the factor; `bound` is
/// an integer of at most 2^26.
///
/// The result is exact up to 2^53, and it exceeds 2^52 exactly if the true sum does: a sum of
/// integers that are not negative, rounded at each addition, is exact up to 2^53 and never falls.
/// So the test "result <= 2^52" has the same answer for every order of the additions.
[[nodiscard]] double add_truncated(std::span<const double> values, double factor, double bound,
                                   std::span<double> sums);

/// As add_truncated, for values that are multiples of one vector, without storing them: factors[k]
/// vector[i] is added to sums[places[k] w + i], where w is the length of the vector. The bits are
/// those of the stored products.
[[nodiscard]] double add_truncated_products(const PickedRows& picked,
                                            std::span<const double> vector, double factor,
                                            double bound, std::span<double> sums);

/// sums[j] += integers[j], where `integers` are integers below 2^53.
void add_integers(std::span<const double> integers, std::span<std::int64_t> sums);

}  // namespace tacet::numeric
