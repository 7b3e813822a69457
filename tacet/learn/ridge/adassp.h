#pragma once

#include <optional>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Method `adassp`: ridge regression from one release of the Gram matrix and of the products with
/// the labels (Wang 2018, AdaSSP, with one release instead of three).
///
/// Gaussian noise on sums of squares: mu = sqrt(2) / sigma under add_remove and zero_out, sqrt(4.5)
/// / sigma under replace_one, sigma the noise's standard deviation relative to a record's share
/// (docs/proofs/gram.md). The amount of shrinkage is decided from released values, at no cost.
/// Numbers, two classes as -1 and 1, and k classes by indicators at the price of one label. With a
/// unit column one record of each unit takes part (learn/plan/unit_draw.h). The number of records
/// affects only the default delta. If it is declared and public, it must be exact.
namespace tacet::learn {

struct AdasspPlan : MethodPlan {
  double noise_multiplier = 0;
  double diagonal_noise =
      0;  ///< standard deviation of the noise on the diagonal of the released matrix
  double label_noise = 0;  ///< of the products with labels
  double norm_bound = 0;   ///< of the rows
};

/// Chooses all parameters from the options and the schema alone. UsageError for another loss than
/// the squared one, for class weights, and for more columns than optimize::max_gram_columns;
/// GuaranteeError for delta 0.
[[nodiscard]] AdasspPlan plan_adassp(const data::Schema& schema, const CommonOptions& options,
                                     const PlanContext& context = {});
[[nodiscard]] TrainedModel train_adassp(const data::Dataset& dataset, const data::Schema& schema,
                                        const AdasspPlan& plan, const TrainingContext& context);

/// The same for records that lie elsewhere or in parts. InternalError for units.
[[nodiscard]] TrainedModel adassp_over_parts(optimize::PartSums& records,
                                             const data::Schema& schema, const AdasspPlan& plan,
                                             const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const AdasspPlan& plan);
void list_settings(SettingList& list, AdasspPlan& plan);

extern const Method adassp_method;

}  // namespace tacet::learn
