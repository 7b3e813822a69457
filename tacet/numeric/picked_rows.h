#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Products with a table of floats of which a vector with few numbers that are not 0 picks rows: a
/// layer of a net, input by input. In double precision, with the same bits on every machine: no
/// multiplication is fused with an addition.
namespace tacet::numeric {

/// Numbers that are not 0 and their places in a vector.
struct PickedRows {
  std::span<const std::uint32_t> places;
  std::span<const double> factors;  ///< as many
};

/// sums[i] += sum_k factors[k] table[places[k]][i], row after row; rows are as wide as `sums`.
void add_picked_rows(std::span<const float> table, const PickedRows& picked,
                     std::span<double> sums);

/// dots[places[k]] = sum_i table[places[k]][i] vector[i]; rows are as wide as `vector`. Eight sums
/// of every eighth number are added up in a fixed order. The other dots stay what they are.
void picked_row_dots(std::span<const float> table, std::span<const std::uint32_t> places,
                     std::span<const double> vector, std::span<double> dots);

/// sums[places[k] w + i] += factors[k] vector[i], w being the length of the vector.
void add_products(const PickedRows& picked, std::span<const double> vector, std::span<double> sums);

/// Where values are not 0, ascending, to the front of `places`, which is as long as `values`; how
/// many those are.
[[nodiscard]] std::size_t nonzero_places(std::span<const std::int16_t> values,
                                         std::span<std::uint32_t> places);

}  // namespace tacet::numeric
