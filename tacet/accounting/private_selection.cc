#include "tacet/accounting/private_selection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "tacet/accounting/profile_pair.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

/// Events of which at least one has the largest delta of the run at every epsilon: the disjoint
/// blocks of the run, or else the run itself.
std::vector<Event> parts_of(const Event& run, Adjacency adjacency) {
  const auto* blocks = run.as<Partitioned>();
  if (blocks == nullptr || !blocks_are_parallel(*blocks, adjacency) || squared_mu(run, adjacency)) {
    return {run};
  }
  return blocks->parts;
}

/// The bound of a run whose parts read disjoint records: the largest bound among the parts, since
/// each record is in one part only.
repetition::ProfileBound largest_bound(const RandomlyRepeated& event,
                                       const std::vector<Event>& parts, Adjacency adjacency,
                                       const AccountOptions& options) {
  // Deltas of samples are known only to the options' tolerance, and each takes transforms.
  constexpr double exact = 1e-10;
  std::optional<repetition::ProfileBound> bound;
  for (const auto& part : parts) {
    const auto delta = [&](double epsilon) {
      return delta_interval(part, adjacency, Epsilon(epsilon), options).upper;
    };
    const double tolerance = holds_somewhere(part, is_sampled) ? 1e-3 * options.tolerance : exact;
    bound = repetition::profile_bound(repetition::law_of(event), delta, bound, tolerance);
  }
  return *bound;
}

/// A bound that was computed before. A statement asks for one event at two deltas, and a statement
/// about replaced records asks about added records as well.
struct KnownBound {
  RandomlyRepeated event;
  Adjacency adjacency;
  double tolerance;
  int largest_log2_size;
  repetition::ProfileBound bound;

  [[nodiscard]] bool answers(const RandomlyRepeated& asked, Adjacency other,
                             const AccountOptions& options) const {
    return adjacency == other && tolerance == options.tolerance &&
           largest_log2_size == options.largest_log2_size && event == asked;
  }
};

/// A remembered bound has the same bits as a new one.
repetition::ProfileBound bound_of(const RandomlyRepeated& event, const std::vector<Event>& parts,
                                  Adjacency adjacency, const AccountOptions& options) {
  thread_local std::array<std::optional<KnownBound>, 4> known;
  thread_local std::size_t oldest = 0;
  for (const auto& one : known) {
    if (one && one->answers(event, adjacency, options)) return one->bound;
  }
  // this may ask for bounds of inner selections
  const auto bound = largest_bound(event, parts, adjacency, options);
  known[oldest++ % known.size()] =
      KnownBound{event, adjacency, options.tolerance, options.largest_log2_size, bound};
  return bound;
}

}  // namespace

SelectionCurve::SelectionCurve(const RandomlyRepeated& event, Adjacency adjacency,
                               const AccountOptions& options)
    : run_(selection_run(event, adjacency, options.work)),
      parts_(parts_of(run_, adjacency)),
      adjacency_(adjacency),
      options_(options),
      bound_(bound_of(event, parts_, adjacency, options)),
      cap_(event.cap),
      cut_(event.cap > 0 ? repetition::tail(repetition::law_of(event), event.cap) : 0) {}

double SelectionCurve::run_delta(double epsilon) const {
  return delta_interval(run_, adjacency_, Epsilon(epsilon), options_).upper;
}

double SelectionCurve::run_epsilon(double delta) const {
  if (delta >= 1) return 0;
  double max = -1;
  const Event* before = nullptr;
  for (const auto& part : parts_) {
    const bool again = before != nullptr && *before == part;
    before = &part;
    // Whether to look at one delta first to see that a part costs no more than another one; a
    // search takes many deltas. For samples both take as long.
    const bool known = max >= 0 && std::isfinite(max) && !holds_somewhere(part, is_sampled);
    if (again || (known && part_delta(part, max) <= delta)) continue;
    max = std::max(max, epsilon_interval(part, adjacency_, Delta(delta), options_).upper);
  }
  return max;
}

double SelectionCurve::part_delta(const Event& part, double epsilon) const {
  return delta_interval(part, adjacency_, Epsilon(epsilon), options_).upper;
}

double SelectionCurve::epsilon(double delta) const {
  // A cap changes the law of the number of runs. What it cuts off adds (1 + e^epsilon) times its
  // probability to delta.
  const double share = cut_ > 0 ? 0.999 : 1;
  const double total = numeric::add_up(bound_.shift, run_epsilon(delta * share / bound_.scale));
  if (cut_ > 0 && cut_ * (1 + std::exp(total)) > delta * (1 - share)) {
    throw base::GuaranteeError(
        "the cap of {} repetitions is exceeded with probability {:.3g}, too much for delta {}; "
        "raise the cap",
        cap_, cut_, delta);
  }
  return total;
}

double SelectionCurve::direct_delta(double epsilon) const {
  constexpr double rounding = numeric::up_ulps(4);  // for exp and one sum
  const double beyond =
      cut_ > 0 ? numeric::multiply_up(cut_, (1 + std::exp(epsilon)) * rounding) : 0;
  const double below = -numeric::add_up(bound_.shift, -epsilon);  // epsilon - shift, rounded down
  const double run = run_delta(std::max(0.0, below));
  return std::min(1.0, numeric::add_up(numeric::multiply_up(bound_.scale, run), beyond));
}

double SelectionCurve::delta(double epsilon) {
  if (beyond_.empty() && run_.as<RandomlyRepeated>() == nullptr) {
    for (const double goal : {1e-1, 1e-2, 1e-3, 1e-5}) {
      const double above = numeric::add_up(bound_.shift, run_epsilon(goal / bound_.scale));
      if (std::isfinite(above)) beyond_.push_back({above, direct_delta(above)});
    }
    if (beyond_.empty()) beyond_.push_back({HUGE_VAL, 1});  // searched for and not found
  }
  double min = epsilon < bound_.shift ? 1 : direct_delta(epsilon);
  for (const auto& point : beyond_) min = std::min(min, implied_delta(point, epsilon));
  return min;
}

double implied_delta(const pairs::Point& point, double epsilon) {
  if (epsilon >= point.epsilon) return point.delta;
  // (e^p - e^x) / (1 + e^p), also where the exponentials overflow.
  const double response = -std::expm1(epsilon - point.epsilon) / (1 + std::exp(-point.epsilon));
  const double upper = (point.delta + (1 - point.delta) * response) * (1 + 1e-14);
  return std::min(1.0, numeric::raise_tiny(upper));
}

}  // namespace tacet::accounting::internal
