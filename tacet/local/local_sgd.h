#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/local/banco.h"

namespace tacet::local {

/// Which mean of the iterates is the model.
enum class SgdAverage { uniform, suffix, last };

/// Everything that is resolved before the first report.
struct LocalSgdSettings {
  std::int64_t dimension = 0;
  double step_size = 0;                      ///< eta
  bool falling_steps = false;                ///< eta / sqrt(t) instead of eta
  SgdAverage average = SgdAverage::uniform;  ///< suffix: the second half of the planned rounds
  double radius = 0;                         ///< iterates stay in this ball; 0: anywhere
  std::int64_t rounds = 0;                   ///< planned; only read by suffix
  LearnerBounds bounds{};
};

struct LocalSgdState {
  std::int64_t observed = 0;
  std::int64_t averaged = 0;  ///< iterates in `mean`
  std::vector<double> iterate;
  std::vector<double> mean;
  BoundedRounds bounded{};
};

/// Descent on noisy reports with a step size, to compare BANCO with: w + eta_t report. Its best
/// step is |u| / sqrt(T E|report|^2) for a comparator of norm |u|, which nobody knows; trying k
/// steps on the same people costs k epsilon. Not for several threads at once.
class LocalSgd {
 public:
  /// UsageError for settings that make no sense.
  explicit LocalSgd(const LocalSgdSettings& settings);
  /// Goes on from a state; DataError where it is none of such a learner's.
  LocalSgd(const LocalSgdSettings& settings, LocalSgdState state);

  /// Where the coming round's gradients are taken.
  void point(std::span<double> out) const;
  /// As Banco::observe; a step that would leave the domain ends at its edge.
  Observed observe(const RoundReport& report);
  /// As Banco::diverged.
  [[nodiscard]] bool diverged() const { return 2 * state_.bounded.refused > state_.observed; }

  [[nodiscard]] const std::vector<double>& model() const {
    return settings_.average == SgdAverage::last ? state_.iterate : state_.mean;
  }
  [[nodiscard]] const LocalSgdSettings& settings() const { return settings_; }
  [[nodiscard]] const LocalSgdState& state() const { return state_; }

 private:
  void check_settings() const;
  void check_state() const;
  void fold_iterate();

  LocalSgdSettings settings_;
  LocalSgdState state_;
};

/// |u|^2 / (2 eta T) + eta E|report|^2 / 2: the bound of the mean excess loss of a constant step.
[[nodiscard]] double sgd_excess_loss_bound(double step_size, std::int64_t rounds,
                                           double second_moment, double norm);

}  // namespace tacet::local
