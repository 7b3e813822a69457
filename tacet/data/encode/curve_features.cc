#include "tacet/data/encode/curve_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "tacet/data/encode/projection_map.h"
#include "tacet/numeric/elementary.h"

namespace tacet::data {
namespace {

constexpr double to_turns = 1 / (2 * std::numbers::pi);

// In (0, 1], with 53 bits.
double uniform_of(std::uint64_t hash) { return static_cast<double>((hash >> 11) + 1) * 0x1p-53; }

/// Public normal numbers, each with an address (Box, Muller 1958).
double public_normal(std::int64_t seed, std::uint64_t row, std::uint64_t index) {
  const double u = uniform_of(projection_hash(seed, row, 2 * index));
  const double turns = uniform_of(projection_hash(seed, row, 2 * index + 1));
  return std::sqrt(-2 * numeric::log(u)) * numeric::sine_cosine(turns).cosine;
}

// Rows of the hash that the draws come from.
constexpr std::uint64_t directions_row = 1;
constexpr std::uint64_t lengths_row = 2;
constexpr std::uint64_t angles_row = 3;

double length_of(std::span<const double> vector) {
  double square = 0;
  for (const double value : vector) square += value * value;
  return std::sqrt(square);
}

/// Rows of normal numbers made orthogonal and of length 1, one after the other, twice (Gram,
/// Schmidt).
void make_orthogonal(std::vector<std::vector<double>>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        double inner = 0;
        for (std::size_t k = 0; k < rows[i].size(); ++k) inner += rows[i][k] * rows[j][k];
        for (std::size_t k = 0; k < rows[i].size(); ++k) rows[i][k] -= inner * rows[j][k];
      }
      const double length = length_of(rows[i]);
      for (double& value : rows[i]) value /= length;
    }
  }
}

/// To the nearest integer, halves up: the same whatever the rounding mode of a library call is.
std::int32_t nearest(double value) { return static_cast<std::int32_t>(std::floor(value + 0.5)); }

/// Sines of 2^13 angles around the turn, and a quarter more for their cosines.
class SineTable {
 public:
  static constexpr int bits = 13;
  static constexpr std::uint32_t turn = 1U << bits;
  static constexpr std::uint32_t quarter = turn / 4;

  explicit SineTable(double height) {
    for (std::uint32_t k = 0; k < values_.size(); ++k) {
      const double sine = numeric::sine_cosine(static_cast<double>(k % turn) / turn).sine;
      values_[k] = static_cast<std::int16_t>(nearest(height * sine));
    }
  }
  [[nodiscard]] std::span<const std::int16_t> values() const { return values_; }

 private:
  std::array<std::int16_t, turn + quarter> values_{};
};

}  // namespace

CurveFunctions::CurveFunctions(const Curves& curves, const CurveShape& shape)
    : shape_(shape),
      frequencies_(static_cast<std::size_t>(curves.frequencies)),
      half_(frequencies_ + static_cast<std::size_t>(shape.numbers * half_hats)),
      wave_height_(std::sqrt(wave_share / static_cast<double>(curves.frequencies))),
      hat_height_(std::sqrt((1 - wave_share) / static_cast<double>(shape.numbers))) {
  const auto numbers = static_cast<std::size_t>(shape.numbers);
  const double root = std::sqrt(static_cast<double>(shape.numbers + std::ssize(shape.levels)));
  turns_.resize(numbers * frequencies_);
  std::vector<std::vector<double>> rows(numbers, std::vector<double>(numbers));
  std::vector<double> lengths(numbers);
  for (std::size_t wave = 0; wave < frequencies_; ++wave) {
    const std::size_t place = wave % numbers;
    const std::uint64_t first = wave - place;
    if (place == 0) {
      for (std::size_t i = 0; i < numbers; ++i) {
        for (std::size_t k = 0; k < numbers; ++k) {
          rows[i][k] = public_normal(curves.seed, directions_row, (first + i) * numbers + k);
        }
      }
      make_orthogonal(rows);
    }
    for (std::size_t k = 0; k < numbers; ++k) {
      lengths[k] = public_normal(curves.seed, lengths_row, wave * numbers + k);
    }
    const double length = length_of(lengths) * to_turns / (lengthscale * root);
    for (std::size_t k = 0; k < numbers; ++k) {
      // Nothing comes near the bound of two turns: a normal length would have to be 8.8 of them.
      constexpr std::int32_t most = std::numeric_limits<std::int16_t>::max();
      turns_[k * frequencies_ + wave] = static_cast<std::int16_t>(
          std::clamp(nearest(rows[place][k] * length * turn_units), -most, most));
    }
  }
  const auto levels = static_cast<std::size_t>(shape.all_levels());
  angles_.resize(levels * frequencies_);
  for (std::size_t k = 0; k < angles_.size(); ++k) {
    const double turns = public_normal(curves.seed, angles_row, k) * to_turns / root;
    angles_[k] = static_cast<std::uint32_t>(nearest(turns * turn_units * number_units));
  }
}

std::span<const std::int16_t> CurveFunctions::sines() {
  static const SineTable table(wave_units);
  return table.values();
}

double CurveFunctions::hat_units() const {
  return hat_height_ * (std::numbers::sqrt2 / 2) / unit();
}

double CurveFunctions::hat(std::int64_t knot, double number) {
  const double place = (std::clamp(number, -reach, reach) + reach) / gap;
  return std::max(0.0, 1 - std::abs(place - static_cast<double>(knot)));
}

void CurveFunctions::evaluate(const CurvePoint& point, std::span<std::int16_t> out) const {
  const std::int16_t* table = sines().data();
  std::vector<std::uint32_t> phases(frequencies_, 0);
  for (std::size_t k = 0; k < point.numbers.size(); ++k) {
    const std::int16_t* turns = turns_.data() + k * frequencies_;
    const auto number = static_cast<std::int16_t>(nearest(point.numbers[k] * number_units));
    for (std::size_t wave = 0; wave < frequencies_; ++wave) {
      phases[wave] += static_cast<std::uint32_t>(number * turns[wave]);
    }
  }
  for (const auto level : point.levels) {
    if (level < 0) continue;
    const std::uint32_t* angles = angles_.data() + static_cast<std::size_t>(level) * frequencies_;
    for (std::size_t wave = 0; wave < frequencies_; ++wave) phases[wave] += angles[wave];
  }
  std::ranges::fill(out, std::int16_t{0});
  const auto even = out.first(half_);
  const auto odd = out.subspan(half_);
  constexpr int finer = 27 - SineTable::bits;
  for (std::size_t wave = 0; wave < frequencies_; ++wave) {
    const std::uint32_t place =
        ((phases[wave] + (1U << (finer - 1))) >> finer) & (SineTable::turn - 1);
    even[wave] = table[place + SineTable::quarter];
    odd[wave] = table[place];
  }
  const double height = hat_units();
  for (std::size_t k = 0; k < point.numbers.size(); ++k) {
    const std::size_t first = frequencies_ + k * half_hats;
    const double place = (std::clamp(point.numbers[k], -reach, reach) + reach) / gap;
    const auto left = std::min(static_cast<std::int64_t>(place), Curves::hats - 2);
    const double right_share = place - static_cast<double>(left);
    const auto add = [&](std::int64_t knot, double share) {
      const bool mirrored = knot >= half_hats;
      const auto pair = first + static_cast<std::size_t>(mirrored ? Curves::hats - 1 - knot : knot);
      const std::int32_t value = nearest(height * share);
      even[pair] = static_cast<std::int16_t>(even[pair] + value);
      odd[pair] = static_cast<std::int16_t>(odd[pair] + (mirrored ? -value : value));
    };
    add(left, 1 - right_share);
    add(left + 1, right_share);
  }
}

}  // namespace tacet::data
