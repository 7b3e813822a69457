#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/sgd/sgd_law.h"

/// What descent in one phase and in several phases have in common.
namespace tacet::learn {

/// The user's options of descent with output perturbation. All that are left out are chosen from
/// public facts.
struct DescentOptions : CommonOptions, PenaltyOptions, BallOptions {
  std::optional<double> step_size{};
  std::optional<double> clipping_norm{};
  std::optional<std::int64_t> order_seed{};  ///< of a public order of the records
  bool smoothing = true;  ///< of kinks and powers, on a width that depends on the step size
  std::optional<double> weight_scale{};  ///< size of weights worth reaching
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

/// The beginning of a plan: loss, radius, and clipping if slopes have no bound.
[[nodiscard]] optimize::SgdProblem resolve_sgd_problem(MethodPlan& plan, const data::Schema& schema,
                                                       const DescentOptions& options);

/// Largest gradient of one output's loss that the problem allows.
[[nodiscard]] double lipschitz_bound(const optimize::SgdProblem& problem);

/// The given weight scale, or the radius, or 5/X for classes and 2/X for numbers. UsageError for a
/// scale beyond the radius, which the weights cannot reach.
[[nodiscard]] double weight_scale(const optimize::SgdProblem& problem,
                                  const DescentOptions& options);

/// For which adjacencies and units output perturbation is proved, in one phase and in several.
inline constexpr Proved proved_for_descent{
    privacy::public_count, privacy::no_adjacency, UnitProtection::refused,
    "one record more or less changes the number of records and with it every later step; use "
    "`adjacency=zero_out` (the same noise) or replace_one, or `method=gradient`"};

/// The settings of the problem from which `verify` computes the sensitivity again. Only the
/// smoothing counts as checked: other values of the others may give the same sensitivity.
void list_descent(SettingList& list, const MethodPlan& plan, optimize::SgdProblem& problem,
                  Shown smoothed);

/// DataError if the bound of the rows contradicts the file's schema.
void check_descent_file(const privacy::Receipt& receipt, const model::ModelFile& file,
                        RecordedParameters& parameters);

/// The quantity that a bound of the excess risk bounds, in words.
[[nodiscard]] std::string excess_reason(const optimize::SgdProblem& problem, double excess,
                                        double weight_scale);

/// 1/2 or 3/4: the factor of the steps in the excess bound of this problem.
[[nodiscard]] double step_share(const optimize::SgdProblem& problem);

}  // namespace tacet::learn
