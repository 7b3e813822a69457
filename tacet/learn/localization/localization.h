#pragma once

#include <cstdint>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/localization/localization_schedule.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Localised private minimisation (Feldman, Koren, Talwar 2020; Asi, Levy, Duchi 2021): a chain of
/// regularised problems, each around the last one's noisy answer, with less and less noise.
///
///  * `ladder`: all records in each phase (or blocks), regularisation tripling; adapts to how
///    sharply the risk grows. The default for pure privacy, kinks and constraints.
///  * `localized`: algorithm 1 of Asi, Levy, Duchi 2021; `calibration=paper` as printed.
///  * `growth`: their algorithm 2, epochs on shrinking balls; `calibration=paper` as printed.
///  * `phased-erm`: Feldman, Koren, Talwar 2020, section 4, blocks that halve.
///
/// Guarantee under replace_one and zero_out, pure with delta 0 and by exact Gaussian composition
/// otherwise (docs/proofs/ladder.md). The solver is descent with a fixed number of steps, whose
/// iterates are no more sensitive than the minimiser, or one with a certificate, whose tolerance is
/// part of the sensitivity.
namespace tacet::learn {

/// The user's options of the chains. All that are left out are chosen from public facts.
struct ChainOptions : CommonOptions, BallOptions, ClassWeightOptions {
  std::optional<double> growth{};  ///< smallest growth exponent for which the chain is made
  bool reuse = true;               ///< each phase reads all records
  std::optional<std::int64_t> phases{};
};
/// `growth` and `ladder` read the first of these two lists; only `ladder` reads the second.
inline constexpr std::array growth_bindings{bind<&ChainOptions::growth>("growth")};
inline constexpr std::array ladder_bindings{
    bind<&ChainOptions::reuse>(
        "record-use",
        [](const std::string& text, ChainOptions& options) { options.reuse = text == "reuse"; }),
    bind<&ChainOptions::phases>("phases")};
inline constexpr auto chain_options =
    read_options<ChainOptions, ball_bindings, class_weight_bindings, growth_bindings,
                 ladder_bindings, calibration_bindings>;

/// How one phase is solved.
struct PhaseSolver {
  double smoothing_width = 0;  ///< of kinks; 0: no smoothing
  std::int64_t steps = 0;      ///< of descent; 0: the certified solver is used
  double tolerance = 0;        ///< of the certified solver
};

/// The law of the noise on a phase's answer.
enum class LocalNoise {
  gaussian,           ///< standard deviation: a noise multiplier times a record's share
  euclidean_laplace,  ///< density proportional to exp(-|z| / b), for an epsilon
  coordinate_laplace  ///< Laplace noise on each coordinate, of a noise multiplier: the paper's
};

struct LocalizationPlan : MethodPlan {
  double radius = 0;       ///< of the ball around 0 to which weights are projected
  double slope_bound = 0;  ///< of the loss on the ball, after clipping
  /// of a record: the diameter of the gradients over the adjacency's factor
  double gradient_share = 0;
  RecordUse use = RecordUse::reuse;
  LocalNoise noise = LocalNoise::gaussian;
  std::vector<Epoch> epochs;
  std::int64_t phases = 1;           ///< in all epochs together
  std::vector<PhaseSolver> solvers;  ///< of all phases, in order
  /// The noise multiplier or the epsilon of each phase. A receipt states a single value for all of
  /// them.
  std::vector<double> noise_levels;
};

/// Chooses all parameters of options.method from the options and the schema alone. UsageError if
/// something is missing or makes no sense, GuaranteeError if there is no proof: several outputs, a
/// unit column, add_remove.
[[nodiscard]] LocalizationPlan plan_localization(const data::Schema& schema,
                                                 const ChainOptions& options,
                                                 const PlanContext& context = {});
[[nodiscard]] TrainedModel train_localization(const data::Dataset& dataset,
                                              const data::Schema& schema,
                                              const LocalizationPlan& plan,
                                              const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const LocalizationPlan& plan);
void list_settings(SettingList& list, LocalizationPlan& plan);

extern const Method ladder_method;
extern const Method localized_method;
extern const Method growth_method;
extern const Method phased_erm_method;

}  // namespace tacet::learn
