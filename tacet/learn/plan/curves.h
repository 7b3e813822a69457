#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

/// Principal curves in addition to a linear model of numbers: when they are used, how many, and how
/// far descent goes with them. From public facts alone (docs/methods/curves.md).
namespace tacet::learn {

struct CurveOptions {
  double curves = 0;         ///< share of a row's squared norm; 0: none
  bool curves_auto = false;  ///< the share that the rule chooses, if the rule uses them
};
inline constexpr std::array curve_bindings{
    bind<&CurveOptions::curves>("curves", [](const std::string& text, CurveOptions& options) {
      options.curves_auto = text == "auto";
      if (text != "none" && text != "auto") options.curves = parse_real("curves", text);
    })};

/// Shares of mu^2 for releases before the steps; the mu^2 of Gaussian releases add up. They are the
/// sums of numbers and their squares, with or without curves, and the second moments of numbers.
inline constexpr double standardise_share = 0.1;
inline constexpr double whitening_share = 0.05;

/// The settings for the noise `a`: the standard deviation of a coordinate of the mean of gradients
/// of norm 1, if nine tenths of mu^2 went into one release.
struct CurveRule {
  double clipping_norm;  ///< in standard deviations of the target
  double path;           ///< steps times step size over (1 - momentum)
  std::int64_t steps;
  double share;
  std::int64_t directions;
  /// Factors on the steps of the line's weights and of the curves' weights. With much noise a line
  /// still needs a long path, on which curves would collect noise.
  double line_rate;
  double curve_rate;
};
[[nodiscard]] CurveRule curve_rule(double noise);
/// Above it `auto` uses no curves: bench/utility/auto_curves.py.
inline constexpr double max_curve_noise = 0.005;

/// `a` of a budget, from the noise multiplier of one release with all of it and the number of
/// records.
[[nodiscard]] double curve_noise(double one_release, std::int64_t records);

struct CurveChoice {
  data::Schema schema;
  std::string reason;  ///< why there are curves, or why none although a number could have some
  double noise = 0;    ///< `a`, if there are curves
};

/// The schema with the curves that the options ask for: `auto` uses them for a numeric target with
/// the squared loss, if `a` is at most max_curve_noise and no option excludes them. UsageError if a
/// share was asked for but is not possible.
[[nodiscard]] CurveChoice choose_curves(const data::Schema& schema, const ParameterValues& asked);

}  // namespace tacet::learn
