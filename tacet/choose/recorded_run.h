#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

/// How a receipt says which run was chosen, and the way back from it: the parameters of that run,
/// as its own method writes them, beside those of the choice.
namespace tacet::choose {

namespace recorded_setting {
inline constexpr auto law = "law";
inline constexpr auto trials = "trials";
inline constexpr auto max_trials = "max_trials";
inline constexpr auto score_noise = "score_noise_multiplier";
inline constexpr auto selection_epsilon = "selection_epsilon";
inline constexpr auto method = "method";
inline constexpr auto run_epsilon = "run_epsilon";
inline constexpr auto run_delta = "run_delta";
inline constexpr auto run_rows = "run_row_count";
inline constexpr auto run_sampling = "run_sampling";
inline constexpr auto run_calibration = "run_calibration";
inline constexpr auto candidate = "candidate";
inline constexpr auto zero_model = "zero model";
}  // namespace recorded_setting

inline constexpr auto blocks_sampling = "blocks";

/// The run that a choice came to; none for the model of all zeros.
struct ChosenRun {
  std::string name;
  learn::TrainedModel* trained = nullptr;
};
/// What a choice ends with: the chosen model, taken out of its run, under the receipt of the whole,
/// in which the chosen run is described. The model of all zeros, as the `first` run would have
/// described it, in place of one that left the numbers. Without noise of coefficients: that of the
/// run is another one given that it was chosen.
[[nodiscard]] learn::TrainedModel chosen_model(const learn::MethodPlan& plan,
                                               const learn::Training& first,
                                               const ChosenRun& chosen,
                                               const learn::TrainingContext& context);

/// Whether the model of all zeros was chosen.
[[nodiscard]] bool chose_zero(learn::RecordedParameters& parameters);

/// Whether this part of a choice's events is what the chosen run released, by its own method.
[[nodiscard]] bool leads_to(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                            const privacy::Event& part);

/// DataError unless a run that released this cost what the receipt says of each: no more, and where
/// its noise was made for that no less than nine tenths.
void expect_run_cost(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                     const privacy::Event& part, bool tight);

/// DataError unless `part` is what the chosen run released, by its own method and for the receipt's
/// unit, at the cost of a run. Of the model of all zeros any run that cost so much.
void expect_run(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                const privacy::Event& part);

/// That a model of all zeros has no other coefficients, and that the chosen run counted on no
/// flatter loss than its model's.
void check_chosen_file(const privacy::Receipt& choice, const model::ModelFile& file,
                       learn::RecordedParameters& parameters);

}  // namespace tacet::choose
