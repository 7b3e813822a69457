#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// The beginning and the end of every run of a plan: the declared number of records is checked, and
/// the released values become a model with its receipt.
namespace tacet::learn {

/// InternalError when the plan was made for data of another shape.
void check_shape(const data::DatasetShape& shape, const data::Schema& schema,
                 const MethodPlan& plan);
inline void check_shape(const data::Dataset& dataset, const data::Schema& schema,
                        const MethodPlan& plan) {
  check_shape(dataset.shape(), schema, plan);
}

/// For a public number of records: gives the reservation back and throws DataError if it is not the
/// declared one.
void check_declared_count(std::int64_t found, std::int64_t declared,
                          privacy::Reservation& reservation, std::string_view what = "records");

/// The same for the records of a data set.
void check_row_count(const data::Dataset& dataset, std::int64_t row_count,
                     const TrainingContext& context, std::string_view what = "records");

/// The same check if the number is public and was declared. Not under add_remove, where nothing may
/// depend on the number of records, and not without protection. Schedules, step sizes and the
/// receipt use the declared number. Not for several records per unit, since neighbours then differ
/// in their number.
void check_public_count(optimize::PartSums& records, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what = "records");
void check_public_count(const data::Dataset& dataset, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what = "records");

/// The released coefficients, and the standard deviation of the noise in each, if its law is known.
struct Coefficients {
  std::vector<double> values;
  std::vector<double> noise_stddevs = {};
};

/// The end of every run: makes the model with the receipt of its plan. Commits the reservation and
/// states what was really spent, which never costs more than the plan. A seeded run is marked as
/// unprotected.
[[nodiscard]] TrainedModel finish(const MethodPlan& plan, const data::Schema& schema,
                                  const TrainingContext& context, Coefficients coefficients);

/// The receipt of a plan, with its settings as parameters. `events` are those of a run.
[[nodiscard]] privacy::Receipt receipt_of(const MethodPlan& plan);

/// The receipt that every run ends with, see finish().
[[nodiscard]] privacy::Receipt finished_receipt(const MethodPlan& plan,
                                                const TrainingContext& context);

}  // namespace tacet::learn
