#pragma once

#include <cstdint>
#include <optional>

#include "tacet/choose/grid.h"
#include "tacet/choose/random_stopping.h"
#include "tacet/choose/score.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// Settings chosen by training with several of them, paid for as a whole: a secret number of runs,
/// each with a candidate drawn from the grid, trained on one block of the records and scored with
/// noise on the other; the best one is released, and nothing of the others
/// (docs/methods/tune.md, docs/proofs/private-choice.md, section 4).
namespace tacet::choose {

struct TuneOptions {
  TrialLaw law = TrialLaw::logarithmic;
  double trials = 10;                      ///< mean of the number of runs
  std::optional<std::int64_t> max_trials;  ///< a cap; chosen so that it costs next to nothing
  double holdout = 0.3;                    ///< share of the records that score
  std::optional<Score> score;
};

struct TuneRequest {
  learn::ParameterValues values;  ///< of all candidates, with the budget of everything
  ParameterGrid grid;
  TuneOptions options;
};

/// Plans every candidate from public facts alone, at the budget of one run, so that everything
/// together keeps the one asked for. The result is a training like any other; its reasons say what
/// a run costs, what everything does, and what a naive grid would. UsageError, GuaranteeError or
/// NumericError that names the candidate where its method refuses it; for values that are also in
/// the grid, candidates that read records differently, a cap that costs more than delta leaves, a
/// law that may run nothing without the zero model.
[[nodiscard]] learn::Training plan_tuning(const data::Schema& schema, const TuneRequest& request);

/// Under which adjacency that will be: the given one, or the usual one of the candidates' methods.
/// UsageError where these differ.
[[nodiscard]] privacy::Adjacency tuning_adjacency(const data::Schema& schema,
                                                  const TuneRequest& request);

/// `tune`, for the way back from a receipt (learn::check_receipt).
[[nodiscard]] const learn::Method& tune_method();

}  // namespace tacet::choose
