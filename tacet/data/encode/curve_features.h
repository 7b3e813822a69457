#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/schema/curves.h"

namespace tacet::data {

/// A record as curves read it.
struct CurvePoint {
  std::vector<double> numbers{};  ///< in standard deviations, cut at 3
  std::vector<std::int64_t>
      levels{};  ///< of all columns, numbered consecutively; -1: no level of its column
};

/// The functions of which principal curves are made. They depend on the public seed alone:
///
/// - even ones: cos(w z + angle) for each frequency w, then for each number the sums of hat
///   functions around k and -k standard deviations;
/// - odd ones: sin(w z + angle) for each frequency, then for each number the differences of the
/// same
///   hat functions.
///
/// Frequencies are the rows of random orthogonal matrices, scaled to the lengths of normal rows (Yu
/// et al. 2016) with standard deviation 1 / (.7 sqrt(columns)). Each category adds a normal angle
/// with standard deviation 1 / sqrt(columns). The squares of all functions add up to 1: .7 for the
/// waves and .3 for the hat functions. Frequencies, angles and values are integers, so the bits are
/// the same on every machine and in any order.
class CurveFunctions {
 public:
  static constexpr double wave_share = 0.7;
  static constexpr double lengthscale = 0.7;
  static constexpr double reach = 2.5;  ///< place of the outer knots, in standard deviations
  static constexpr std::int64_t half_hats = Curves::hats / 2;

  CurveFunctions(const Curves& curves, const CurveShape& shape);

  [[nodiscard]] const CurveShape& shape() const { return shape_; }
  [[nodiscard]] std::size_t frequencies() const { return frequencies_; }
  /// Even functions, and as many odd ones.
  [[nodiscard]] std::size_t half() const { return half_; }

  /// The frequency of a wave along a number, in turns per standard deviation.
  [[nodiscard]] double frequency(std::size_t wave, std::size_t number) const {
    return turns_[number * frequencies_ + wave] / turn_units;
  }
  /// The angle, in turns, that a category adds to a wave.
  [[nodiscard]] double angle(std::size_t wave, std::size_t level) const {
    return angles_[level * frequencies_ + wave] / (turn_units * number_units);
  }
  /// The frequencies and angles as integers, for programs that compute the functions elsewhere:
  /// frequencies in 2^-14 turns, number by number, and angles in 2^-27 turns, level by level.
  [[nodiscard]] std::span<const std::int16_t> turns() const { return turns_; }
  [[nodiscard]] std::span<const std::uint32_t> angles() const { return angles_; }
  /// The sine at 2^13 places of a turn, and at a quarter turn more, in units of unit().
  [[nodiscard]] static std::span<const std::int16_t> sines();
  [[nodiscard]] double wave_height() const { return wave_height_; }
  [[nodiscard]] double hat_height() const { return hat_height_; }

  /// The number of words that hold the even functions, and as many the odd ones. A word holds two
  /// neighbours; an odd last one is paired with 0.
  [[nodiscard]] std::size_t words() const { return (half_ + 1) / 2; }
  /// Computes all functions of at most numeric::paired_vectors points, in units of unit(). Word w
  /// of point p goes to place w * paired_vectors + p; even functions come first, then odd ones.
  /// Numbers must be within +-3. The squares of a point's functions add up to at most 2048^2 (that
  /// of one wave) times frequencies / wave_share. With roundings their norm is at most 78,400.
  void evaluate(std::span<const CurvePoint> points, std::span<std::uint32_t> out) const;
  [[nodiscard]] double unit() const { return wave_height_ / wave_units; }
  /// The height of one number's hat function, in units of unit().
  [[nodiscard]] double hat_units() const;
  /// The distance from one knot to the next.
  static constexpr double gap = 2 * reach / static_cast<double>(Curves::hats - 1);

  /// The hat function of a knot, 0 to Curves::hats - 1, at a number: 1 at the knot.
  static double hat(std::int64_t knot, double number);

 private:
  // Products of a frequency and a number have units of 2^-27 turns. Their sums are taken modulo
  // 2^32, which only drops whole turns.
  static constexpr double turn_units = 1 << 14;
  static constexpr double number_units = 1 << 13;
  static constexpr double wave_units = 1 << 11;

  CurveShape shape_;
  std::size_t frequencies_;
  std::size_t half_;
  double wave_height_;
  double hat_height_;
  [[nodiscard]] std::size_t number_pairs() const {
    return static_cast<std::size_t>(shape_.numbers + 1) / 2;
  }
  void set_turn_words();
  void set_phases(std::span<const CurvePoint> points, std::span<std::int32_t> phases) const;
  void add_hats(const CurvePoint& point, std::uint32_t* even, std::uint32_t* odd) const;

  std::vector<std::int16_t> turns_;        // number by number
  std::vector<std::uint32_t> turn_words_;  // in the layout of numeric/paired_sums.h
  std::vector<std::uint32_t> angles_;      // level by level
};

}  // namespace tacet::data
