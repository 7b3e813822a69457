#include "tacet/learn/plan/finish.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::learn {

void check_shape(const data::DatasetShape& shape, const data::Schema& schema,
                 const MethodPlan& plan) {
  if (shape.columns == plan.columns && shape.norm_bound <= schema.norm_bound()) return;
  throw base::InternalError("the data set and the plan differ in their columns or bounds");
}

void check_declared_count(std::int64_t found, std::int64_t declared,
                          privacy::Reservation& reservation, std::string_view what) {
  if (found == declared) return;
  const auto adjacency = reservation.guarantee().adjacency;
  reservation.cancel();
  throw base::DataError(
      "the data hold {0} {1}, but public_row_count is {2}: under {3} the number of {1} is public, "
      "and what is computed and stated counts on it, so it must be exact",
      found, what, declared, privacy::to_string(adjacency));
}

void check_row_count(const data::Dataset& dataset, std::int64_t row_count,
                     const TrainingContext& context, std::string_view what) {
  check_declared_count(dataset.rows(), row_count, context.reservation, what);
}

namespace {

bool count_is_stated(const MethodPlan& plan) {
  const bool is_public = plan.guarantee.adjacency != privacy::Adjacency::add_remove;
  return is_public && !plan.unprotected() && plan.public_row_count != 0;
}

}  // namespace

void check_public_count(const data::Dataset& dataset, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what) {
  if (count_is_stated(plan)) check_row_count(dataset, plan.public_row_count, context, what);
}

void check_public_count(optimize::PartSums& records, const MethodPlan& plan,
                        const TrainingContext& context, std::string_view what) {
  if (!count_is_stated(plan)) return;
  check_declared_count(records.rows(), plan.public_row_count, context.reservation, what);
}

bool MethodPlan::unprotected() const { return std::isinf(guarantee.epsilon); }

privacy::Receipt receipt_of(const MethodPlan& plan) {
  nlohmann::json parameters = neighbour_parameters(plan.guarantee.adjacency);
  for (const auto& setting : plan.settings) {
    if (!setting.shown.receipt) continue;
    std::visit([&](const auto& value) { parameters[setting.name] = value; }, setting.value);
  }
  privacy::Receipt receipt;
  receipt.algorithm = plan.method;
  receipt.calibration = to_string(plan.calibration);
  receipt.parameters = parameters.dump();
  receipt.guarantee = plan.guarantee;
  receipt.privacy_unit = plan.privacy_unit;
  receipt.sampling = plan.sampling_scheme;
  if (plan.public_row_count > 0) receipt.public_row_count = plan.public_row_count;
  receipt.prg_slack = plan.prg_slack;
  receipt.software_version = base::version;
  return receipt;
}

namespace {

/// The cost of a training's releases. A training that an audit runs thousands of times asks for the
/// same cost again.
double epsilon_spent(const privacy::Event& events, privacy::Adjacency adjacency,
                     privacy::Delta delta) {
  struct Answer {
    privacy::Event events;
    privacy::Adjacency adjacency;
    double delta;
    double epsilon;
  };
  thread_local std::optional<Answer> last;
  if (!last || last->adjacency != adjacency || last->delta != delta.value() ||
      !(last->events == events)) {
    last = Answer{events, adjacency, delta.value(), accounting::epsilon(events, adjacency, delta)};
  }
  return last->epsilon;
}

}  // namespace

privacy::Receipt finished_receipt(const MethodPlan& plan, const TrainingContext& context) {
  auto receipt = receipt_of(plan);
  context.reservation.commit();
  receipt.events = context.reservation.spent();
  const auto& stated = receipt.guarantee;
  const double spent =
      epsilon_spent(receipt.events, stated.adjacency, privacy::delta_left(stated, plan.prg_slack));
  if (spent > stated.epsilon || stated.epsilon > context.reservation.guarantee().epsilon) {
    throw base::InternalError("training cost more than was reserved for it");
  }
  if (!context.source.secure()) {
    receipt.randomness = privacy::Randomness::seeded;
    receipt.unprotected_reason =
        "the noise was drawn from a known seed; for tests and experiments only";
  }
  return receipt;
}

TrainedModel finish(const MethodPlan& plan, const data::Schema& schema,
                    const TrainingContext& context, Coefficients coefficients) {
  TrainedModel trained{model::empty_model(schema, plan.loss), finished_receipt(plan, context),
                       schema};
  trained.schema.packs_numbers = false;  // predictions read a row once
  trained.model.coefficients = std::move(coefficients.values);
  trained.model.noise_stddevs = std::move(coefficients.noise_stddevs);
  return trained;
}

}  // namespace tacet::learn
