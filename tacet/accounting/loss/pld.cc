#include "tacet/accounting/loss/pld.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/accounting/loss/components.h"
#include "tacet/accounting/loss/grid_level.h"
#include "tacet/accounting/loss/list_sum.h"
#include "tacet/accounting/loss/monotone_root.h"
#include "tacet/accounting/loss/single_use.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;

/// Composition in one order, refined step by step.
class Search {
 public:
  Search(std::span<const Component> components, double log_delta, double ceiling,
         const PldOptions& pld_options)
      : components_(components),
        effort_(pld_options),
        log_tail_(log_tail_for(log_delta, components)),
        ceiling_(ceiling),
        step_(pld_options.step) {
    for (const auto& component : components) uses_ += static_cast<double>(component.count);
    if (!is_single(components) && pld_options.step == 0) list_ = ListSum::of(components);
  }

  [[nodiscard]] Bracket bracket() const {
    return {bracket_.lower, std::min(bracket_.upper, ceiling_), bracket_.step};
  }
  /// An upper bound that needs no grid. A search that cannot matter stops with it.
  [[nodiscard]] double ceiling() const { return ceiling_; }
  void stop() { exhausted_ = true; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }

  /// Runs one level for epsilon at delta, and keeps the best ends seen so far.
  void epsilon_level(double log_delta) {
    if (const auto ends = exact_epsilon(log_delta)) return record_exact(ends->lower, ends->upper);
    const auto aim = [&](const GridLevel& level) {
      // A very wide bracket says less about the right tilt than the law itself.
      if (std::isinf(bracket_.upper) || relative_gap() > 0.3) {
        auto first = level.aim_at(log_delta);
        large_apart_ = false;
        if (level.is_astray(first.theta, log_delta)) {
          if (const auto apart = level.aim_apart(log_delta, 0.1 * effort_.tolerance)) {
            large_apart_ = apart->epsilon < 0.8 * first.epsilon;
            if (large_apart_) first = *apart;
            by_one_ = first.by_one;
            border_ = first.threshold;
          }
        }
        guess_ = std::clamp(first.epsilon, 0.0, bracket_.upper);
        theta_ = first.theta;
      } else {
        guess_ = bracket_.upper;
        const auto apart =
            large_apart_ ? level.aim_apart(log_delta, 0.1 * effort_.tolerance) : std::nullopt;
        theta_ = apart ? apart->theta : level.tilt_for_mean(guess_);
        if (apart) border_ = apart->threshold;
      }
    };
    attempt(aim, [&](GridLevel& level) {
      const double accuracy = 0.02 * effort_.tolerance;
      const double around = std::min(0.25, relative_gap() + 0.02);
      const Thresholds thresholds{guess_ * (1 - around), guess_ * (1 + around)};
      compose(level, thresholds, log_delta, [&] {
        const double slope = by_one_ ? -2 : -std::max(1.0, theta_);
        const double upper =
            solve_decreasing([&](double e) { return counted(level, level.log_delta_above(e)); },
                             {guess_, slope, log_delta, Side::above, accuracy});
        if (!std::isfinite(upper)) return infinity;
        const double lower =
            upper == 0 ? 0
                       : solve_decreasing(
                             [&](double e) { return counted(level, level.log_delta_below(e)); },
                             {upper, slope, log_delta, Side::below, accuracy});
        record(lower, upper);
        return level.round_off_at(upper);
      });
    });
  }

  /// Runs one level for delta at epsilon. The ends are stored as deltas.
  void delta_level(double epsilon) {
    if (const auto ends = exact_log_delta(epsilon)) {
      return record_exact(std::exp(ends->lower), std::min(1.0, std::exp(ends->upper)));
    }
    guess_ = epsilon;
    aim_factor_ = 0;
    const auto aim = [&](const GridLevel& level) { theta_ = level.tilt_for_mean(epsilon); };
    attempt(aim, [&](GridLevel& level) {
      compose(level, {epsilon, epsilon}, std::log(std::min(bracket_.upper, 1.0)), [&] {
        record(std::exp(level.log_delta_below(epsilon)),
               std::min(1.0, std::exp(level.log_delta_above(epsilon))));
        return level.round_off_at(epsilon);
      });
    });
  }

  /// Prepares the next level from the width of the bracket. The error of both ends falls with
  /// step^2.
  void refine() {
    const double gap = relative_gap();
    // If finer grids no longer help, round-off sets the width and not the grid.
    stagnant_ = !(gap <= 0.8 * last_gap_) ? stagnant_ + 1 : 0;
    if (stagnant_ >= 3) exhausted_ = true;
    if (std::isfinite(gap)) last_gap_ = gap;
    double factor = 0.125;
    if (std::isfinite(gap) && gap < 0.5) {
      // Beside rare large losses, a coarse grid understates what a finer one will need.
      const double caution = large_apart_ ? 0.55 : 0.75;
      factor = std::clamp(caution * std::sqrt(effort_.tolerance / gap), 0.05, 0.7);
    }
    share_ *= factor;
    if (stagnant_ == 0 && is_fine_enough()) return;
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
  /// How many tilts to try, before and after large losses are separated.
  struct Attempts {
    int tilts;
    int bits;  ///< of the longest transform
  };
  static constexpr Attempts quick{3, 20};
  static constexpr Attempts patient{10, 30};
  /// If more of log delta is round-off, a smaller tilt does not help.
  static constexpr double hopeless = 0.05;
  /// About a second of sums over laws. With very many uses rounding sets the width, so stop
  /// earlier.
  static constexpr double largest_work = 5e8;
  static constexpr double work_for_many = 1e8;
  static constexpr double many_uses = 0x1p28;
  static constexpr double work_of_transform = 60;
  static constexpr double work_of_cells = 1e6;
  static constexpr double nanoseconds = 5;  ///< per unit of work

  /// Composes a level and calls `use`, which records the ends and returns how much of log delta is
  /// round-off. Tries all losses together first, and separates rare large losses if no tilt helps.
  template <typename Use>
  void compose(GridLevel& level, const Thresholds& thresholds, double log_delta, const Use& use) {
    const double acceptable = 3 * effort_.tolerance;
    const double aimed = theta_;
    // Long transforms would use up the allowed work, so large losses are separated before those.
    if (!large_apart_ && with_tilt(level, thresholds, quick, use) <= acceptable) return;
    theta_ = aimed;
    // A share x of delta changes epsilon by x / (theta epsilon) of itself. If the tail of a single
    // loss makes up delta, the change is at most x / 2, whatever the tilt of the other losses.
    const double slope = by_one_ ? 2 : theta_ * guess_;
    const double share =
        std::min(5e-3, 0.1 * effort_.tolerance * std::max(1.0, aim_factor_ * slope));
    if (level.split(log_delta, share)) {
      large_apart_ = true;
      theta_ = level.tilt_of_small(0.5 * (thresholds.low + thresholds.high));
      // Small losses that cannot reach epsilon at all need no larger tilt.
      if (by_one_) theta_ = std::min(theta_, 1e4 / guess_);
    }
    // A finer grid would make the transforms even longer.
    if (std::isinf(with_tilt(level, thresholds, patient, use))) exhausted_ = true;
  }

  /// Ends that need no grid: one use of one pair, and short lists of losses.
  [[nodiscard]] std::optional<Ends> exact_epsilon(double log_delta) const {
    if (is_single(components_)) return single_epsilon(components_[0], log_delta);
    return list_ ? list_->epsilon(log_delta) : std::nullopt;
  }
  [[nodiscard]] std::optional<Ends> exact_log_delta(double epsilon) const {
    if (is_single(components_)) return single_log_delta(components_[0], epsilon);
    return list_ ? list_->log_delta(epsilon) : std::nullopt;
  }

  void do_work(double amount) {
    work_ += amount;
    spend(effort_.work, nanoseconds * amount);
  }
  /// Counts the work of cutting the losses of every component anew.
  void do_cutting() {
    spend(effort_.work, work_of_cells * static_cast<double>(components_.size()));
  }

  double counted(const GridLevel& level, double value) {
    do_work(level.length());
    return value;
  }

  /// Composes under the tilt theta_. Any tilt is valid. A tilt beyond the saddle point, where heavy
  /// tails take over, needs a huge transform or drowns in round-off, so it is lowered. Returns the
  /// least round-off reached.
  template <typename Use>
  [[nodiscard]] double with_tilt(GridLevel& level, const Thresholds& thresholds,
                                 const Attempts& attempts, const Use& use) {
    const double acceptable = 3 * effort_.tolerance;
    double best = infinity;
    double best_theta = theta_;
    int too_long = 0;
    for (int i = 0; i < attempts.tilts; ++i) {
      if (work_ > (uses_ > many_uses ? work_for_many : largest_work)) {
        throw base::NumericError("a privacy loss whose interval stays wide was given up");
      }
      double reached = infinity;
      try {
        level.tilt(theta_, thresholds, attempts.bits);
        do_work(work_of_transform * level.length());
        reached = use();
      } catch (const base::NumericError&) {
        // the transform would be too long
        ++too_long;
      }
      // With large losses separated, these may set the width, so another tilt does not help. What
      // is left of round-off may also come from the masses, which every tilt shares.
      const bool no_better =
          (large_apart_ || best < hopeless) && std::isfinite(best) && reached > 0.9 * best;
      if (reached < best) {
        best = reached;
        best_theta = theta_;
      }
      if (best <= acceptable || theta_ == 0 || no_better || too_long > 5) break;
      if (std::isfinite(best) && reached > 1.2 * best) break;
      if (attempts.tilts == quick.tilts && std::isfinite(best) && best > hopeless) break;
      theta_ = theta_ < 1e-3 ? 0 : theta_ * (i < 7 && too_long < 3 ? 0.85 : 0.3);
    }
    theta_ = best_theta;
    return best;
  }

  /// Runs one level: cuts the losses, aims the tilt at the question, and calls `action`.
  template <typename Aim, typename Action>
  void attempt(const Aim& aim, const Action& action) {
    try {
      if (resolutions_.empty()) choose_first_step(aim);
      for (auto& resolution : resolutions_) follow(resolution);
      do_cutting();
      GridLevel level(
          components_,
          {uniform_ ? step_ : aligned_step(components_, step_), log_tail_, resolutions_},
          effort_.largest_log2_size);
      aim(level);
      action(level);
    } catch (const base::NumericError&) {
      // The grid is as fine as memory allows. The ends that were reached stay valid.
      exhausted_ = true;
    }
  }

  /// Whether the width of the finest cells changes log delta by far less than the tolerance. If so,
  /// the wide intervals in the tail set the width of the bracket.
  [[nodiscard]] bool is_fine_enough() const {
    const double moved = uses_ * theta_ * theta_ * step_ * step_ / 8;
    return !uniform_ && moved < 0.02 * effort_.tolerance * std::min(1.0, theta_ * guess_);
  }

  /// Adapts the cells to the tilt. If one large loss makes up delta, the other losses need a
  /// precision of a small part of epsilon, and a large loss needs one of a part of itself.
  void follow(Resolution& resolution) const {
    resolution.uniform = uniform_;
    resolution.theta = std::max(by_one_ ? std::min(theta_, 200 / guess_) : theta_, 1e-3);
    resolution.threshold = large_apart_ ? border_ : infinity;
    resolution.share = share_;
  }

  void record_exact(double lower, double upper) {
    record(lower, upper);
    exhausted_ = true;
  }

  template <typename Aim>
  void choose_first_step(const Aim& aim) {
    auto scale = choose_scale(components_, log_tail_);
    resolutions_ = std::move(scale.resolutions);
    smallest_step_ = scale.smallest_step;
    // For losses on a lattice take its step: both ends are exact there.
    const double lattice = components_.size() == 1 ? components_[0].pair->lattice() : 0;
    uniform_ = lattice > scale.smallest_step && step_ == 0;
    if (uniform_) step_ = lattice;
    // A first grid is finest around the mean and coarse elsewhere. It shows how strong the tilt
    // will be and where epsilon lies. A stronger tilt needs finer tails.
    for (auto& resolution : resolutions_) resolution.uniform = uniform_;
    const double first = uniform_ ? lattice : scale.first_step;
    for (int i = 0; i < 4; ++i) {
      const double last = theta_;
      do_cutting();
      aim(GridLevel(components_, {first, log_tail_, resolutions_}, effort_.largest_log2_size));
      if (theta_ <= 1.2 * last) break;
      for (auto& resolution : resolutions_) follow(resolution);
    }
    if (step_ > 0) return;
    step_ = affordable_step(first, guess_, theta_, uses_);
  }

  void record(double lower, double upper) {
    bracket_.lower = std::max(bracket_.lower, std::isfinite(lower) ? lower : 0.0);
    bracket_.upper = std::min(bracket_.upper, upper);
    bracket_.step = step_;
    if (bracket_.lower > bracket_.upper) {
      throw base::InternalError(
          "the bounds of a privacy loss contradict each other: {} from below, {} from above; "
          "please report this",
          bracket_.lower, bracket_.upper);
    }
  }

  std::span<const Component> components_;
  PldOptions effort_;
  double log_tail_;
  double ceiling_;
  std::optional<ListSum> list_;
  double uses_ = 0;
  double theta_ = 0;
  double guess_ = 0;
  double last_gap_ = infinity;
  int stagnant_ = 0;
  double work_ = 0;
  bool large_apart_ = false;
  double border_ = infinity;  ///< above which losses are large, once that is known
  bool by_one_ = false;       ///< one large loss makes up delta
  double aim_factor_ = 1;     ///< 0 if delta is sought
  bool uniform_ = false;
  std::vector<Resolution> resolutions_;
  double step_;
  double share_ = 0.25;  ///< see Resolution
  double smallest_step_ = 0;
  bool at_smallest_ = false;
  bool exhausted_ = false;
  Bracket bracket_{0, infinity, 0};
};

/// Refines the order with the larger upper end, again and again, until the joint bracket is narrow.
template <typename Advance>
Bracket refine_jointly(std::span<Search> searches, const PldOptions& pld_options,
                       const Advance& advance) {
  double lower = 0;
  for (auto& search : searches) {
    if (search.ceiling() <= lower) {
      search.stop();
      continue;
    }
    advance(search);
    lower = std::max(lower, search.bracket().lower);
  }
  for (int i = 0; i < 40; ++i) {
    Bracket joint{0, 0, 0};
    Search* widest = nullptr;
    for (auto& search : searches) {
      joint.lower = std::max(joint.lower, search.bracket().lower);
      if (widest == nullptr || search.bracket().upper > widest->bracket().upper) widest = &search;
    }
    joint.upper = widest->bracket().upper;
    joint.step = widest->bracket().step;
    const bool narrow = joint.upper - joint.lower <= pld_options.tolerance * joint.upper;
    if (narrow || widest->exhausted() || pld_options.step > 0) return joint;
    widest->refine();
    if (widest->exhausted()) return joint;
    advance(*widest);
  }
  throw base::NumericError("the refinement of a privacy bracket did not end");
}

}  // namespace

Bracket epsilon_bracket(std::span<const Component> remove, std::span<const Component> add,
                        double delta, const PldOptions& pld_options) {
  if (remove.empty()) return {0, 0, 0};
  const double log_delta = std::log(delta);
  std::vector<Search> searches;
  searches.emplace_back(remove, log_delta, largest_loss(remove), pld_options);
  if (!add.empty()) searches.emplace_back(add, log_delta, largest_loss(add), pld_options);
  return refine_jointly(searches, pld_options, [&](Search& s) { s.epsilon_level(log_delta); });
}

Bracket delta_bracket(std::span<const Component> remove, std::span<const Component> add,
                      double epsilon, const PldOptions& pld_options) {
  if (remove.empty()) return {0, 0, 0};
  std::vector<Search> searches;
  const auto search = [&](std::span<const Component> order) {
    const double ceiling = largest_loss(order) <= epsilon ? 0 : 1;
    const double log_delta = ceiling == 0 ? 0 : rough_log_delta(order, epsilon);
    searches.emplace_back(order, log_delta, ceiling, pld_options);
  };
  search(remove);
  if (!add.empty()) search(add);
  return refine_jointly(searches, pld_options, [&](Search& s) { s.delta_level(epsilon); });
}

}  // namespace tacet::accounting::pld
