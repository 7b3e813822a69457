#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/learn/plan/binding.h"
#include "tacet/learn/plan/calibration.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sgd/sgd_schedule.h"
#include "tacet/privacy/guarantee.h"

/// Options that every method of training reads, and those that several read. A method's own options
/// are a struct in its folder that begins with these; it sees no other options.
namespace tacet::learn {

/// Which mean of the iterates is the model. Methods that release every step can use any mean at no
/// cost, as a function of released values. For output perturbation the sensitivity depends on it.
using optimize::Averaging;

inline constexpr auto averaging_names =
    base::names<Averaging>({{Averaging::uniform, "uniform"},
                            {Averaging::suffix, "suffix"},
                            {Averaging::last, "last"},
                            {Averaging::polynomial, "polynomial"}});

/// The problem and the guarantee.
struct CommonOptions {
  std::string method = "gradient";
  double epsilon = 0;             ///< above 0; infinity trains without protection
  std::optional<double> delta{};  ///< 0 asks for pure privacy
  privacy::Adjacency adjacency{};
  std::optional<std::int64_t> public_row_count{};  ///< overrides the schema's
  std::optional<model::Loss> loss{};
  Calibration calibration = Calibration::tight;  ///< whose schedule and noise

  /// Whether a paper's schedule and noise are asked for.
  [[nodiscard]] bool paper() const { return calibration != Calibration::tight; }
};

/// UsageError if epsilon or the adjacency is missing: the library has no default for either.
void read_common(const ParameterValues& values, CommonOptions& options);
[[nodiscard]] CommonOptions common_options(const ParameterValues& values);

/// The names that read_common reads, and those that are the program's own.
[[nodiscard]] std::span<const std::string_view> common_names();

/// The option of methods that follow a paper.
inline constexpr std::array calibration_bindings{
    bind<&CommonOptions::calibration, calibration_names>("calibration")};

/// A penalty that is added to the mean loss.
struct PenaltyOptions {
  std::optional<double> mean_l2{};  ///< weight of |w|^2 / 2
};
inline constexpr std::array penalty_bindings{bind<&PenaltyOptions::mean_l2>("l2")};

/// A ball that the weights stay in.
struct BallOptions {
  std::optional<double> radius{};
};
inline constexpr std::array ball_bindings{bind<&BallOptions::radius>("radius")};

/// Weights of classes, which replace the schema's.
struct ClassWeightOptions {
  std::optional<std::string> class_weights{};  ///< NAME=WEIGHT,...; overrules the schema's
};
inline constexpr std::array class_weight_bindings{
    bind<&ClassWeightOptions::class_weights>("class-weights")};

/// Steps along clipped gradients.
struct StepOptions {
  std::optional<std::int64_t> steps{};
  std::optional<double> step_size{};
  std::optional<double> clipping_norm{};
};
inline constexpr std::array step_bindings{bind<&StepOptions::steps>("steps"),
                                          bind<&StepOptions::step_size>("step-size"),
                                          bind<&StepOptions::clipping_norm>("clipping-norm")};

/// Hat functions (a spline basis) for numbers whose column leaves it open (learn/plan/knots.h).
struct KnotOptions {
  std::optional<std::int64_t> knots{};
};
inline constexpr std::array knot_bindings{
    bind<&KnotOptions::knots>("knots", [](const std::string& text, KnotOptions& options) {
      if (text != "auto") options.knots = text == "none" ? 0 : parse_integer("knots", text);
    })};

/// A public random map of all features but the intercept (learn/plan/projection.h).
struct ProjectionOptions {
  std::optional<std::string> projection{};  ///< none, "auto" or a family's name
  std::optional<std::int64_t> projection_width{};
  std::optional<std::int64_t> projection_seed{};  ///< public
};
inline constexpr std::array projection_bindings{
    bind<&ProjectionOptions::projection>("projection",
                                         [](const std::string& text, ProjectionOptions& options) {
                                           if (text != "none") options.projection = text;
                                         }),
    bind<&ProjectionOptions::projection_width>("projection-width"),
    bind<&ProjectionOptions::projection_seed>("projection-seed")};

/// The choice of columns worth having (learn/gradient/feature_selection.h).
struct FeatureSelectionOptions {
  /// The share of mu^2 that `auto` spends: docs/methods/feature-selection.md.
  static constexpr double usual_share = 0.3;

  double feature_selection = 0;         ///< share of mu^2; 0: all columns are kept
  bool feature_selection_auto = false;  ///< that share is used only if there are many columns
};
inline constexpr std::array feature_selection_bindings{
    bind<&FeatureSelectionOptions::feature_selection>(
        "feature-selection", [](const std::string& text, FeatureSelectionOptions& options) {
          if (text == "all") return;
          options.feature_selection_auto = text == "auto";
          options.feature_selection = options.feature_selection_auto
                                          ? FeatureSelectionOptions::usual_share
                                          : parse_real("feature-selection", text);
        })};

/// All options of a method: the common ones, and the method's own with their bindings.
template <typename Options, const auto&... lists>
[[nodiscard]] Options read_options(const ParameterValues& values) {
  Options options;
  read_common(values, options);
  (read_bound(lists, values.all(), options), ...);
  return options;
}

/// A release before a method's own ones, booked together with them (learn/selected_training.h). The
/// method's plan must use these numbers as they are.
struct FirstRelease {
  double noise = 0;          ///< multiplier of the noise of the feature selection
  double stddevs = 0;        ///< threshold of a kept column, in standard deviations of that noise
  double delta_left = 0;     ///< part of delta that the method has for its calibration
  double prg_slack = 0;      ///< of everything
  double max_prg_slack = 0;  ///< largest PRG slack of the method's own releases
  privacy::Guarantee guarantee{0, 0, privacy::Adjacency::replace_one};  ///< of both together
};

/// The larger plan of which a plan is a part. Users do not set it.
struct PlanContext {
  std::optional<FirstRelease> first_release{};
  double path_share = 1;  ///< share of the path length that the step rule of `gradient` finds
};

/// The largest power of ten below 1 / row_count^1.1.
[[nodiscard]] double default_delta(std::int64_t row_count);

}  // namespace tacet::learn
