#include "tacet/report/plan.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "tacet/data/schema/schema_cost.h"
#include "tacet/report/json.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

ordered_json setting_json(const std::variant<std::int64_t, double, std::string>& value) {
  if (const auto* number = std::get_if<double>(&value)) return json_number(*number);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  return std::get<std::string>(value);
}

}  // namespace

ordered_json plan_json(const learn::Training& plan) {
  ordered_json out;
  out["method"] = plan.method;
  out["epsilon"] = json_number(plan.guarantee.epsilon);
  out["delta"] = plan.guarantee.delta;
  out["adjacency"] = to_string(plan.guarantee.adjacency);
  for (const auto& setting : plan.settings) {
    if (setting.shown.json) out[setting.name] = setting_json(setting.value);
  }
  if (plan.passes_over_records) out["passes_over_records"] = *plan.passes_over_records;
  if (!plan.unprotected()) out["events"] = ordered_json::parse(privacy::event_to_json(plan.events));
  out["reasons"] = plan.reasons;
  return out;
}

privacy::Receipt planned_receipt(const learn::Training& plan) {
  const auto& schema = plan.schema;
  privacy::Receipt receipt;
  receipt.algorithm = plan.method;
  receipt.calibration = "tight";
  receipt.events = plan.events;
  receipt.guarantee = plan.guarantee;
  receipt.privacy_unit = schema.unit.value_or("record");
  if (plan.public_row_count > 0) receipt.public_row_count = plan.public_row_count;
  receipt.prg_slack = plan.prg_slack;
  if (plan.unprotected()) receipt.unprotected_reason = "epsilon inf: no noise is added";
  return privacy::checked(std::move(receipt));
}

ordered_json whole_plan_json(const learn::Training& plan) {
  auto out = plan_json(plan);
  if (!plan.schema.cost) return out;
  const auto whole = data::with_schema_cost(plan.schema, planned_receipt(plan));
  out["with_schema_fit"] = {{"epsilon", json_number(whole.guarantee.epsilon)},
                            {"delta", whole.guarantee.delta},
                            {"adjacency", to_string(whole.guarantee.adjacency)},
                            {"protected", whole.is_protected()}};
  return out;
}

}  // namespace tacet::report
