#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/learn/rows/row_plan.h"
#include "tacet/model/wide/wide_architecture.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/privacy/event.h"

/// Method `wide`: noisy descent for wide models on secret Poisson samples of records. Each step
/// releases the sum of the records' clipped gradients on chosen rows of the tables and on the dense
/// block through the Gaussian mechanism; The rows are either those of all ids, or of ids that were
/// released from the same sample just before (Ghazi and others 2023, DP-AdaFEST). Both releases are
/// one debit. The bound is enforced in integers, whatever the network and the data are
/// (docs/proofs/wide.md).
namespace tacet::learn {

/// The user's options of a wide model. All that are left out are chosen from public facts.
struct WideOptions : CommonOptions, StepOptions, FeatureSelectionOptions, model::WideArchitecture {
  std::optional<std::string> optimizer{};
  std::optional<std::string> selection{};    ///< which ids' vectors a step moves
  std::optional<double> selection_share{};   ///< of mu^2
  std::optional<double> threshold{};         ///< number of records that have an id
  std::optional<std::int64_t> start_seed{};  ///< public
  std::optional<std::int64_t> batch_size{};  ///< the expected number of records of a step
  std::int64_t max_records_per_unit = 1;     ///< of a unit column's records that take part
  bool usual_layers = false;                 ///< `hidden` was left to the plan
};
[[nodiscard]] WideOptions wide_options(const ParameterValues& asked);

/// Training of a wide model, resolved from public facts: no record has been read.
struct NetPlan : RowPlan {  // its choice is all, or by how many records have an id
  model::WideArchitecture architecture;
  model::WideShape shape;
  std::uint64_t start_seed = 1;
  std::int64_t max_ids = 1;  ///< of a record, all fields together; further ones take no part

  /// Whether there are no vectors, but numbers and short lists alone.
  [[nodiscard]] bool of_numbers() const { return shape.fields.empty(); }
  /// What a record or unit is held to in the sum of gradients, and in that of its ids.
  [[nodiscard]] optimize::RowLimit gradient_limit() const;
  [[nodiscard]] optimize::RowLimit id_limit() const;
};

/// UsageError when something needed is missing or makes no sense, GuaranteeError when no guarantee
/// can be proved for it.
[[nodiscard]] NetPlan plan_net(const data::Schema& schema, const WideOptions& options,
                               const PlanContext& context = {});

/// Trains by the plan and commits the reservation. With one seed the model has the same bits for
/// any number of threads.
[[nodiscard]] TrainedModel train_net(const data::Dataset& dataset, const data::Schema& schema,
                                     const NetPlan& plan, const TrainingContext& context);

/// The settings of a plan, for planning and for the way back from a receipt.
void list_settings(SettingList& list, NetPlan& plan);

extern const Method wide_method;

}  // namespace tacet::learn
