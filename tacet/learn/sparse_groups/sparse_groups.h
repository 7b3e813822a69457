#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/select/sparse_vector.h"

/// Method `sparse-groups`: descent in which each step reads one group of records and moves few
/// coordinates, those whose summed gradient noisily reaches a threshold (Zhang, Mironov, Hejazinia
/// 2021, algorithm 2). Groups follow from a public hash of one column and are read in turn, so that
/// a pass over them costs what one group costs, or drawn in secret as in the paper, which lowers
/// delta and not epsilon: its theorem 1 is refuted (docs/methods/sparse-groups.md).
namespace tacet::learn {

/// What a user may ask of it. Everything left out but the group column is chosen from public facts.
struct SparseGroupsOptions : CommonOptions, StepOptions, BallOptions {
  std::optional<std::string> group_column{};  ///< whose hash groups records; must be given
  std::optional<std::int64_t> groups{};
  bool random_groups = false;               ///< a secret one for each step, not all in turn
  std::optional<std::int64_t> positives{};  ///< coordinates that a step moves, at most
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
  bool random_groups = false;  ///< a secret one for each step, not all in turn
  std::int64_t steps = 1;
  std::int64_t positives = 1;   ///< coordinates that a step moves, at most
  double coordinate_bound = 1;  ///< of a record's gradient in each coordinate
  double threshold = 0;         ///< of the mean gradient
  double step_size = 1;
  double radius = 1;             ///< weights stay in the ball of it
  double selection_epsilon = 0;  ///< of a step's comparisons
  double value_epsilon = 0;      ///< of a step's released values
  double threshold_share = 0;    ///< SparseVectorOptions::threshold_share

  [[nodiscard]] std::int64_t passes() const { return (steps + groups - 1) / groups; }
  /// The run of one step, whose threshold is in grid units of its scores.
  [[nodiscard]] mechanism::SparseVectorOptions run() const;
  /// What a grid unit of the scores is of the mean gradient.
  [[nodiscard]] double grid_unit() const;
};

/// Resolves all parameters from the options and the schema alone. UsageError without a group column
/// that the schema has; GuaranteeError for replace_one, a unit column, several outputs.
[[nodiscard]] SparseGroupsPlan plan_sparse_groups(const data::Schema& schema,
                                                  const SparseGroupsOptions& options,
                                                  const PlanContext& context = {});
[[nodiscard]] TrainedModel train_sparse_groups(const data::Dataset& dataset,
                                               const data::Schema& schema,
                                               const SparseGroupsPlan& plan,
                                               const TrainingContext& context);

/// What a plan releases, and its settings: for planning and for the way back from a receipt.
[[nodiscard]] privacy::Event releases(const SparseGroupsPlan& plan);
void list_settings(SettingList& list, SparseGroupsPlan& plan);

extern const Method sparse_groups_method;

}  // namespace tacet::learn
