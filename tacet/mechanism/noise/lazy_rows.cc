#include "tacet/mechanism/noise/lazy_rows.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/numeric/kernels.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

LazyRows::LazyRows(privacy::AccessKey key, privacy::RowSum sum, double sigma,
                   random::BlockClaim claim)
    : layout_(sum.layout()), sigma_(sigma), grid_(sum.grid()) {
  random::internal::check_gaussian_sigma(sigma);
  block_ = std::make_unique<const random::KeystreamBlock>(std::move(claim));
  const auto touched = sum.touched(key);
  touched_.assign(touched.begin(), touched.end());
  taken_.resize(touched_.size());
  cells_.reserve(touched_.size());
  firsts_.reserve(touched_.size() + 1);
  firsts_.push_back(0);
  for (const auto row : touched_) {
    cells_.push_back(layout_.first_cell(row));
    firsts_.push_back(firsts_.back() + static_cast<std::size_t>(layout_.width(row)));
  }
  numbers_ = std::move(sum).open(key).take(key);
  if (layout_.dense() == 0) return;
  const auto dense = std::span(numbers_).subspan(firsts_.back());
  random::internal::GaussianReader(*block_, sigma_)
      .add(static_cast<std::uint64_t>(layout_.cells()), dense);
  for (const auto number : dense) dense_.push_back(static_cast<double>(number) * grid_);
  numbers_.resize(firsts_.back());
}

void LazyRows::write_held(std::int64_t first, std::span<std::int64_t> out) const {
  const std::int64_t end = first + std::ssize(out);
  // Begins at the last row whose first cell is not after `first`.
  const auto behind = std::ranges::upper_bound(cells_, first) - cells_.begin();
  for (auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - 1, 0));
       i < cells_.size() && cells_[i] < end; ++i) {
    const auto width = static_cast<std::int64_t>(firsts_[i + 1] - firsts_[i]);
    const std::int64_t from = std::max(first, cells_[i]);
    const std::int64_t to = std::min(end, cells_[i] + width);
    if (from >= to) continue;
    if (taken_[i]) {
      std::ranges::fill(out, 0);  // so that no number without noise is left here
      throw base::InternalError("a row was read after it was taken");
    }
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(firsts_[i]) + (from - cells_[i]),
                to - from, out.begin() + (from - first));
  }
}

std::span<std::int64_t> LazyRows::Reading::cells(std::int64_t first, std::size_t count) {
  if (count > max_cells || first < 0 ||
      first > rows_.layout_.cells() - static_cast<std::int64_t>(count)) {
    throw base::InternalError("a lazy release was asked for cells that it does not have");
  }
  const auto cells = std::span(cells_).first(count);
  rows_.write_held(first, cells);
  // Word j of the keystream block belongs to cell j, as if the whole vector got its noise at once.
  noise_.add(static_cast<std::uint64_t>(first), cells);
  return cells;
}

void LazyRows::Reading::rows(std::int64_t first, std::int64_t count, std::span<double> out) {
  const auto& layout = rows_.layout_;
  if (first < 0 || count < 1 || count > layout.rows() - first) {
    throw base::InternalError("a lazy release was asked for rows that it does not have");
  }
  const std::int64_t last = first + count - 1;
  auto cell = layout.first_cell(first);
  if (layout.first_cell(last) + layout.width(last) - cell != std::ssize(out)) {
    throw base::InternalError("numbers of a lazy release were asked for in room of another size");
  }
  while (!out.empty()) {
    const auto integers = cells(cell, std::min(max_cells, out.size()));
    numeric::scale_integers(integers, grid(), out.first(integers.size()));
    std::ranges::fill(integers, 0);
    out = out.subspan(integers.size());
    cell += std::ssize(integers);
  }
}

void LazyRows::take_row(std::int64_t row, std::span<double> out) {
  this->row(row, out);
  const auto found = std::ranges::lower_bound(touched_, row);
  if (found == touched_.end() || *found != row) return;
  const auto i = static_cast<std::size_t>(found - touched_.begin());
  taken_[i] = true;
  std::fill_n(numbers_.begin() + static_cast<std::ptrdiff_t>(firsts_[i]), layout_.width(row), 0);
}

namespace {

template <typename Means>
privacy::Released<std::unique_ptr<LazyRows>> lazily(privacy::RowSum sum,
                                                    privacy::NoiseMultiplier multiplier,
                                                    const Means& context) {
  if (!sum.selection().is_all()) {
    throw base::UsageError("only a sum over all rows is released lazily");
  }
  auto event = internal::pay(sum.sample(), privacy::Gaussian{multiplier.value()}, context);
  const auto access = AccessKeys::key();
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  auto claim = context.source.claim(random::Purpose::noise, context.address.step,
                                    context.address.tensor, sum.size());
  return {access, std::make_unique<LazyRows>(access, std::move(sum), sigma, std::move(claim)),
          std::move(event)};
}

}  // namespace

privacy::Released<std::unique_ptr<LazyRows>> release_rows_lazily(
    privacy::RowSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context) {
  return lazily(std::move(sum), multiplier, context);
}

privacy::Released<std::unique_ptr<LazyRows>> release_rows_lazily(
    privacy::RowSum sum, privacy::NoiseMultiplier multiplier, const PermitContext& context) {
  return lazily(std::move(sum), multiplier, context);
}

}  // namespace tacet::mechanism
