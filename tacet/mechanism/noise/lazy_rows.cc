#include "tacet/mechanism/noise/lazy_rows.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/numeric/scale_integers.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

LazyRows::LazyRows(privacy::MechanismDoor door, privacy::RowSum sum, double sigma,
                   random::Lease lease)
    : layout_(sum.layout()), sigma_(sigma), grid_(sum.grid()) {
  random::internal::check_gaussian_sigma(sigma);
  leaf_ = std::make_unique<const random::Leaf>(std::move(lease));
  const auto held = sum.open(door).open(door);
  const auto touched = sum.touched(door);
  touched_.assign(touched.begin(), touched.end());
  taken_.resize(touched_.size());
  std::size_t first = 0;
  for (const auto row : touched_) {
    firsts_.push_back(first);
    first += static_cast<std::size_t>(layout_.width(row));
  }
  const auto cells = held.first(first);
  numbers_.assign(cells.begin(), cells.end());
  std::vector<std::int64_t> dense(held.begin() + static_cast<std::ptrdiff_t>(first), held.end());
  random::internal::GaussianReader(*leaf_, sigma_)
      .add(static_cast<std::uint64_t>(layout_.cells()), dense);
  for (const auto number : dense) dense_.push_back(static_cast<double>(number) * grid_);
}

void LazyRows::held_rows(std::int64_t first, std::int64_t count,
                         std::span<std::int64_t> out) const {
  std::ranges::fill(out, 0);
  const std::int64_t cell = layout_.first_cell(first);
  auto i = static_cast<std::size_t>(std::ranges::lower_bound(touched_, first) - touched_.begin());
  for (; i < touched_.size() && touched_[i] < first + count; ++i) {
    if (taken_[i]) throw base::InternalError("a row was read after it was taken");
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(firsts_[i]),
                layout_.width(touched_[i]), out.begin() + (layout_.first_cell(touched_[i]) - cell));
  }
}

std::size_t LazyRows::Reading::size(std::int64_t first, std::int64_t count) const {
  const auto& layout = rows_.layout_;
  if (first < 0 || count < 1 || count > layout.rows() - first) {
    throw base::InternalError("a lazy release was asked for rows that it does not have");
  }
  const std::int64_t last = first + count - 1;
  return static_cast<std::size_t>(layout.first_cell(last) + layout.width(last) -
                                  layout.first_cell(first));
}

void LazyRows::Reading::draw(std::int64_t first, std::int64_t count, std::size_t size) {
  block_.resize(size);
  rows_.held_rows(first, count, block_);
  // Word j of the leaf for cell j, as where the whole vector is noised.
  noise_.add(static_cast<std::uint64_t>(rows_.layout_.first_cell(first)), block_);
}

void LazyRows::Reading::rows(std::int64_t first, std::int64_t count, std::span<double> out) {
  if (size(first, count) != out.size()) {
    throw base::InternalError("numbers of a lazy release were asked for in room of another size");
  }
  draw(first, count, out.size());
  numeric::scale_integers(block_, rows_.grid_, out);
}

void LazyRows::Reading::rows(std::int64_t first, std::int64_t count, double factor,
                             std::span<float> out) {
  if (size(first, count) != out.size()) {
    throw base::InternalError("numbers of a lazy release were asked for in room of another size");
  }
  // Of as many numbers as the sampler draws at once, so that their integers stay in the first cache
  // however many are asked for.
  constexpr std::int64_t piece_numbers = 1024;
  const auto piece_rows = std::max<std::int64_t>(1, piece_numbers / rows_.layout_.widest());
  for (; count > 0; first += piece_rows, count -= piece_rows) {
    const auto some = std::min(piece_rows, count);
    const auto numbers = size(first, some);
    draw(first, some, numbers);
    numeric::scale_integers(block_, rows_.grid_, factor, out.first(numbers));
    out = out.subspan(numbers);
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
                                                    const Means& means) {
  if (!sum.selection().is_all()) {
    throw base::UsageError("only a sum over all rows is released lazily");
  }
  auto event = internal::pay(sum.sample(), privacy::Gaussian{multiplier.value()}, means);
  const auto door = DoorKeeper::door();
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  auto lease = means.source.lease(random::Purpose::noise, means.address.step, means.address.tensor,
                                  sum.size());
  return {door, std::make_unique<LazyRows>(door, std::move(sum), sigma, std::move(lease)),
          std::move(event)};
}

}  // namespace

privacy::Released<std::unique_ptr<LazyRows>> release_rows_lazily(
    privacy::RowSum sum, privacy::NoiseMultiplier multiplier, const ReleaseMeans& means) {
  return lazily(std::move(sum), multiplier, means);
}

privacy::Released<std::unique_ptr<LazyRows>> release_rows_lazily(
    privacy::RowSum sum, privacy::NoiseMultiplier multiplier, const PermitMeans& means) {
  return lazily(std::move(sum), multiplier, means);
}

}  // namespace tacet::mechanism
