#include "tacet/local/banco.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/local/bounded_report.h"
#include "tacet/local/vectors.h"
#include "tacet/numeric/elementary.h"

namespace tacet::local {
namespace {

constexpr double max_banco_domain = 1e150;
// The magnitude of a state that is read back is computed again, and may be off by its last digits.
constexpr double magnitude_slack = 1e-9;

double clamp_to(const LearnerBounds& bounds, double magnitude) {
  return std::clamp(magnitude, -bounds.domain, bounds.domain);
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

Banco::Banco(const BancoSettings& settings) : settings_(settings) {
  check_settings();
  state_.direction.assign(static_cast<std::size_t>(settings.dimension), 0.0);
  state_.mean = state_.direction;
}

Banco::Banco(const BancoSettings& settings, BancoState state)
    : settings_(settings), state_(std::move(state)) {
  check_settings();
  check_state();
  magnitude_ = clamp_to(settings_.bounds, wealth().magnitude().value());
}

void Banco::check_settings() const {
  const auto& s = settings_;
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (s.dimension < 1) throw base::UsageError("a learner needs at least one dimension, got 0");
  if (!positive(s.certificate.range) || !positive(s.certificate.constant) ||
      !positive(s.initial_wealth) || !positive(s.direction_step)) {
    throw base::UsageError(
        "the certificate's range and constant, the initial wealth and the step of the direction "
        "must be above 0 and finite");
  }
  if (!positive(s.bounds.domain) || s.bounds.domain > max_banco_domain || !(s.bounds.report > 0)) {
    throw base::UsageError("the domain must be above 0 and at most 1e150, reports' bound above 0");
  }
  if (!(s.weight_power >= 0 && s.weight_power <= 10) || (s.weight_power > 0 && s.rounds < 1)) {
    throw base::UsageError(
        "weights (t/rounds)^k need k from 0 to 10 and the planned number of rounds");
  }
}

void Banco::check_state() const {
  const auto& s = state_;
  const auto size = static_cast<std::size_t>(settings_.dimension);
  const bool finite = all_finite(s.direction) && all_finite(s.mean) &&
                      std::isfinite(s.gain.value()) && std::isfinite(s.penalty.value()) &&
                      std::isfinite(s.squares.value()) && std::isfinite(s.weight.value());
  if (s.direction.size() != size || s.mean.size() != size || !finite || s.observed < 0 ||
      s.penalty.value() < 0 || s.squares.value() < 0 || s.weight.value() < 0 ||
      dot(s.direction, s.direction) > 1 + 1e-9 || s.bounded.cut < 0 || s.bounded.refused < 0 ||
      !(wealth().magnitude().log_size <= numeric::log(settings_.bounds.domain) + magnitude_slack)) {
    throw base::DataError("the learner's state makes no sense; start from an intact one");
  }
}

Wealth Banco::wealth() const {
  return {settings_.initial_wealth, settings_.certificate.range, state_.gain.value(),
          state_.penalty.value()};
}

double Banco::next_weight() const {
  if (settings_.weight_power == 0) return 1;
  const double share =
      static_cast<double>(state_.observed + 1) / static_cast<double>(settings_.rounds);
  return numeric::exp(settings_.weight_power * numeric::log(std::min(1.0, share)));
}

void Banco::point(std::span<double> out) const {
  const double weight = next_weight();
  const bool uniform = settings_.average == PointAverage::uniform;
  const double share = weight / (state_.weight.value() + weight);
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double iterate = magnitude_ * state_.direction[j];
    out[j] = uniform ? iterate : state_.mean[j] + share * (iterate - state_.mean[j]);
  }
}

void Banco::check_report(const RoundReport& report) const {
  if (report.mean.size() != state_.direction.size()) {
    throw base::UsageError("a report has {} numbers, the model {}", report.mean.size(),
                           state_.direction.size());
  }
}

// The iterate at which gradients were asked for joins the mean: w_1 with the first report, w_{T+1}
// never.
void Banco::fold_iterate(double weight) {
  state_.weight.add(weight);
  const double share = weight / state_.weight.value();
  for (std::size_t j = 0; j < state_.mean.size(); ++j) {
    state_.mean[j] += share * (magnitude_ * state_.direction[j] - state_.mean[j]);
  }
}

// Ascent along <report, q> with steps eta0 / sqrt(S), projected on the unit ball: plus, since
// reports estimate the negative gradient.
void Banco::turn(std::span<const double> report, double weight) {
  const double squares = state_.squares.value();
  if (!(squares > 0)) return;
  const double step = settings_.direction_step / std::sqrt(squares) * weight;
  auto& q = state_.direction;
  const double norm = std::sqrt(add_scaled(q, step, report));
  if (norm > 1) {
    const double shrink = 1 / norm;
    for (double& value : q) value *= shrink;
  }
}

/// Takes the outcome of a round; false where the magnitude would leave the domain. Then the gain
/// moves towards 0 by as much as the outcome, a bet lost, to 0 at most: the wealth is below what it
/// would have been, which is all that Lemma 1 needs (docs/proofs/banco.md, section 4).
bool Banco::bet(double outcome, double penalty) {
  const auto stake = [&](numeric::CompensatedSum gain, numeric::CompensatedSum lost) {
    const auto next =
        Wealth{settings_.initial_wealth, settings_.certificate.range, gain.value(), lost.value()}
            .magnitude();
    const bool inside = std::isfinite(gain.value()) && std::isfinite(lost.value()) &&
                        next.log_size <= numeric::log(settings_.bounds.domain);
    if (inside) {
      state_.gain = gain;
      state_.penalty = lost;
      magnitude_ = clamp_to(settings_.bounds, next.value());
    }
    return inside;
  };
  auto gain = state_.gain;
  auto lost = state_.penalty;
  gain.add(outcome);
  lost.add(penalty);
  if (stake(gain, lost)) return true;
  const double before = state_.gain.value();
  const double back = std::min(std::fabs(outcome), std::fabs(before));
  gain = state_.gain;
  gain.add(before > 0 ? -back : back);
  if (back == std::fabs(before)) gain = {};
  // Sums beyond the doubles leave what was there.
  if (!stake(gain, lost)) static_cast<void>(stake(gain, state_.penalty));
  return false;
}

Observed Banco::observe(const RoundReport& report) {
  check_report(report);
  if (!all_finite(report.mean)) {
    throw base::UsageError("a report holds a number that is not finite; it was not taken");
  }
  const BoundedReport mean(report.mean, settings_.bounds.report);
  const double weight = next_weight();
  const double outcome = weight * dot(mean.values(), state_.direction);  // by the old direction
  const double square = weight * weight * dot(mean.values(), mean.values());
  const double penalty = report.certificate >= 0 ? weight * weight * report.certificate
                                                 : settings_.certificate.of(outcome, weight);
  fold_iterate(weight);
  ++state_.observed;
  const bool inside = bet(outcome, penalty);
  auto squares = state_.squares;
  squares.add(square);
  if (std::isfinite(squares.value())) {
    state_.squares = squares;
    turn(mean.values(), weight);
  }
  const bool cut = report.cut || mean.cut();
  state_.bounded.cut += cut ? 1 : 0;
  state_.bounded.refused += inside ? 0 : 1;
  return inside && !cut ? Observed::taken : Observed::bounded;
}

double usual_initial_wealth(double weight_scale, std::int64_t rounds, double round_variance,
                            double gradient_bound) {
  return 0.1 * weight_scale *
         std::sqrt(static_cast<double>(rounds) *
                   (round_variance + gradient_bound * gradient_bound));
}

double excess_loss_bound(const BancoSettings& settings, std::int64_t rounds, double penalty,
                         double second_moment, double norm) {
  const double step = settings.direction_step;
  const auto psi = wealth_conjugate(
      {.initial = settings.initial_wealth, .range = settings.certificate.range, .penalty = penalty},
      norm);
  const auto count = static_cast<double>(rounds);
  return (settings.initial_wealth + psi.value +
          norm * (2 / step + step) * std::sqrt(count * second_moment)) /
         count;
}

}  // namespace tacet::local
