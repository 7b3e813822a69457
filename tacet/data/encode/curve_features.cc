#include "tacet/data/encode/curve_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "tacet/data/encode/projection_map.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/pair_products.h"
#include "tacet/numeric/paired_sums.h"

namespace tacet::data {
namespace {

constexpr double to_turns = 1 / (2 * std::numbers::pi);

// In (0, 1], with 53 bits.
double uniform_of(std::uint64_t hash) { return static_cast<double>((hash >> 11) + 1) * 0x1p-53; }

/// Public standard normal numbers, each with an address (Box, Muller 1958).
double public_normal(std::int64_t seed, std::uint64_t row, std::uint64_t index) {
  const double u = uniform_of(projection_hash(seed, row, 2 * index));
  const double turns = uniform_of(projection_hash(seed, row, 2 * index + 1));
  return std::sqrt(-2 * numeric::log(u)) * numeric::sine_cosine(turns).cosine;
}

// Addresses of the hash from which the draws come.
constexpr std::uint64_t directions_row = 1;
constexpr std::uint64_t lengths_row = 2;
constexpr std::uint64_t angles_row = 3;

double length_of(std::span<const double> vector) {
  double square = 0;
  for (const double value : vector) square += value * value;
  return std::sqrt(square);
}

/// Makes rows of normal numbers orthonormal, one after the other, twice (Gram-Schmidt).
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

/// Rounds to the nearest integer, halves up. A library call could depend on the rounding mode.
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
    for (std::uint32_t k = 0; k < turn; ++k) {
      words_[k] = numeric::paired(values_[k + quarter], values_[k]);
    }
  }
  [[nodiscard]] std::span<const std::int16_t> values() const { return values_; }
  /// For each angle the cosine in the lower half of a word and the sine in the upper half.
  [[nodiscard]] std::span<const std::uint32_t> words() const { return words_; }

 private:
  std::array<std::int16_t, turn + quarter> values_{};
  std::array<std::uint32_t, turn> words_{};
};

const SineTable& sine_table(double height) {
  static const SineTable table(height);
  return table;
}

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
      // The bound of two turns is never reached: a normal row would have to be 8.8 times as long.
      constexpr std::int32_t max = std::numeric_limits<std::int16_t>::max();
      turns_[k * frequencies_ + wave] = static_cast<std::int16_t>(
          std::clamp(nearest(rows[place][k] * length * turn_units), -max, max));
    }
  }
  set_turn_words();
  const auto levels = static_cast<std::size_t>(shape.all_levels());
  angles_.resize(levels * frequencies_);
  for (std::size_t k = 0; k < angles_.size(); ++k) {
    const double turns = public_normal(curves.seed, angles_row, k) * to_turns / root;
    angles_[k] = static_cast<std::uint32_t>(nearest(turns * turn_units * number_units));
  }
}

void CurveFunctions::set_turn_words() {
  constexpr std::size_t block = numeric::paired_columns;
  const auto numbers = static_cast<std::size_t>(shape_.numbers);
  const std::size_t pairs = number_pairs();
  turn_words_.assign((frequencies_ + block - 1) / block * block * pairs, 0);
  for (std::size_t wave = 0; wave < frequencies_; ++wave) {
    std::uint32_t* to = turn_words_.data() + wave / block * pairs * block + wave % block;
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto turns = [&](std::size_t k) {
        return k < numbers ? turns_[k * frequencies_ + wave] : std::int16_t{0};
      };
      to[p * block] = numeric::paired(turns(2 * p), turns(2 * p + 1));
    }
  }
}

std::span<const std::int16_t> CurveFunctions::sines() { return sine_table(wave_units).values(); }

double CurveFunctions::hat_units() const {
  return hat_height_ * (std::numbers::sqrt2 / 2) / unit();
}

double CurveFunctions::hat(std::int64_t knot, double number) {
  const double place = (std::clamp(number, -reach, reach) + reach) / gap;
  return std::max(0.0, 1 - std::abs(place - static_cast<double>(knot)));
}

void CurveFunctions::set_phases(std::span<const CurvePoint> points,
                                std::span<std::int32_t> phases) const {
  constexpr std::size_t at_once = numeric::paired_vectors;
  const auto numbers = static_cast<std::size_t>(shape_.numbers);
  std::vector<std::uint32_t> vectors((numbers + 1) / 2 * at_once, 0);
  std::vector<std::int16_t> integers(numbers + 1, 0);
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::size_t k = 0; k < numbers; ++k) {
      integers[k] = static_cast<std::int16_t>(nearest(points[p].numbers[k] * number_units));
    }
    for (std::size_t k = 0; k < numbers; k += 2) {
      vectors[k / 2 * at_once + p] = numeric::paired(integers[k], integers[k + 1]);
    }
  }
  const std::span<const std::uint32_t> group = vectors;
  numeric::multiply_paired(turn_words_, {&group, 1}, phases);
  const std::size_t stride = phases.size() / at_once;
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::int32_t* of_point = phases.data() + p * stride;
    for (const auto level : points[p].levels) {
      if (level < 0) continue;
      const std::uint32_t* angles = angles_.data() + static_cast<std::size_t>(level) * frequencies_;
      for (std::size_t wave = 0; wave < frequencies_; ++wave) {
        of_point[wave] =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(of_point[wave]) + angles[wave]);
      }
    }
  }
}

void CurveFunctions::add_hats(const CurvePoint& point, std::uint32_t* even,
                              std::uint32_t* odd) const {
  const double height = hat_units();
  const auto add_to = [](std::uint32_t* words, std::size_t function, std::int32_t value) {
    std::uint32_t& word = words[function / 2 * numeric::paired_vectors];
    const int place = function % 2 == 0 ? 0 : 16;
    const auto sum =
        static_cast<std::uint16_t>((word >> place) + static_cast<std::uint32_t>(value));
    word = (word & ~(0xFFFFU << place)) | std::uint32_t{sum} << place;
  };
  for (std::size_t k = 0; k < point.numbers.size(); ++k) {
    const std::size_t first = frequencies_ + k * half_hats;
    const double place = (std::clamp(point.numbers[k], -reach, reach) + reach) / gap;
    const auto left = std::min(static_cast<std::int64_t>(place), Curves::hats - 2);
    const double right_share = place - static_cast<double>(left);
    const auto add = [&](std::int64_t knot, double share) {
      const bool mirrored = knot >= half_hats;
      const auto pair = first + static_cast<std::size_t>(mirrored ? Curves::hats - 1 - knot : knot);
      const std::int32_t value = nearest(height * share);
      add_to(even, pair, value);
      add_to(odd, pair, mirrored ? -value : value);
    };
    add(left, 1 - right_share);
    add(left + 1, right_share);
  }
}

void CurveFunctions::evaluate(std::span<const CurvePoint> points,
                              std::span<std::uint32_t> out) const {
  constexpr std::size_t at_once = numeric::paired_vectors;
  const std::size_t stride = turn_words_.size() / number_pairs();
  std::vector<std::int32_t> phases(stride * at_once);
  set_phases(points, phases);
  std::uint32_t* even = out.data();
  std::uint32_t* odd = even + words() * at_once;
  const std::uint32_t* both = sine_table(wave_units).words().data();
  const auto at = [&](std::int32_t phase) {
    constexpr int finer = 27 - SineTable::bits;
    return both[((static_cast<std::uint32_t>(phase) + (1U << (finer - 1))) >> finer) &
                (SineTable::turn - 1)];
  };
  std::size_t word = 0;
  for (; word < (frequencies_ + 1) / 2; ++word) {
    // Behind the last wave of an odd number is the first hat function.
    const std::uint32_t other = 2 * word + 1 < frequencies_ ? ~0U : 0;
    for (std::size_t p = 0; p < at_once; ++p) {
      const std::int32_t* phase = phases.data() + p * stride + 2 * word;
      const std::uint32_t first = at(phase[0]);
      const std::uint32_t second = at(phase[1]) & other;
      even[word * at_once + p] = (first & 0xFFFF) | second << 16;
      odd[word * at_once + p] = first >> 16 | (second & 0xFFFF0000);
    }
  }
  const std::size_t rest = (words() - word) * at_once;
  std::fill_n(even + word * at_once, rest, 0);
  std::fill_n(odd + word * at_once, rest, 0);
  for (std::size_t p = 0; p < points.size(); ++p) add_hats(points[p], even + p, odd + p);
}

}  // namespace tacet::data
