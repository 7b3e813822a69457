#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/numeric/hat_numbers.h"
#include "tacet/numeric/hat_sums.h"

/// Sums of packed rows (hat_numbers.h) and products with them, many rows at a time.
namespace tacet::numeric {

/// Rows that are read together.
class HatBlock {
 public:
  static constexpr std::size_t rows = 256;
  /// The largest factor.
  static constexpr std::int32_t largest_factor = (1 << 19) - 1;

  explicit HatBlock(const HatNumbers& numbers);

  /// Reads at most `rows` packed rows. Behind each row lie spare_words that are read too. margins()
  /// prefetches the `next` rows, so that list has to stay valid until then.
  void read(std::span<const std::int16_t* const> packed,
            std::span<const std::int16_t* const> next = {});
  /// sums[r] = the product of the weights with row r, in single precision. The order of the
  /// additions is fixed, so it is the same on every machine.
  void margins(const HatTable& table, std::span<float, rows> sums) const;
  /// Adds the rows' features times `factors`, which are integers.
  void add_multiples(std::span<const double> factors, HatSums& sums);

 private:
  struct alignas(64) Line {
    std::uint16_t word[32];
  };

  const HatNumbers& numbers_;
  std::size_t count_ = 0;   // number of rows
  std::size_t padded_ = 0;  // the same, rounded up to whole lines of memory
  std::vector<const std::int16_t*> pointers_;
  std::span<const std::int16_t* const> next_;
  std::vector<Line> columns_;  // positions and other integers, column by column
};

}  // namespace tacet::numeric
