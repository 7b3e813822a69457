#include "tacet/run/quantile.h"

#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/point/column_summary.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::run {
namespace {

/// The loss whose value scores an answer. Under its adjacency neighbours change it by at most 1
/// (mechanism/point/quantile.h); they may change the other loss by more.
std::string_view loss_of(privacy::Adjacency adjacency) {
  return adjacency == privacy::Adjacency::replace_one ? "replaced values" : "slope";
}

privacy::Receipt quantile_receipt(const QuantileRequest& request, const QuantilePlan& plan,
                                  const privacy::Event& event, const random::Source& source) {
  const auto& grid = plan.query.grid;
  privacy::Receipt receipt;
  receipt.algorithm = "quantile by inverse sensitivity";
  receipt.calibration = "tight";
  receipt.parameters = nlohmann::ordered_json{{"column", request.column},
                                              {"q", plan.query.level},
                                              {"lower", grid.lower()},
                                              {"upper", grid.point(grid.last())},
                                              {"step", grid.step()},
                                              {"epsilon", plan.each.value()},
                                              {"loss", loss_of(request.adjacency)}}
                           .dump();
  receipt.events = event;
  receipt.guarantee = plan.cost;
  receipt.software_version = base::version;
  receipt.prg_slack = plan.prg_slack;
  if (!source.secure()) {
    receipt.randomness = privacy::Randomness::seeded;
    receipt.unprotected_reason = "seeded noise; for tests and experiments only";
  }
  receipt.public_row_count = request.schema.public_row_count;
  return data::with_schema_cost(request.schema, privacy::checked(receipt));
}

}  // namespace

QuantilePlan plan_quantile(const QuantileRequest& request) {
  if (!(request.level >= 0 && request.level <= 1)) {
    throw base::UsageError("q must lie in [0, 1], got {}", request.level);
  }
  const auto bounds = data::numeric_bounds(request.schema, request.column);
  auto step = request.step;
  if (!step && bounds.date) step = 1;
  const mechanism::QuantileQuery query{
      .level = request.level,
      .grid = mechanism::Grid(request.lower.value_or(bounds.lower),
                              request.upper.value_or(bounds.upper), step),
      .adjacency = request.adjacency};
  const privacy::Epsilon each(privacy::decimal_down(request.epsilon.value()));
  QuantilePlan plan{.bounds = bounds,
                    .query = query,
                    .each = each,
                    .event = mechanism::quantile_event(query, each),
                    .cost = {request.epsilon.value(), 0, request.adjacency},
                    // One draw, which may read its whole keystream block.
                    .prg_slack = random::prg_slack_of(1, random::max_block_words)};
  static_cast<void>(privacy::delta_left(plan.cost, plan.prg_slack));
  static_cast<void>(
      data::with_schema_cost(request.schema, {plan.event, plan.cost, plan.prg_slack}));
  return plan;
}

privacy::Event recorded_quantile(const privacy::Receipt& receipt,
                                 learn::RecordedParameters& parameters,
                                 const privacy::Event& /*own*/) {
  learn::expect_plain_release(receipt);
  if (receipt.privacy_unit != "record") {
    throw base::DataError("a quantile protects single records, not each {}", receipt.privacy_unit);
  }
  const auto adjacency = receipt.guarantee.adjacency;
  if (parameters.text("loss") != loss_of(adjacency)) {
    throw base::DataError("the loss '{}' orders the answers, which is not proved under {}",
                          parameters.text("loss"), to_string(adjacency));
  }
  // The cost depends neither on the level nor on the possible answers.
  const mechanism::QuantileQuery query{
      .level = 0, .grid = mechanism::Grid(0, 1), .adjacency = adjacency};
  return mechanism::quantile_event(query, privacy::Epsilon(parameters.real("epsilon")));
}

ReleasedQuantile release_quantile(const QuantileRequest& request, const QuantilePlan& plan,
                                  const privacy::Private<std::vector<double>>& values,
                                  random::Source& source, privacy::Reservation& reservation) {
  if (request.schema.public_row_count && request.adjacency != privacy::Adjacency::add_remove) {
    const auto count = values.map([](const std::vector<double>& numbers) {
      return std::vector<std::int64_t>{std::ssize(numbers)};
    });
    learn::check_declared_count(mechanism::public_count(count, request.adjacency),
                                *request.schema.public_row_count, reservation);
  }
  const auto released =
      mechanism::release_quantile(values, plan.query, plan.each, {{}, source, reservation});
  return {released.value(), quantile_receipt(request, plan, released.event(), source)};
}

}  // namespace tacet::run
