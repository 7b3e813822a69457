#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// What every run of a plan begins and ends with: the records are as many as were declared, and
/// what was released becomes a model with its receipt.
namespace tacet::learn {

/// InternalError when the plan was made for data of another shape.
void check_shape(const data::DatasetShape& shape, const data::Schema& schema,
                 const MethodPlan& plan);
inline void check_shape(const data::Dataset& dataset, const data::Schema& schema,
                        const MethodPlan& plan) {
  check_shape(dataset.shape(), schema, plan);
}

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

}  // namespace tacet::learn
