#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Approximations of the inverse normal distribution function, and bounds of their errors.
namespace tacet::random::internal::inverse_normal {

#include "tacet/random/exact/inverse_normal_table.inc"

constexpr std::size_t centre_terms = std::size(centre_numerator);
constexpr std::size_t tail_pieces = std::size(tail_bounds);
constexpr std::size_t tail_terms = std::size(tail_coefficients) / tail_pieces;

constexpr double centre_end = 0.4375;  // 7/16
constexpr double centre_square = centre_end * centre_end;

// Tail probabilities are in cells of 2^-64. From 2^-4 on the form of the centre is used; below
// 2^-30 only exact arithmetic is.
constexpr std::uint64_t tail_end = std::uint64_t{1} << 60;
constexpr std::uint64_t tail_start = std::uint64_t{1} << 34;

// A piece of the tail is a sixteenth of an octave: exponent and first four bits of the mantissa
// decide which.
constexpr int piece_shift = 48;
constexpr std::uint64_t first_piece = std::uint64_t{1023 - 30} << 4;
constexpr std::uint64_t piece_mask = ~((std::uint64_t{1} << piece_shift) - 1);
constexpr std::uint64_t piece_middle = std::uint64_t{1} << (piece_shift - 1);

}  // namespace tacet::random::internal::inverse_normal
