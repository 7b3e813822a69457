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

/// What a method takes beyond the losses of one margin for classes and numbers.
struct Takes {
  bool shares = false;          ///< probabilities and counts: labels in [0, 1]
  bool softmax = false;         ///< one loss of the margins of several classes
  bool complete_cases = false;  ///< a class in neither list teaches nothing
  bool own = false;             ///< a loss of a program's own, of which nothing is proved
};

/// The first lines of every plan: its method, loss, columns and outputs. The loss is the given one,
/// or logistic for classes, squared for numbers, soft_logistic for probabilities and poisson for
/// counts; UsageError when it is not for this kind of target, or not for this method.
void resolve_problem(MethodPlan& plan, const data::Schema& schema, const CommonOptions& options,
                     Takes takes = {});

/// The same for methods that solve the squared loss alone, also of classes: two are the numbers -1
/// and 1, several have an indicator each. UsageError for another loss.
void resolve_squared_problem(MethodPlan& plan, const data::Schema& schema,
                             const CommonOptions& options);

/// The declared number of records. UsageError when neither options nor schema declare one.
[[nodiscard]] std::int64_t resolve_row_count(const data::Schema& schema,
                                             const CommonOptions& options);

/// The given delta, or default_delta(row_count). 0 is a GuaranteeError that says what else there
/// is: for methods with Gaussian noise.
[[nodiscard]] privacy::Delta resolve_delta(const data::Schema& schema, const CommonOptions& options,
                                           std::int64_t row_count, Reasons& reasons);

/// What is pure for such a target and unit, in words that finish a sentence.
[[nodiscard]] std::string_view pure_way_out(const data::Schema& schema);

/// The same for methods that can be pure: 0 where that was asked for.
[[nodiscard]] double resolve_delta_or_pure(const data::Schema& schema, const CommonOptions& options,
                                           std::int64_t row_count, Reasons& reasons);

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
void check_shape(const data::Dataset& dataset, const data::Schema& schema, const MethodPlan& plan);

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

/// What every plan begins with: GuaranteeError where the method is not proved for the adjacency, or
/// is not pure where delta 0 is asked for; UsageError where the schema protects all records of a
/// unit together and the method protects single ones. By the method's own Proved, which
/// check_receipt holds receipts against as well.
void expect_proved(const Method& method, const data::Schema& schema, const CommonOptions& options);

/// Where the number of records is public: gives the reservation back and throws DataError when they
/// are not as many as declared.
void check_declared_count(std::int64_t found, std::int64_t declared,
                          privacy::Reservation& reservation, std::string_view what = "records");

/// The same of the records of all processes together.
void check_row_count(const data::Dataset& dataset, std::int64_t row_count,
                     const TrainingContext& context, std::string_view what = "records");

/// The same wherever the number is public and was declared: not under add_remove, where nothing may
/// differ by how many records there are, and not without protection. Schedules, step sizes and what
/// the receipt states go by the declared number. Not for several records per unit: neighbours
/// differ in how many.
void check_public_count(const data::Dataset& dataset, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what = "records");

}  // namespace tacet::learn
