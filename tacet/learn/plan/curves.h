#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

/// Principal curves beside a linear model of numbers: where they are used, how many, and how far
/// descent goes with them. Public facts alone (docs/methods/curves.md).
namespace tacet::learn {

struct CurveOptions {
  double curves = 0;         ///< share of a row; 0: none
  bool curves_auto = false;  ///< the rule's share, where the rule uses them
};
inline constexpr std::array curve_bindings{
    bind<&CurveOptions::curves>("curves", [](const std::string& text, CurveOptions& options) {
      options.curves_auto = text == "auto";
      if (text != "none" && text != "auto") options.curves = parse_real("curves", text);
    })};

/// Shares of mu^2 that go to releases before the steps; mu^2 of Gaussian releases add up. Sums of
/// numbers and their squares, with curves or without, and second moments of the numbers.
inline constexpr double standardise_share = 0.1;
inline constexpr double whitening_share = 0.05;

/// What the rule makes of the noise `a`: the standard deviation of a coordinate of the mean of
/// gradients of norm 1, if nine tenths of mu^2 were one release.
struct CurveRule {
  double clipping_norm;  ///< in standard deviations of the target
  double path;           ///< steps times step size over 1 - momentum
  std::int64_t steps;
  double share;
  std::int64_t directions;
  /// How many times as long the steps of the line's weights and of the curves' are. With much noise
  /// a line still needs a long path, on which curves would gather noise.
  double line_rate;
  double curve_rate;
};
[[nodiscard]] CurveRule curve_rule(double noise);
/// Above it `auto` uses no curves: bench/utility/auto_curves.py.
inline constexpr double max_curve_noise = 0.005;

/// `a` of a budget: the noise multiplier of one release with all of it, and the records.
[[nodiscard]] double curve_noise(double one_release, std::int64_t records);

struct CurveChoice {
  data::Schema schema;
  std::string reason;  ///< why there are curves, or none where a number could have some
  double noise = 0;    ///< `a`, where there are curves
};

/// The schema with the curves that the options ask for: `auto` uses them for a number to predict
/// by the squared loss where `a` is at most max_curve_noise and nothing was given that excludes
/// them. UsageError where a share was asked for and cannot be.
[[nodiscard]] CurveChoice choose_curves(const data::Schema& schema, const ParameterValues& asked);

}  // namespace tacet::learn
