#include "tacet/data/hat_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"

namespace tacet::data {
namespace {

using numeric::HatNumber;
using numeric::HatNumbers;

constexpr double unit = Dataset::feature_scale;
constexpr std::int32_t largest_integer = std::numeric_limits<std::int16_t>::max();

std::int32_t intervals_of(const HatColumns& columns) {
  return static_cast<std::int32_t>(columns.knots) - 1;
}

// The number of bits by which positions are shifted to the left so that they still fit 16 bits.
int shift_of(const HatColumns& columns) {
  int shift = 0;
  while ((intervals_of(columns) * HatNumber::steps) << (shift + 1) < 1 << 16) ++shift;
  return shift;
}

// The rise of the line from one position to the next, in grid units.
double rise_of(const HatColumns& columns) {
  return unit * columns.slope / (intervals_of(columns) * HatNumber::steps);
}

double factor_of(const HatColumns& columns) {
  return std::round(std::ldexp(rise_of(columns), 16 - shift_of(columns)));
}

HatNumber number_of(const HatColumns& columns, std::size_t first) {
  const double origin = unit * columns.slope * columns.zero;
  return {.intervals = intervals_of(columns),
          .first = static_cast<std::int32_t>(first),
          .shift = shift_of(columns),
          .factor = static_cast<std::uint16_t>(factor_of(columns)),
          // Rounding down takes half a unit on average.
          .offset = static_cast<std::int16_t>(std::round(origin - 0.5)),
          .rise = rise_of(columns),
          .origin = origin};
}

// Calls take(column, integer) for the integers that can differ from 0.
template <typename Take>
void each_integer(const HatNumbers& numbers, const std::int16_t* packed, const Take& take) {
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    const auto& number = numbers.list[j];
    const auto position = static_cast<std::uint16_t>(packed[j]);
    const std::int32_t step = position % HatNumber::steps;
    const auto place = static_cast<std::size_t>(number.first + position / HatNumber::steps);
    take.line(j, number.line(position));
    take.hat(place, HatNumber::height * (HatNumber::steps - step));
    if (step > 0) take.hat(place + 1, HatNumber::height * step);
  }
  for (std::size_t k = 0; k < numbers.rest; ++k) take.rest(k, packed[numbers.size() + k]);
}

template <typename Line, typename Hat, typename Rest>
struct Takers {
  Line line;
  Hat hat;
  Rest rest;
};

}  // namespace

bool HatColumns::packs() const {
  // Fewer places would be seen in a line.
  constexpr std::uint32_t min_knots = 8;
  // A position and a line have 16 bits each.
  const double farthest = unit * slope * std::max(std::fabs(zero), std::fabs(1 - zero));
  return knots >= min_knots && intervals_of(*this) <= HatNumber::max_intervals && slope > 0 &&
         farthest + 2 <= largest_integer && unit * slope + 2 <= largest_integer &&
         factor_of(*this) <= std::numeric_limits<std::uint16_t>::max();
}

HatRows::HatRows(std::span<const HatColumns> packed, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  number_of_.assign(width, static_cast<std::uint32_t>(packed.size()));
  at_.resize(width);
  std::int64_t free = 0;
  for (std::size_t j = 0; j < packed.size(); ++j) {
    const auto& number = packed[j];
    if (!number.packs() || number.line < free || columns - number.line <= number.knots) {
      throw base::InternalError("columns of hat functions that overlap or cannot be packed");
    }
    free = std::int64_t{number.line} + number.knots + 1;
    numbers_.list.push_back(data::number_of(number, places_.size()));
    for (std::uint32_t k = 0; k <= number.knots; ++k) {
      number_of_[number.line + k] = static_cast<std::uint32_t>(j);
      at_[number.line + k] = k;
      if (k > 0) places_.push_back(number.line + k);
    }
    lines_.push_back(number.line);
  }
  for (std::uint32_t column = 0; column < width; ++column) {
    if (number_of_[column] < packed.size()) continue;
    at_[column] = static_cast<std::uint32_t>(rest_.size());
    rest_.push_back(column);
  }
  numbers_.places = places_.size();
  numbers_.rest = rest_.size();
}

double HatRows::norm_bound() const {
  // Lines and other integers have 16 bits each; the two hat functions of a number are smaller.
  const double each = (largest_integer + 1) / unit;
  return each *
         std::sqrt(2.0 * static_cast<double>(lines_.size()) + static_cast<double>(rest_.size()));
}

bool HatRows::place_numbers(const EncodedRow& row, std::int16_t* packed) const {
  constexpr double rounding = 1e-9;
  std::vector<double> place(numbers_.size(), -1);  // in knots
  std::vector<double> shares(numbers_.size(), 0);
  for (std::size_t k = 0; k < row.plain_columns.size(); ++k) {
    const auto column = row.plain_columns[k];
    const auto j = number_of_[column];
    if (j == numbers_.size() || at_[column] == 0) continue;
    const double knot = at_[column] - 1;
    const double height = row.plain_values[k];
    // The position is the mean of the two knots, weighted by their heights.
    const double share = height / (HatNumber::height * HatNumber::steps / unit);
    if (!(share >= 0 && share <= 1)) return false;
    shares[j] += share;
    if (place[j] < 0) {
      place[j] = knot + 1 - share;
    } else if (std::fabs(place[j] - (knot - 1 + share)) > rounding) {
      return false;
    }
  }
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    if (std::fabs(shares[j] - 1) > rounding) return false;
    const double position = std::round(place[j] * HatNumber::steps);
    packed[j] = static_cast<std::int16_t>(static_cast<std::uint16_t>(
        std::min(position, static_cast<double>(numbers_.list[j].intervals * HatNumber::steps))));
  }
  return true;
}

bool HatRows::place_rest(const EncodedRow& row, std::int16_t* packed) const {
  for (std::size_t k = 0; k < row.plain_columns.size(); ++k) {
    const auto column = row.plain_columns[k];
    if (number_of_[column] < numbers_.size()) continue;
    const double integer = std::trunc(row.plain_values[k] * unit);
    if (!(std::fabs(integer) <= largest_integer)) return false;
    packed[numbers_.size() + at_[column]] =
        static_cast<std::int16_t>(static_cast<std::int32_t>(integer));
  }
  return true;
}

std::optional<std::int64_t> HatRows::pack(const EncodedRow& row, std::int64_t squared_norm_bound,
                                          std::int16_t* packed) const {
  std::fill_n(packed, numbers_.words(), std::int16_t{0});
  if (row.columns.empty()) return 0;
  if (!(row.scale > 0) || !place_numbers(row, packed) || !place_rest(row, packed)) {
    std::fill_n(packed, numbers_.words(), std::int16_t{0});
    return std::nullopt;
  }
  std::int64_t square = 0;
  const auto add = [&](std::size_t, std::int64_t integer) { square += integer * integer; };
  each_integer(numbers_, packed, Takers{add, add, add});
  // The scale is certified for the integers that result. The margin covers all rounding errors.
  constexpr float shrink = 1 - 0x1p-20F;
  const double room = static_cast<double>(squared_norm_bound) * (1 - 0x1p-30);
  auto scale = static_cast<float>(row.scale / unit);
  while (double{scale} * double{scale} * static_cast<double>(square) > room) scale *= shrink;
  std::memcpy(packed + numbers_.scale_at(), &scale, sizeof scale);
  return square;
}

void HatRows::expand(const std::int16_t* packed, std::span<std::int16_t> row) const {
  std::ranges::fill(row, std::int16_t{0});
  const double scale = double{numbers_.scale(packed)};
  if (scale == 0) return;
  const auto put = [&](const std::vector<std::uint32_t>& columns) {
    return [&, of = columns.data()](std::size_t k, std::int32_t integer) {
      row[of[k]] = static_cast<std::int16_t>(static_cast<std::int32_t>(scale * integer));
    };
  };
  each_integer(numbers_, packed, Takers{put(lines_), put(places_), put(rest_)});
}

void HatRows::integers(const std::int16_t* packed, std::span<std::int32_t> row) const {
  std::ranges::fill(row, 0);
  if (numbers_.scale(packed) == 0) return;
  const auto put = [&](const std::vector<std::uint32_t>& columns) {
    return [&, of = columns.data()](std::size_t k, std::int32_t integer) { row[of[k]] = integer; };
  };
  each_integer(numbers_, packed, Takers{put(lines_), put(places_), put(rest_)});
}

}  // namespace tacet::data
