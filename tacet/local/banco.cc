#include "tacet/local/banco.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/local/vectors.h"
#include "tacet/numeric/elementary.h"

namespace tacet::local {
namespace {

constexpr double max_log_magnitude = 345.38776394910684;  // ln 1e150

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
  magnitude_ = wealth().magnitude().value();
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
      dot(s.direction, s.direction) > 1 + 1e-9 ||
      !(wealth().magnitude().log_size <= max_log_magnitude)) {
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

Observed Banco::observe(const RoundReport& report) {
  check_report(report);
  const double weight = next_weight();
  const double plain_square = dot(report.mean, report.mean);
  if (!std::isfinite(plain_square) && !all_finite(report.mean)) {
    throw base::UsageError("a report holds a number that is not finite; it was not taken");
  }
  const double outcome = weight * dot(report.mean, state_.direction);  // by the old direction
  const double square = weight * weight * plain_square;
  auto gain = state_.gain;
  auto penalty = state_.penalty;
  gain.add(outcome);
  penalty.add(report.certificate >= 0 ? weight * weight * report.certificate
                                      : settings_.certificate.of(outcome, weight));
  const auto next =
      Wealth{settings_.initial_wealth, settings_.certificate.range, gain.value(), penalty.value()}
          .magnitude();
  auto squares = state_.squares;
  squares.add(square);
  const bool finite = std::isfinite(gain.value()) && std::isfinite(penalty.value()) &&
                      std::isfinite(squares.value());
  if (!finite || !(next.log_size <= max_log_magnitude)) return Observed::diverged;
  fold_iterate(weight);
  state_.gain = gain;
  state_.penalty = penalty;
  state_.squares = squares;
  ++state_.observed;
  turn(report.mean, weight);
  magnitude_ = next.value();
  return Observed::taken;
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
