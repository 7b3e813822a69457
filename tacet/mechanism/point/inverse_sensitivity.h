#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/random/choose/exponential_choice.h"

namespace tacet::mechanism {

/// A point at which the slope of a convex piecewise linear function grows, and the amount (> 0).
struct Breakpoint {
  double at;
  double jump;
};

/// A private sum over records of convex piecewise linear losses of one number, such as |a x - y|,
/// pinball and hinge losses.
///
/// Slopes are clipped to public bounds and truncated to multiples of 2^-20 of the larger one, So
/// sums are exact, and the bounds hold whatever the records are. Each record's loss stays convex,
/// and is a function of that record alone.
class PiecewiseLinearSum {
 public:
  /// A UsageError unless min_slope < largest_slope are finite.
  PiecewiseLinearSum(double min_slope, double largest_slope);

  /// Adds one record: the slope left of all breakpoints, then the breakpoints, ascending. A value
  /// that is not a number counts as 0, a jump below 0 as 0, and a breakpoint that is before its
  /// predecessor as the predecessor.
  void add(double left_slope, std::span<const Breakpoint> breakpoints);

  /// The largest change of the slope at any point between neighbours, in units of the slopes: the
  /// width of their range under replace_one, else the steepest slope.
  [[nodiscard]] std::int64_t sensitivity(privacy::Adjacency adjacency) const;

  struct Jump {
    double at;
    std::int64_t weight;
  };
  struct Slopes {
    std::int64_t left_slope;
    std::span<const Jump> jumps;
  };
  [[nodiscard]] Slopes open(privacy::AccessKey /*key*/) const { return {left_slope_, jumps_}; }

 private:
  [[nodiscard]] std::int64_t clipped(double slope) const;

  double unit_;
  std::int64_t min_;
  std::int64_t largest_;
  std::int64_t left_slope_ = 0;
  std::vector<Jump> jumps_;
};

/// The query. All of it is public.
struct MinimiserQuery {
  Grid grid;  ///< the possible answers; the domain reaches from its first to its last point
  privacy::Adjacency adjacency;
  std::int64_t radius = 0;  ///< answers within this many steps of a right one count as right
};

/// The event of release_minimiser: bounded range epsilon, hence pure epsilon.
[[nodiscard]] privacy::Event minimiser_event(const MinimiserQuery& query, privacy::Epsilon epsilon);

/// A private minimiser by the inverse sensitivity mechanism (Asi, Duchi 2020): a grid point x has
/// probability proportional to exp(-epsilon G(x) / (2 D)), where G(x) is the smallest norm of a
/// subgradient of the sum plus a normal vector of the domain, within the radius of x, and D is the
/// sum's sensitivity. G changes by at most D between neighbours, and is 0 at a minimiser, inside
/// the domain or at its boundary. Exactly epsilon-private, as release_quantile is.
///
/// Debits `reservation` by minimiser_event before a random bit is drawn. A UsageError for a radius
/// outside [0, grid.last()].
[[nodiscard]] privacy::Released<double> release_minimiser(const PiecewiseLinearSum& sum,
                                                          const MinimiserQuery& query,
                                                          privacy::Epsilon epsilon,
                                                          const ReleaseContext& context);

namespace internal {

/// UsageError for a radius outside [0, grid.last()].
void check_radius(const MinimiserQuery& query);

/// The scores of all points of the grid in runs: see level_runs.
[[nodiscard]] std::vector<random::WeightedLevel> slope_runs(
    const PiecewiseLinearSum::Slopes& slopes, const Grid& grid, std::int64_t radius);

}  // namespace internal

}  // namespace tacet::mechanism
