#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/sgd/sgd_law.h"

/// What descent in one phase and in several determine in the same way.
namespace tacet::learn {

/// What a user may ask of descent whose result is perturbed. Everything left out is chosen from
/// public facts.
struct DescentOptions : CommonOptions, PenaltyOptions, BallOptions {
  std::optional<double> step_size{};
  std::optional<double> clipping_norm{};
  std::optional<std::int64_t> order_seed{};  ///< of a public order of the records
  bool smoothing = true;                     ///< of kinks and powers, on a width tied to the step
  std::optional<double> weight_scale{};      ///< size of weights worth reaching
};
inline constexpr std::array descent_bindings{
    bind<&DescentOptions::step_size>("step-size"),
    bind<&DescentOptions::clipping_norm>("clipping-norm"),
    bind<&DescentOptions::order_seed>("order-seed"),
    bind<&DescentOptions::weight_scale>("weight-scale"),
};
inline constexpr std::array smoothing_bindings{bind<&DescentOptions::smoothing>(
    "smoothing",
    [](const std::string& text, DescentOptions& options) { options.smoothing = text == "auto"; })};

/// The first lines of a plan and its problem: loss, clipping where slopes have no bound, radius.
[[nodiscard]] optimize::SgdProblem resolve_sgd_problem(MethodPlan& plan, const data::Schema& schema,
                                                       const DescentOptions& options);

/// Largest gradient of one output's loss that the problem allows.
[[nodiscard]] double lipschitz_bound(const optimize::SgdProblem& problem);

/// The given weight scale, the radius, or 5/X for classes and 2/X for numbers. UsageError for a
/// scale beyond the radius: nothing can be said against weights that are out of reach.
[[nodiscard]] double weight_scale(const optimize::SgdProblem& problem,
                                  const DescentOptions& options);

/// What output perturbation is proved for, in one phase and in several.
inline constexpr Proved proved_for_descent{
    privacy::public_count, privacy::no_adjacency, UnitProtection::refused,
    "one record more or less changes the number of records and with it every later step; use "
    "`adjacency=zero_out` (the same noise) or replace_one, or `method=gradient`"};

/// The settings of the problem from which `verify` computes the sensitivity again. Of these only
/// the smoothing counts as checked: another value of others may lead to the same sensitivity.
void list_descent(SettingList& list, const MethodPlan& plan, optimize::SgdProblem& problem,
                  Shown smoothed);

/// A contradiction where the bound of the rows is not that of the file's schema.
void check_descent_file(const privacy::Receipt& receipt, const model::ModelFile& file,
                        RecordedParameters& parameters);

/// What a bound of the excess risk is a bound of, in words.
[[nodiscard]] std::string excess_reason(const optimize::SgdProblem& problem, double excess,
                                        double weight_scale);

/// 1/2 or 3/4: the part of the excess bound that a step of this problem costs.
[[nodiscard]] double step_share(const optimize::SgdProblem& problem);

}  // namespace tacet::learn
