#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/choose/score.h"
#include "tacet/learn/plan/training.h"

/// Several models, each trained on a block of the records, and one of them chosen privately on
/// another block: what radius_search and boosting have in common.
namespace tacet::choose {

struct Contender {
  std::string name;
  learn::Training training;
  std::size_t block = 0;
  ScoreRule rule = {};
  double penalty = 0;  ///< public, added to its sum of losses; generalised selection alone
};

/// By what the best sum of scores is chosen; each is pure epsilon.
enum class ChosenBy {
  permute_and_flip,  ///< all scores have one bound
  generalized,       ///< sums of losses, each with a bound of its own (Raskhodnikova, Smith 2016)
  noisy_max          ///< report noisy max with Laplace noise, as papers have it
};

struct ChoicePlan : learn::MethodPlan {
  std::vector<Contender> contenders;
  std::optional<ScoreRule> zero;    ///< the model of all zeros is among them, by this rule
  std::vector<std::int64_t> sizes;  ///< declared, of each block; the last one scores
  bool score_all = false;           ///< all records score
  double selection_epsilon = 0;
  ChosenBy by = ChosenBy::permute_and_flip;
  double failure = 0.1;  ///< probability with which a generalised selection may miss its bound
  const learn::Method* own = nullptr;  ///< whose name the receipt has
};

/// What every such plan begins with: the declared number of records, and the guarantee of the
/// whole. UsageError for units where their number would be public.
[[nodiscard]] privacy::Guarantee resolve_whole(ChoicePlan& plan, const data::Schema& schema,
                                               const learn::CommonOptions& options);

/// What a choice may cost of the `asked` epsilon, times `share`. UsageError below what an exact
/// choice can be made with: `instead` is the way out beside a larger epsilon.
[[nodiscard]] double resolve_selection(double asked, double share, std::string_view instead);

/// The PRG slack of the runs and the choice together, from that of all runs.
[[nodiscard]] double choice_prg_slack(double of_runs);
[[nodiscard]] double runs_prg_slack(const ChoicePlan& plan);

/// What every such plan ends with: the PRG slack, the events' guarantee, the settings of the
/// choice before `further`. UsageError for contenders that read the records differently.
void resolve_choice(ChoicePlan& plan, const privacy::Guarantee& asked,
                    std::vector<learn::Setting> further);

/// The cost of the choice alone.
[[nodiscard]] privacy::Event choice_event(ChosenBy by, double selection_epsilon,
                                          privacy::Adjacency adjacency);

/// The training that the plan stands for.
[[nodiscard]] learn::Training chosen_training(ChoicePlan plan);

/// What a receipt of either says of the choice, on the way back to its events.
[[nodiscard]] privacy::Event recorded_choice(const privacy::Receipt& receipt,
                                             learn::RecordedParameters& parameters, ChosenBy by);
/// The parts of the blocks that the events are about; DataError where they are about none.
[[nodiscard]] const std::vector<privacy::Event>& recorded_blocks(const privacy::Event& event);

/// One run's values, of what was asked of all.
struct RunShare {
  double epsilon;
  double delta;
  std::int64_t rows;
};
[[nodiscard]] learn::ParameterValues run_values(const learn::ParameterValues& asked,
                                                const RunShare& share);

/// What a run's plan says of noise beyond its numbers, said of all of them: `each` names what has
/// that share of the `asked` epsilon, `instead` is the way out beside a larger epsilon.
struct Sharing {
  std::string each;
  double asked;
  std::string_view instead;
};
template <typename Plan>
auto planned_within(const Sharing& sharing, double share, Plan plan) {
  try {
    return plan();
  } catch (const base::NumericError& error) {
    throw base::NumericError("epsilon {:g} leaves {} epsilon {:.3g}, and {}; or {}", sharing.asked,
                             sharing.each, share, error.what(), sharing.instead);
  }
}

}  // namespace tacet::choose
