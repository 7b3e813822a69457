#include "tacet/local/local_sgd.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/local/bounded_report.h"
#include "tacet/local/vectors.h"

namespace tacet::local {
namespace {

constexpr double max_sgd_domain = 1e150;

bool in_range(std::span<const double> values) {
  return std::ranges::all_of(values,
                             [](double value) { return std::fabs(value) <= max_sgd_domain; });
}

/// Into the ball; whether it was outside.
bool project(std::vector<double>& point, double radius) {
  const double norm = std::sqrt(dot(point, point));
  if (norm <= radius) return false;
  for (double& value : point) value *= radius / norm;
  return true;
}

}  // namespace

LocalSgd::LocalSgd(const LocalSgdSettings& settings) : settings_(settings) {
  check_settings();
  state_.iterate.assign(static_cast<std::size_t>(settings.dimension), 0.0);
  state_.mean = state_.iterate;
}

LocalSgd::LocalSgd(const LocalSgdSettings& settings, LocalSgdState state)
    : settings_(settings), state_(std::move(state)) {
  check_settings();
  check_state();
}

void LocalSgd::check_settings() const {
  const auto& s = settings_;
  if (s.dimension < 1) throw base::UsageError("a learner needs at least one dimension, got 0");
  if (!(s.step_size > 0) || !std::isfinite(s.step_size) || !(s.radius >= 0) ||
      !std::isfinite(s.radius)) {
    throw base::UsageError("the step size must be above 0 and finite, the radius at least 0");
  }
  if (!(s.bounds.domain > 0 && s.bounds.domain <= max_sgd_domain) || !(s.bounds.report > 0)) {
    throw base::UsageError("the domain must be above 0 and at most 1e150, reports' bound above 0");
  }
  if (s.average == SgdAverage::suffix && s.rounds < 1) {
    throw base::UsageError("the mean of the second half needs the planned number of rounds");
  }
}

void LocalSgd::check_state() const {
  const auto size = static_cast<std::size_t>(settings_.dimension);
  if (state_.iterate.size() == size && state_.mean.size() == size && in_range(state_.iterate) &&
      in_range(state_.mean) && state_.observed >= 0 && state_.averaged >= 0 &&
      state_.averaged <= state_.observed && state_.bounded.cut >= 0 &&
      state_.bounded.refused >= 0) {
    return;
  }
  throw base::DataError("the learner's state makes no sense; start from an intact one");
}

void LocalSgd::point(std::span<double> out) const {
  std::ranges::copy(state_.iterate, out.begin());
}

// The iterate at which gradients were asked for joins the mean.
void LocalSgd::fold_iterate() {
  if (settings_.average == SgdAverage::suffix && state_.observed < settings_.rounds / 2) return;
  ++state_.averaged;
  const double share = 1 / static_cast<double>(state_.averaged);
  for (std::size_t j = 0; j < state_.mean.size(); ++j) {
    state_.mean[j] += share * (state_.iterate[j] - state_.mean[j]);
  }
}

Observed LocalSgd::observe(const RoundReport& report) {
  if (report.mean.size() != state_.iterate.size()) {
    throw base::UsageError("a report has {} numbers, the model {}", report.mean.size(),
                           state_.iterate.size());
  }
  if (!std::ranges::all_of(report.mean, [](double value) { return std::isfinite(value); })) {
    throw base::UsageError("a report holds a number that is not finite; it was not taken");
  }
  const BoundedReport mean(report.mean, settings_.bounds.report);
  double step = settings_.step_size;
  if (settings_.falling_steps) step /= std::sqrt(static_cast<double>(state_.observed + 1));
  std::vector<double> next(state_.iterate);
  for (std::size_t j = 0; j < next.size(); ++j) next[j] += step * mean.values()[j];
  if (settings_.radius > 0) static_cast<void>(project(next, settings_.radius));
  bool left = project(next, settings_.bounds.domain);
  if (!in_range(next)) {  // beyond the doubles: no step
    next = state_.iterate;
    left = true;
  }
  fold_iterate();
  state_.iterate = std::move(next);
  ++state_.observed;
  const bool cut = report.cut || mean.cut();
  state_.bounded.cut += cut ? 1 : 0;
  state_.bounded.refused += left ? 1 : 0;
  return left || cut ? Observed::bounded : Observed::taken;
}

double sgd_excess_loss_bound(double step_size, std::int64_t rounds, double second_moment,
                             double norm) {
  return norm * norm / (2 * step_size * static_cast<double>(rounds)) +
         step_size / 2 * second_moment;
}

}  // namespace tacet::local
