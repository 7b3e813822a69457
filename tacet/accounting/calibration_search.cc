#include "tacet/accounting/calibration_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using numeric::infinity;

/// Larger excesses count as this one: only their sign matters.
constexpr double largest_excess = 5;

/// A point x, and the log of its cost over the target.
struct Probe {
  double x;
  double excess;
};

/// How one phase searches.
struct Phase {
  std::function<double(double)> excess;
  double aim;     ///< the excess to aim for, at most 0
  double narrow;  ///< the search ends with a bracket of this width
  std::function<bool(const Probe&)> done;
};

class Search {
 public:
  Search(const Unknown& unknown, const CalibrationTarget& target)
      : unknown_(unknown), target_(target) {}

  CheapestNoise run() {
    Probe at{unknown_.start, 0};
    if (target_.delta.value() > 0) at = by_renyi(at);
    const double narrow = target_.epsilon.value() == 0 ? 0.1 : 5e-3;
    at = approach(at, {[&](double x) { return by_wide_interval(x); }, 0, narrow,
                       [](const Probe& p) { return std::fabs(p.excess) < 0.02; }});
    safe_.reset();
    // Uses the default options, so that anybody who accounts the result again gets the same number.
    const auto fine = [&](double x) { return by_interval(x); };
    // Closed forms deserve more digits. Epsilon 0 does not: next to it intervals stay wide.
    const double share = target_.epsilon.value() == 0 ? 100 : width_ < 1e-8 ? 1e-3 : 1;
    const auto done = [&](const Probe& p) {
      const double enough = unknown_.enough(p.x);
      // A search cannot be finer than the intervals that it compares.
      const double allowed = enough > 0 ? std::max(share * enough, width_) : 0;
      return p.excess <= 0 && p.excess >= -allowed;
    };
    static_cast<void>(approach(at, {fine, -4e-4 * share, 2e-4 * share, done}));
    if (!safe_) return {unknown_.cheapest, false, false};
    return {safe_->x, true, safe_->x == unknown_.dearest};
  }

 private:
  [[nodiscard]] double log_share(double spent) const {
    if (spent == 0) return -largest_excess;
    const double share = std::log(spent / target_.epsilon.value());
    // NaN counts as unsafe.
    return std::isnan(share) ? largest_excess : std::clamp(share, -largest_excess, largest_excess);
  }
  [[nodiscard]] double by_interval(double x) {
    const auto interval = epsilon_interval(unknown_.event(x), target_.adjacency, target_.delta,
                                           {.work = target_.work});
    width_ = 1 - interval.lower / interval.upper;
    return log_share(interval.upper);
  }
  /// The middle of a wide interval, if the interval is finite.
  [[nodiscard]] double by_wide_interval(double x) {
    const auto interval = epsilon_interval(unknown_.event(x), target_.adjacency, target_.delta,
                                           {.tolerance = 5e-2, .work = target_.work});
    width_ = 1 - interval.lower / interval.upper;
    return log_share(width_ < 0.2 ? 0.5 * (interval.lower + interval.upper) : interval.upper);
  }

  /// The point at which the Renyi bound meets the target; `start` if there is none.
  [[nodiscard]] Probe by_renyi(const Probe& start) {
    bool known = true;
    const auto excess = [&](double x) {
      try {
        const auto curve = rdp::curve(unknown_.event(x), target_.adjacency, target_.work);
        if (curve) return log_share(rdp::best_epsilon(*curve, target_.delta).epsilon);
      } catch (const base::NumericError&) {
        // The Renyi route has no bound here, but another route may have one.
      }
      known = false;
      return 0.0;
    };
    const auto found = approach(start, {excess, 0, 2e-2, [&](const Probe& p) {
                                          return !known || std::fabs(p.excess) < 0.02;
                                        }});
    const bool met = std::exchange(safe_, std::nullopt) && found.x > unknown_.dearest;
    return known && met ? found : start;
  }

  /// Secant steps inside a growing bracket. Returns the last point; safe_ holds the best safe one.
  Probe approach(Probe at, const Phase& phase) {
    std::optional<Probe> safe;
    std::optional<Probe> unsafe;
    double stride = 0.75;
    double growth = 1;
    double last_width = infinity;
    at.x = unknown_.snap(unknown_.dearest, at.x, unknown_.cheapest);
    constexpr int max = 60;
    for (int i = 0; i < max; ++i) {
      at.excess = phase.excess(at.x);
      learn_slope(safe, unsafe, at);
      (at.excess <= 0 ? safe : unsafe) = at;
      if (phase.done(at)) break;
      if (!safe && at.x >= unknown_.cheapest) break;
      if (!unsafe && at.x <= unknown_.dearest) break;
      const double shift = (at.excess - phase.aim) / slope_;
      double next = at.x + shift;
      if (!safe || !unsafe) {
        // If a step does not reach the boundary, the next one is longer.
        const double length =
            std::clamp(std::max(std::fabs(shift), phase.narrow) * growth, 0.0, stride);
        growth *= 2;
        stride *= 2;
        next = at.x + (safe ? -length : length);
        next = std::clamp(next, unknown_.dearest, unknown_.cheapest);
        at.x = unknown_.snap(unknown_.dearest, next, unknown_.cheapest);
        continue;
      }
      const double width = safe->x - unsafe->x;
      if (width <= phase.narrow) break;
      // Bisects if secants do not shrink the bracket.
      const bool slow = i % 3 == 2 && width > 0.5 * last_width;
      if (i % 3 == 2) last_width = width;
      const double edge = 0.02 * width;
      if (slow || !(next > unsafe->x && next < safe->x)) next = 0.5 * (safe->x + unsafe->x);
      next = std::clamp(next, unsafe->x + edge, safe->x - edge);
      at.x = unknown_.snap(unsafe->x, next, safe->x);
      if (at.x == safe->x || at.x == unsafe->x) break;
    }
    if (safe) safe_ = safe;
    return at;
  }

  /// Learns from two points how fast the excess falls. They must not be too close: the noise of the
  /// intervals' ends would dominate.
  void learn_slope(const std::optional<Probe>& safe, const std::optional<Probe>& unsafe,
                   const Probe& at) {
    for (const auto& other : {at.excess > 0 ? safe : unsafe, at.excess > 0 ? unsafe : safe}) {
      if (!other || std::fabs(other->excess) >= largest_excess) continue;
      if (std::fabs(at.excess) >= largest_excess) continue;
      const double fall = (other->excess - at.excess) / (at.x - other->x);
      if (std::fabs(other->excess - at.excess) > 5e-3 && fall > 0.02) {
        slope_ = fall;
        return;
      }
    }
  }

  const Unknown& unknown_;
  const CalibrationTarget& target_;
  double slope_ = 1;  ///< how fast the excess falls in x
  double width_ = 1;  ///< of the last interval, relative to its value
  std::optional<Probe> safe_;
};

}  // namespace

CheapestNoise cheapest_within(const Unknown& unknown, const CalibrationTarget& target) {
  return Search(unknown, target).run();
}

}  // namespace tacet::accounting::internal
