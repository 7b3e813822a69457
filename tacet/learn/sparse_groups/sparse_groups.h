#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/select/sparse_vector.h"

/// Method `sparse-groups`: descent in which each step reads one group of records. It moves only few
/// coordinates: those whose noisy sum of gradients reaches a threshold (Zhang, Mironov, Hejazinia
/// 2021, algorithm 2). A public hash of one column determines the groups. They are read in turn, so
/// that a pass over them costs as much as one group. Or they are drawn in secret as in the paper.
/// That lowers delta but not epsilon: theorem 1 of the paper is refuted
/// (docs/methods/sparse-groups.md).
namespace tacet::learn {

/// The user's options. All but the group column may be left out and are then chosen from public
/// facts.
struct SparseGroupsOptions : CommonOptions, StepOptions, BallOptions {
  std::optional<std::string> group_column{};  ///< the column whose hash groups records; required
  std::optional<std::int64_t> groups{};
  bool random_groups = false;               ///< a secret draw in each step, instead of all in turn
  std::optional<std::int64_t> positives{};  ///< largest number of coordinates that a step moves
  std::optional<double> threshold{};        ///< of the mean gradient
};
inline constexpr std::array sparse_groups_bindings{
    bind<&SparseGroupsOptions::group_column>("group-column"),
    bind<&SparseGroupsOptions::groups>("groups"),
    bind<&SparseGroupsOptions::random_groups>(
        "group-order",
        [](const std::string& text, SparseGroupsOptions& options) {
          options.random_groups = text == "random";
        }),
    bind<&SparseGroupsOptions::positives>("positives"),
    bind<&SparseGroupsOptions::threshold>("threshold"),
};
inline constexpr auto sparse_groups_options =
    read_options<SparseGroupsOptions, sparse_groups_bindings, step_bindings, ball_bindings,
                 calibration_bindings>;

struct SparseGroupsPlan : MethodPlan {
  std::string group_column;
  data::ColumnRange column;  ///< its encoded columns
  std::int64_t groups = 1;
  bool random_groups = false;  ///< a secret draw in each step, instead of all in turn
  std::int64_t steps = 1;
  std::int64_t positives = 1;   ///< largest number of coordinates that a step moves
  double coordinate_bound = 1;  ///< bound of each coordinate of a record's gradient
  double threshold = 0;         ///< of the mean gradient
  double step_size = 1;
  double radius = 1;             ///< of the ball to which weights are projected
  double selection_epsilon = 0;  ///< of a step's comparisons
  double value_epsilon = 0;      ///< of a step's released values
  double threshold_share = 0;    ///< SparseVectorOptions::threshold_share

  [[nodiscard]] std::int64_t passes() const { return (steps + groups - 1) / groups; }
  /// The sparse vector technique of one step; the threshold is in grid units of its scores.
  [[nodiscard]] mechanism::SparseVectorOptions run() const;
  /// A grid unit of the scores, as a part of the mean gradient.
  [[nodiscard]] double grid_unit() const;
};

/// Chooses all parameters from the options and the schema alone. UsageError unless the group column
/// is in the schema; GuaranteeError for replace_one, a unit column, several outputs.
[[nodiscard]] SparseGroupsPlan plan_sparse_groups(const data::Schema& schema,
                                                  const SparseGroupsOptions& options,
                                                  const PlanContext& context = {});
[[nodiscard]] TrainedModel train_sparse_groups(const data::Dataset& dataset,
                                               const data::Schema& schema,
                                               const SparseGroupsPlan& plan,
                                               const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const SparseGroupsPlan& plan);
void list_settings(SettingList& list, SparseGroupsPlan& plan);

extern const Method sparse_groups_method;

}  // namespace tacet::learn
