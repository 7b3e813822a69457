#include "tacet/accounting/loss/pld.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/accounting/loss/grid_level.h"
#include "tacet/accounting/loss/list_sum.h"
#include "tacet/accounting/loss/monotone_root.h"
#include "tacet/accounting/loss/single_use.h"
#include "tacet/base/error.h"
#include "tacet/numeric/infinity.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;

constexpr std::int64_t most_uses = std::int64_t{1} << 34;

double log_tail_for(double log_delta, std::span<const Component> components) {
  std::int64_t total = 0;
  for (const auto& component : components) {
    if (component.count > most_uses - total) {
      throw base::NumericError("more uses than privacy losses can be composed precisely for");
    }
    total += component.count;
  }
  // All tails together take a hundred thousandth of delta.
  return std::max(
      log_delta - 11.5 - std::log(static_cast<double>(std::max<std::int64_t>(total, 1))), -690.0);
}

/// e^step must stay a number.
constexpr double largest_step = 32;

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
  double resolvable = 0;
  std::vector<Resolution> resolutions;
  for (const auto& component : components) {
    const auto ends = loss_range(*component.pair, log_tail);
    range = std::max({range, ends.high - ends.low, narrowest(ends)});
    resolvable = std::max(resolvable, narrowest(ends));
    const auto moments = loss_moments(*component.pair, std::max(log_tail, -40.0));
    resolutions.push_back({moments, false, 0});
    const double spread = moments.spread;
    variance += static_cast<double>(component.count) * spread * spread;
    count += static_cast<double>(component.count);
  }
  const double spread = std::sqrt(variance / std::max(count, 1.0));
  const double coarse = std::clamp(std::min(spread / 3, range / 32), resolvable, largest_step);
  return {coarse, std::max(range * 1e-9, 0.125 * resolvable), std::move(resolutions)};
}

bool is_single(std::span<const Component> components) {
  return components.size() == 1 && components[0].count == 1;
}

/// The ends of one use of one pair.
template <typename Value>
std::optional<Ends> single_ends(const Component& component, const Value& value) {
  auto ends = value(*component.pair);
  if (!ends || !component.below) return ends;
  const auto below = value(*component.below);
  if (!below) return std::nullopt;
  ends->lower = below->lower;
  return ends;
}

/// No finite loss of the composition exceeds this, and none is infinite; infinity where one may be.
/// Epsilon beyond it costs delta 0, since delta(eps) = E_P[(1 - e^{eps - L})_+].
double largest_loss(std::span<const Component> components) {
  double sum = 0;
  for (const auto& component : components) {
    if (component.pair->infinite_mass() > 0) return infinity;
    sum += static_cast<double>(component.count) * component.pair->highest();
  }
  // Rounded up: of each highest loss, the products and their sum.
  return sum * (1 + 1e-14 * static_cast<double>(components.size() + 1));
}

/// Composition in one order, refined step by step.
class Search {
 public:
  Search(std::span<const Component> components, double log_delta, double ceiling,
         const Effort& effort)
      : components_(components),
        effort_(effort),
        log_tail_(log_tail_for(log_delta, components)),
        ceiling_(ceiling) {
    for (const auto& component : components) uses_ += static_cast<double>(component.count);
    if (!is_single(components)) list_ = ListSum::of(components);
  }

  [[nodiscard]] Bracket bracket() const {
    return {bracket_.lower, std::min(bracket_.upper, ceiling_), bracket_.step};
  }
  /// An upper end that needs no grid. A search that cannot matter is left there.
  [[nodiscard]] double ceiling() const { return ceiling_; }
  void stop() { exhausted_ = true; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  /// A step that is given asks for a grid.
  void set_step(double step) {
    step_ = step;
    list_.reset();
  }

  /// One level for epsilon at delta; keeps the best ends seen so far.
  void epsilon_level(double log_delta) {
    if (is_single(components_)) {
      if (const auto ends = single_ends(components_[0], [&](const pairs::Pair& pair) {
            return single_epsilon(pair, log_delta);
          })) {
        settle(ends->lower, ends->upper);
        return;
      }
    }
    if (list_) {
      if (const auto ends = list_->epsilon(log_delta)) {
        settle(ends->lower, ends->upper);
        return;
      }
    }
    const auto aim = [&](const GridLevel& level) {
      // A far too wide bracket says less about the tilt than the law itself.
      if (std::isinf(bracket_.upper) || relative_gap() > 0.3) {
        auto first = level.aim_at(log_delta);
        large_apart_ = false;
        if (level.is_astray(first.theta, log_delta)) {
          if (const auto apart = level.aim_apart(log_delta, 0.1 * effort_.tolerance)) {
            large_apart_ = apart->epsilon < 0.8 * first.epsilon;
            if (large_apart_) first = *apart;
            by_one_ = first.by_one;
            border_ = first.border;
          }
        }
        guess_ = std::clamp(first.epsilon, 0.0, bracket_.upper);
        theta_ = first.theta;
      } else {
        guess_ = bracket_.upper;
        const auto apart =
            large_apart_ ? level.aim_apart(log_delta, 0.1 * effort_.tolerance) : std::nullopt;
        theta_ = apart ? apart->theta : level.tilt_for_mean(guess_);
        if (apart) border_ = apart->border;
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

  /// One level for delta at epsilon (ends are kept as deltas).
  void delta_level(double epsilon) {
    if (is_single(components_)) {
      if (const auto ends = single_ends(components_[0], [&](const pairs::Pair& pair) {
            return single_log_delta(pair, epsilon);
          })) {
        settle(std::exp(ends->lower), std::min(1.0, std::exp(ends->upper)));
        return;
      }
    }
    if (list_) {
      const auto ends = list_->log_delta(epsilon);
      if (ends.upper - ends.lower < 1e-6) {
        settle(std::exp(ends.lower), std::min(1.0, std::exp(ends.upper)));
        return;
      }
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

  /// Prepares the next level from the width reached; the error of both ends falls with step^2.
  void refine() {
    const double gap = relative_gap();
    // When finer grids stop helping, round-off and not the grid sets the width.
    stagnant_ = !(gap <= 0.8 * last_gap_) ? stagnant_ + 1 : 0;
    if (stagnant_ >= 3) exhausted_ = true;
    if (std::isfinite(gap)) last_gap_ = gap;
    double factor = 0.125;
    if (std::isfinite(gap) && gap < 0.5) {
      // Beside rare large losses a coarse grid understates what a finer one will need.
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
  /// How many tilts to try, before and after large losses were taken apart, and the round-off in
  /// log delta beyond which a smaller tilt does not help.
  struct Attempts {
    int tilts;
    int bits;  ///< of the longest transform
  };
  static constexpr int usual_bits = 20;
  static constexpr int longest_bits = 30;
  static constexpr int quick = 3;
  static constexpr int patient = 10;
  static constexpr double hopeless = 0.05;
  /// About a second, in terms of sums over laws; so many uses that rounding sets the width get
  /// less.
  static constexpr double largest_work = 5e8;
  static constexpr double work_for_many = 1e8;
  static constexpr double many_uses = 0x1p28;
  static constexpr double work_of_transform = 60;
  static constexpr double work_of_cells = 1e6;
  static constexpr double nanoseconds = 5;  ///< of a unit of work

  /// Composes a level and calls `use`, which records what it finds and returns how much of log
  /// delta is round-off: at once, or with rare large losses apart where no tilt helps.
  template <typename Use>
  void compose(GridLevel& level, const Thresholds& thresholds, double log_delta, const Use& use) {
    const double acceptable = 3 * effort_.tolerance;
    const double aimed = theta_;
    // Long transforms use up the work that is allowed: large losses come apart before those.
    if (!large_apart_ && with_tilt(level, thresholds, {quick, usual_bits}, use) <= acceptable)
      return;
    theta_ = aimed;
    // A share x of delta moves epsilon by x / (theta epsilon) of itself; by x / 2 or less where the
    // tail of a single loss makes up delta, whatever the tilt of the others.
    const double slope = by_one_ ? 2 : theta_ * guess_;
    const double share =
        std::min(5e-3, 0.1 * effort_.tolerance * std::max(1.0, aim_factor_ * slope));
    if (level.split(log_delta, share)) {
      large_apart_ = true;
      theta_ = level.tilt_of_small(0.5 * (thresholds.low + thresholds.high));
      // Small losses that cannot reach epsilon at all ask for no more.
      if (by_one_) theta_ = std::min(theta_, 1e4 / guess_);
    }
    // A finer grid would make the transforms longer still.
    if (std::isinf(with_tilt(level, thresholds, {patient, longest_bits}, use))) exhausted_ = true;
  }

  void do_work(double amount) {
    work_ += amount;
    spend(effort_.work, nanoseconds * amount);
  }
  /// Cutting the losses of every component anew.
  void do_cutting() {
    spend(effort_.work, work_of_cells * static_cast<double>(components_.size()));
  }

  double counted(const GridLevel& level, double value) {
    do_work(level.length());
    return value;
  }

  /// Composes under the tilt theta_. Any tilt is valid; one beyond the saddle point, where heavy
  /// tails take over, needs a huge transform or drowns in round-off, and is lowered then.
  /// Returns the least round-off reached.
  template <typename Use>
  [[nodiscard]] double with_tilt(GridLevel& level, const Thresholds& thresholds,
                                 const Attempts& attempts, const Use& use) {
    const int tilts = attempts.tilts;
    const double acceptable = 3 * effort_.tolerance;
    double best = infinity;
    double best_theta = theta_;
    int too_long = 0;
    for (int i = 0; i < tilts; ++i) {
      if (work_ > (uses_ > many_uses ? work_for_many : largest_work)) {
        throw base::NumericError("a privacy loss whose interval stays wide was given up");
      }
      double reached = infinity;
      try {
        level.tilt(theta_, thresholds, attempts.bits);
        do_work(work_of_transform * level.length());
        reached = use();
      } catch (const base::NumericError&) {
        // Too long a transform.
        ++too_long;
      }
      // With large losses apart it may be those, and no tilt of the others, that set the width.
      // and what is left of round-off may come of the masses, which every tilt shares.
      const bool no_better =
          (large_apart_ || best < hopeless) && std::isfinite(best) && reached > 0.9 * best;
      if (reached < best) {
        best = reached;
        best_theta = theta_;
      }
      if (best <= acceptable || theta_ == 0 || no_better || too_long > 5) break;
      if (std::isfinite(best) && reached > 1.2 * best) break;
      if (tilts == quick && std::isfinite(best) && best > hopeless) break;
      theta_ = theta_ < 1e-3 ? 0 : theta_ * (i < 7 && too_long < 3 ? 0.85 : 0.3);
    }
    theta_ = best_theta;
    return best;
  }

  /// One level: cuts the losses, aims the tilt at what is asked, then acts.
  template <typename Aim, typename Action>
  void attempt(const Aim& aim, const Action& action) {
    try {
      if (resolutions_.empty()) choose_first_step(aim);
      for (auto& resolution : resolutions_) follow(resolution);
      do_cutting();
      GridLevel level(components_, {aligned(step_), log_tail_, resolutions_},
                      effort_.largest_log2_size);
      aim(level);
      action(level);
    } catch (const base::NumericError&) {
      // The grid is as fine as memory allows; what was reached before stays valid.
      exhausted_ = true;
    }
  }

  /// Whether the width of the finest cells moves log delta by far less than what is allowed: wide
  /// intervals in the tail set the width of the bracket then.
  [[nodiscard]] bool is_fine_enough() const {
    const double moved = uses_ * theta_ * theta_ * step_ * step_ / 8;
    return !uniform_ && moved < 0.02 * effort_.tolerance * std::min(1.0, theta_ * guess_);
  }

  /// How the cells follow the tilt. Where one large loss makes up delta, the others matter within
  /// small parts of epsilon only, and large ones always within parts of themselves.
  void follow(Resolution& resolution) const {
    resolution.uniform = uniform_;
    resolution.theta = std::max(by_one_ ? std::min(theta_, 200 / guess_) : theta_, 1e-3);
    resolution.border = large_apart_ ? border_ : infinity;
    resolution.share = share_;
  }

  /// A step with which masses at both ends of the losses stand on the grid.
  [[nodiscard]] double aligned(double step) const {
    if (components_.size() != 1) return step;
    const auto& pair = *components_[0].pair;
    const double span = pair.highest() - pair.lowest();
    const bool both = pair.lowest_atom().p > 0 && pair.highest_atom().p > 0;
    if (!both || uniform_ || !(span / step < 1e9)) return step;
    return span / std::max(1.0, std::round(span / step));
  }

  void settle(double lower, double upper) {
    record(lower, upper);
    exhausted_ = true;
  }

  template <typename Aim>
  void choose_first_step(const Aim& aim) {
    auto scale = choose_scale(components_, log_tail_);
    resolutions_ = std::move(scale.resolutions);
    smallest_step_ = scale.smallest_step;
    // Losses on a lattice need no other grid: both ends are exact there.
    const double lattice = components_.size() == 1 ? components_[0].pair->lattice() : 0;
    uniform_ = lattice > scale.smallest_step && step_ == 0;
    if (uniform_) step_ = lattice;
    // Grids that are finest around the mean and coarse elsewhere say how strong the tilt will be
    // and where epsilon lies; a stronger tilt asks for finer tails.
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
    // No finer than a transform of moderate length needs; a wide bracket refines it.
    constexpr double cells = 32768;
    const double width = guess_ + 30 / std::max(theta_, 1e-3);
    // Unless so wide a step would move log delta by more than a fifth of itself: two stages afford
    // some more.
    const double precise = std::sqrt(1.6 * guess_ / (std::max(theta_, 1e-3) * uses_));
    constexpr double most_cells = 0x1p20;
    step_ = std::max(first, std::min(width / cells, std::max(width / most_cells, precise)));
    step_ = std::min(step_, largest_step);
  }

  void record(double lower, double upper) {
    bracket_.lower = std::max(bracket_.lower, std::isfinite(lower) ? lower : 0.0);
    bracket_.upper = std::min(bracket_.upper, upper);
    bracket_.step = step_;
    if (bracket_.lower > bracket_.upper) {
      throw base::InternalError(
          fmt::format("the bounds of a privacy loss contradict each other: {} from below, {} from "
                      "above; please report this",
                      bracket_.lower, bracket_.upper));
    }
  }

  std::span<const Component> components_;
  Effort effort_;
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
  double border_ = infinity;  ///< of large losses, once they were looked for
  bool by_one_ = false;       ///< one large loss makes up delta
  double aim_factor_ = 1;     ///< 0 where delta itself is sought
  bool uniform_ = false;
  std::vector<Resolution> resolutions_;
  double step_ = 0;
  double share_ = 0.25;  ///< see Resolution
  double smallest_step_ = 0;
  bool at_smallest_ = false;
  bool exhausted_ = false;
  Bracket bracket_{0, infinity, 0};
};

/// Refines whichever of the orders has the larger upper end until the joint bracket is narrow.
template <typename Advance>
Bracket refine_jointly(std::span<Search> searches, const Effort& effort, const Advance& advance) {
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
  if (is_single(components)) return log_tail;
  const auto scale = choose_scale(components, log_tail);
  const GridLevel level(
      components, {std::max(scale.first_step, scale.smallest_step), log_tail, scale.resolutions},
      24);
  const double theta = level.tilt_for_mean(epsilon);
  const auto c = level.upper().cumulants(theta);
  return std::min(0.0, c.value - theta * (epsilon - level.upper().offset())) - 20;
}

}  // namespace

Bracket epsilon_bracket(std::span<const Component> components, double delta, const Effort& effort) {
  return epsilon_bracket(components, {}, delta, effort);
}

Bracket epsilon_bracket_at(std::span<const Component> components, double delta, double step) {
  Search search(components, std::log(delta), infinity,
                {.tolerance = 1e-6, .largest_log2_size = 22});
  search.set_step(step);
  search.epsilon_level(std::log(delta));
  return search.bracket();
}

Bracket delta_bracket(std::span<const Component> components, double epsilon, const Effort& effort) {
  return delta_bracket(components, {}, epsilon, effort);
}

Bracket epsilon_bracket(std::span<const Component> remove, std::span<const Component> add,
                        double delta, const Effort& effort) {
  if (remove.empty()) return {0, 0, 0};
  const double log_delta = std::log(delta);
  std::vector<Search> searches;
  searches.emplace_back(remove, log_delta, largest_loss(remove), effort);
  if (!add.empty()) searches.emplace_back(add, log_delta, largest_loss(add), effort);
  return refine_jointly(searches, effort, [&](Search& s) { s.epsilon_level(log_delta); });
}

Bracket delta_bracket(std::span<const Component> remove, std::span<const Component> add,
                      double epsilon, const Effort& effort) {
  if (remove.empty()) return {0, 0, 0};
  std::vector<Search> searches;
  const auto search = [&](std::span<const Component> order) {
    const double ceiling = largest_loss(order) <= epsilon ? 0 : 1;
    const double log_delta = ceiling == 0 ? 0 : rough_log_delta(order, epsilon);
    searches.emplace_back(order, log_delta, ceiling, effort);
  };
  search(remove);
  if (!add.empty()) search(add);
  return refine_jointly(searches, effort, [&](Search& s) { s.delta_level(epsilon); });
}

}  // namespace tacet::accounting::pld
