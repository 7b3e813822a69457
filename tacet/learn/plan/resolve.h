#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/guarantee.h"

/// Decisions that methods of training share. Each uses the options and the schema alone, and says
/// in `reasons` what it chose on its own.
namespace tacet::learn {

/// UsageError when the schema has no target.
[[nodiscard]] const data::Target& target_of(const data::Schema& schema);

/// 1, or one a class beyond two.
[[nodiscard]] std::int64_t outputs_of(const data::Target& target);

/// The first lines of every plan: its method, loss, columns and outputs. The loss is the given one,
/// or logistic for classes, squared for numbers, soft_logistic for probabilities and poisson for
/// counts, and the only one where the method takes one alone; UsageError when it is not for this
/// kind of target. What a method is made for was asked before (expect_offered).
void resolve_problem(MethodPlan& plan, const data::Schema& schema, const CommonOptions& options,
                     const Problems& problems);

/// The same for methods that solve the squared loss alone, also of classes: two are the numbers -1
/// and 1, several have an indicator each.
void resolve_squared_problem(MethodPlan& plan, const data::Schema& schema,
                             const CommonOptions& options, const Problems& problems);

/// The declared number of records. UsageError when neither options nor schema declare one.
[[nodiscard]] std::int64_t resolve_row_count(const data::Schema& schema,
                                             const CommonOptions& options);

/// The given delta, or default_delta(row_count). 0 is a GuaranteeError: for methods with Gaussian
/// noise.
[[nodiscard]] privacy::Delta resolve_delta(const CommonOptions& options, std::int64_t row_count,
                                           Reasons& reasons);

/// The same for methods that can be pure: 0 where that was asked for.
[[nodiscard]] double resolve_delta_or_pure(const CommonOptions& options, std::int64_t row_count,
                                           Reasons& reasons);

/// UsageError for an l2 of 0 where the noise grows without bound as it falls; `usual` is what would
/// be chosen here.
void refuse_no_penalty(const MethodPlan& plan, const std::optional<double>& l2, double usual);

/// What a run released, and the standard deviation of the noise in each coefficient where its law
/// is known.
struct Coefficients {
  std::vector<double> values;
  std::vector<double> noise_stddevs = {};
};

/// What every run ends with: the model, and the receipt of its plan. Commits the reservation and
/// writes down what was really spent, which never costs more than was planned; a seeded run is
/// marked as unprotected.
[[nodiscard]] TrainedModel finish(const MethodPlan& plan, const data::Schema& schema,
                                  const TrainingContext& context, Coefficients coefficients);

/// The receipt of a plan: its settings become the parameters. Events are those of a run.
[[nodiscard]] privacy::Receipt receipt_of(const MethodPlan& plan);

/// The receipt that every run ends with, see finish().
[[nodiscard]] privacy::Receipt finished_receipt(const MethodPlan& plan,
                                                const TrainingContext& context);

/// InternalError when the plan was made for data of another shape.
void check_shape(const data::DatasetShape& shape, const data::Schema& schema,
                 const MethodPlan& plan);
inline void check_shape(const data::Dataset& dataset, const data::Schema& schema,
                        const MethodPlan& plan) {
  check_shape(dataset.shape(), schema, plan);
}

/// What is left of delta for the noise that a method calibrates, beside the PRG slack, at the
/// epsilon asked for (privacy/prg_share.h); to be asked before anything is booked.
/// GuaranteeError when nothing is left.
[[nodiscard]] privacy::Delta resolve_delta_left(const MethodPlan& plan,
                                                const CommonOptions& options, double delta,
                                                double prg_slack);

/// The guarantee of the plan's events, calibrated at resolve_delta_left of its PRG slack.
void resolve_guarantee(MethodPlan& plan, const CommonOptions& options, double delta);

/// What a pure mechanism is made for: the most that the decimal which was asked for allows
/// (privacy/decimal.h), so that ten runs at 0.1 are 1.
[[nodiscard]] privacy::Epsilon resolve_pure_epsilon(const CommonOptions& options);

/// Where the number of records is public: gives the reservation back and throws DataError when they
/// are not as many as declared.
void check_declared_count(std::int64_t found, std::int64_t declared,
                          privacy::Reservation& reservation, std::string_view what = "records");

/// The same of the records of a data set.
void check_row_count(const data::Dataset& dataset, std::int64_t row_count,
                     const TrainingContext& context, std::string_view what = "records");

/// The same wherever the number is public and was declared: not under add_remove, where nothing may
/// differ by how many records there are, and not without protection. Schedules, step sizes and what
/// the receipt states go by the declared number. Not for several records per unit: neighbours
/// differ in how many.
void check_public_count(optimize::PartSums& records, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what = "records");
void check_public_count(const data::Dataset& dataset, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what = "records");

}  // namespace tacet::learn
