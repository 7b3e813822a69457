#include "tacet/mechanism/noise/row_gaussian.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tacet/base/machine.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/gaussian_reals.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"

namespace tacet::mechanism {
namespace {

/// The numbers of a sum over all rows, block by block. Numbers of untouched rows are 0 and are not
/// stored.
class CellsInOrder {
 public:
  CellsInOrder(const privacy::RowLayout& layout, std::span<const std::int64_t> touched,
               std::span<const std::int64_t> numbers)
      : layout_(layout), touched_(touched), numbers_(numbers) {}

  /// The next cells; the dense block follows the last row.
  void next(std::span<std::int64_t> block) {
    std::ranges::fill(block, 0);
    const std::int64_t end = cell_ + std::ssize(block);
    while (row_ <= touched_.size()) {
      const bool dense = row_ == touched_.size();
      const std::int64_t first = dense ? layout_.cells() : layout_.first_cell(touched_[row_]);
      const std::int64_t width = dense ? layout_.dense() : layout_.width(touched_[row_]);
      const std::int64_t from = std::max(first, cell_);
      const std::int64_t to = std::min(first + width, end);
      for (std::int64_t cell = from; cell < to; ++cell) {
        block[static_cast<std::size_t>(cell - cell_)] =
            numbers_[number_ + static_cast<std::size_t>(cell - first)];
      }
      if (first + width > end) break;
      number_ += static_cast<std::size_t>(width);
      ++row_;
    }
    cell_ = end;
  }

 private:
  const privacy::RowLayout& layout_;
  std::span<const std::int64_t> touched_;
  std::span<const std::int64_t> numbers_;
  std::int64_t cell_ = 0;
  std::size_t row_ = 0;     // the next touched one
  std::size_t number_ = 0;  // its first one
};

/// The same as gaussian_reals for a stored vector: word j belongs to cell j.
std::vector<double> all_reals(const privacy::RowSum& sum, random::BlockClaim claim, double sigma) {
  constexpr std::size_t block_size = 1024;
  const auto access = AccessKeys::key();
  random::internal::check_gaussian_sigma(sigma);
  const random::KeystreamBlock keystream(std::move(claim));
  random::internal::GaussianReader noise(keystream, sigma);
  CellsInOrder cells(sum.layout(), sum.touched(access), sum.open(access).open(access));
  const auto size = static_cast<std::size_t>(sum.size());
  std::vector<double> result;
  result.reserve(size);
  base::prefer_large_pages(result.data(), size * sizeof(double));
  std::array<std::int64_t, block_size> numbers;
  std::array<double, block_size> reals;
  for (std::size_t first = 0; first < size; first += block_size) {
    const auto block = std::span(numbers).first(std::min(block_size, size - first));
    cells.next(block);
    noise.add(first, block);
    for (std::size_t j = 0; j < block.size(); ++j) {
      reals[j] = static_cast<double>(block[j]) * sum.grid();
    }
    result.insert(result.end(), reals.begin(),
                  reals.begin() + static_cast<std::ptrdiff_t>(block.size()));
  }
  return result;
}

// The choice is public, so this is the Gaussian mechanism on a vector of the chosen cells. Their
// number, and the place of each in the keystream block, reveal nothing.
privacy::Released<NoisyRows> noised_rows(privacy::RowSum sum, privacy::NoiseMultiplier multiplier,
                                         privacy::Event event, NoiseAddress address,
                                         random::Source& source) {
  const auto access = AccessKeys::key();
  const double grid = sum.grid();
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  auto claim = source.claim(random::Purpose::noise, address.step, address.tensor, sum.size());
  NoisyRows noisy{sum.selection(), sum.layout(), {}};
  if (sum.selection().is_all()) {
    noisy.values = all_reals(sum, std::move(claim), sigma);
  } else {
    auto numbers = std::move(sum).open(access).take(access);
    noisy.values = internal::gaussian_reals(numbers, grid, std::move(claim), sigma);
  }
  return {access, std::move(noisy), std::move(event)};
}

}  // namespace

privacy::Released<NoisyRows> release_rows(privacy::RowSum sum, privacy::NoiseMultiplier multiplier,
                                          const ReleaseContext& context) {
  auto event = internal::debit_sampled(sum.sample(), privacy::Gaussian{multiplier.value()},
                                       context.reservation);
  return noised_rows(std::move(sum), multiplier, std::move(event), context.address, context.source);
}

privacy::Released<NoisyRows> release_rows(privacy::RowSum sum, privacy::NoiseMultiplier multiplier,
                                          const PermitContext& context) {
  context.permit.take(sum.sample(), privacy::Gaussian{multiplier.value()});
  return noised_rows(std::move(sum), multiplier, context.permit.event(), context.address,
                     context.source);
}

}  // namespace tacet::mechanism
