#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacet/local/certificate.h"
#include "tacet/local/magnitude.h"
#include "tacet/numeric/sums.h"

/// BANCO (Jun, Orabona 2019): descent on noisy reports without a step size. A bettor learns how far
/// to go, projected descent on the unit ball learns where to. The guarantee, its proof and what the
/// poster has wrong are in docs/proofs/banco.md. Everything here is post-processing of reports
/// that were private before they left a device.
///
///     local::Banco learner({.dimension = 3, .certificate = certificate, .initial_wealth = 0.5});
///     std::vector<double> point(3);
///     for (...) {
///       learner.point(point);                       // shown to the devices of this round
///       learner.observe({mean_of_reports});         // says whether it had to be bounded
///     }
///     learner.model();
namespace tacet::local {

/// Limits that protect a learner against devices that lie. They hold in every round, whoever sends
/// the reports.
struct LearnerBounds {
  /// A round's report that is longer is cut to it: what honest devices exceed with a probability
  /// below 1e-12 only (round_noise.h).
  double report = std::numeric_limits<double>::infinity();
  double domain = 1e150;  ///< no iterate is longer
};

/// Rounds that met a bound, since the learner began.
struct BoundedRounds {
  std::int64_t cut = 0;      ///< a device's report was longer than honest ones, or their mean was
  std::int64_t refused = 0;  ///< the step would have left the domain
  friend bool operator==(const BoundedRounds&, const BoundedRounds&) = default;
};

/// Which points the devices see, and which one is the model.
enum class PointAverage {
  uniform,  ///< they see the iterates; the model is their mean (the poster)
  anytime   ///< they see the mean of all iterates so far, which is the model (Cutkosky 2019)
};

/// Everything that is resolved before the first report.
struct BancoSettings {
  std::int64_t dimension = 0;
  Certificate certificate{};
  double initial_wealth = 1;  ///< W0, in units of loss
  double direction_step = 1;  ///< eta0 of the descent that learns the direction
  PointAverage average = PointAverage::anytime;
  double weight_power = 0;  ///< k: round t counts (t / rounds)^k
  std::int64_t rounds = 0;  ///< planned; only read where weight_power is above 0
  LearnerBounds bounds{};
};

/// Where a learner stands, all of it public: two learners with equal states do the same for ever.
struct BancoState {
  std::int64_t observed = 0;        ///< t
  numeric::CompensatedSum gain;     ///< x
  numeric::CompensatedSum penalty;  ///< y
  numeric::CompensatedSum squares;  ///< S
  numeric::CompensatedSum weight;   ///< A, of the iterates in `mean`
  std::vector<double> direction;    ///< q, in the unit ball
  std::vector<double> mean;         ///< of the iterates at which gradients were asked for
  BoundedRounds bounded{};
};

enum class Observed {
  taken,
  bounded  ///< taken, but its report was cut, or its step would have left the domain
};

/// One round's report: the mean of its devices' reports, an unbiased estimate of -g.
struct RoundReport {
  std::span<const double> mean;
  /// c_t where this round's noise is not the usual one: reports at other epsilons, for the
  /// certificate known_noise only (known_noise_cost).
  double certificate = -1;
  bool cut = false;  ///< a device's estimate in it was longer than honest ones, and was cut
};

/// The learner, which gets one report per round. Not for several threads at once.
class Banco {
 public:
  /// UsageError for settings that make no sense.
  explicit Banco(const BancoSettings& settings);
  /// Goes on from a state; DataError where it is none of such a learner's.
  Banco(const BancoSettings& settings, BancoState state);

  /// Weight alpha of the coming round: (t / rounds)^weight_power.
  [[nodiscard]] double next_weight() const;
  /// p_t: where the coming round's gradients are taken; `out` has the dimension's size.
  void point(std::span<double> out) const;
  /// Takes the report of the point shown. Where the magnitude would leave the domain, after lies or
  /// with a wrong scale, the round counts as a bet that was lost: the wealth falls, the magnitude
  /// with it, and the learner goes on. What k such rounds add to the loss is in
  /// docs/proofs/banco.md, section 4. UsageError for a report of another size or that is not
  /// finite.
  Observed observe(const RoundReport& report);
  /// More than half of the rounds would have left the domain: the model says nothing, and the scale
  /// or the bound of the gradients is wrong, or most devices lie.
  [[nodiscard]] bool diverged() const { return 2 * state_.bounded.refused > state_.observed; }

  /// The model: the mean of the iterates at which gradients were asked for; 0 at first.
  [[nodiscard]] const std::vector<double>& model() const { return state_.mean; }
  /// m, the signed length of the current iterate.
  [[nodiscard]] double magnitude() const { return magnitude_; }
  [[nodiscard]] Wealth wealth() const;
  [[nodiscard]] const BancoSettings& settings() const { return settings_; }
  [[nodiscard]] const BancoState& state() const { return state_; }

 private:
  void check_settings() const;
  void check_state() const;
  void check_report(const RoundReport& report) const;
  [[nodiscard]] bool bet(double outcome, double penalty);
  void fold_iterate(double weight);
  void turn(std::span<const double> report, double weight);

  BancoSettings settings_;
  BancoState state_;
  double magnitude_ = 0;
};

/// W0 = 0.1 scale sqrt(rounds (v + G^2)) with v the variance of a round's mean: a tenth of what a
/// tuned descent would lose, and most of the time until bets grow is saved. A hint of scale, which
/// a comparator beyond it pays in logarithms only.
[[nodiscard]] double usual_initial_wealth(double weight_scale, std::int64_t rounds,
                                          double round_variance, double gradient_bound);

/// The theorem's bound of the mean excess loss against a comparator of norm `norm`, where every
/// report's square is `second_moment` and penalties sum up to `penalty`:
/// (W0 + psi(norm) + norm (2 / eta0 + eta0) sqrt(S)) / rounds.
[[nodiscard]] double excess_loss_bound(const BancoSettings& settings, std::int64_t rounds,
                                       double penalty, double second_moment, double norm);

}  // namespace tacet::local
