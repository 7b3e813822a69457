#include "tacet/accounting/profile_pair.h"

#include <algorithm>
#include <functional>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/private_selection.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/repetition.h"

namespace tacet::accounting::internal {
namespace {

// The curve is cut off at this delta; what lies beyond counts as an infinite loss.
constexpr double smallest_delta = 1e-18;
// Chords between points lie above the profile. These points are about 0.4 and 1 apart in log delta.
constexpr int many_points = 128;
constexpr int few_points = 56;

using DeltaOf = std::function<double(double)>;

DeltaOf delta_of(const Event& event, Adjacency adjacency, const AccountOptions& options) {
  const auto* selection = event.as<RandomlyRepeated>();
  if (selection != nullptr && repetition::depth(event) <= repetition::deepest_profile) {
    return [curve = SelectionCurve(*selection, adjacency, options)](double e) mutable {
      return curve.delta(e);
    };
  }
  return [&event, adjacency, options](double e) {
    return delta_interval(event, adjacency, Epsilon(e), options).upper;
  };
}

}  // namespace

Event selection_run(const RandomlyRepeated& event, Adjacency adjacency, WorkMeter* work) {
  if (repetition::depth(*event.base) == 0) return *event.base;
  Profile profile{{}, adjacency};
  for (const auto& point : proved_profile(*event.base, adjacency, work)) {
    profile.points.push_back({point.epsilon, point.delta});
  }
  if (profile.points.empty()) return *event.base;
  return profile;
}

bool has_quick_profile(const Event& event, Adjacency adjacency) {
  const auto whole = [adjacency](const Event& base) {
    return squared_mu(base, adjacency) || has_quick_profile(base, adjacency);
  };
  if (const auto* selection = event.as<RandomlyRepeated>()) return whole(*selection->base);
  if (const auto* sampled = event.as<PoissonSampled>()) return whole(*sampled->base);
  if (const auto* sampled = event.as<FixedSizeSampled>()) return whole(*sampled->base);
  return event.as<Zcdp>() != nullptr || event.as<DiscreteGaussian>() != nullptr;
}

std::vector<pairs::Point> proved_profile(const Event& event, Adjacency adjacency, WorkMeter* work) {
  std::vector<pairs::Point> points;
  const double pure = pure_epsilon(event, adjacency);
  const double max = std::min(pure, largest_loss);
  const auto delta = delta_of(event, adjacency, {.work = work});
  double end = std::min(max, 0.125);
  while (end < max && delta(end) > smallest_delta) end = std::min(1.4 * end, max);
  const int last = (has_quick_profile(event, adjacency) ? many_points : few_points) - 1;
  for (int i = 0; i <= last; ++i) {
    const double epsilon = i == last ? end : end * i / last;
    const double here = i == last && end >= pure ? 0 : delta(epsilon);
    if (here < (points.empty() ? 1.0 : points.back().delta)) points.push_back({epsilon, here});
  }
  return points;
}

}  // namespace tacet::accounting::internal
