#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

/// Axes of figures: from numbers to places between two ends, with ticks at 1, 2 and 5.
namespace tacet::report {

enum class Scale {
  linear,
  logarithmic  ///< numbers of at most 0 lie at its lower end
};

struct Tick {
  double value;
  std::string text;
};

/// What an axis is asked to show.
struct AxisSpec {
  std::string label{};
  Scale scale = Scale::linear;
  bool with_zero = false;  ///< of a linear one: whatever is shown
  bool whole = false;      ///< of a linear one: ticks at whole numbers alone
  /// How its numbers are written; empty: number_text with enough digits.
  std::function<std::string(double)> text{};
};

class Axis {
 public:
  /// Holds all finite `values` (of a logarithmic axis the positive ones) between two ticks, of
  /// which there are about `ticks`, at least two. Without any it goes from 0 to 1 (0.1 to 1).
  Axis(const AxisSpec& spec, std::span<const double> values, int ticks);

  /// From 0 at the lower end to 1 at the upper one. What lies beyond an end, infinity too, is at
  /// that end.
  [[nodiscard]] double share(double value) const;
  [[nodiscard]] bool holds(double value) const { return value >= low_ && value <= high_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }
  [[nodiscard]] Scale scale() const { return scale_; }

 private:
  void place_linear(int ticks, bool whole);
  void place_logarithmic(int ticks);
  void add_tick(double value, double step);

  Scale scale_;
  std::function<std::string(double)> text_;
  double low_ = 0;
  double high_ = 1;
  std::vector<Tick> ticks_;
};

}  // namespace tacet::report
