#pragma once

#include <optional>
#include <string>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/released.h"

/// What methods become with epsilon infinite: the exact minimiser, which protects nobody.
namespace tacet::learn {

struct ExactOptions : CommonOptions, PenaltyOptions, ClassWeightOptions {};
/// UsageError for what was given and has no meaning without noise.
[[nodiscard]] ExactOptions exact_options(const ParameterValues& asked);

struct ExactPlan : MethodPlan {
  double mean_l2 = 0;  ///< penalty mean_l2/2 |w|^2 beside the mean loss
};

[[nodiscard]] ExactPlan plan_exact_minimum(const data::Schema& schema, const ExactOptions& options);

/// A minimiser and how far from the least value it may be: no weights of norm at most `radius` (for
/// each output) have an objective smaller by more than `gap`. All of it as private as the records.
struct ExactFit {
  model::LinearModel model;
  double gap = 0;
  double radius = 0;  ///< infinite: no weights at all
};

/// The exact minimiser, without any protection, as a type that no accountant, budget, statement of
/// a guarantee or model file takes.
[[nodiscard]] privacy::Unprotected<ExactFit> fit_unprotected(
    const data::Dataset& dataset, const data::Schema& schema, const ExactPlan& plan,
    base::ThreadPool& threads, const base::Supervision& supervision = {});

/// The only way from the minimum to a model that can be saved: its receipt bears the mark for ever.
[[nodiscard]] TrainedModel marked_model(const data::Schema& schema, const ExactPlan& plan,
                                        const privacy::Unprotected<ExactFit>& fitted);

/// What such a receipt says of the optimum, as a sentence; nothing for any other receipt.
[[nodiscard]] std::optional<std::string> optimum_in_words(const privacy::Receipt& receipt);

[[nodiscard]] Training exact_minimum_training(const data::Schema& schema,
                                              const ParameterValues& asked);

}  // namespace tacet::learn
