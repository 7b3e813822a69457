#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Multiplies several vectors of small integers with one matrix, exactly: the same sums on every
/// machine.
///
/// A word holds two neighbouring integers of a vector, and another one the two integers of a column
/// with which they are multiplied. So one instruction multiplies both pairs and adds the two
/// products (pair_products.h).
namespace tacet::numeric {

/// The number of vectors in a group, which are multiplied together.
constexpr std::size_t paired_vectors = 8;
/// Columns side by side in a block of the matrix.
constexpr std::size_t paired_columns = 32;

/// For vector v of group g, sums[(g * paired_vectors + v) * columns + c] = sum over p of both
/// products of words[b * pairs * paired_columns + p * paired_columns + c % paired_columns], b =
/// c / paired_columns, and groups[g][p * paired_vectors + v]. All groups have as many pairs, and
/// `columns` is a multiple of paired_columns. Several groups read the matrix from memory once.
/// Sums are taken modulo 2^32: the caller bounds them.
void multiply_paired(std::span<const std::uint32_t> words,
                     std::span<const std::span<const std::uint32_t>> groups,
                     std::span<std::int32_t> sums);

}  // namespace tacet::numeric
