#pragma once

#include <cstdint>
#include <span>

#include "tacet/numeric/picked_rows.h"

/// What is done to every row that a record touches, once a step and record: as fast as memory, and
/// the same bits on every machine and for every vector width.
namespace tacet::numeric {

/// The sum of the squares. Eight sums of every eighth one are added up in a fixed order, so the
/// result has the same bits everywhere; its relative error is below (count / 8 + 8) 2^-53.
/// Overflows to infinity; not a number where a value is none.
[[nodiscard]] double sum_of_squares(std::span<const double> values);

/// sums[j] += z_j, z_j = trunc(values[j] * factor) clamped to [-bound, bound]; gives back the sum
/// of z_j^2. With -factor it takes back what it added, exactly as long as |sums| stay below 2^53:
/// truncation is odd. No value may be NaN, nor its product with the factor; `bound` is an integer
/// of at most 2^26.
///
/// The result is exact as long as it is at most 2^53, and above 2^52 where the true sum is: a sum
/// of integers that are not negative, rounded at each addition, is exact up to 2^53 and never
/// falls. So "result <= 2^52" holds exactly when it holds for the integers, in every order.
[[nodiscard]] double add_truncated(std::span<const double> values, double factor, double bound,
                                   std::span<double> sums);

/// The same for values that are multiples of one vector, without writing them down: the one that is
/// factors[k] vector[i] is added to sums[places[k] w + i], w being the length of the vector. The
/// same bits as of the products.
[[nodiscard]] double add_truncated_products(const PickedRows& picked,
                                            std::span<const double> vector, double factor,
                                            double bound, std::span<double> sums);

/// sums[j] += integers[j]; the latter are integers below 2^53.
void add_integers(std::span<const double> integers, std::span<std::int64_t> sums);

}  // namespace tacet::numeric
