#include "tacet/mechanism/noise/lazy_rows.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

LazyRows::LazyRows(privacy::MechanismDoor door, privacy::RowSum sum, double sigma,
                   random::Lease lease)
    : layout_(sum.layout()), sigma_(sigma), grid_(sum.grid()) {
  random::internal::check_gaussian_sigma(sigma);
  leaf_ = std::make_unique<const random::Leaf>(std::move(lease));
  const auto held = sum.open(door).open(door);
  std::size_t first = 0;
  for (const auto touched : sum.touched(door)) {
    const auto own = held.subspan(first, static_cast<std::size_t>(layout_.width(touched)));
    numbers_.emplace(touched, std::vector<std::int64_t>(own.begin(), own.end()));
    first += own.size();
  }
  std::vector<std::int64_t> block(held.begin() + static_cast<std::ptrdiff_t>(first), held.end());
  dense_.resize(block.size());
  noised(static_cast<std::uint64_t>(layout_.cells()), block, dense_);
}

void LazyRows::noised(std::uint64_t first, std::span<std::int64_t> numbers,
                      std::span<double> out) const {
  random::internal::GaussianReader(*leaf_, sigma_).add(first, numbers);
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    out[j] = static_cast<double>(numbers[j]) * grid_;
  }
}

void LazyRows::row(std::int64_t row, std::span<double> out) const {
  if (row < 0 || row >= layout_.rows() || std::ssize(out) != layout_.width(row)) {
    throw base::InternalError("a lazy release was asked for a row that it does not have");
  }
  std::vector<std::int64_t> numbers(out.size(), 0);
  const auto held = numbers_.find(row);
  if (held != numbers_.end()) {
    if (held->second.empty()) throw base::InternalError("a row was read after it was taken");
    numbers = held->second;
  }
  // Word j of the leaf for cell j, as where the whole vector is noised.
  noised(static_cast<std::uint64_t>(layout_.first_cell(row)), numbers, out);
}

void LazyRows::take_row(std::int64_t row, std::span<double> out) {
  this->row(row, out);
  const auto held = numbers_.find(row);
  if (held != numbers_.end()) std::vector<std::int64_t>().swap(held->second);
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
