#include "tacet/numeric/hat_sums.h"

#include <algorithm>

namespace tacet::numeric {

HatTable::HatTable(const HatNumbers& numbers, const HatParts<double>& weights)
    : numbers_(2 * width * numbers.size(), 0.0F), rest_(weights.rest.begin(), weights.rest.end()) {
  constexpr double top = HatNumber::height * HatNumber::steps;
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    const auto& number = numbers.list[j];
    const double by = weights.lines[j];
    const auto at = [&](std::int32_t knot) {
      return weights.hats[static_cast<std::size_t>(number.first + knot)];
    };
    float* values = numbers_.data() + 2 * width * j;
    for (std::int32_t k = 0; k <= number.intervals; ++k) {
      const double line = number.rise * HatNumber::steps * k - number.origin;
      values[k] = static_cast<float>(by * line + top * at(k));
      if (k == number.intervals) continue;
      values[width + static_cast<std::size_t>(k)] =
          static_cast<float>(by * number.rise + HatNumber::height * (at(k + 1) - at(k)));
    }
  }
}

HatSums::HatSums(const HatNumbers& numbers)
    : numbers_(&numbers),
      counts_cells_(std::ranges::any_of(numbers.list,
                                        [](const HatNumber& number) {
                                          return number.intervals >
                                                 static_cast<std::int32_t>(few_intervals);
                                        })),
      lanes_(digits * (2 * (numbers.size() + numbers.rest) +
                       (counts_cells_ ? 0 : few_intervals * numbers.size()))),
      cells_(counts_cells_ ? numbers.size() * cells : 0),
      product_totals_(numbers.size() + numbers.rest),
      part_totals_(numbers.size() * cells),
      cell_totals_(cells_.size()) {}

void HatSums::flush_digit(const Lanes* of, std::int64_t weight) {
  for (std::int64_t& total : product_totals_) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto high = static_cast<std::uint32_t>(of[1].lane[l]) << 16;
      total += weight * (std::int64_t{of[1].lane[l]} * 65536 +
                         (static_cast<std::uint32_t>(of[0].lane[l]) - high));
    }
    of += 2;
  }
  for (std::size_t j = 0; !counts_cells_ && j < numbers_->size(); ++j) {
    for (std::size_t k = 0; k < few_intervals; ++k) {
      std::int64_t sum = 0;
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto behind =
            k + 1 < few_intervals ? static_cast<std::uint32_t>(of[k + 1].lane[l]) : 0;
        sum += static_cast<std::int32_t>(static_cast<std::uint32_t>(of[k].lane[l]) - behind);
      }
      part_totals_[j * cells + k] += weight * sum;
    }
    of += few_intervals;
  }
}

void HatSums::flush_lanes() {
  flush_digit(digit_lanes(0), 1);
  flush_digit(digit_lanes(1), std::int64_t{1} << digit_bits);
  std::ranges::fill(lanes_, Lanes{});
  lane_filled_ = 0;
}

void HatSums::flush_cells() {
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    constexpr int above = 64 - low_bits;
    const auto low =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(cells_[at]) << above) >> above;
    part_totals_[at] += low;
    cell_totals_[at] += (cells_[at] - low) >> low_bits;
    cells_[at] = 0;
  }
  cells_filled_ = 0;
}

void HatSums::take_hats(std::size_t number, std::span<std::int64_t> hats) {
  std::int64_t* parts = part_totals_.data() + number * cells;
  // Sums by interval become sums by knot: every interval behind a knot adds a whole step.
  if (counts_cells_) {
    const std::int64_t* of = cell_totals_.data() + number * cells;
    std::int64_t behind = 0;
    for (std::size_t k = hats.size(); k-- > 0;) {
      parts[k] += behind * HatNumber::steps;
      behind += of[k];
    }
  }
  std::int64_t before = HatNumber::steps * factors_;
  for (std::size_t k = 0; k < hats.size(); ++k) {
    const std::int64_t part = k + 1 < hats.size() ? parts[k] : 0;
    hats[k] = HatNumber::height * (before - part);
    before = part;
  }
}

HatParts<std::int64_t> HatSums::take() {
  flush_lanes();
  flush_cells();
  HatParts<std::int64_t> taken(*numbers_);
  for (std::size_t j = 0; j < numbers_->size(); ++j) {
    const auto& number = numbers_->list[j];
    take_hats(j, std::span(taken.hats)
                     .subspan(static_cast<std::size_t>(number.first),
                              static_cast<std::size_t>(number.intervals) + 1));
  }
  const auto rest = product_totals_.begin() + static_cast<std::ptrdiff_t>(numbers_->size());
  std::copy(product_totals_.begin(), rest, taken.lines.begin());
  std::copy(rest, product_totals_.end(), taken.rest.begin());
  std::ranges::fill(product_totals_, 0);
  std::ranges::fill(part_totals_, 0);
  std::ranges::fill(cell_totals_, 0);
  factors_ = 0;
  return taken;
}

}  // namespace tacet::numeric
