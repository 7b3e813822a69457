#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Products of a table of floats with a vector that has few numbers other than 0, which pick rows
/// of the table: a layer of a network, input by input. In double precision and with the same bits
/// on every machine: no multiplication is fused with an addition.
namespace tacet::numeric {

/// The numbers of a vector other than 0, and their places in it.
struct PickedRows {
  std::span<const std::uint32_t> places;
  std::span<const double> factors;  ///< one per place
};

/// sums[i] += sum_k factors[k] table[places[k]][i], one row after the other; rows are as long as
/// `sums`.
void add_picked_rows(std::span<const float> table, const PickedRows& picked,
                     std::span<double> sums);

/// dots[places[k]] = sum_i table[places[k]][i] vector[i]; rows are as long as `vector`. Eight sums
/// of every eighth number are added up in a fixed order. The other dots stay as they are.
void picked_row_dots(std::span<const float> table, std::span<const std::uint32_t> places,
                     std::span<const double> vector, std::span<double> dots);

/// sums[places[k] w + i] += factors[k] vector[i], where w is the length of the vector.
void add_products(const PickedRows& picked, std::span<const double> vector, std::span<double> sums);

/// Writes the indices of the values other than 0, ascending, to the front of `places`, which is as
/// long as `values`. Returns how many there are.
[[nodiscard]] std::size_t nonzero_places(std::span<const std::int16_t> values,
                                         std::span<std::uint32_t> places);

}  // namespace tacet::numeric
