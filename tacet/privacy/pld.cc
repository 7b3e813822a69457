#include "tacet/privacy/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/privacy/tilted_sum.h"

namespace tacet::privacy::pld {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Upper and lower grids of all components at one step, composed on demand.
class Level {
 public:
  Level(std::span<const Component> components, double step, double log_tail,
        std::span<const Resolution> resolutions, int largest_bits)
      : step_(step),
        largest_bits_(largest_bits),
        cells_(make(components, step, log_tail, resolutions)),
        upper_(sum_of(components, cells_, upper_grid)),
        lower_(sum_of(components, cells_, lower_grid)),
        twin_(upper_, lower_) {
    cells_.clear();
  }

  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] const GridSum& upper() const { return upper_; }

  /// The tilt under which the mean of the upper sum is eps, 0 where it exceeds eps untilted.
  [[nodiscard]] double tilt_for_mean(double eps) const {
    const double target = eps - upper_.offset();
    if (upper_.cumulants(0).mean >= target) return 0;
    if (target >= upper_.highest_index() * step_) return largest_tilt();
    double low = 0;
    double high = 1;
    while (upper_.cumulants(high).mean < target && high < largest_tilt()) {
      low = high;
      high *= 2;
    }
    for (int i = 0; i < 12; ++i) {
      const double middle = 0.5 * (low + high);
      (upper_.cumulants(middle).mean < target ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  /// The tilt whose saddle-point approximation of delta meets log_delta, and its epsilon.
  [[nodiscard]] std::pair<double, double> saddle(double log_delta) const {
    const auto excess = [&](double log_theta) {
      const double theta = std::exp(log_theta);
      const auto c = upper_.cumulants(theta);
      constexpr double log_2pi = 1.83787706640934548356;
      const double spread = 0.5 * (log_2pi + std::log(std::max(c.variance, 1e-300)));
      return c.value - theta * c.mean - std::log(theta * (1 + theta)) - spread - log_delta;
    };
    double low = -10;
    double high = std::log(largest_tilt());
    for (int i = 0; i < 24 && high - low > 0.01; ++i) {
      const double middle = 0.5 * (low + high);
      (excess(middle) > 0 ? low : high) = middle;
    }
    const double theta = std::exp(0.5 * (low + high));
    return {theta, upper_.cumulants(theta).mean + upper_.offset()};
  }

  void tilt(double theta) { twin_.run(theta, largest_bits_); }
  [[nodiscard]] double log_delta_above(double eps) const {
    return twin_.first().log_delta_above(eps);
  }
  [[nodiscard]] double log_delta_below(double eps) const {
    return twin_.second().log_delta_below(eps);
  }
  /// How far round-off alone separates the ends of the upper sum's log delta.
  [[nodiscard]] double round_off_at(double eps) const {
    return twin_.first().log_delta_above(eps) - twin_.first().log_delta_below(eps);
  }

 private:
  static std::vector<CellTable> make(std::span<const Component> components, double step,
                                     double log_tail, std::span<const Resolution> resolutions) {
    std::vector<CellTable> tables;
    for (std::size_t i = 0; i < components.size(); ++i) {
      tables.push_back(make_cells(*components[i].pair, step, log_tail, resolutions[i]));
    }
    return tables;
  }
  static GridSum sum_of(std::span<const Component> components, const std::vector<CellTable>& cells,
                        LossGrid (*discretize)(const CellTable&)) {
    std::vector<CountedGrid> parts;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      parts.push_back({discretize(cells[i]), components[i].count});
    }
    return GridSum(std::move(parts));
  }
  /// Beyond this tilt the top cell alone would count.
  [[nodiscard]] double largest_tilt() const { return 400 / step_; }

  double step_;
  int largest_bits_;
  std::vector<CellTable> cells_;
  GridSum upper_;
  GridSum lower_;
  TwinTransform twin_;
};

/// Solves f(eps) = target for a decreasing f by secants inside a growing bracket; returns an eps on
/// the side asked for: f <= target (above) or f >= target.
template <typename Function>
double solve_decreasing(const Function& f, double guess, double target, bool above,
                        double relative_accuracy) {
  const auto holds = [&](double value) { return above ? value <= target : value >= target; };
  double eps = std::max(guess, 0.0);
  double value = f(eps);
  double slope = -1;
  double inside = holds(value) ? eps : (above ? infinity : -1.0);
  double outside = holds(value) ? (above ? -1.0 : infinity) : eps;
  double last_eps = eps;
  double last_value = value;
  double growth = std::max(0.02 * eps, 1e-6);
  for (int i = 0; i < 80; ++i) {
    const bool bracketed =
        std::isfinite(inside) && inside >= 0 && std::isfinite(outside) && outside >= 0;
    const double accuracy = relative_accuracy * std::max(eps, 1e-12);
    if (bracketed && std::fabs(inside - outside) <= accuracy) break;
    // Aim a little beyond the root, on the side that counts.
    double next = eps + (target - value) / slope + (above ? 0.3 : -0.3) * accuracy;
    if (!std::isfinite(next) || next < 0 || !std::isfinite(slope) || slope >= 0) next = -1;
    if (bracketed) {
      const double low = std::min(inside, outside);
      const double high = std::max(inside, outside);
      if (!(next > low && next < high) || i % 4 == 3) next = 0.5 * (low + high);
    } else {
      const bool up = value > target;
      const double limit = up ? eps + 8 * growth + eps : eps / 8;
      if (next < 0 || (up ? next <= eps : next >= eps)) next = up ? eps + growth : eps - growth;
      next = up ? std::min(next, limit) : std::max(next, limit);
      growth *= 3;
      if (!up && (next < 1e-13 || next <= 0)) next = 0;
    }
    if (next == eps) break;
    last_eps = eps;
    last_value = value;
    eps = next;
    value = f(eps);
    if (eps != last_eps && std::isfinite(value) && std::isfinite(last_value)) {
      slope = (value - last_value) / (eps - last_eps);
    }
    (holds(value) ? inside : outside) = eps;
    if (eps == 0 && above && holds(value)) return 0;
    if (eps == 0 && !above && !holds(value)) return 0;
  }
  return std::isfinite(inside) && inside >= 0 ? inside : (above ? infinity : 0.0);
}

double log_tail_for(double log_delta, std::span<const Component> components) {
  std::int64_t total = 0;
  for (const auto& component : components) total += component.count;
  // All tails together take a millionth of delta.
  return std::max(
      log_delta - 13.8 - std::log(static_cast<double>(std::max<std::int64_t>(total, 1))), -690.0);
}

struct Scale {
  double first_step;
  double smallest_step;
  std::vector<Resolution> resolutions;
};

/// A coarse first step from the spread of the losses, and the finest one the tables allow.
Scale choose_scale(std::span<const Component> components, double log_tail) {
  double variance = 0;
  double count = 0;
  double range = 0;
  std::vector<Resolution> resolutions;
  for (const auto& component : components) {
    const auto ends = loss_range(*component.pair, log_tail);
    range = std::max(range, ends.high - ends.low);
    const auto moments = loss_moments(*component.pair, std::max(log_tail, -40.0));
    resolutions.push_back({moments, true, 0});
    const double spread = moments.spread;
    variance += static_cast<double>(component.count) * spread * spread;
    count += static_cast<double>(component.count);
  }
  const double spread = std::sqrt(variance / std::max(count, 1.0));
  const double coarse = std::clamp(spread / 3, range / 8192, std::max(range / 32, 1e-300));
  return {coarse, range * 1e-9, std::move(resolutions)};
}

bool nothing_to_do(std::span<const Component> components) { return components.empty(); }

/// Composition in one order, refined step by step.
class Search {
 public:
  Search(std::span<const Component> components, double log_delta, const Effort& effort)
      : components_(components), effort_(effort), log_tail_(log_tail_for(log_delta, components)) {
    auto scale = choose_scale(components, log_tail_);
    step_ = scale.first_step;
    // Losses on a lattice need no other grid: both ends are exact there.
    const double lattice = components.size() == 1 ? components[0].pair->lattice() : 0;
    if (lattice > scale.smallest_step) {
      step_ = lattice;
      uniform_ = true;
    }
    resolutions_ = std::move(scale.resolutions);
    smallest_step_ = scale.smallest_step;
  }

  [[nodiscard]] const Bracket& bracket() const { return bracket_; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  void set_step(double step) { step_ = step; }

  /// One level for epsilon at delta; keeps the best ends seen so far.
  void epsilon_level(double log_delta) {
    attempt([&](Level& level) {
      if (!theta_) {
        const auto [theta, guess] = level.saddle(log_delta);
        theta_ = guess > 0 ? theta : level.tilt_for_mean(0);
        guess_ = std::max(guess, 0.0);
      }
      const double accuracy = 0.02 * effort_.tolerance;
      with_tilt(level, [&] {
        const double upper = solve_decreasing([&](double e) { return level.log_delta_above(e); },
                                              guess_, log_delta, true, accuracy);
        if (!std::isfinite(upper)) return infinity;
        const double lower =
            upper == 0 ? 0
                       : solve_decreasing([&](double e) { return level.log_delta_below(e); }, upper,
                                          log_delta, false, accuracy);
        guess_ = upper;
        record(lower, upper);
        return level.round_off_at(upper);
      });
    });
  }

  /// One level for delta at epsilon (ends are kept as deltas).
  void delta_level(double epsilon) {
    attempt([&](Level& level) {
      if (!theta_) theta_ = level.tilt_for_mean(epsilon);
      with_tilt(level, [&] {
        record(std::exp(level.log_delta_below(epsilon)),
               std::min(1.0, std::exp(level.log_delta_above(epsilon))));
        return level.round_off_at(epsilon);
      });
    });
  }

  /// Prepares the next level from the width reached; the error of both ends falls with step^2.
  void refine() {
    const double gap = relative_gap();
    // When finer grids stop helping, round-off and not the grid sets the width.
    stagnant_ = gap > 0.8 * last_gap_ ? stagnant_ + 1 : 0;
    if (stagnant_ >= 2) exhausted_ = true;
    if (std::isfinite(gap) && gap < 0.5) last_gap_ = gap;
    double factor = 0.125;
    if (std::isfinite(gap) && gap < 0.5) {
      factor = std::clamp(0.75 * std::sqrt(effort_.tolerance / gap), 0.05, 0.7);
    }
    step_ *= factor;
    if (step_ < smallest_step_) {
      if (at_smallest_) exhausted_ = true;
      step_ = smallest_step_;
      at_smallest_ = true;
    }
  }

  [[nodiscard]] double relative_gap() const {
    if (bracket_.upper == 0) return 0;
    return (bracket_.upper - bracket_.lower) / bracket_.upper;
  }

 private:
  static constexpr int tilts_tried = 12;

  /// Composes under the tilt theta_ and calls `use`, which records what it finds and returns how
  /// much of log delta is round-off. Any tilt is valid; one beyond the saddle point, where heavy
  /// tails take over, needs a huge transform or drowns in round-off, and is lowered then.
  template <typename Use>
  void with_tilt(Level& level, const Use& use) {
    const double acceptable = 3 * effort_.tolerance;
    double best = infinity;
    double best_theta = *theta_;
    for (int i = 0; i < tilts_tried; ++i) {
      double reached = infinity;
      try {
        level.tilt(*theta_);
        reached = use();
      } catch (const base::NumericError&) {
        if (i + 1 == tilts_tried || *theta_ == 0) throw;
      }
      if (reached < best) {
        best = reached;
        best_theta = *theta_;
      }
      if (best <= acceptable || *theta_ == 0 || (std::isfinite(best) && reached > 1.2 * best))
        break;
      *theta_ = *theta_ < 1e-3 ? 0 : *theta_ * (i < 6 ? 0.85 : 0.3);
    }
    theta_ = best_theta;
  }

  template <typename Action>
  void attempt(const Action& action) {
    try {
      // The tilt is known once a first level was composed.
      for (auto& resolution : resolutions_) {
        resolution.uniform = uniform_ || !theta_;
        resolution.theta = theta_ ? std::max(*theta_, 1e-3) : 0;
      }
      Level level(components_, step_, log_tail_, resolutions_, effort_.largest_log2_size);
      action(level);
    } catch (const base::NumericError&) {
      // The grid is as fine as memory allows; what was reached before stays valid.
      exhausted_ = true;
    }
  }

  void record(double lower, double upper) {
    bracket_.lower = std::max(bracket_.lower, std::isfinite(lower) ? lower : 0.0);
    bracket_.upper = std::min(bracket_.upper, upper);
    bracket_.step = step_;
  }

  std::span<const Component> components_;
  Effort effort_;
  double log_tail_;
  std::optional<double> theta_;
  double guess_ = 0;
  double last_gap_ = infinity;
  int stagnant_ = 0;
  bool uniform_ = false;
  std::vector<Resolution> resolutions_;
  double step_ = 0;
  double smallest_step_ = 0;
  bool at_smallest_ = false;
  bool exhausted_ = false;
  Bracket bracket_{0, infinity, 0};
};

/// Refines whichever of the orders has the larger upper end until the joint bracket is narrow.
template <typename Advance>
Bracket refine_jointly(std::span<Search> searches, const Effort& effort, const Advance& advance) {
  for (auto& search : searches) advance(search);
  for (int i = 0; i < 40; ++i) {
    Bracket joint{0, 0, 0};
    Search* widest = nullptr;
    for (auto& search : searches) {
      joint.lower = std::max(joint.lower, search.bracket().lower);
      if (widest == nullptr || search.bracket().upper > widest->bracket().upper) widest = &search;
    }
    joint.upper = widest->bracket().upper;
    joint.step = widest->bracket().step;
    const bool narrow = joint.upper - joint.lower <= effort.tolerance * joint.upper;
    if (narrow || widest->exhausted()) return joint;
    widest->refine();
    if (widest->exhausted()) return joint;
    advance(*widest);
  }
  throw base::NumericError("the refinement of a privacy bracket did not end");
}

/// log delta of the composition at epsilon, roughly, to choose where tails may be cut.
double rough_log_delta(std::span<const Component> components, double epsilon) {
  const double log_tail = -600;
  const auto scale = choose_scale(components, log_tail);
  Level level(components, std::max(scale.first_step, scale.smallest_step), log_tail,
              scale.resolutions, 24);
  const double theta = level.tilt_for_mean(epsilon);
  const auto c = level.upper().cumulants(theta);
  return std::min(0.0, c.value - theta * (epsilon - level.upper().offset())) - 20;
}

}  // namespace

Bracket epsilon_bracket(std::span<const Component> components, double delta, const Effort& effort) {
  return epsilon_bracket(components, {}, delta, effort);
}

Bracket epsilon_bracket_at(std::span<const Component> components, double delta, double step) {
  Search search(components, std::log(delta), {.tolerance = 1e-6, .largest_log2_size = 22});
  search.set_step(step);
  search.epsilon_level(std::log(delta));
  return search.bracket();
}

Bracket delta_bracket(std::span<const Component> components, double epsilon, const Effort& effort) {
  return delta_bracket(components, {}, epsilon, effort);
}

Bracket epsilon_bracket(std::span<const Component> remove, std::span<const Component> add,
                        double delta, const Effort& effort) {
  if (nothing_to_do(remove)) return {0, 0, 0};
  const double log_delta = std::log(delta);
  std::vector<Search> searches;
  searches.emplace_back(remove, log_delta, effort);
  if (!add.empty()) searches.emplace_back(add, log_delta, effort);
  return refine_jointly(searches, effort, [&](Search& s) { s.epsilon_level(log_delta); });
}

Bracket delta_bracket(std::span<const Component> remove, std::span<const Component> add,
                      double epsilon, const Effort& effort) {
  if (nothing_to_do(remove)) return {0, 0, 0};
  std::vector<Search> searches;
  searches.emplace_back(remove, rough_log_delta(remove, epsilon), effort);
  if (!add.empty()) searches.emplace_back(add, rough_log_delta(add, epsilon), effort);
  return refine_jointly(searches, effort, [&](Search& s) { s.delta_level(epsilon); });
}

}  // namespace tacet::privacy::pld
