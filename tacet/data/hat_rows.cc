#include "tacet/data/hat_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

using numeric::HatNumbers;

// Of the line, from one unit of a hat function to the next.
double rise_of(const HatColumns& columns) { return 2 * columns.slope / (columns.knots - 1.0); }

// Toward zero: a hat function is at most this.
float rounded_down(double height) {
  const auto nearest = static_cast<float>(height);
  return static_cast<double>(nearest) > height ? std::nextafter(nearest, 0.0F) : nearest;
}

// What is not 0 of a number, as it is met.
struct Met {
  std::int32_t line = 0;
  std::int32_t first = -1;  // knots
  std::int32_t second = -1;
  std::int32_t at_first = 0;
  std::int32_t at_second = 0;
};

}  // namespace

bool HatColumns::packs() const {
  return knots >= 2 && knots <= HatNumbers::most_knots && slope > 0 &&
         rise_of(*this) <= static_cast<double>(HatNumbers::steepest) && std::fabs(zero) <= 1;
}

HatRows::HatRows(std::span<const HatColumns> packed, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  numbers_.count = packed.size();
  number_of_.assign(width, static_cast<std::uint32_t>(packed.size()));
  at_.resize(width);
  std::int64_t free = 0;
  for (std::size_t j = 0; j < packed.size(); ++j) {
    const auto& number = packed[j];
    if (!number.packs() || number.line < free || columns - number.line <= number.knots) {
      throw base::InternalError("columns of hat functions that overlap or cannot be packed");
    }
    free = std::int64_t{number.line} + number.knots + 1;
    numbers_.rise.push_back(static_cast<float>(rise_of(number)));
    numbers_.origin.push_back(static_cast<float>(2 * number.slope * number.zero));
    numbers_.first.push_back(static_cast<std::int32_t>(places_.size()));
    for (std::uint32_t k = 0; k <= number.knots; ++k) {
      number_of_[number.line + k] = static_cast<std::uint32_t>(j);
      at_[number.line + k] = k;
      if (k > 0) places_.push_back(number.line + k);
    }
    integers_.push_back(number.line);
  }
  for (std::uint32_t column = 0; column < width; ++column) {
    if (number_of_[column] < packed.size()) continue;
    at_[column] = static_cast<std::uint32_t>(integers_.size());
    integers_.push_back(column);
  }
  numbers_.rest = integers_.size() - packed.size();
}

bool HatRows::pack_numbers(std::span<const std::uint32_t> columns,
                           std::span<const std::int16_t> values, std::int16_t* packed) const {
  std::size_t next = 0;
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    Met met;
    const auto is_of = [&](std::size_t number) {
      return next < columns.size() && number_of_[columns[next]] == number;
    };
    while (is_of(numbers_.size())) ++next;  // of the rest
    for (; is_of(j); ++next) {
      const auto knot = static_cast<std::int32_t>(at_[columns[next]]) - 1;
      if (knot < 0) {
        met.line = values[next];
      } else if (met.first < 0) {
        met.first = knot;
        met.at_first = values[next];
      } else if (met.second < 0) {
        met.second = knot;
        met.at_second = values[next];
      } else {
        return false;
      }
    }
    const auto last = static_cast<std::int32_t>((j + 1 < numbers_.size()
                                                     ? numbers_.first[j + 1]
                                                     : static_cast<std::int32_t>(places_.size())) -
                                                numbers_.first[j] - 1);
    const auto pack = [&](std::int32_t knot, std::int32_t left, std::int32_t right) {
      return numeric::pack_number(
          numbers_, j, {.line = met.line, .knot = knot, .left = left, .right = right}, packed);
    };
    if (met.second >= 0) {
      if (met.second != met.first + 1 || !pack(met.first, met.at_first, met.at_second))
        return false;
    } else {
      // One alone is that of either side: the other one was rounded to 0.
      const auto knot = std::max(met.first, 0);
      const bool before = knot < last && pack(knot, met.at_first, 0);
      if (!before && (knot == 0 || !pack(knot - 1, 0, met.at_first))) return false;
    }
  }
  return true;
}

bool HatRows::pack(std::span<const std::uint32_t> columns, std::span<const std::int16_t> values,
                   double scale, std::int16_t* packed) const {
  std::fill_n(packed, numbers_.words(), std::int16_t{0});
  if (columns.empty()) return true;
  const bool known = scale > 0 && scale <= 0x1p16;
  float height = known ? rounded_down(scale / 2) : 0;
  if (!known) {
    std::int32_t largest = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (number_of_[columns[k]] == numbers_.size() || at_[columns[k]] == 0) continue;
      const bool follows = k > 0 && columns[k - 1] + 1 == columns[k] && at_[columns[k]] > 1;
      largest = std::max(largest, values[k] + (follows ? values[k - 1] : 0));
    }
    height = static_cast<float>(largest) + 0.5F;
  }
  std::memcpy(packed + numbers_.height_at(), &height, sizeof height);
  if (!(height > 0) || !pack_numbers(columns, values, packed)) {
    std::fill_n(packed, numbers_.words(), std::int16_t{0});
    return false;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (number_of_[columns[k]] < numbers_.size()) continue;
    packed[numbers_.rest_at() + at_[columns[k]] - numbers_.size()] = values[k];
  }
  return true;
}

void HatRows::expand(const std::int16_t* packed, std::span<std::int16_t> row) const {
  std::ranges::fill(row, std::int16_t{0});
  if (!(numbers_.height(packed) > 0)) return;
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    const auto number = numeric::unpack_number(numbers_, packed, j);
    row[integers_[j]] = static_cast<std::int16_t>(number.line);
    const auto place = static_cast<std::size_t>(numbers_.first[j] + number.knot);
    row[places_[place]] = static_cast<std::int16_t>(number.left);
    row[places_[place + 1]] = static_cast<std::int16_t>(number.right);
  }
  for (std::size_t k = 0; k < numbers_.rest; ++k) {
    row[integers_[numbers_.size() + k]] = packed[numbers_.rest_at() + k];
  }
}

}  // namespace tacet::data
