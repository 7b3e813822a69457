#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// The noisy sum over all rows, computed row by row when a row is read. The numbers are those of
/// release_rows, from the same words of the keystream block. This is the only exact way to defer
/// noise: a single draw with the summed variance of several steps has another distribution, which
/// would reveal when a row was read (docs/proofs/wide.md, section 2). It saves memory and memory
/// traffic, not draws.
///
/// It keeps a key of the source's tree, and the numbers of touched rows until these are taken. The
/// source must outlive it. Not for several threads at once.
class LazyRows {
 public:
  /// Only mechanisms can call it (AccessKey), after they have debited the cost. `sigma` is in grid
  /// units.
  LazyRows(privacy::AccessKey key, privacy::RowSum sum, double sigma, random::BlockClaim claim);

  /// Reads rows one after the other without opening the keystream block each time. `rows` must
  /// outlive it.
  class Reading {
   public:
    explicit Reading(const LazyRows& rows) : rows_(rows), noise_(*rows.block_, rows.sigma_) {}

    /// Cells that are drawn at once, as many as the sampler draws: they fit into the first cache.
    static constexpr std::size_t max_cells = 1024;
    /// The noisy numbers of at most max_cells cells from `first` on, in units of grid(); the same
    /// at every reading. Valid until the next call. A caller may overwrite them with zeros.
    /// InternalError for cells of a row that was taken, and for cells outside of the layout.
    [[nodiscard]] std::span<std::int64_t> cells(std::int64_t first, std::size_t count);
    [[nodiscard]] double grid() const { return rows_.grid_; }

    /// The noisy numbers of `count` rows from `first` on, in real units, one row after the other.
    /// InternalError as for cells(), and for another size of `out`.
    void rows(std::int64_t first, std::int64_t count, std::span<double> out);

   private:
    const LazyRows& rows_;
    random::internal::GaussianReader noise_;
    std::array<std::int64_t, max_cells> cells_{};  // zeros between two calls
  };

  /// The noisy numbers of one row, in `out` of its width, as a Reading returns them.
  void row(std::int64_t row, std::span<double> out) const { Reading(*this).rows(row, 1, out); }
  /// The same for the last time: the row is then dropped.
  void take_row(std::int64_t row, std::span<double> out);
  /// The noisy dense block.
  [[nodiscard]] std::span<const double> dense() const { return dense_; }
  [[nodiscard]] const privacy::RowLayout& layout() const { return layout_; }
  /// Numbers that are held for touched rows, taken or not.
  [[nodiscard]] std::size_t held() const { return numbers_.size(); }

 private:
  // Writes the stored numbers of cells from `first` on, without noise; others stay as they are.
  void write_held(std::int64_t first, std::span<std::int64_t> out) const;

  privacy::RowLayout layout_;
  std::unique_ptr<const random::KeystreamBlock> block_;
  double sigma_;
  double grid_;
  std::vector<std::int64_t> touched_;  // rows, ascending
  std::vector<std::int64_t> cells_;    // first cell of each touched row
  std::vector<std::size_t> firsts_;    // its index in numbers_, and one past the last
  std::vector<bool> taken_;            // likewise
  std::vector<std::int64_t> numbers_;  // zeros after they were taken
  std::vector<double> dense_;
};

/// Releases a sum over all rows lazily. Debit and errors as release_rows; UsageError for a sum over
/// chosen rows.
[[nodiscard]] privacy::Released<std::unique_ptr<LazyRows>> release_rows_lazily(
    privacy::RowSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context);
[[nodiscard]] privacy::Released<std::unique_ptr<LazyRows>> release_rows_lazily(
    privacy::RowSum sum, privacy::NoiseMultiplier multiplier, const PermitContext& context);

}  // namespace tacet::mechanism
