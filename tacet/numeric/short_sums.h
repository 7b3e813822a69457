#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// The exact sums of kernels.h over rows of at least a few dozen integers, in 32 bits: weights and
/// factors are split into pieces so small that no sum of a piece exceeds 32 bits. There, one
/// instruction multiplies and adds several times as many integers as with doubles. The results are
/// the same integers.
namespace tacet::numeric {

/// Weights of rows in three pieces of 14 bits.
class ShortWeights {
 public:
  /// Whether the sums of pieces stay within 32 bits: weights must be integers below 2^41, and the
  /// squares of a row must add up to at most `row_square`. Also checks that rows are long enough to
  /// gain anything.
  [[nodiscard]] static bool fit(std::span<const double> weights, std::int64_t row_square);

  explicit ShortWeights(std::span<const double> weights);

  [[nodiscard]] std::size_t columns() const { return pieces_.size() / 3; }
  /// The lowest pieces of all weights, then the middle ones, then the highest ones.
  [[nodiscard]] const std::int16_t* pieces() const { return pieces_.data(); }

 private:
  std::vector<std::int16_t> pieces_;
};

/// Rows, and the rows that are read after them. Each function prefetches one half of the latter, a
/// line at a time, while it works on the former; a request for all at once would stall.
struct ShortRows {
  std::span<const std::int16_t* const> rows;
  /// as many as `rows`; the same rows if nothing follows
  std::span<const std::int16_t* const> next;

  ShortRows(std::span<const std::int16_t* const> of, std::span<const std::int16_t* const> after)
      : rows(of), next(after) {}
  explicit ShortRows(std::span<const std::int16_t* const> of) : ShortRows(of, of) {}
};

/// sums[r] = sum_j rows[r][j] * weights[j].
void exact_dots(const ShortRows& rows, const ShortWeights& weights, std::span<double> sums);

/// sums[j] += sum_r factors[r] * rows[r][j], as add_exact_multiples does it, for rows of integers
/// of at most 2048 in size.
void add_short_multiples(const ShortRows& rows, std::span<const double> factors,
                         std::span<double> sums);

}  // namespace tacet::numeric
