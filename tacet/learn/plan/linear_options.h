#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/learn/plan/calibration.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/model/loss/loss.h"
#include "tacet/model/wide/wide_architecture.h"
#include "tacet/optimize/sgd/sgd_schedule.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::learn {

/// Which mean of the iterates is the model. For methods that release every step all are free:
/// functions of what was released. For output perturbation the sensitivity depends on it.
using optimize::Averaging;

/// Whether means and standard deviations of numbers are released first, and numbers counted by
/// them.
enum class Standardise {
  none,
  automatic,  ///< where it was shown to win
  demanded,
  means  ///< of numbers alone, where `demanded` would count categories as well
};

/// A release that comes before a method's own, both booked together (learn/selected_training.h):
/// what the method's plan must not settle anew.
struct FirstRelease {
  double noise = 0;          ///< multiplier of the release of which columns to keep
  double stddevs = 0;        ///< of that noise, from which on a column is kept
  double delta_left = 0;     ///< of delta, for what the method calibrates
  double prg_slack = 0;      ///< of everything
  double max_prg_slack = 0;  ///< of that, the method's own part at most
  privacy::Guarantee guarantee{0, 0, privacy::Adjacency::replace_one};  ///< of both
};

/// What a user asks of a wide model beside what all methods read (learn/wide/net_plan.h).
struct WideOptions {
  model::WideArchitecture architecture{};
  std::optional<std::string> optimizer{};
  std::optional<std::string> selection{};    ///< of ids whose vectors a step moves
  std::optional<double> selection_share{};   ///< of mu^2
  std::optional<std::int64_t> start_seed{};  ///< public

  friend bool operator==(const WideOptions&, const WideOptions&) = default;
};

/// What a user asks of a linear model, or of a wide one. Everything left out is chosen from public
/// facts.
struct LinearOptions {
  std::string method = "gradient";
  double epsilon = 0;             ///< above 0; infinity trains without protection
  std::optional<double> delta{};  ///< 0 asks for pure privacy
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  std::optional<std::int64_t> public_row_count{};  ///< overrides the schema's
  std::optional<model::Loss> loss{};
  std::optional<std::int64_t> steps{};
  std::optional<double> step_size{};
  std::optional<double> momentum{};
  std::optional<double> clipping_norm{};
  std::optional<double> average{};  ///< share of the last iterates that are averaged
  std::optional<Averaging> averaging{};
  std::optional<std::int64_t> batch_size{};  ///< records a step, for samples their expected number
  std::optional<std::string> sampling{};     ///< how the records of a step are chosen
  std::optional<std::int64_t> order_seed{};  ///< of a public order of the records
  double step_decay = 0;                     ///< step t has size step_size / t^step_decay
  bool smoothing = true;                     ///< of kinks and powers, on a width tied to the step
  std::optional<double> weight_scale{};      ///< size of weights worth reaching
  std::optional<std::int64_t> phases{};      ///< of phased output perturbation
  std::optional<double> growth{};            ///< least growth exponent that a chain is made for
  bool reuse = true;                         ///< each phase of a chain reads all records
  Calibration calibration = Calibration::tight;  ///< whose schedule and noise
  std::optional<double> mean_l2{};               ///< weight of |w|^2 / 2 beside the mean loss
  std::optional<double> radius{};                ///< weights stay in the ball of this radius
  bool radius_search = false;     ///< the radius is chosen privately: choose::plan_training's
  std::optional<double> boost{};  ///< probability of failing of confidence boosting: likewise
  std::int64_t max_records_per_unit = 1;  ///< of a unit column's records that take part
  std::optional<std::int64_t>
      knots{};  ///< hat functions beside numbers whose column leaves it open
  Standardise standardise = Standardise::none;
  /// Share of mu^2 that goes to the choice of columns; 0: all are kept.
  double feature_selection = 0;
  bool feature_selection_auto = false;  ///< that share only where columns are many
  std::optional<FirstRelease> after{};  ///< nobody asks for it
  /// Of all features but the intercept: none, "auto" or a family's name.
  std::optional<std::string> projection{};
  std::optional<std::int64_t> projection_width{};
  std::optional<std::int64_t> projection_seed{};  ///< public
  std::optional<std::string> group_column{};      ///< whose hash groups records
  std::optional<std::int64_t> groups{};
  bool random_groups = false;               ///< a secret one for each step, not all in turn
  std::optional<std::int64_t> positives{};  ///< coordinates that a step moves, at most
  std::optional<double> threshold{};        ///< of the mean gradient; of records that have an id
  WideOptions wide{};
  /// NAME=WEIGHT with commas between them; overrules the schema's.
  std::optional<std::string> class_weights{};
  double path_share = 1;               ///< of the noise rule's path; nobody asks for it
  bool constant_only = false;          ///< no column is read; nobody asks for it
  std::vector<std::string> reasons{};  ///< why these options, for the head of the plan's own

  /// Whether a paper's schedule and noise are asked for.
  [[nodiscard]] bool paper() const { return calibration != Calibration::tight; }
};

/// Reads and checks the values of a command line. `adjacency` is what holds when none is given: the
/// library has no default. UsageError names the parameter, what was given and what is allowed.
[[nodiscard]] LinearOptions linear_options(const ParameterValues& values,
                                           privacy::Adjacency adjacency);

/// The loss by its name and its own numbers; none where none is named. UsageError for a number
/// without a loss, and for what no loss has.
[[nodiscard]] std::optional<model::Loss> loss_of(const OptionValues& values);

/// UsageError where it is missing.
[[nodiscard]] double checked_epsilon(const OptionValues& values);

/// The first parameter that was given and is not among the words `read`: what a run that goes by
/// these alone must refuse. Parameters with a meaning everywhere are never among them.
[[nodiscard]] std::optional<std::string_view> given_beyond(const LinearOptions& options,
                                                           std::string_view read);

/// The largest power of ten below 1 / row_count^1.1.
[[nodiscard]] double default_delta(std::int64_t row_count);

}  // namespace tacet::learn
