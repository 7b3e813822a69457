#pragma once

#include <optional>
#include <string>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/released.h"

/// The result of every method with an infinite epsilon: the exact minimiser, which protects nobody.
namespace tacet::learn {

struct ExactOptions : CommonOptions, PenaltyOptions, ClassWeightOptions {};
/// UsageError for options that have no meaning without noise.
[[nodiscard]] ExactOptions exact_options(const ParameterValues& asked);

struct ExactPlan : MethodPlan {
  double mean_l2 = 0;  ///< the penalty mean_l2/2 |w|^2 is added to the mean loss
};

[[nodiscard]] ExactPlan plan_exact_minimum(const data::Schema& schema, const ExactOptions& options);

/// A minimiser, and its distance from the minimum: no weights of norm at most `radius` (per output)
/// have an objective that is lower by more than `gap`. All of it is as private as the records.
struct ExactFit {
  model::LinearModel model;
  double gap = 0;
  double radius = 0;  ///< infinite: no weights at all
};

/// The exact minimiser, without any protection. No accountant, budget, statement of a guarantee or
/// model file accepts this type.
[[nodiscard]] privacy::Unprotected<ExactFit> fit_unprotected(
    const data::Dataset& dataset, const data::Schema& schema, const ExactPlan& plan,
    base::ThreadPool& threads, const base::Supervision& supervision = {});

/// The only way from the minimiser to a model that can be saved. Its receipt is marked as
/// unprotected for ever.
[[nodiscard]] TrainedModel marked_model(const data::Schema& schema, const ExactPlan& plan,
                                        const privacy::Unprotected<ExactFit>& fitted);

/// What such a receipt says about the minimum, as a sentence; nothing for any other receipt.
[[nodiscard]] std::optional<std::string> optimum_in_words(const privacy::Receipt& receipt);

[[nodiscard]] Training exact_minimum_training(const data::Schema& schema,
                                              const ParameterValues& asked);

}  // namespace tacet::learn
